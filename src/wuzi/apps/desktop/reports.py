"""What searches say, as the window shows it: candidates, hints, messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wuzi.analysis import HintReason
from wuzi.contract import Line
from wuzi.core import Game, Move, parse_move
from wuzi.protocols.analysis.replies import parse_lines


@dataclass(frozen=True, slots=True)
class SearchReport:
    """What a search knows of a position so far."""

    game: Game
    candidates: tuple[Line, ...]
    nodes: int
    depth: int


@dataclass(frozen=True, slots=True)
class Hint:
    """A suggestion: at first only ``area``, then the move and why."""

    game: Game
    area: tuple[Move, ...]
    move: Move
    reason: HintReason
    told: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """A message for the status bar: a catalogue key and its values."""

    key: str
    values: tuple[tuple[str, object], ...] = ()
    is_bad: bool = False


def notice(key: str, *, is_bad: bool = False, **values: object) -> Notice:
    """A :class:`Notice` with its values by name."""
    return Notice(key, tuple(values.items()), is_bad)


def played_moves(reply: dict[str, Any], size: int) -> tuple[Move, ...]:
    """The cells of a reply's action."""
    return tuple(parse_move(text, size) for text in reply["action"].get("moves") or ())


def read_report(game: Game, reply: dict[str, Any]) -> SearchReport:
    """What an ``info`` or ``done`` reply of a worker says of that game."""
    root = reply["rootInfo"]
    lines = parse_lines(reply, game)
    return SearchReport(game, lines, max(root["nodes"], root["simulations"]), root["depth"])
