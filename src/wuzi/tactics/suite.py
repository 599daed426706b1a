"""The tactical suite that comes with wuzi: positions with a proved answer."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from importlib.resources import files

from wuzi.core.game import Game
from wuzi.core.notation import Move, parse_moves
from wuzi.core.position import Position
from wuzi.core.rules import Rules, parse_rule
from wuzi.core.types import Color


class PuzzleTheme(StrEnum):
    """What is known of a position of the suite, for the side to move."""

    VCF = "vcf"
    """It wins by fours."""
    VCT = "vct"
    """It wins by threats, and not by fours."""
    NO_VCF = "no_vcf"
    """It has fours, and does not win by fours."""
    NO_VCT = "no_vct"
    """It has threats, and does not win by threats."""
    DEFENCE = "defence"
    """All moves but one lose to the opponent's fours, and that one does not."""


@dataclass(frozen=True)
class Puzzle:
    """A position of the suite.

    Attributes:
        id: its name, such as ``vcf-0001``.
        theme: what is known of it.
        rules: under which rules.
        moves: how it came about, from the empty board.
        line: the winning line of a win, both sides; the move of an only defence; else empty.
        refuted_in: of an only defence, how many moves the longest win takes that another move allows; else 0.
    """

    id: str
    theme: PuzzleTheme
    rules: Rules
    moves: tuple[Move, ...]
    line: tuple[Move, ...] = ()
    refuted_in: int = 0

    @property
    def difficulty(self) -> str:
        """``easy`` where three moves of the winner have to be seen, ``medium`` up to six, else ``hard``.

        >>> Puzzle("p", PuzzleTheme.VCF, Rules(9), (), parse_moves("a1b2c3d4e5", 9)).difficulty
        'easy'
        """
        own = self.refuted_in or (len(self.line) + 1) // 2
        return "easy" if own <= 3 else "medium" if own <= 6 else "hard"

    @property
    def to_move(self) -> Color:
        """Who moves at the position: colours alternate, and Black begins.

        Said without a replay of the game, because a list asks it of every puzzle.
        """
        return Color.WHITE if len(self.moves) % 2 else Color.BLACK

    @cached_property
    def game(self) -> Game:
        """The game up to the position."""
        return Game.from_moves(self.rules, self.moves)

    @property
    def position(self) -> Position:
        """The position."""
        return self.game.position


def load_suite(themes: Iterable[PuzzleTheme] = tuple(PuzzleTheme)) -> tuple[Puzzle, ...]:
    """The positions of these themes, in the order of the files.

    >>> len(load_suite()) > 1800
    True
    """
    return tuple(puzzle for theme in themes for puzzle in _load(theme))


def _load(theme: PuzzleTheme) -> list[Puzzle]:
    text = (files("wuzi") / "data" / "tactics" / f"{theme}.jsonl").read_text(encoding="utf-8")
    found = []
    for line in text.splitlines():
        data = json.loads(line)
        rules = Rules(size=data["size"], win_length=data["win_length"], rule=parse_rule(data["rule"]))
        moves = parse_moves(data["moves"], rules.size)
        answer = parse_moves(data.get("line", ""), rules.size)
        found.append(Puzzle(data["id"], theme, rules, moves, answer, data.get("refuted_in", 0)))
    return found
