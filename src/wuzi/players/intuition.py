"""What a level decides by chance: likely moves at a glance, things that are overlooked, slips.

Quiet things are overlooked first. With a sight of ``s`` (0 to 1) a side's chances of making five are
noticed with probability ``1 - (1 - s)**3``, those of making a four or more with ``1 - (1 - s)**2``, those
of an open three with ``s``; all chances of one kind and side together. A glance chooses by the engine's
policy, see :mod:`wuzi.players.level_kernels`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wuzi.contract import Line
from wuzi.core import Game, Move, Position
from wuzi.evaluation.codebook import shipped_record
from wuzi.players import level_kernels
from wuzi.players.chance import Chance
from wuzi.players.layout import GLANCE
from wuzi.players.levels import Level, LevelName
from wuzi.search.layout import UNSCORED
from wuzi.tactics.classes import tables
from wuzi.tactics.layout import PATTERNS


class LevelNoise:
    """The chance in one answer of a level; it depends on nothing but the seed and what is on the board."""

    def __init__(self, level: Level, seed: int, game: Game) -> None:
        self.record = Chance(seed, game).record
        for name in ("haste", "sight", "spread", "temperature", "depth", "vcf_nodes"):
            self.record[name] = getattr(level, name)
        self.record["nodes"] = level.nodes or 0
        self.shown = np.zeros(1, GLANCE)[0]

    def hastes(self) -> bool:
        """Whether the move is played at a glance."""
        return bool(level_kernels.level_hastes(self.record))

    def glance(self, position: Position) -> Move:
        """The move that is played at a glance; an UnsupportedError for rules without a net."""
        return Move(int(level_kernels.glance_move(*self._glanced(position))), position.rules.size)

    def glance_likelihood(self, position: Position, move: Move) -> float:
        """How likely a glance plays a move, 0 to 1; an UnsupportedError for rules without a net."""
        return float(level_kernels.glance_likelihood(*self._glanced(position), int(move)))

    def choose(self, lines: Sequence[Line], logit: int, proven: int) -> Line:
        """The best line, or now and then one that is nearly as good; see the kernel ``level_choice``."""
        return lines[int(level_kernels.level_choice(self.record, _scores(lines), len(lines), logit, proven))]

    def choice_likelihood(self, lines: Sequence[Line], logit: int, proven: int, move: Move) -> float:
        """How likely :meth:`choose` takes the line that begins with a move, 0 to 1."""
        for i, line in enumerate(lines):
            if line.move == move:
                args = (self.record, _scores(lines), len(lines), logit, proven, i)
                return float(level_kernels.choice_likelihood(*args))
        return 0.0

    def _glanced(self, position: Position) -> tuple[Any, ...]:
        rules, patterns = position.rules, np.zeros(1, PATTERNS)[0]
        of_rules, net = tables(rules.rule, rules.win_length), shipped_record(rules.rule, rules.win_length)
        return position.state(), patterns, of_rules, net, self.record, self.shown


def policy_likelihood(game: Game, move: Move) -> float:
    """How likely a glance that overlooks nothing plays a move, 0 to 1: the engine's policy alone.

    UnsupportedError for rules without a net.
    """
    clear = Level(LevelName.CASUAL, "", "", sight=1.0, spread=1.0)
    return LevelNoise(clear, 0, game).glance_likelihood(game.position, move)


def _scores(lines: Sequence[Line]) -> Any:
    return np.array([UNSCORED if x.score is None else int(x.score) for x in lines], np.int64)
