"""Rule-book values as JSON: positions, actions, outcomes, and the checks of single fields.

Shared by the analysis protocol, stored sessions and the web: one way to write each thing down. Cells are
renju text (``h8``), colours ``B`` and ``W``, a board ``.BW`` text with the top row first.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from wuzi.core.game import Game
from wuzi.core.notation import Move, format_move, parse_move, parse_moves
from wuzi.core.position import Position
from wuzi.core.rules import Rules
from wuzi.core.types import Action, Color, Keep, Outcome, Place, PlaceSeveral, Reason, Swap
from wuzi.errors import ConfigError, ProtocolError

MAX_LINE = 1 << 20
_LETTERS = ".BW"
COLORS = {"B": Color.BLACK, "W": Color.WHITE, None: None}
"""Colours by their letters."""


class RequestError(ProtocolError):
    """A request that cannot be served; the process answers with an ``error`` line and keeps running.

    Attributes:
        code: a stable word for programs, such as ``bad_json`` or ``illegal_move``.
        request_id: the id of the request, if it could be read.
    """

    def __init__(self, code: str, message: str, request_id: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id


def parse_rules(data: Mapping[str, Any]) -> Rules:
    """The rules in ``size``, ``winLength``, ``rule`` and ``opening`` (15, 5, freestyle, free if missing)."""
    names = {name: data.get(name, default) for name, default in (("rule", "freestyle"), ("opening", "free"))}
    for name, value in names.items():
        if not isinstance(value, str):
            raise RequestError("unsupported_rule", f"{name} is {short(value)}: expected its name")
    try:
        return Rules(
            size=whole_field(data, "size", 0, 99, default=15),
            win_length=whole_field(data, "winLength", 0, 99, default=5),
            rule=names["rule"],
            opening=names["opening"],
        )
    except ConfigError as error:
        raise RequestError("unsupported_rule", str(error)) from None


def rules_json(rules: Rules) -> dict[str, Any]:
    """The inverse of :func:`parse_rules`."""
    return {
        "size": rules.size,
        "winLength": rules.win_length,
        "rule": rules.rule.label,
        "opening": str(rules.opening),
    }


def parse_position(data: Mapping[str, Any]) -> Game:
    """The game that a ``position`` object describes.

    It has ``size``, ``rule``, ``winLength``, ``opening`` and, for the stones, ``moves`` (a list of cells or a
    position code; plain alternating play), or ``actions`` (what the seats did, needed for swap openings);
    ``cells`` (``.BW``, top row first) with ``toMove`` sets up the start.

    Raises:
        RequestError, NotationError, IllegalMoveError, ConfigError: what exactly is wrong.
    """
    rules = parse_rules(data)
    game = Game(rules)
    if data.get("cells") is not None:
        game = Game(rules, start=parse_cells(data["cells"], rules, data.get("toMove")))
    actions, moves = data.get("actions"), data.get("moves")
    if actions is not None and moves is not None:
        raise RequestError("bad_request", "position has moves and actions: expected one of them")
    if actions is not None:
        if not isinstance(actions, list):
            raise RequestError("bad_request", f"actions is {short(actions)}: expected a list")
        for action in actions:
            game = game.act(parse_action(action, rules.size))
        return game
    for move in parse_cell_list(moves if moves is not None else [], rules.size, "moves"):
        game = game.play(move)
    return game


def position_json(game: Game) -> dict[str, Any]:
    """The ``position`` object of a game; the inverse of :func:`parse_position`."""
    data = rules_json(game.rules)
    if game.start.ply or game.start.to_move is not Color.BLACK:
        data |= {"cells": format_cells(game.start), "toMove": game.start.to_move.letter}
    return data | {"actions": [action_json(action, game.rules.size) for action in game.actions]}


def parse_cells(text: object, rules: Rules, to_move: object = None) -> Position:
    """A set-up position from ``.BW`` text, top row first; whose turn follows from the count if not given."""
    if not isinstance(text, str) or len(text) != rules.num_cells or set(text) - set(_LETTERS):
        raise RequestError(
            "bad_notation",
            f"cells is {short(text)}: expected {rules.num_cells} characters of '.', 'B', 'W', top row first",
        )
    cells = np.array([_LETTERS.index(letter) for letter in text], dtype=np.int8)
    if not isinstance(to_move, str | None) or to_move not in COLORS:
        raise RequestError("bad_request", f"toMove is {short(to_move)}: expected B or W")
    return Position.from_cells(rules, cells, COLORS[to_move])


def format_cells(position: Position) -> str:
    """The stones of a position as ``.BW`` text, top row first."""
    return "".join(_LETTERS[int(stone)] for stone in position.cells)


def parse_action(data: object, size: int) -> Action:
    """The action that an ``action`` object describes.

    >>> parse_action({"type": "place", "moves": ["a15"]}, 15)
    Place(move=Move('a15', size=15))
    """
    kind = data.get("type") if isinstance(data, dict) else None
    if isinstance(data, dict) and kind == "place":
        moves = parse_cell_list(data.get("moves"), size, "moves")
        if not moves:
            raise RequestError("bad_request", "a place action needs at least one move")
        return Place(moves[0]) if len(moves) == 1 else PlaceSeveral(tuple(moves))
    if kind == "swap":
        return Swap()
    if kind == "keep":
        return Keep()
    raise RequestError("bad_request", f"action is {short(data)}: expected a type of place, swap or keep")


def action_json(action: Action, size: int) -> dict[str, Any]:
    """The ``action`` object for an action; the inverse of :func:`parse_action`."""
    match action:
        case Place(move):
            return {"type": "place", "moves": [format_move(move, size)]}
        case PlaceSeveral(moves):
            return {"type": "place", "moves": [format_move(move, size) for move in moves]}
    return {"type": "swap" if isinstance(action, Swap) else "keep"}


def outcome_json(outcome: Outcome | None) -> dict[str, Any] | None:
    """``{"winner": "B"|"W"|null, "reason": ...}`` or None."""
    if outcome is None:
        return None
    winner = None if outcome.winner is None else outcome.winner.letter
    return {"winner": winner, "reason": outcome.reason.label}


def parse_outcome(data: object) -> Outcome | None:
    """The inverse of :func:`outcome_json`."""
    if data is None:
        return None
    reasons = {reason.label: reason for reason in Reason}
    winner, reason = (data.get("winner"), data.get("reason")) if isinstance(data, dict) else (0, 0)
    if not isinstance(winner, str | None) or winner not in COLORS or reason not in list(reasons):
        raise RequestError(
            "bad_request", f"outcome is {short(data)}: expected winner (B, W, null) and reason"
        )
    return Outcome(COLORS[winner], reasons[str(reason)])


def encode(message: Mapping[str, Any]) -> str:
    """One line of strict JSON, without the line end; numbers that are not finite become null."""
    return json.dumps(finite(message), separators=(",", ":"), allow_nan=False)


def finite(value: Any) -> Any:
    """The value as plain JSON data, with null for every number that is not finite."""
    if isinstance(value, (bool, str)) or value is None:
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.ndarray):
        return finite(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [finite(item) for item in value]
    return str(value)


def parse_object(line: str | bytes) -> dict[str, Any]:
    """The JSON object in a line; RequestError (``too_long``, ``bad_json``) if it is anything else."""
    if len(line) > MAX_LINE:
        raise RequestError("too_long", f"a line of {len(line)} characters: expected at most {MAX_LINE}")
    try:
        text = line.decode("utf-8") if isinstance(line, bytes) else line
        message = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise RequestError("bad_json", f"not JSON: {short(line)} ({str(error)[:80]})") from None
    if not isinstance(message, dict):
        raise RequestError("bad_json", f"a JSON object was expected, not {short(message)}")
    return message


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def parse_cell_list(value: object, size: int, what: str) -> list[Move]:
    """Cells from a list of texts or a position code; ``what`` names the field in errors."""
    if isinstance(value, str):
        return list(parse_moves(value, size))
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RequestError("bad_request", f"{what} is {short(value)}: expected a list of cells such as 'h8'")
    return [parse_move(item, size) for item in value]


def text_field(message: Mapping[str, Any], name: str) -> str:
    """A field that must be text and not blank."""
    value = message.get(name)
    if not isinstance(value, str) or not value.strip():
        raise RequestError("bad_request", f"{name} is {short(value)}: expected text")
    return value


def whole_field(
    message: Mapping[str, Any], name: str, least: int, most: int, default: int | None = None
) -> int:
    """A field that must be a whole number from ``least`` to ``most``."""
    value = message.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        expected = f"expected a whole number, {least} to {most}"
        raise RequestError("bad_request", f"{name} is {short(value)}: {expected}")
    return value


def number(name: str, value: object, least: float, most: float) -> float:
    """The value as a number from ``least`` to ``most``; ``name`` names the field in errors."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not least <= value <= most:
        expected = f"expected a number, {least:g} to {most:g}"
        raise RequestError("bad_request", f"{name} is {short(value)}: {expected}")
    return float(value)


def short(value: object) -> str:
    """The value for an error message, on one line of at most 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
