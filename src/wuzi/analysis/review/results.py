"""What the tasks of a review find. JSON is only for files and pipes: see :func:`result_json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from wuzi.analysis.explain import Remark, Said
from wuzi.analysis.layout import RATED
from wuzi.base.json_fields import MALFORMED
from wuzi.core import Move, parse_moves
from wuzi.errors import RecordError, WuziError


class TaskKind(StrEnum):
    """The work of a review, in order.

    A brief search, forced wins, a longer search, missed defences, a last look at what a blunder rests on, and
    how likely each named level plays the moves.
    """

    QUICK = "quick"
    PROVE = "prove"
    DEEP = "deep"
    DEFEND = "defend"
    VERIFY = "verify"
    LEVELS = "levels"


@dataclass(frozen=True, slots=True)
class ProvedWin:
    """A forced win that the checker accepted."""

    kind: str  # ``five`` (at once), ``vcf`` (fours only) or ``vct`` (fours and threes)
    moves: tuple[Move, ...]  # the line, both sides, the winner first; replies are the longest defence


@dataclass(frozen=True, slots=True)
class SeenLine:
    """A candidate; ``winrate`` is Black's, ``win_in`` plies to a proved win (positive) or loss."""

    move: Move
    winrate: float
    win_in: int | None
    pv: tuple[Move, ...]

    @property
    def is_loss(self) -> bool:
        """Whether it is proved that the side to move loses."""
        return self.win_in is not None and self.win_in < 0


@dataclass(frozen=True, slots=True)
class SearchedPosition:
    """A search of a position: Black's win rate, and its candidates, best first.

    ``said`` is the first move in words; None after a quick look.
    """

    winrate: float
    nodes: int
    lines: tuple[SeenLine, ...]
    said: tuple[Remark, ...] | None = None

    @property
    def best(self) -> SeenLine:
        """The first candidate."""
        return self.lines[0]


@dataclass(frozen=True, slots=True)
class Proof:
    """The forced wins of the side to move, and the other side's ``threat`` if it were to move."""

    win: ProvedWin | None
    lost: bool  # the other side wins whatever is played here: by threats, or by the shipped proof
    threat: ProvedWin | None
    only: Move | None  # the single move that stops the threat, if there is just one
    forced: bool  # the other side threatens to win at once
    said: tuple[Remark, ...] | None = None  # the move played in words; None at the end of the game


@dataclass(frozen=True, slots=True)
class Defence:
    """The first move after which no forced win of the other side was found, in words too.

    Without one, ``proved`` says whether every legal move was tried and is proved to lose.
    """

    move: Move | None
    tried: int
    proved: bool = False
    said: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class LevelFit:
    """How likely each level that searches less plays the move played, weakest first, and the policy alone."""

    likelihoods: tuple[float, ...]  # 0 to 1
    policy: float
    said: None = None  # nothing to put in words


Result = SearchedPosition | Proof | Defence | LevelFit


def result_json(result: Result) -> dict[str, Any]:
    """A result as JSON-compatible data; lines of moves are position codes."""
    data: dict[str, Any]
    match result:
        case SearchedPosition():
            lines = [
                {"move": str(line.move), "winrate": line.winrate, "winIn": line.win_in, "pv": _code(line.pv)}
                for line in result.lines
            ]
            data = {"winrate": result.winrate, "nodes": result.nodes, "lines": lines}
        case Proof():
            data = {
                "win": _win_json(result.win),
                "lost": result.lost,
                "threat": _win_json(result.threat),
                "only": cell_json(result.only),
                "forced": result.forced,
            }
        case Defence():
            data = {"move": cell_json(result.move), "tried": result.tried, "proved": result.proved}
        case LevelFit():
            data = {"likelihoods": list(result.likelihoods), "policy": result.policy}
    if result.said is not None:
        data["said"] = [
            {"said": one.said.name, "cells": _code(one.cells), "plies": one.plies} for one in result.said
        ]
    return data


def parse_result(kind: TaskKind, data: Mapping[str, Any], size: int) -> Result:
    """The inverse of :func:`result_json`, without unknown remarks; RecordError says what is wrong."""
    try:
        said = _parse_said(data, size)
        if kind is TaskKind.PROVE:
            win, threat = (_parse_win(data[name], size) for name in ("win", "threat"))
            lost, forced = _flag(data, "lost"), _flag(data, "forced")
            return Proof(win, lost, threat, _parse_move(data["only"], size), forced, said)
        if kind is TaskKind.DEFEND:
            move, proved = _parse_move(data["move"], size), _flag(data, "proved")
            return Defence(move, int(data["tried"]), proved, said or ())
        if kind is TaskKind.LEVELS:
            *likelihoods, policy = _parse_likelihoods([*data["likelihoods"], data["policy"]])
            return LevelFit(tuple(likelihoods), policy)
        lines = tuple(_parse_line(line, size) for line in data["lines"])
        if not lines:
            raise RecordError("lines are empty: expected one or more")
        return SearchedPosition(float(data["winrate"]), int(data.get("nodes", 0)), lines, said)
    except (*MALFORMED, WuziError) as error:
        raise RecordError(f"{type(error).__name__} {error}") from None


def cell_json(move: Move | None) -> str | None:
    """The text of a cell, if there is one."""
    return None if move is None else str(move)


def _code(moves: Iterable[Move]) -> str:
    return "".join(map(str, moves))


def _flag(data: Mapping[str, Any], name: str) -> bool:
    if not isinstance(data[name], bool):
        raise RecordError(f"{name} is {data[name]!r}: expected true or false")
    return bool(data[name])


def _win_json(win: ProvedWin | None) -> dict[str, Any] | None:
    return None if win is None else {"kind": win.kind, "moves": _code(win.moves)}


def _parse_win(data: Mapping[str, Any] | None, size: int) -> ProvedWin | None:
    return None if not data else ProvedWin(str(data["kind"]), parse_moves(data["moves"], size))


def _parse_move(text: str | None, size: int) -> Move | None:
    return parse_moves(text, size)[0] if text else None


def _parse_likelihoods(values: Sequence[float]) -> tuple[float, ...]:
    found = tuple(map(float, values))
    if len(found) != RATED + 1 or not all(0 <= value <= 1 for value in found):
        raise RecordError(f"likelihoods are {values!r}: expected {RATED} and that of the policy, 0 to 1")
    return found


def _parse_line(data: Mapping[str, Any], size: int) -> SeenLine:
    winrate, win_in = float(data["winrate"]), data.get("winIn")
    if not 0 <= winrate <= 1:
        raise RecordError(f"winrate {winrate:g}: expected 0 to 1")
    pv = parse_moves(data["pv"], size)
    return SeenLine(parse_moves(data["move"], size)[0], winrate, None if win_in is None else int(win_in), pv)


def _parse_said(data: Mapping[str, Any], size: int) -> tuple[Remark, ...] | None:
    if "said" not in data:
        return None
    return tuple(
        Remark(Said[item["said"]], parse_moves(item["cells"], size), int(item["plies"]))
        for item in data["said"]
        if item["said"] in Said.__members__
    )
