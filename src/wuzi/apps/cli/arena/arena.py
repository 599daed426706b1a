"""``wuzi match``, ``tournament`` and ``compare``."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from wuzi.apps.cli.options import (
    Address,
    Depth,
    ExecutorName,
    Json,
    Nodes,
    OpeningName,
    RuleName,
    Simulations,
    Size,
    TimePerMove,
    WinLength,
    executor_of,
    parse_range,
    print_json,
    rules_of,
)
from wuzi.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from wuzi.arena.schedule import TournamentConfig
    from wuzi.arena.tournament import TournamentResult
    from wuzi.core import Rules

_PLAYER = "A player: a spec, or NAME=spec; ' @time=0.5' at the end gives it its own budget."

First = Annotated[str, typer.Argument(metavar="PLAYER", help=_PLAYER)]
Second = Annotated[str, typer.Argument(metavar="PLAYER", help="Its opponent.")]
Games = Annotated[int, typer.Option("--games", "-n", help="Games of each pairing.", min=1)]
Openings = Annotated[
    str | None,
    typer.Option(
        "--openings",
        help="A book (see `wuzi openings list`), a file, auto (random, all different) or none; each is "
        "played with both colours. Default: the book of the rule and board, else auto.",
    ),
]
OpeningPlies = Annotated[str, typer.Option("--opening-plies", help="Stones of random openings, as in 2-6.")]
Transform = Annotated[bool, typer.Option("--transform", help="Turn and mirror the openings at random.")]
RandomFirst = Annotated[
    bool, typer.Option("--random-first", help="Draw who moves first instead of swapping colours.")
]
Clock = Annotated[float | None, typer.Option("--clock", help="Seconds a game for each player.", min=0.0)]
Increment = Annotated[float, typer.Option("--increment", help="Seconds added after each move.", min=0.0)]
Concurrency = Annotated[
    int | None, typer.Option("--concurrency", "-j", help="Games at once; default: processors.", min=1)
]
Seed = Annotated[int, typer.Option("--seed", help="Of openings, colours and players.")]
Tolerance = Annotated[
    float, typer.Option("--tolerance", help="Seconds an answer may be late before it loses.", min=0.0)
]
DrawAfter = Annotated[
    int | None, typer.Option("--draw-after", help="A draw with so many stones on the board.", min=1)
]
Adjudicate = Annotated[
    float | None,
    typer.Option("--adjudicate", help="End a game when both players give one side this win rate."),
]
Sprt = Annotated[
    str | None,
    typer.Option("--sprt", help="Stop when decided: elo0=0,elo1=10[,alpha=0.05,beta=0.05] (normalised Elo)."),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Folder for the record, the CSV and the report.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the games in --out.")]
MakeReport = Annotated[bool, typer.Option("--report/--no-report", help="Draw the charts at the end.")]
Language = Annotated[str, typer.Option("--lang", help="Language of the report: en or zh.")]


class Where(NamedTuple):
    """Where games are played, and how many at once."""

    executor: str
    address: str | None
    concurrency: int | None


def match(
    first: First,
    second: Second,
    games: Games = 20,
    size: Size = 15,
    win_length: WinLength = None,
    rule: RuleName = "freestyle",
    opening: OpeningName = "free",
    openings: Openings = None,
    opening_plies: OpeningPlies = "2-6",
    transform: Transform = False,
    random_first: RandomFirst = False,
    time: TimePerMove = None,
    clock: Clock = None,
    increment: Increment = 0.0,
    nodes: Nodes = None,
    depth: Depth = None,
    simulations: Simulations = None,
    concurrency: Concurrency = None,
    executor: ExecutorName = "local",
    address: Address = None,
    seed: Seed = 0,
    tolerance: Tolerance = 1.0,
    draw_after: DrawAfter = None,
    adjudicate: Adjudicate = None,
    sprt: Sprt = None,
    out: Out = None,
    resume: Resume = False,
    make_report: MakeReport = False,
    language: Language = "en",
    as_json: Json = False,
) -> None:
    """Let two players play each other, and say how sure the result is."""
    from wuzi.arena.match import two_entries

    config = _config(locals(), two_entries(first, second))
    games_at = Where(executor, address, concurrency)
    _run(config, out, resume, games_at, make_report, language, as_json)


def compare(
    first: First,
    second: Second,
    games: Games = 200,
    size: Size = 15,
    win_length: WinLength = None,
    rule: RuleName = "freestyle",
    opening: OpeningName = "free",
    openings: Openings = None,
    opening_plies: OpeningPlies = "2-6",
    transform: Transform = False,
    random_first: RandomFirst = False,
    time: TimePerMove = None,
    clock: Clock = None,
    increment: Increment = 0.0,
    nodes: Nodes = None,
    depth: Depth = None,
    simulations: Simulations = None,
    concurrency: Concurrency = None,
    executor: ExecutorName = "local",
    address: Address = None,
    seed: Seed = 0,
    tolerance: Tolerance = 1.0,
    draw_after: DrawAfter = None,
    adjudicate: Adjudicate = None,
    sprt: Sprt = "elo0=-30,elo1=30",
    out: Out = None,
    resume: Resume = False,
    make_report: MakeReport = False,
    language: Language = "en",
    as_json: Json = False,
) -> None:
    """Find out which of two players is stronger, in as few games as that takes.

    A match that ends as soon as a sequential test is decided (by default: stronger or weaker by 30
    normalised Elo), or after --games. The answer is a sentence with its interval.
    """
    from wuzi.arena.match import two_entries

    config = _config(locals(), two_entries(first, second))
    games_at = Where(executor, address, concurrency)
    _run(config, out, resume, games_at, make_report, language, as_json, verdict=True)


def tournament(
    player: Annotated[list[str] | None, typer.Option("--player", "-p", help=_PLAYER)] = None,
    games: Games = 20,
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="The first player against all others.")
    ] = False,
    ladder: Annotated[
        bool,
        typer.Option("--ladder", help="Each player against the next two, for players in order of strength."),
    ] = False,
    size: Size = 15,
    win_length: WinLength = None,
    rule: RuleName = "freestyle",
    opening: OpeningName = "free",
    openings: Openings = None,
    opening_plies: OpeningPlies = "2-6",
    transform: Transform = False,
    random_first: RandomFirst = False,
    time: TimePerMove = None,
    clock: Clock = None,
    increment: Increment = 0.0,
    nodes: Nodes = None,
    depth: Depth = None,
    simulations: Simulations = None,
    concurrency: Concurrency = None,
    executor: ExecutorName = "local",
    address: Address = None,
    seed: Seed = 0,
    tolerance: Tolerance = 1.0,
    draw_after: DrawAfter = None,
    adjudicate: Adjudicate = None,
    out: Out = None,
    resume: Resume = False,
    make_report: MakeReport = True,
    language: Language = "en",
    as_json: Json = False,
) -> None:
    """Let many players play each other; writes the record, the CSV, charts and a report.

    Every finished game is on disk at once: after an interruption, repeat the command with --resume
    (--out and --resume are enough).
    """
    from wuzi.arena.schedule import Entry, config_from_settings

    if resume and out is None:
        raise ConfigError("--resume needs --out: the folder of the tournament")
    if resume and not player and out is not None:
        from wuzi.arena.journal import load_settings

        config = config_from_settings(load_settings(out)["settings"])
    else:
        config = _config(locals(), tuple(map(Entry.parse, player or [])))
    folder = out or Path("results") / f"tournament_{datetime.now():%Y%m%d_%H%M%S}"
    games_at = Where(executor, address, concurrency)
    _run(config, folder, resume, games_at, make_report, language, as_json)


def _config(options: dict[str, Any], entries: tuple[Any, ...]) -> TournamentConfig:
    """The tournament that a command's options mean."""
    from wuzi.arena.schedule import TournamentConfig
    from wuzi.arena.sprt import SprtConfig
    from wuzi.contract import Limit
    from wuzi.games.referee import Adjudication

    rules = rules_of(options["size"], options["win_length"], options["rule"], options["opening"])
    limit = Limit(
        time_s=options["time"],
        nodes=options["nodes"],
        depth=options["depth"],
        simulations=options["simulations"],
        clock_s=options["clock"],
        increment_s=options["increment"],
    )
    wanted = options.get("sprt")
    return TournamentConfig(
        entries=entries,
        rules=rules,
        games=options["games"],
        format=_format(options),
        openings=options["openings"] or _openings(options, rules),
        opening_plies=parse_range(options["opening_plies"], "--opening-plies"),
        transform=options["transform"],
        random_first=options["random_first"],
        seed=options["seed"],
        limit=limit,
        adjudication=Adjudication(options["draw_after"], options["adjudicate"]),
        tolerance_s=options["tolerance"],
        sprt=SprtConfig.parse(wanted) if wanted else None,
    )


