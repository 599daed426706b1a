"""``wuzi prove``: a proof that Black wins, whatever White replies, that anybody can check."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wuzi.apps.cli.options import Board, Positive, Seconds, played
from wuzi.apps.cli.progress import resumable, warm_up
from wuzi.base.atomic import write_atomic
from wuzi.errors import ConfigError, WuziError

if TYPE_CHECKING:
    from wuzi.search.proof.campaign import CampaignReport

_WEEK_S = 7 * 24 * 3600.0
_SHOWN = 12


def prove(
    out: Annotated[Path, typer.Option(file_okay=False)],
    board: Board = Board(),
    first: str | None = None,
    reply: str | None = None,
    moves: str | None = None,
    guide: Annotated[Path | None, typer.Option(exists=True, dir_okay=False)] = None,
    take: Annotated[Path | None, typer.Option(exists=True)] = None,
    time: Seconds = _WEEK_S,
    every: Seconds = 30.0,
    jobs: Positive = 1,
    export: Path | None = None,
    check: bool = False,
) -> None:
    """Prove that Black wins, against each reply of White to the first move, far ones first.

    What is proved is kept in the folder at once; run the command again to go on, also after a crash. Several
    runs may work in one folder, with different replies.
    For example: wuzi prove --out proof --reply "a1 i9" --time 600
    and then: wuzi prove --out proof --export proof.txt --check

    Options:
        out: Folder that keeps what is proved.
        first: Black's first move; default: the centre.
        reply: White's replies to work on, such as 'a1 i9'; default: all, one of each set of mirror images.
        moves: Prove the position after these moves instead, Black to move.
        guide: A tree as a JSON file, {"h8": {"i9": {"i7": ...}}}: its moves of Black are tried first.
        take: File of a proof, or folder of such files, whose positions are kept in the folder first.
        time: Processor time to use, in seconds.
        every: Seconds between two lines about the progress.
        jobs: How many processes share the replies.
        export: Write a file with all that is proved, and search no further.
        check: Check that file with the independent checker.
    """
    from wuzi.search.proof import check_proof
    from wuzi.search.proof.campaign import Campaign, check_rules

    rules = board.rules()
    check_rules(rules)
    if check and export is None:
        raise ConfigError("--check needs --export: the file to be checked")
    if moves is not None and (first is not None or reply is not None):
        raise ConfigError("--moves stands for --first and --reply: expected one or the other")
    warm_up()
    campaign = Campaign(rules, out, guide=guide)
    middle = campaign.boards.names[rules.size // 2 * (rules.size + 1)]
    opening = str(played(first or middle, rules, "--first").moves[0])
    roots = campaign.replies(opening)
    if reply is not None:
        wanted = [str(played(f"{opening} {cell}", rules, "--reply").moves[1]) for cell in reply.split()]
        roots = [(opening, cell) for cell in wanted]
    if moves is not None:
        game = played(moves, rules, "--moves")
        if game.outcome is not None or game.ply % 2:
            raise ConfigError(f"--moves {moves}: expected an open game with Black to move")
        roots = [tuple(map(str, game.moves))]
    for path in () if take is None else sorted(take.iterdir()) if take.is_dir() else (take,):
        campaign.store.take(path)
    if export is None:
        with resumable():
            if jobs > 1 and len(roots) > 1:
                _share(out, board, opening, roots, jobs, time, every, guide)
                campaign.store.refresh()
                time = 0.0
            all_proved = campaign.run(roots, time, _tell, every)
        print("all proved" if all_proved else "not all proved: run the command again to go on")
        return
    lines = list(campaign.export(None if reply or moves else opening, roots))
    if not lines:
        raise WuziError(f"{out}: none of the positions asked for is proved yet")
    write_atomic(export, "".join(f"{line}\n" for line in lines).encode("ascii"))
    print(f"{export}: {len(lines) - 3} lines")
    if check and check_proof.main([str(export)]):
        raise typer.Exit(1)


def _share(
    out: Path,
    board: Board,
    first: str,
    roots: list[tuple[str, ...]],
    jobs: int,
    time: float,
    every: float,
    guide: Path | None,
) -> None:
    """Let processes of their own work in the folder, each on its part of the replies, until they end."""
    options = ["--out", str(out), "--size", str(board.size), "--rule", board.rule, "--first", first]
    options += ["--time", str(time), "--every", str(every)]
    if board.win_length is not None:
        options += ["--win-length", str(board.win_length)]
    if guide is not None:
        options += ["--guide", str(guide)]
    parts = [" ".join(reply for _, reply in roots[job::jobs]) for job in range(min(jobs, len(roots)))]
    command = [sys.executable, "-m", "wuzi", "prove", *options, "--reply"]
    children = [subprocess.Popen([*command, part]) for part in parts]
    try:
        for child in children:
            child.wait()
    finally:
        for child in children:
            child.terminate()


def _tell(report: CampaignReport) -> None:
    """One line on the progress."""
    total = len(report.proved) + len(report.open)
    left = (
        "" if report.hours_left is None else f", {report.hours_left:.1f} h left if the others cost the same"
    )
    line = " ".join(report.hardest[:_SHOWN])
    now = f"work {report.work}, at {line}" if report.work else "proved"
    spent = f"{report.lines} positions, {report.spent_s / 3600:.2f} h{left}"
    print(f"proved {len(report.proved)} of {total} ({spent}); {report.now}: {now}", flush=True)
