"""``wuzi solve``: is there a forced win in this position? ``wuzi tactics``: who finds those of a suite?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import wuzi
from wuzi.apps.cli.inputs import read_game
from wuzi.apps.cli.options import (
    Board,
    Budget,
    FileBoard,
    Json,
    Positive,
    RuleName,
    Seconds,
    attributes,
    played,
    print_json,
    rules_of,
)
from wuzi.apps.cli.progress import warm_up
from wuzi.base.store import JsonLines, object_in, read_text
from wuzi.errors import ConfigError, RecordError, WuziError

if TYPE_CHECKING:
    from wuzi.analysis.scoring import PuzzleMark
    from wuzi.analysis.solving import Kind, SolverResult

THEMES = ("vcf", "vct", "no_vcf", "no_vct", "defence")


def solve(
    file: Annotated[str | None, typer.Argument(metavar="GAME")] = None,
    kind: Literal["vcf", "vct", "exact"] = "vcf",
    board: FileBoard = FileBoard(),
    moves: str | None = None,
    positions: Path | None = None,
    nodes: Positive | None = None,
    time: Seconds | None = None,
    out: Path | None = None,
    as_json: Json = False,
) -> None:
    """Search for a forced win of the side to move, or for the exact value of a small board.

    Every win is replayed by a checker that knows only the rules before it is printed. In a positions file
    win_length may be given too; --nodes and --time apply to each position.

    Options:
        file: Game record (.sgf .psq .rec .json .pos .txt, or - for standard input), or moves such as h8i9.
        kind: What to search for: a win by fours (vcf), by fours and threes (vct), or the exact value.
        moves: Moves from the empty board, such as '7,7 8,8'.
        positions: File of positions instead: a JSON object per line with id, size, rule, moves.
        nodes: Maximum number of positions searched per problem.
        time: Maximum time per problem, in seconds.
        out: File to add each answer to at once, as JSON; positions answered there already are skipped.
    """
    from wuzi.analysis.solving import Kind, Solvers

    if sum(given is not None for given in (file, positions, moves)) > 1:
        raise ConfigError("a game, --moves and --positions: expected one of them")
    chosen = Kind(kind)
    warm_up()
    problems: list[tuple[Any, wuzi.Position]]
    if file is not None:
        game = read_game(file, board).game()
        problems = [(None, _open_position(chosen, game, file))]
    elif positions is None:
        problems = [(None, _position(chosen, board.rules(), moves or "", "--moves"))]
    else:
        problems = [*_read(positions, chosen, board.board())]
    solvers, kept = Solvers(), None if out is None else JsonLines(out)
    rows = kept.objects() if kept is not None and kept.path.is_file() else ()
    known = {json.dumps(row.get("id")) for _, row in rows}
    for name, position in problems:
        if json.dumps(name) in known:
            continue
        answer = solvers.solve(chosen, position, nodes=nodes, time_s=time)
        if kept is not None:
            kept.add(_answer_json(name, answer))
        _print(name, answer, as_json)


def _position(kind: Kind, rules: Any, moves: str, where: str) -> wuzi.Position:
    """The position after the moves, which must not be over."""
    return _open_position(kind, played(moves, rules, where), where)


def _open_position(kind: Kind, game: wuzi.Game, where: str) -> wuzi.Position:
    """The position of a game that the search can be asked about."""
    from wuzi.analysis.solving import why_not

    if (reason := why_not(kind, game.rules)) is not None:
        raise ConfigError(f"{where}: {reason}")
    if game.outcome is not None:
        raise ConfigError(f"{where}: the game is over after {game.ply} moves ({game.outcome.result})")
    return game.position


def _read(path: Path, kind: Kind, board: Board) -> Iterator[tuple[Any, wuzi.Position]]:
    """The positions of a file; fields it leaves out are those of the options."""
    found = False
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        where = f"{path}: line {number}"
        if (data := object_in(line)) is None:
            raise RecordError(f"{where}: {line[:40]!r} is no JSON object")
        fields = {**asdict(board), "moves": "", **data}
        try:
            length = None if fields["win_length"] is None else _field(fields, "win_length", int)
            rules = rules_of(_field(fields, "size", int), length, _field(fields, "rule", str))
            moves = fields["moves"]
            if isinstance(moves, list) and all(isinstance(cell, str) for cell in moves):
                moves = " ".join(moves)
            if not isinstance(moves, str):
                raise ConfigError(f"moves are {str(moves)[:40]!r}: expected a text like '7,7 8,8'")
            yield data.get("id", number), _position(kind, rules, moves, where)
        except WuziError as error:
            text_of = str(error)
            raise RecordError(text_of if text_of.startswith(where) else f"{where}: {text_of}") from None
        found = True
    if not found:
        raise RecordError(f"{path}: no positions: expected a JSON object a line")


def _field(fields: dict[str, Any], name: str, kind: type) -> Any:
    value = fields[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        wanted = "a whole number" if kind is int else "a text"
        raise ConfigError(f"{name} is {value!r}: expected {wanted}")
    return value


def _answer_json(name: Any, answer: SolverResult) -> dict[str, Any]:
    moves = [str(move) for move in answer.moves]
    effort = {**attributes(answer, "plies", "nodes"), "time_s": round(answer.time_s, 6)}
    return {"id": name, "result": answer.result, "moves": moves, **effort}


def _print(name: Any, answer: SolverResult, as_json: bool) -> None:
    if as_json:
        print_json(_answer_json(name, answer))
        return
    line = f" in {answer.plies}: {' '.join(map(str, answer.moves))}" if answer.moves else ""
    text = f"{answer.result}{line}  ({answer.nodes:,d} positions, {answer.time_s:.3f} s)"
    print(text if name is None else f"{name}: {text}", flush=True)


def tactics(
    player: str | None = None,
    nodes: Positive | None = None,
    time: Seconds | None = None,
    themes: Annotated[list[str] | None, typer.Option("--theme", metavar="|".join(THEMES))] = None,
    rule: RuleName | None = None,
    first: Positive | None = None,
    missed: bool = False,
    as_json: Json = False,
) -> None:
    """Score a player or the solvers on the tactical test suite: percentage solved, by theme and length.

    A player is asked for its move. In a won position any move that keeps the win is right.

    Options:
        player: Spec string of the player to test; default: the solvers.
        nodes: Maximum number of positions searched per problem.
        time: Maximum time per problem, in seconds.
        themes: Use only problems of this theme. Repeatable.
        rule: Use only problems with this rule.
        first: Use only the first problems of each theme.
        missed: List the problems that were not solved.
    """
    from wuzi.analysis.scoring import in_bands, score_player, score_solvers

    puzzles = _chosen(themes, rule, first)
    warm_up()
    if player is None:
        marks = list(score_solvers(puzzles, nodes=nodes, time_s=time))
    else:
        with wuzi.players.create_player(player, allow_command=True) as asked:
            marks = list(score_player(asked, puzzles, Budget(time=time, nodes=nodes).limit()))
    wrong = [mark.puzzle.id for mark in marks if mark.solved is False]
    if as_json:
        bands = [{**asdict(band), "theme": str(band.theme)} for band in in_bands(marks)]
        print_json({"player": player, "bands": bands, **({"missed": wrong} if missed else {})})
        return
    _print_table(marks)
    if missed and wrong:
        print("not solved: " + " ".join(wrong))


def _chosen(themes: Sequence[str] | None, rule: str | None, first: int | None) -> list[wuzi.tactics.Puzzle]:
    for name in themes or ():
        if name not in THEMES:
            raise ConfigError(f"--theme {name!r}: expected one of {', '.join(THEMES)}")
    wanted = None if rule is None else wuzi.core.parse_rule(rule)
    puzzles = []
    for theme in [wuzi.tactics.PuzzleTheme(name) for name in themes or THEMES]:
        fitting = [p for p in wuzi.tactics.load_suite([theme]) if wanted is None or p.rules.rule is wanted]
        puzzles += fitting[:first]
    return puzzles


def _print_table(marks: Sequence[PuzzleMark]) -> None:
    from wuzi.analysis.scoring import in_bands

    print(f"{'theme':8} {'plies':>7} {'positions':>9} {'solved':>7} {'%':>6} {'mean s':>8} {'slowest s':>9}")
    for band in in_bands(marks):
        plies = f"{band.shortest}-{band.longest}" if band.longest else ""
        percent = f"{100 * band.solved / band.positions:6.1f}" if band.positions else "     -"
        print(
            f"{band.theme:8} {plies:>7} {band.positions:9,d} {band.solved:7,d} {percent} "
            f"{band.mean_s:8.3f} {band.slowest_s:9.3f}"
        )
    if skipped := sum(mark.solved is None for mark in marks):
        print(f"skipped, as the player does not know their rules: {skipped:,d}")