def _format(options: dict[str, Any]) -> str:
    """Who meets whom; only tournaments leave a choice."""
    chosen = [name for name in ("gauntlet", "ladder") if options.get(name)]
    if len(chosen) > 1:
        raise ConfigError("--gauntlet and --ladder: expected one of the two")
    return chosen[0] if chosen else "round-robin"


def _openings(options: dict[str, Any], rules: Rules) -> str:
    """The openings where none were named: those of the run that is resumed, or of the rule and board."""
    from wuzi.arena.journal import SETTINGS_FILE, load_settings
    from wuzi.arena.openings import default_openings

    if options["resume"] and options["out"] and (options["out"] / SETTINGS_FILE).exists():
        recorded: str = load_settings(options["out"])["settings"]["openings"]
        return recorded
    return default_openings(rules)


def _run(
    config: TournamentConfig,
    out: Path | None,
    resume: bool,
    where: Where,
    make_report: bool,
    language: str,
    as_json: bool,
    *,
    verdict: bool = False,
) -> None:
    """Play, and show the result; also of the games so far when interrupted."""
    from wuzi.apps.cli.arena.arena_view import ProgressView
    from wuzi.arena.text import load_catalogue
    from wuzi.arena.tournament import TournamentResult, run_tournament, sprt_state

    load_catalogue(language)
    if resume and out is None:
        raise ConfigError("--resume needs --out: the folder of the games")
    if make_report and out is None:
        raise ConfigError("--report needs --out: the folder for the charts")
    warm_up(as_json)
    try:
        with (
            executor_of(where.executor, where.address) as executor,
            ProgressView(config, quiet=as_json) as view,
        ):
            result = run_tournament(
                config,
                out,
                resume=resume,
                concurrency=where.concurrency,
                executor=executor,
                allow_command=True,
                on_progress=view.update,
            )
    except KeyboardInterrupt:
        records = tuple(view.records)
        if records:
            played = TournamentResult(config, records, None, sprt_state(config, records))
            _show(played, None, language, as_json, verdict)
        if out is not None:
            print(f"wuzi: interrupted; go on with --out {out} --resume", file=sys.stderr)
        raise
    folder = _report_if_possible(result, language, as_json) if make_report else None
    _show(result, folder, language, as_json, verdict)


