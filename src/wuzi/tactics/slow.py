"""Forced wins by the rules alone: slow exhaustive searches that prove what the solvers claim.

Nothing here knows of patterns, cell classes or tables: a four is a stone after which a winning row can be
made, a threat of an open four is found by trying every second stone, and every legal reply is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wuzi.core import rule_kernels
from wuzi.core.layout import MAX_CELLS
from wuzi.core.position import Position
from wuzi.tactics import checker_kernels


class SlowSearch:
    """An exhaustive search for a forced win, depth first, with a memory of positions."""

    def __init__(
        self,
        *,
        fours_only: bool,
        max_nodes: int,
        advice: Callable[[Any, int, list[int]], int | None] | None = None,
    ) -> None:
        """Attack with fours only (VCF), or with threats of open fours and of two fours too (VCT).

        The search gives up after ``max_nodes`` positions of the attacker. ``advice`` says which of the
        replies on a board to try first; it saves time and decides nothing.
        """
        self._fours_only, self._max_nodes, self._advice = int(fours_only), max_nodes, advice
        self._state: Any = None
        self._nodes = self._attacker = 0
        self._known: dict[int, bool] = {}
        self._scratch = np.empty(MAX_CELLS, np.int64)

    def wins(self, position: Position) -> bool | None:
        """Whether the side to move wins so; None if that would take too many positions."""
        self._state, self._attacker, self._nodes = position.state(), int(position.to_move), 0
        self._known.clear()
        if position.outcome is not None:
            return False
        try:
            return self._attack()
        except _GivenUp:
            return None

    def _attack(self) -> bool:
        state = self._state
        key = int(state["key"])
        if key not in self._known:
            self._nodes += 1
            if self._nodes > self._max_nodes:
                raise _GivenUp
            self._known[key] = self._any_attack_wins()
        return self._known[key]

    def _any_attack_wins(self) -> bool:
        state = self._state
        if self._points(checker_kernels.winning_points, state, self._attacker):
            return True
        must = self._points(checker_kernels.winning_points, state, 3 - self._attacker)
        if len(must) > 1:
            return False
        if not must and self._points(checker_kernels.double_points, state, self._attacker):
            return True
        moves = must or self._points(checker_kernels.attack_points, state, self._fours_only)
        for point in moves:
            rule_kernels.push(state, point)
            won = not state["result"] and self._every_reply_loses()
            rule_kernels.pop(state)
            if won:
                return True
        return False

    def _every_reply_loses(self) -> bool:
        state = self._state
        follow = self._points(checker_kernels.winning_points, state, self._attacker)
        if not follow and not self._fours_only:
            follow = self._points(checker_kernels.double_points, state, self._attacker)
        if not follow:
            return False
        array = np.array(follow, np.int64)
        replies = self._points(checker_kernels.useful_replies, state, array, len(follow), scratch=True)
        first = None if self._advice is None else self._advice(state, self._attacker, replies)
        for reply in sorted(replies, key=lambda point: (point != first, point not in follow)):
            rule_kernels.push(state, reply)
            lost = self._attack() if not state["result"] else int(state["result"]) == self._attacker
            rule_kernels.pop(state)
            if not lost:
                return False
        return True

    def _points(self, kernel: Any, *arguments: Any, scratch: bool = False) -> list[int]:
        out = np.empty(MAX_CELLS, np.int64)
        count = int(kernel(*arguments, out, self._scratch) if scratch else kernel(*arguments, out))
        return [int(point) for point in out[:count]]


class _GivenUp(Exception):
    """The limit of positions is reached."""
