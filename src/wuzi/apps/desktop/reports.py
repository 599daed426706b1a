"""What searches say, as the window shows it: candidates, hints, messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wuzi.analysis import HintReason
from wuzi.core import Game, Move, parse_move


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move that a search considers.

    Attributes:
        move: where.
        winrate: Black's, if known.
        visits: nodes or simulations spent on it.
        win_in: plies to a proven win (positive) or loss of the side to move.
        pv: the expected continuation, the move first.
    """

    move: Move
    winrate: float | None
    visits: int
    win_in: int | None
    pv: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What a search knows of a position so far."""

    game: Game
    candidates: tuple[Candidate, ...]
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


def read_report(game: Game, reply: dict[str, Any]) -> Report:
    """What an ``info`` or ``done`` reply of a worker says of that game."""
    size, root = game.rules.size, reply["rootInfo"]
    candidates = tuple(
        Candidate(
            parse_move(info["move"], size),
            info["winrate"],
            info["visits"],
            info["winIn"],
            tuple(parse_move(text, size) for text in info["pv"]),
        )
        for info in reply["moveInfos"]
    )
    return Report(game, candidates, max(root["nodes"], root["simulations"]), root["depth"])
