"""The first glance of a player: likely moves by the engine's policy, and things that are overlooked.

Quiet things are overlooked first. With a sight of ``s`` (0 to 1) a side's chances of making five are
noticed with probability ``1 - (1 - s)**3``, those of making a four or more with ``1 - (1 - s)**2``, those
of an open three with ``s``; all chances of one kind and side together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core.classes import CellClass
from wuzi.core.layout import PAD, STRIDE
from wuzi.core.position import Position
from wuzi.evaluation.codebook import NUM_CLASSES, POLICY_LOGIT, shipped_record
from wuzi.evaluation.layout import POLICY_BITS
from wuzi.tactics.classes import tables
from wuzi.tactics.kernels import patterns_from_state
from wuzi.tactics.layout import PATTERNS, REACH

_NEAR = 2
_CUT = 4.0
"""Moves less likely than the likeliest by more than this log-odds are never played."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Glance:
    """What a glance shows."""

    cells: npt.NDArray[np.int64]  # candidates
    logits: Floats  # float64, how likely each is; the softmax is a probability

    def draw(self, temperature: float, rng: np.random.Generator) -> int:
        """One of the candidates; a higher temperature spreads the choice."""
        near = self.logits >= self.logits.max() - _CUT
        weights = np.where(near, np.exp((self.logits - self.logits.max()) / max(temperature, 1e-6)), 0.0)
        return int(rng.choice(self.cells, p=weights / weights.sum()))


def glance(position: Position, sight: float, rng: np.random.Generator) -> Glance:
    """The candidates at a ``sight`` of 0 (blind) to 1 (notices all); an UnsupportedError for other rules."""
    shapes = _Shapes(position)
    own, foe = shapes.classes
    cells = shapes.candidates()
    seen_own, seen_foe = (_noticed(kinds, sight, rng) for kinds in (own, foe))
    for kinds, seen in ((own, seen_own), (foe, seen_foe)):
        if len(fives := cells[(kinds[cells] == CellClass.FIVE) & seen[cells]]):
            return Glance(fives, np.zeros(len(fives)))
    if len(wins := cells[(own[cells] == CellClass.OPEN_FOUR) & seen_own[cells]]):
        return Glance(wins, np.zeros(len(wins)))
    logits = shapes.logits(np.where(seen_own, own, 0), np.where(seen_foe, foe, 0), seen_own & seen_foe)
    return Glance(cells, logits[cells])


def _noticed(kinds: npt.NDArray[np.uint8], sight: float, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Which cells' chances are noticed."""
    three, four, five = rng.random(3) < [1 - (1 - sight) ** looks for looks in (1, 2, 3)]
    rest = kinds <= CellClass.CLOSED_THREE
    return np.select([rest, kinds < CellClass.FOUR, kinds < CellClass.FIVE], [True, three, four], five)


class _Shapes:
    """Classes and policy of one position, by cell."""

    def __init__(self, position: Position) -> None:
        rules = position.rules
        state, patterns = position.state(), np.zeros(1, PATTERNS)[0]
        patterns_from_state(state, patterns, tables(rules.rule, rules.win_length))
        self._rows, self._columns = np.divmod(np.arange(rules.num_cells), rules.size)
        points = (self._rows + PAD) * STRIDE + self._columns + PAD
        self._position = position
        self._side = int(position.to_move) - 1
        self._net = shipped_record(rules.rule, rules.win_length)
        self._keys: Any = patterns["keys"][:, points]
        self._history = [int(point) for point in state["history"][: int(state["ply"])]][-1:-3:-1]
        self.classes: Any = patterns["classes"][[self._side, 1 - self._side]][:, points]

    def candidates(self) -> npt.NDArray[np.int64]:
        """Legal cells near a stone or of use to a side; the centre of an empty board."""
        position, size = self._position, self._position.rules.size
        legal = position.legal_mask() & ~position.forbidden_mask()
        legal = legal if legal.any() else position.legal_mask()
        near = (self.classes > CellClass.FORBIDDEN).any(axis=0)
        for stone in np.flatnonzero(position.cells):
            distance = np.maximum(abs(self._rows - stone // size), abs(self._columns - stone % size))
            near |= distance <= _NEAR
        if not near.any():
            middle = np.maximum(abs(self._rows - size // 2), abs(self._columns - size // 2))
            near = middle <= _NEAR
        found = np.flatnonzero(legal & near)
        return found if len(found) else np.flatnonzero(legal)

    def logits(self, own: Any, foe: Any, whole: npt.NDArray[np.bool_]) -> Floats:
        """The policy with the given classes; windows count for a move where the shape is seen ``whole``."""
        net, side = self._net, self._side
        kinds = np.minimum(np.stack([own, foe]), NUM_CLASSES - 1).astype(np.int64)
        black, white = kinds if side == 0 else kinds[::-1]
        features = net["rows"][net["window"][self._keys]].sum(axis=0, dtype=np.int64) + net["bias"]
        features += net["pairs"][black * 16 + white]
        shape = (np.maximum(features, 0) @ net["policy"][side].astype(np.int64)) / (1 << POLICY_BITS)
        # A cell whose shape is overlooked looks like an ordinary one.
        score = np.where(whole, shape, np.minimum(shape, np.median(shape)))
        score += net["policy_pairs"][side][kinds[0], kinds[1]]
        for which, point in enumerate(self._history):
            down = self._rows - ((point // STRIDE) - PAD) + REACH
            across = self._columns - ((point % STRIDE) - PAD) + REACH
            inside = (down >= 0) & (down <= 2 * REACH) & (across >= 0) & (across <= 2 * REACH)
            place = np.where(inside, down * (2 * REACH + 1) + across, 0)
            score += np.where(inside, net["places"][which][place], 0)
        found: Floats = score / POLICY_LOGIT
        return found
