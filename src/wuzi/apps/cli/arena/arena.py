"""``wuzi match``, ``wuzi tournament`` and ``wuzi report``."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import typer

import wuzi
from wuzi.apps.cli.options import (
    Budget,
    Cluster,
    Json,
    Language,
    OpenBoard,
    Positive,
    Seconds,
    parse_range,
    print_json,
)
from wuzi.apps.cli.progress import progress_bar, warm_up
from wuzi.errors import ConfigError, MissingExtraError

_PLAYER = "A player: a spec string, or NAME=spec; append ' @time=0.5' to give it its own time limit."


@dataclass(frozen=True)
class Conditions:
    """How the games of a match or tournament are played.

    Attributes:
        games: Maximum number of games per pair of players. Default: 20; with --sprt each opening of the book
            once with both colours, or 1,000 where openings are random.
        openings: Where openings come from: a book (see `wuzi openings list`), a file, auto (random, all
            different) or none. Each is played with both colours. Default: the book of the rule and board,
            else auto.
        opening_plies: Number of stones in a random opening, such as 2-6.
        transform: Rotate and mirror the openings at random.
        random_first: Draw the first player by lot instead of alternating colours.
        seed: Random seed of the openings, the colours and the players.
        draw_after: Call a game drawn at this number of stones.
        adjudicate: End a game when both players give one side at least this win rate.
    """

    heading: ClassVar = "Games and openings"
    games: Annotated[int | None, typer.Option("--games", "-n", min=1)] = None
    openings: str | None = None
    opening_plies: Annotated[str, typer.Option(metavar="PLIES")] = "2-6"
    transform: bool = False
    random_first: bool = False
    seed: int = 0
    draw_after: Positive | None = None
    adjudicate: float | None = None


@dataclass(frozen=True)
class Clocks(Budget):
    """How long players may think, in a move and in a game.

    Attributes:
        clock: Time of each player for a whole game, in seconds.
        increment: Seconds added to the clock after each move.
        tolerance: Seconds by which a move may be late before it loses.
    """

    clock: Seconds | None = None
    increment: Seconds = 0.0
    tolerance: Seconds = 1.0


@dataclass(frozen=True)
class Output:
    """Where results go.

    Attributes:
        out: Folder for the game record, the table and the report.
        resume: Continue the games in the --out folder.
        make_report: Write charts and a report at the end.
    """

    heading: ClassVar = "Output"
    out: Annotated[Path | None, typer.Option("--out", "-o")] = None
    resume: bool = False
    make_report: Annotated[bool, typer.Option("--report/--no-report")] = False
    language: Language = "en"
    as_json: Json = False


@dataclass(frozen=True)
class CrewOptions(Cluster):
    """Where games are played, and how many at once.

    Attributes:
        concurrency: Number of games played at once; default: one per processor.
    """

    concurrency: Annotated[int | None, typer.Option("--concurrency", "-j", min=1)] = None


@dataclass(frozen=True)
class Field:
    """Who plays a tournament, and against whom.

    Attributes:
        gauntlet: Let only the first player play all the others.
        ladder: Let each player play the next two only; give players in order of strength.
    """

    heading: ClassVar = "Players"
    player: Annotated[list[str] | None, typer.Option("--player", "-p", help=f"{_PLAYER} Repeatable.")] = None
    gauntlet: bool = False
    ladder: bool = False


def match(
    first: Annotated[str, typer.Argument(metavar="PLAYER", help=_PLAYER)],
    second: Annotated[str, typer.Argument(metavar="PLAYER")],
    board: OpenBoard = OpenBoard(),
    clocks: Clocks = Clocks(),
    conditions: Conditions = Conditions(),
    crew: CrewOptions = CrewOptions(),
    sprt: Annotated[
        str | None,
        typer.Option(metavar="elo0=A,elo1=B[,alpha=0.05,beta=0.05]", rich_help_panel="Statistical test"),
    ] = None,
    output: Output = Output(),
) -> None:
    """Let two players play each other, and report the score with its confidence interval.

    With --sprt the match ends as soon as it is clear which of the two is stronger, or after --games.
    For example: wuzi match engine minimax:preset=s0 --time 0.1 --games 100 --sprt elo0=-30,elo1=30

    Options:
        second: The opponent, given in the same way.
        sprt: Stop as soon as a sequential test decides between these two differences in normalised Elo.
    """
    from wuzi.arena.match import two_entries

    config = _config(two_entries(first, second), board, clocks, conditions, output)
    if sprt is not None:
        from wuzi.arena.schedule import default_games
        from wuzi.arena.sprt import SprtConfig

        config = dataclasses.replace(config, sprt=SprtConfig.parse(sprt))
        config = dataclasses.replace(config, games=conditions.games or default_games(config))
    _run(config, crew, output)


def tournament(
    field: Field = Field(),
    board: OpenBoard = OpenBoard(),
    clocks: Clocks = Clocks(),
    conditions: Conditions = Conditions(),
    crew: CrewOptions = CrewOptions(),
    output: Output = Output(make_report=True),
) -> None:
    """Let several players play each other, and write the game record, a table, charts and a report.

    Every finished game is saved at once: after an interruption, repeat the command with --resume
    (--out and --resume are enough).
    """
    from wuzi.arena.schedule import config_from_settings

    if output.resume and output.out is None:
        raise ConfigError("--resume needs --out: the folder of the tournament")
    if output.resume and not field.player and output.out is not None:
        from wuzi.arena.journal import load_settings

        config = config_from_settings(load_settings(output.out)["settings"])
    else:
        if field.gauntlet and field.ladder:
            raise ConfigError("--gauntlet and --ladder: expected one of the two")
        config = dataclasses.replace(
            _config(
                tuple(map(wuzi.arena.Entry.parse, field.player or [])), board, clocks, conditions, output
            ),
            format="gauntlet" if field.gauntlet else "ladder" if field.ladder else "round-robin",
        )
    folder = output.out or Path("results") / f"tournament_{datetime.now():%Y%m%d_%H%M%S}"
    _run(config, crew, dataclasses.replace(output, out=folder))


def _config(
    entries: tuple[Any, ...], board: OpenBoard, clocks: Clocks, conditions: Conditions, output: Output
) -> wuzi.arena.TournamentConfig:
    """The tournament that a command's options mean."""
    from wuzi.arena.schedule import GAMES

    rules = board.rules()
    return wuzi.arena.TournamentConfig(
        entries=entries,
        rules=rules,
        games=conditions.games or GAMES,
        openings=conditions.openings or _openings(output, rules),
        opening_plies=parse_range(conditions.opening_plies, "--opening-plies"),
        transform=conditions.transform,
        random_first=conditions.random_first,
        seed=conditions.seed,
        limit=clocks.limit(clock_s=clocks.clock, increment_s=clocks.increment),
        adjudication=wuzi.arena.Adjudication(conditions.draw_after, conditions.adjudicate),
        tolerance_s=clocks.tolerance,
    )