def _show(result: TournamentResult, folder: Path | None, language: str, as_json: bool, verdict: bool) -> None:
    from wuzi.apps.cli.arena import arena_view
    from wuzi.arena.analysis import analyse, summary_json
    from wuzi.arena.match import MatchResult

    analysis = analyse(result.records)
    if as_json:
        sprt = None if result.sprt is None else {**dataclasses.asdict(result.sprt)}
        if sprt is not None and result.sprt is not None:
            sprt["decision"] = result.sprt.decision
        print_json({**summary_json(analysis), "sprt": sprt, **arena_view.paths_json(result.csv_path, folder)})
        return
    entries = result.config.entries
    if len(entries) == 2:
        arena_view.show_match(MatchResult(entries[0].label, entries[1].label, result.records, result.sprt))
        if verdict:
            arena_view.show_findings(analysis, language)
    else:
        arena_view.show_ranking(analysis, language)
    arena_view.show_warnings(analysis, language)
    for path in (result.csv_path, folder and folder / "report.html"):
        if path is not None:
            print(path)


def _report_if_possible(result: TournamentResult, language: str, quiet: bool) -> Path | None:
    """The folder of the report; None where matplotlib is missing, which costs no games."""
    from wuzi.apps.cli.arena.report import write

    if result.csv_path is None:
        return None
    try:
        return write(result.csv_path, None, language, "png", None, quiet=quiet).folder
    except MissingExtraError as error:
        print(f"wuzi: no charts: {error}; then: wuzi report {result.csv_path}", file=sys.stderr)
        return None


def warm_up(quiet: bool) -> None:
    """Compile the kernels once, here, rather than in every player's process."""
    from wuzi.core import jit

    if jit.is_warm():
        return
    from wuzi.apps.cli.tools.warm import warm

    with contextlib.redirect_stdout(sys.stderr):
        warm(as_json=quiet)
