"""What a level decides by chance: likely moves at a glance, things that are overlooked, slips.

Quiet things are overlooked first. With a sight of ``s`` (0 to 1) a side's chances of making five are
noticed with probability ``1 - (1 - s)**3``, those of making a four or more with ``1 - (1 - s)**2``, those
of an open three with ``s``; all chances of one kind and side together. A glance chooses by the engine's
policy, see :mod:`wuzi.players.level_kernels`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wuzi.contract import Line
from wuzi.core import Game, Move, Position
from wuzi.evaluation.codebook import shipped_record
from wuzi.players import level_kernels
from wuzi.players.chance import Chance
from wuzi.players.layout import GLANCE
from wuzi.players.levels import Level
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
        rules, patterns = position.rules, np.zeros(1, PATTERNS)[0]
        of_rules, net = tables(rules.rule, rules.win_length), shipped_record(rules.rule, rules.win_length)
        args = (position.state(), patterns, of_rules, net, self.record, self.shown)
        return Move(int(level_kernels.glance_move(*args)), rules.size)

    def choose(self, lines: Sequence[Line], logit: int, proven: int) -> Line:
        """The best line, or now and then one that is nearly as good; see the kernel ``level_choice``."""
        scores = np.array([UNSCORED if x.score is None else int(x.score) for x in lines], np.int64)
        return lines[int(level_kernels.level_choice(self.record, scores, len(lines), logit, proven))]
