"""Records through the rule book: the main line as a Game, and the check that every loaded file passes.

The rules decide who won, not the file. Other programs play on after a five, or write a result that the
board does not show; :func:`corrected` cuts and corrects such files and says so in the record's warnings. What
cannot be played at all (an occupied cell, Black twice in a row) is a RecordError that names the move.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wuzi.core import Color, Game, Opening, Outcome, Position, Reason, Rules, Stone, format_move
from wuzi.errors import RecordError, WuziError
from wuzi.records.words import opening_actions

if TYPE_CHECKING:
    from wuzi.records.model import GameRecord, RecordNode, SetUp

BOARD_REASONS = frozenset({Reason.LINE, Reason.DRAW_FULL, Reason.FORBIDDEN})
"""Ends that the board itself shows."""


@dataclass(frozen=True, slots=True)
class _Point:
    """A place in the tree: the position, the moves played so far, and whether the record said who moves."""

    position: Position
    ply: int = 0
    side_stated: bool = False


def start_position(record: GameRecord) -> Position:
    """The position that the root's set-up stones make; a RecordError if there is no such position."""
    return _advance(_Point(Position(record.rules)), record.root).position


def play_main_line(record: GameRecord) -> Game:
    """The main line of a record as a game.

    A RecordError says that it cannot be played, continues after the end, has set-up stones after the first
    move, or ends otherwise than the record says.
    """
    nodes = [node for node in record.root.main_line() if node.move is not None or node.setup is not None]
    n_setup = next((i for i, node in enumerate(nodes) if node.move is not None), len(nodes))
    moves = nodes[n_setup:]
    for ply, node in enumerate(moves):
        if node.setup is not None and not node.setup.is_bare:
            raise RecordError(f"set-up stones after move {ply}: expected them before the first move")
    moves = [node for node in moves if node.move is not None]
    rules = record.rules if record.opening is not None else replace(record.rules, opening=Opening.FREE)
    start = _Point(Position(rules))
    for node in nodes[:n_setup]:
        start = _advance(start, node)
    position = _turned_to(start, moves[0]) if moves else start.position
    color = position.to_move
    for ply, node in enumerate(moves):
        if node.color is not color:
            raise RecordError(_wrong_turn(node, ply, color, rules.size))
        color = color.opponent
    return _ended(_replay(rules, position, record, moves), record.outcome)


def corrected(record: GameRecord) -> GameRecord:
    """Check a freshly read record against the rules, in place; returns it.

    Moves after the end of the game, and variations that cannot be played, are cut with a warning. An outcome
    that contradicts the board is replaced with a warning; a main line that cannot be played is a RecordError.
    """
    warnings: list[str] = []
    line = {id(node) for node in record.root.main_line()}
    start = _advance(_Point(Position(record.rules)), record.root)
    end = start.position
    stack = [(record.root, start)]
    while stack:
        node, point = stack.pop()
        if id(node) in line:
            end = point.position
        kept: list[RecordNode] = []
        for child in node.children:
            is_main = id(child) in line
            if child.move is not None and point.position.outcome is not None:
                warnings.append(_cut_text(child, point, is_main))
                continue
            try:
                stack.append((child, _advance(point, child)))
            except RecordError as error:
                if is_main:
                    raise
                warnings.append(f"a variation was left out: {error}")
                continue
            kept.append(child)
        node.children[:] = kept
    record.outcome = _settled_outcome(record.outcome, end.outcome, warnings)
    record.warnings += tuple(warnings)
    if record.opening is not None:
        play_main_line(record)
    return record


def _advance(point: _Point, node: RecordNode) -> _Point:
    """The place after ``node``'s set-up stones or move."""
    if node.setup is not None:
        position = _put_up(point.position, node.setup, point.ply)
        return replace(point, position=position, side_stated=node.setup.to_move is not None)
    if node.move is None:
        return point
    position = _turned_to(point, node)
    try:
        return _Point(position.play(node.move), point.ply + 1, True)
    except WuziError as error:
        raise RecordError(f"move {point.ply + 1}: {error}") from error