def _openings(output: Output, rules: wuzi.Rules) -> str:
    """The openings where none were named: those of the run that is resumed, or of the rule and board."""
    from wuzi.arena.journal import SETTINGS_FILE, load_settings

    if output.resume and output.out and (output.out / SETTINGS_FILE).exists():
        recorded: str = load_settings(output.out)["settings"]["openings"]
        return recorded
    return wuzi.arena.default_openings(rules)


def _run(config: wuzi.arena.TournamentConfig, crew: CrewOptions, output: Output) -> None:
    """Play, and show the result; also of the games so far when interrupted."""
    from wuzi.apps.cli.arena.arena_view import ProgressView
    from wuzi.arena.tournament import sprt_state

    out = output.out
    if output.resume and out is None:
        raise ConfigError("--resume needs --out: the folder of the games")
    if output.make_report and out is None:
        raise ConfigError("--report needs --out: the folder for the charts")
    warm_up()
    try:
        with crew.open() as executor, ProgressView(quiet=output.as_json) as view:
            result = wuzi.arena.run_tournament(
                config,
                out,
                resume=output.resume,
                concurrency=crew.concurrency,
                executor=executor,
                allow_command=True,
                on_progress=view.begin(config),
            )
    except KeyboardInterrupt:
        records = tuple(view.records)
        if records:
            played = wuzi.arena.TournamentResult(config, records, None, sprt_state(config, records))
            _show(played, None, output)
        if out is not None:
            print(f"wuzi: interrupted; continue with --out {out} --resume", file=sys.stderr)
        raise
    _show(result, _report_if_possible(result, output) if output.make_report else None, output)


