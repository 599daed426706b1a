"""A look at the best move before it is played: does the enemy win by threats after it?

The main search prunes quiet replies that begin a long attack; the search for threats (VCT) looks at
nothing else, so what one overlooks the other often sees in a few thousand positions.
"""

from __future__ import annotations

from wuzi.core.layout import NODES
from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.search.control import Control
from wuzi.tactics.vcf import Verdict
from wuzi.tactics.vct import VctSolver

LEAST = 400
"""Positions that are worth beginning a search for."""

GROWTH = 3
"""A move is looked at again when so many times the positions may be spent."""


class RootGuard:
    """Checks of the moves of one root position after another; its tables survive."""

    def __init__(self, percent: int) -> None:
        """``percent``: positions spent here for a hundred of the main search."""
        self._percent = percent
        self._solver: VctSolver | None = None
        self._spent = 0
        self._seen: dict[Move, int] = {}

    def begin(self) -> None:
        """Forget the moves of the last position."""
        self._spent = 0
        self._seen.clear()

    def loses(self, position: Position, move: Move, ctl: Control) -> bool:
        """Whether the enemy was seen to win by threats after this move; False where nothing is known.

        What is spent counts as positions of the main search (``ctl``), whose stop ends it too.
        """
        allowed = (int(ctl[NODES]) - self._spent) * self._percent // 100 - self._spent
        if allowed < max(LEAST, GROWTH * self._seen.get(move, 0)):
            return False
        after = position.play(move)
        if after.outcome is not None:
            return False
        self._seen[move] = allowed
        if self._solver is None:
            self._solver = VctSolver()
        found, nodes = self._solver.judge(after, max_nodes=allowed, until=ctl)
        self._spent += nodes
        ctl[NODES] += nodes
        return found is Verdict.WIN