def _turned_to(point: _Point, node: RecordNode) -> Position:
    """The position with the side to move that ``node``'s move needs.

    It may choose at the beginning and behind set-up stones, when nothing said who moves.
    """
    position = point.position
    if node.color is position.to_move:
        return position
    if point.side_stated or node.color is None:
        raise RecordError(_wrong_turn(node, point.ply, position.to_move, position.rules.size))
    return Position.from_cells(position.rules, position.cells, node.color)


def _put_up(position: Position, setup: SetUp, ply: int) -> Position:
    cells = position.cells.copy()
    for stone, moves in ((0, setup.empty), (Stone.BLACK, setup.black), (Stone.WHITE, setup.white)):
        for move in moves:
            if not 0 <= move < len(cells):
                size = position.rules.size
                raise RecordError(f"set-up stone on cell {move}: expected 0 to {size * size - 1}")
            cells[move] = stone
    # Stones put up during a game do not change whose turn it is.
    to_move = position.to_move if setup.to_move is None and ply else setup.to_move
    try:
        return Position.from_cells(position.rules, cells, to_move)
    except WuziError as error:
        where = f"after move {ply}" if ply else "before the first move"
        raise RecordError(f"set-up stones {where}: {error}") from error


def _replay(rules: Rules, start: Position, record: GameRecord, moves: list[RecordNode]) -> Game:
    stones = [node.move for node in moves if node.move is not None]
    try:
        game = Game(rules, start=start)
    except WuziError as error:
        raise RecordError(f"start of the game: {error}") from error
    for action in opening_actions(record.opening or (), stones):
        try:
            game = game.act(action)
        except WuziError as error:
            raise RecordError(f"move {len(game.moves) + 1}: {error}") from error
    return game


def _ended(game: Game, outcome: Outcome | None) -> Game:
    """The game with the recorded end, when no stone has ended it."""
    if game.outcome is not None:
        if outcome is not None and outcome != game.outcome:
            raise RecordError(f"outcome {_text(outcome)}: the board shows {_text(game.outcome)}")
        return game
    if outcome is None:
        return game
    if outcome.reason in BOARD_REASONS:
        raise RecordError(
            f"outcome {_text(outcome)}: the board does not show it after {len(game.moves)} moves"
        )
    return game.end(outcome)


def _settled_outcome(told: Outcome | None, shown: Outcome | None, warnings: list[str]) -> Outcome | None:
    """What to believe of the outcome a file tells and the one its board shows."""
    if shown is not None:
        if told is not None and told.winner is not shown.winner:
            warnings.append(
                f"the result says {_text(told)}, the board shows {_text(shown)}: the board counts"
            )
        return shown
    if told is None or told.reason not in BOARD_REASONS:
        return told
    if told.winner is None:
        return Outcome(None, Reason.AGREEMENT)
    warnings.append(f"the result says {_text(told)}, but no row on the board ends the game")
    return Outcome(told.winner, Reason.ADJUDICATION)


def _cut_text(node: RecordNode, point: _Point, is_main: bool) -> str:
    n_moves = sum(1 for below in node.main_line() if below.move is not None)
    where = "" if is_main else " in a variation"
    outcome = point.position.outcome
    ended = _text(outcome) if outcome else ""
    return (
        f"{n_moves} move(s) after the end of the game at move {point.ply}{where} were left out "
        f"({ended} under {point.position.rules.label})"
    )


def _wrong_turn(node: RecordNode, ply: int, to_move: Color, size: int) -> str:
    cell = "" if node.move is None else f" ({format_move(node.move, size)})"
    whose = node.color.name.lower() if node.color else "nobody"
    return f"move {ply + 1}{cell} is played by {whose}: expected {to_move.name.lower()}"


def _text(outcome: Outcome) -> str:
    return f"{outcome.result} ({outcome.reason.label})"