def _show(result: wuzi.arena.TournamentResult, folder: Path | None, output: Output) -> None:
    from wuzi.apps.cli.arena import arena_view
    from wuzi.arena.analysis import summary_json
    from wuzi.arena.match import match_lines

    analysis = wuzi.arena.analyse(result.records)
    if output.as_json:
        state = result.sprt
        sprt = None if state is None else {**dataclasses.asdict(state), "decision": state.decision}
        paths = {"csv": result.csv_path, "report": folder}
        files = {name: None if path is None else str(path) for name, path in paths.items()}
        print_json({**summary_json(analysis), "sprt": sprt, **files})
        return
    entries = result.config.entries
    if len(entries) == 2:
        a, b = (entry.label for entry in entries)
        for line in match_lines(wuzi.arena.MatchResult(a, b, result.records, result.sprt)):
            print(line)
    else:
        arena_view.show_ranking(analysis, output.language)
    with_findings = len(entries) == 2 and result.sprt is not None
    arena_view.show_sentences(analysis, output.language, with_findings=with_findings)
    for path in (result.csv_path, folder and folder / "report.html"):
        if path is not None:
            print(path)


def _report_if_possible(result: wuzi.arena.TournamentResult, output: Output) -> Path | None:
    """The folder of the report; None where matplotlib is missing, which costs no games."""
    if result.csv_path is None:
        return None
    try:
        return _write(result.csv_path, quiet=output.as_json, language=output.language).folder
    except MissingExtraError as error:
        print(f"wuzi: no charts: {error}; then: wuzi report {result.csv_path}", file=sys.stderr)
        return None


def report(
    results: Annotated[Path, typer.Argument(metavar="RESULTS")],
    out: Annotated[Path | None, typer.Option("--out", "-o")] = None,
    language: Language = "en",
    kind: Annotated[Literal["png", "svg"], typer.Option("--format")] = "png",
    anchor: Annotated[str | None, typer.Option(metavar="PLAYER=ELO")] = None,
    as_json: Json = False,
) -> None:
    """Draw twelve charts of recorded games and write summary.json, report.md and report.html.

    Options:
        results: Recorded games: a games.jsonl, a table (csv, parquet), or the folder of a match.
        out: Folder in which fig_anly_NAME/ is made; default: beside the file.
        kind: Format of the charts.
        anchor: Fix the rating of one player, such as weight=0.
    """
    from wuzi.apps.cli.arena.arena_view import show_sentences
    from wuzi.arena.analysis import summary_json

    fixed = _anchor(anchor)
    written = _write(results, quiet=as_json, out=out, language=language, kind=kind, anchor=fixed)
    if as_json:
        print_json({**summary_json(written.analysis), "report": str(written.folder)})
        return
    show_sentences(written.analysis, language, with_findings=True)
    print(written.html)


def _write(results: Path, *, quiet: bool, **how: Any) -> wuzi.arena.Report:
    """Write a report behind a progress bar."""
    with progress_bar("report", quiet=quiet) as update:
        return wuzi.arena.write_report(results, **how, on_step=update)


def _anchor(text: str | None) -> tuple[str, float] | None:
    if text is None:
        return None
    name, _, rating = text.rpartition("=")
    try:
        return name, float(rating)
    except ValueError:
        raise ConfigError(f"--anchor {text!r}: expected a player and its rating, as in 'weight=0'") from None
