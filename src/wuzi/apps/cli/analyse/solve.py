"""``wuzi solve``: is there a forced win in this position?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import wuzi
from wuzi.apps.cli.options import Board, Json, Positive, Seconds, print_json, rules_of
from wuzi.errors import ConfigError, RecordError, WuziError

if TYPE_CHECKING:
    from wuzi.analysis.solving import Kind, Solved


def solve(
    kind: Literal["vcf", "vct", "exact"] = "vcf",
    board: Board = Board(),
    moves: str | None = None,
    positions: Path | None = None,
    nodes: Positive | None = None,
    time: Seconds | None = None,
    as_json: Json = False,
) -> None:
    """Search for a forced win of the side to move, or for the exact value of a small board.

    Every win is replayed by a checker that knows only the rules before it is printed. In a positions file
    win_length may be given too; --nodes and --time apply to each position.

    Options:
        kind: What to search for: a win by fours (vcf), by fours and threes (vct), or the exact value.
        moves: Moves from the empty board, such as '7,7 8,8'.
        positions: File of positions instead: a JSON object per line with id, size, rule, moves.
        nodes: Maximum number of positions searched per problem.
        time: Maximum time per problem, in seconds.
    """
    from wuzi.analysis.solving import Kind, Solvers

    if positions is not None and moves is not None:
        raise ConfigError("--moves and --positions: expected one of them")
    chosen = Kind(kind)
    problems: list[tuple[str | None, wuzi.Position]]
    if positions is None:
        problems = [(None, _position(chosen, board.rules(), moves or "", "--moves"))]
    else:
        problems = [*_read(positions, chosen, board)]
    solvers = Solvers()
    for name, position in problems:
        answer = solvers.solve(chosen, position, nodes=nodes, time_s=time)
        _print(name, position, answer, as_json)


def _position(kind: Kind, rules: Any, moves: str, where: str) -> wuzi.Position:
    """The position after the moves, which must not be over."""
    from wuzi.analysis.solving import why_not

    if (reason := why_not(kind, rules)) is not None:
        raise ConfigError(f"{where}: {reason}")
    try:
        game = wuzi.Game.from_moves(rules, wuzi.core.parse_moves(moves, rules.size))
    except WuziError as error:
        raise ConfigError(f"{where}: {error}") from None
    if game.outcome is not None:
        raise ConfigError(f"{where}: the game is over after {game.ply} moves ({game.outcome.result})")
    return game.position


def _read(path: Path, kind: Kind, board: Board) -> Iterator[tuple[str, wuzi.Position]]:
    """The positions of a file; fields it leaves out are those of the options."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: byte {error.start} is not UTF-8") from None
    found = False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        where = f"{path}: line {number}"
        data = None
        with suppress(ValueError, RecursionError):
            data = json.loads(line)
        if not isinstance(data, dict):
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
            yield str(data.get("id", number)), _position(kind, rules, moves, where)
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


def _print(name: str | None, position: wuzi.Position, answer: Solved, as_json: bool) -> None:
    size = position.rules.size
    if as_json:
        print_json(
            {
                "id": name,
                "result": answer.result,
                "moves": " ".join(f"{move % size},{move // size}" for move in answer.moves),
                "plies": answer.plies,
                "nodes": answer.nodes,
                "time_s": round(answer.time_s, 6),
            }
        )
        return
    line = " ".join(wuzi.core.format_move(move, size) for move in answer.moves)
    text = f"{answer.result}" + (f" in {answer.plies}: {line}" if answer.moves else "")
    effort = f"({answer.nodes:,d} positions, {answer.time_s:.3f} s)"
    print(f"{name}: {text}  {effort}" if name is not None else f"{text}  {effort}", flush=True)
