"""Research from files: ``python -m research play``, ``train``, ``report`` and ``claims``.

All of it continues where it was interrupted, even by kill -9. README.md in this folder shows it at work.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing
from pathlib import Path

from wuzi.apps.cli.options import duration
from wuzi.arena.tournament import OnProgress, TournamentProgress
from wuzi.core import warming
from wuzi.errors import ConfigError, MissingExtraError, RecordError, WuziError
from wuzi.workers.local import make_executor


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = argparse.ArgumentParser(prog="python -m research", description=__doc__.partition("\n")[0])
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    play = commands.add_parser("play", help="play the missing games of a study or a ladder")
    train = commands.add_parser("train", help="train the missing arms of an ablation, and play their matches")
    report = commands.add_parser("report", help="write the pages of a folder that play or train made")
    commands.add_parser("claims", help="judge what the documents claim", add_help=False)
    for one in (play, train):
        one.add_argument("config", type=Path, metavar="FILE.toml", help="such as one in research/configs")
        one.add_argument("--out", "-o", type=Path, required=True, help="folder of the games; it is continued")
        one.add_argument("--arm", action="append", default=[], help="only this arm (or group); repeatable")
        one.add_argument("--max-time", help="begin nothing after 90s, 20m or 3h")
        one.add_argument("--core", type=int, help="run only on this processor (0 is the first)")
    play.add_argument("--stage", action="append", default=[], help="only this stage of a study")
    play.add_argument("--against", action="append", default=[], help="of a ladder: only games against it")
    play.add_argument("--allow-missing", action="store_true", help="leave out methods without their nets")
    play.add_argument("--concurrency", "-j", type=int, help="games at once; each needs a processor")
    play.add_argument("--executor", default="local", help="where games are played: local or ray")
    play.add_argument("--address", help="of a Ray cluster's head, or auto")
    report.add_argument("folder", type=Path, metavar="DIR")
    report.add_argument("--into", type=Path, help="folder of the pages; a ladder: its document")
    return top


def play(given: argparse.Namespace) -> None:
    """``python -m research play``: a study or a ladder, whichever the file is."""
    from research.config import load_study
    from research.ladder.config import load_ladder
    from research.ladder.report import write_ladder_report
    from research.ladder.run import chosen, run_ladder
    from research.run import missing_nets, run_study
    from wuzi.base.settings import read_toml

    concurrency, limit = given.concurrency or 1, duration(given.max_time)
    if not {"study", "methods", "stages"} & read_toml(given.config).keys():
        ladder = load_ladder(given.config)
        names = {"arms": given.arm, "against": given.against}
        chosen(ladder, **names)
        warming.fill()
        run_ladder(
            *(ladder, given.out),
            **names,
            max_time_s=limit,
            concurrency=concurrency,
            observe=lambda part: shown(part.folder),
        )
        try:
            print(write_ladder_report(given.out)[1])
        except MissingExtraError as error:
            print(f"no report: {error}; then: python -m research report {given.out}", file=sys.stderr)
        return
    study = load_study(given.config)
    stages = study.chosen(given.stage)
    if given.allow_missing or not missing_nets(study, stages):
        warming.fill()
    with closing(make_executor(given.executor, given.address)) as executor:
        missing = run_study(
            *(study, given.out),
            stages=given.stage,
            max_time_s=limit,
            allow_missing=given.allow_missing,
            concurrency=given.concurrency or int(executor.shares_disk),
            executor=executor,
            observe=lambda part, _: shown(part.folder),
        )
    for net, command in missing.items():
        print(f"left out: net {net} is missing; make it with: {command}")


def shown(folder: str) -> OnProgress:
    """Tell on standard error how far a tournament is, where that is a terminal."""

    def show(progress: TournamentProgress) -> None:
        if sys.stderr.isatty():
            print(
                f"\r{folder}: {len(progress.records)} of {progress.total} games",
                end="",
                file=sys.stderr,
                flush=True,
            )

    return show


def train(given: argparse.Namespace) -> None:
    """``python -m research train``: an ablation."""
    from research.ablation.config import load_ablation
    from research.ablation.run import run_ablation
    from wuzi.base.imports import need

    ablation = load_ablation(given.config)
    ablation.check_arms(given.arm)
    need("train", "torch")
    warming.fill()
    run_ablation(
        *(ablation, given.out),
        arms=given.arm,
        max_time_s=duration(given.max_time),
        say=lambda text: print(text, file=sys.stderr, flush=True),
    )


def report(given: argparse.Namespace) -> None:
    """``python -m research report``: the pages of a study, an ablation or a ladder."""
    from research.ablation.report import write_ablation_report
    from research.ladder.report import write_ladder_report
    from research.report import write_study_report

    folder, into = given.folder, given.into
    kinds = [name for name in ("study", "ablation", "ladder") if (folder / f"{name}.toml").is_file()]
    if kinds == ["ladder"]:
        pages = [write_ladder_report(folder, into)[1]]
    elif kinds:
        write = write_study_report if kinds == ["study"] else write_ablation_report
        pages = write(folder, into or folder / "page")[1]
    else:
        raise RecordError(f"{folder}: expected the folder of a study, an ablation or a ladder")
    print(*pages, sep="\n")


def pin(core: int | None) -> None:
    """Keep this process and its children on one processor."""
    if core is None:
        return
    try:
        os.sched_setaffinity(0, {core})
    except AttributeError:
        raise ConfigError(f"--core {core}: this system cannot keep a program on one processor") from None
    except OSError:
        raise ConfigError(f"--core {core}: expected one of {sorted(os.sched_getaffinity(0))}") from None


def main(arguments: list[str] | None = None) -> int:
    """Run a command; 2 for wrong input, 130 after Ctrl-C."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["claims"]:
        from research.claims import main as judge_claims

        return judge_claims(arguments[1:])
    given = parser().parse_args(arguments)
    try:
        if given.command != "report":
            pin(given.core)
        {"play": play, "train": train, "report": report}[given.command](given)
    except WuziError as error:
        print(f"research: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("research: interrupted; rerun the command to resume", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
