"""``wuzi match`` and ``wuzi tournament``."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wuzi.apps.cli.options import (
    Budget,
    Cluster,
    Json,
    Language,
    OpenBoard,
    grouped,
    parse_range,
    print_json,
)
from wuzi.apps.cli.progress import warm_up
from wuzi.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from wuzi.arena.schedule import TournamentConfig
    from wuzi.arena.tournament import TournamentResult
    from wuzi.core import Rules

_PLAYER = "A player: a spec string, or NAME=spec; append ' @time=0.5' to give it a time limit of its own."

Sprt = Annotated[
    str | None,
    typer.Option(
        "--sprt",
        metavar="elo0=A,elo1=B[,alpha=0.05,beta=0.05]",
        help="Stop as soon as a sequential test decides between these two differences in normalised Elo.",
    ),
]


@dataclass(frozen=True)
class Conditions:
    """How the games of a match or tournament are played."""

    games: Annotated[
        int, typer.Option("--games", "-n", help="Maximum number of games per pair of players.", min=1)
    ] = 20
    openings: Annotated[
        str | None,
        typer.Option(
            "--openings",
            help="Where openings come from: a book (see `wuzi openings list`), a file, auto (random, all "
            "different) or none. Each is played with both colours. Default: the book of the rule and board, "
            "else auto.",
        ),
    ] = None
    opening_plies: Annotated[
        str, typer.Option("--opening-plies", help="Number of stones in a random opening, such as 2-6.")
    ] = "2-6"
    transform: Annotated[
        bool, typer.Option("--transform", help="Rotate and mirror the openings at random.")
    ] = False
    random_first: Annotated[
        bool,
        typer.Option("--random-first", help="Draw the first player by lot instead of alternating colours."),
    ] = False
    clock: Annotated[
        float | None,
        typer.Option("--clock", help="Time of each player for a whole game, in seconds.", min=0.0),
    ] = None
    increment: Annotated[
        float, typer.Option("--increment", help="Seconds added to the clock after each move.", min=0.0)
    ] = 0.0
    seed: Annotated[
        int, typer.Option("--seed", help="Random seed of the openings, the colours and the players.")
    ] = 0
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", help="Seconds by which a move may be late before it loses.", min=0.0),
    ] = 1.0
    draw_after: Annotated[
        int | None,
        typer.Option("--draw-after", help="Call a game drawn at this number of stones.", min=1),
    ] = None
    adjudicate: Annotated[
        float | None,
        typer.Option(
            "--adjudicate", help="End a game when both players give one side at least this win rate."
        ),
    ] = None


@dataclass(frozen=True)
class Output:
    """Where results go."""

    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for the game record, the table and the report."),
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help="Continue the games in the --out folder.")] = False
    make_report: Annotated[
        bool, typer.Option("--report/--no-report", help="Write charts and a report at the end.")
    ] = False
    language: Language = "en"
    as_json: Json = False


@dataclass(frozen=True)
class CrewOptions(Cluster):
    """Where games are played, and how many at once."""

    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency", "-j", help="Number of games played at once; default: the processors.", min=1
        ),
    ] = None


@grouped
def match(
    first: Annotated[str, typer.Argument(metavar="PLAYER", help=_PLAYER)],
    second: Annotated[str, typer.Argument(metavar="PLAYER", help="The opponent, given in the same way.")],
    board: OpenBoard = OpenBoard(),
    budget: Budget = Budget(),
    conditions: Conditions = Conditions(),
    crew: CrewOptions = CrewOptions(),
    sprt: Sprt = None,
    output: Output = Output(),
) -> None:
    """Let two players play each other, and report the score with its confidence interval.

    With --sprt the match ends as soon as it is clear which of the two is stronger, or after --games.
    For example: wuzi match engine minimax:preset=s0 --time 0.1 --games 100 --sprt elo0=-30,elo1=30
    """
    from wuzi.arena.match import two_entries

    config = _config(two_entries(first, second), board, budget, conditions, output)
    if sprt is not None:
        from wuzi.arena.sprt import SprtConfig

        config = dataclasses.replace(config, sprt=SprtConfig.parse(sprt))
    _run(config, crew, output)


@grouped
def tournament(
    player: Annotated[list[str] | None, typer.Option("--player", "-p", help=f"{_PLAYER} Repeatable.")] = None,
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="Let only the first player play all the others.")
    ] = False,
    ladder: Annotated[
        bool,
        typer.Option(
            "--ladder", help="Let each player play the next two only; give players in order of strength."
        ),
    ] = False,
    board: OpenBoard = OpenBoard(),
    budget: Budget = Budget(),
    conditions: Conditions = Conditions(),
    crew: CrewOptions = CrewOptions(),
    output: Output = Output(make_report=True),
) -> None:
    """Let several players play each other, and write the game record, a table, charts and a report.

    Every finished game is saved at once: after an interruption, repeat the command with --resume
    (--out and --resume are enough).
    """
    from wuzi.arena.schedule import Entry, config_from_settings

    if output.resume and output.out is None:
        raise ConfigError("--resume needs --out: the folder of the tournament")
    if output.resume and not player and output.out is not None:
        from wuzi.arena.journal import load_settings

        config = config_from_settings(load_settings(output.out)["settings"])
    else:
        if gauntlet and ladder:
            raise ConfigError("--gauntlet and --ladder: expected one of the two")
        config = dataclasses.replace(
            _config(tuple(map(Entry.parse, player or [])), board, budget, conditions, output),
            format="gauntlet" if gauntlet else "ladder" if ladder else "round-robin",
        )
    folder = output.out or Path("results") / f"tournament_{datetime.now():%Y%m%d_%H%M%S}"
    _run(config, crew, dataclasses.replace(output, out=folder))


def _config(
    entries: tuple[Any, ...], board: OpenBoard, budget: Budget, conditions: Conditions, output: Output
) -> TournamentConfig:
    """The tournament that a command's options mean."""
    from wuzi.arena.schedule import TournamentConfig
    from wuzi.games.referee import Adjudication

    rules = board.rules()
    return TournamentConfig(
        entries=entries,
        rules=rules,
        games=conditions.games,
        openings=conditions.openings or _openings(output, rules),
        opening_plies=parse_range(conditions.opening_plies, "--opening-plies"),
        transform=conditions.transform,
        random_first=conditions.random_first,
        seed=conditions.seed,
        limit=budget.limit(clock_s=conditions.clock, increment_s=conditions.increment),
        adjudication=Adjudication(conditions.draw_after, conditions.adjudicate),
        tolerance_s=conditions.tolerance,
    )


