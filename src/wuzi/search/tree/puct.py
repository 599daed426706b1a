"""One search of one game, guided by a net: PUCT or Gumbel, within a limit, reporting as it goes."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from wuzi.contract import Limit, Line, OnInfo, SearchInfo, Stop
from wuzi.core.game import Game
from wuzi.core.notation import Move
from wuzi.core.rules import Rules
from wuzi.core.types import Color
from wuzi.nets.evaluator import Evaluator
from wuzi.search.control import counted, time_budget
from wuzi.search.tree.forms import make_trees
from wuzi.search.tree.options import SearchAlgorithm, TreeOptions
from wuzi.search.tree.root import Root, proven_plies

_CHUNK = 4096
"""Simulations after which the tree may grow."""
_ENDLESS = 1 << 60
_SHARE = 32
"""Leaves evaluated together are at most this part of the simulations wanted: in a small tree those in flight
count for too much."""
_REPORT_S = 0.1
_MARGIN = 0.02
"""At most this part of the time is left unused, so that the last step does not end too late."""


@dataclass(frozen=True, slots=True)
class _Bounds:
    """When a search ends: seconds and simulations it may take (None for no limit), and a stop request."""

    began: float
    budget: float | None
    total: int | None
    stop: Stop | None

    @classmethod
    def of(cls, limit: Limit, simulations: int, stop: Stop | None) -> _Bounds:
        """The first limit that is reached; without any, so many simulations."""
        budget, total = time_budget(limit), counted(limit)
        if total is None and budget is None:
            total = simulations
        return cls(time.perf_counter(), budget, total, stop)

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return time.perf_counter() - self.began

    def over(self, step: float = 0.0) -> bool:
        """Whether there is no time for another step of so many seconds, or a stop was asked for."""
        late = self.budget is not None and self.elapsed + min(step, self.budget * _MARGIN) >= self.budget
        return late or (self.stop is not None and self.stop.is_set)

    def left(self, spent: int) -> int:
        """Simulations that may still be done after so many; without end where time decides."""
        return _ENDLESS if self.total is None else self.total - spent


class TreeSearch:
    """Searches positions of a game, keeping the part of its tree that stays true.

    Attributes:
        root: what the last search found.
    """

    root: Root

    def __init__(
        self,
        rules: Rules,
        evaluator: Evaluator,
        options: TreeOptions = TreeOptions(),
        *,
        reuse: bool = True,
        max_nodes: int = 200_000,
    ) -> None:
        """Make a search for games of these rules, in a tree of at most ``max_nodes``; raises as the trees do.

        With ``reuse`` the subtree of the moves that were played is kept; without it an answer depends on
        nothing but game, limit and seed.
        """
        self._trees = make_trees(rules, 1, evaluator, options, max_nodes=max_nodes)
        self._reuse = reuse
        self._game: Game | None = None

    def run(
        self,
        game: Game,
        limit: Limit = Limit(),
        *,
        simulations: int,
        noise: bool = False,
        seed: int = 0,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: OnInfo | None = None,
    ) -> SearchInfo:
        """Search until the limit; without one, so many simulations.

        At least the position itself is evaluated, however short the limit. Under a time limit Gumbel
        search repeats its halving of ``simulations`` until time is over. ``noise``, at the root, follows from
        ``seed``. ``on_info`` is called about ten times a second and at the end.
        """
        bounds = _Bounds.of(limit, simulations, stop)
        self._enter(game, seed)
        trees, gumbel = self._trees, self._trees.options.form is SearchAlgorithm.GUMBEL
        spent, reported, longest = 0, 0.0, 0.0

        def report() -> SearchInfo:
            self.root = trees.root(0)
            info = self._info(game, multipv, spent + self.root.simulations, bounds.elapsed)
            if on_info is not None:
                on_info(info)
            return info

        while True:
            left = bounds.left(spent)
            chunk = min(left, _CHUNK) if not gumbel else simulations if bounds.total is None else left
            trees.gather(chunk // _SHARE)
            trees.start(0, chunk, noise=noise, same_noise=spent > 0)
            while not trees.idle:
                before = bounds.elapsed
                trees.step()
                longest = max(longest, bounds.elapsed - before)
                if bounds.over(longest):
                    break
                if on_info is not None and bounds.elapsed - reported >= _REPORT_S:
                    reported = bounds.elapsed
                    report()
            done = trees.root(0).simulations
            if done < chunk or bounds.over(longest) or done >= left:
                return report()
            spent += done

    def line(self, game: Game, move: Move) -> Line:
        """What the last search, which was of ``game``, knows of one move."""
        return self._line(move, game.position.to_move)

    def _enter(self, game: Game, seed: int) -> None:
        """Take the tree to this game, along the moves played since the last search if there are such."""
        last = self._game
        self._game = game
        if (
            self._reuse
            and last is not None
            and last.start == game.start
            and len(game.moves) >= len(last.moves)
            and game.moves[: len(last.moves)] == last.moves
        ):
            for move in game.moves[len(last.moves) :]:
                self._trees.play(0, move)
            self._trees.reseed(0, seed)
        else:
            self._trees.new_game(0, game, seed=seed)

    def _info(self, game: Game, multipv: int, simulations: int, elapsed: float) -> SearchInfo:
        root = self.root
        cells = np.flatnonzero(root.priors > 0) if root.priors.any() else np.array([root.best])
        keys = [
            (c != root.best, -float(root.policy[c]), -int(root.visits[c]), -float(root.priors[c]), c)
            for c in cells
        ]
        order = [int(key[-1]) for key in sorted(keys)]
        if root.best not in order:
            order.insert(0, root.best)
        color, size = game.position.to_move, game.rules.size
        return SearchInfo(
            color=color,
            lines=tuple(self._line(Move(cell, size), color) for cell in order[: max(1, multipv)]),
            nodes=self._trees.size(0),
            simulations=simulations,
            max_depth=self._trees.deepest(0),
            time_s=elapsed,
            extra={"value": root.value, "evaluations": root.evaluated},
        )

    def _line(self, move: Move, color: Color) -> Line:
        root = self.root
        proven = int(root.proofs[move])
        visits = int(root.visits[move])
        known = visits > 0 or proven != 0
        value = min(1.0, max(-1.0, float(root.values[move]))) if known else None
        return Line(
            move=move,
            value=value,
            color=color,
            visits=visits,
            prior=float(root.priors[move]),
            pv=self._trees.line(0, move),
            win_in=proven_plies(proven),
        )