def _openings(output: Output, rules: Rules) -> str:
    """The openings where none were named: those of the run that is resumed, or of the rule and board."""
    from wuzi.arena.journal import SETTINGS_FILE, load_settings
    from wuzi.arena.openings import default_openings

    if output.resume and output.out and (output.out / SETTINGS_FILE).exists():
        recorded: str = load_settings(output.out)["settings"]["openings"]
        return recorded
    return default_openings(rules)


def _run(config: TournamentConfig, crew: CrewOptions, output: Output) -> None:
    """Play, and show the result; also of the games so far when interrupted."""
    from wuzi.apps.cli.arena.arena_view import ProgressView
    from wuzi.arena.tournament import TournamentResult, run_tournament, sprt_state

    out = output.out
    if output.resume and out is None:
        raise ConfigError("--resume needs --out: the folder of the games")
    if output.make_report and out is None:
        raise ConfigError("--report needs --out: the folder for the charts")
    warm_up(output.as_json)
    try:
        with crew.open() as executor, ProgressView(config, quiet=output.as_json) as view:
            result = run_tournament(
                config,
                out,
                resume=output.resume,
                concurrency=crew.concurrency,
                executor=executor,
                allow_command=True,
                on_progress=view.update,
            )
    except KeyboardInterrupt:
        records = tuple(view.records)
        if records:
            played = TournamentResult(config, records, None, sprt_state(config, records))
            _show(played, None, output)
        if out is not None:
            print(f"wuzi: interrupted; continue with --out {out} --resume", file=sys.stderr)
        raise
    _show(result, _report_if_possible(result, output) if output.make_report else None, output)


def _show(result: TournamentResult, folder: Path | None, output: Output) -> None:
    from wuzi.apps.cli.arena import arena_view
    from wuzi.arena.analysis import analyse, summary_json
    from wuzi.arena.match import MatchResult

    analysis = analyse(result.records)
    if output.as_json:
        sprt = None if result.sprt is None else dataclasses.asdict(result.sprt)
        if sprt is not None and result.sprt is not None:
            sprt["decision"] = result.sprt.decision
        print_json({**summary_json(analysis), "sprt": sprt, **arena_view.paths_json(result.csv_path, folder)})
        return
    entries = result.config.entries
    if len(entries) == 2:
        arena_view.show_match(MatchResult(entries[0].label, entries[1].label, result.records, result.sprt))
        if result.sprt is not None:
            arena_view.show_findings(analysis, output.language)
    else:
        arena_view.show_ranking(analysis, output.language)
    arena_view.show_warnings(analysis, output.language)
    for path in (result.csv_path, folder and folder / "report.html"):
        if path is not None:
            print(path)


def _report_if_possible(result: TournamentResult, output: Output) -> Path | None:
    """The folder of the report; None where matplotlib is missing, which costs no games."""
    from wuzi.apps.cli.arena.report import write

    if result.csv_path is None:
        return None
    try:
        return write(result.csv_path, None, output.language, "png", None, quiet=output.as_json).folder
    except MissingExtraError as error:
        print(f"wuzi: no charts: {error}; then: wuzi report {result.csv_path}", file=sys.stderr)
        return None
