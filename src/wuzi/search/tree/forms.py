"""Search forms of a user's own: how positions become policies and values, in plain Python.

A form is a function. It is given positions, how many simulations each may use, an evaluator and chance, and
answers what it found::

    def bare(asked: FormRequest) -> list[FormResult]:
        return [FormResult(policy, value) for policy, value in zip(asked.priors, asked.values)]

    SEARCHES.register("bare", bare)        # or by a plug-in, entry point wuzi.searches

It then searches wherever ``search_form=bare`` is set: self-play, evaluations and the player ``az``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.base import plugins
from wuzi.core import rule_kernels
from wuzi.core.position import Position
from wuzi.core.rules import Rules
from wuzi.core.types import Color
from wuzi.errors import PlayerError
from wuzi.nets.evaluator import Evaluator, Floats, policy_of, scalar_value
from wuzi.nets.planes import records_of
from wuzi.search.layout import TREE_EDGE
from wuzi.search.tree import batch_kernels, puct_kernels
from wuzi.search.tree import kernels as tree_kernels
from wuzi.search.tree.batched import BatchedTrees
from wuzi.search.tree.options import SearchAlgorithm, Tactics, TreeOptions

_OPEN = 2
"""The status of a node that has edges, see :data:`wuzi.search.layout.TREE_NODE`."""

_VISITS = 1 << 20
"""Visits that stand for a whole policy: its shares are kept to a millionth."""


@dataclass(frozen=True)
class FormRequest:
    """What a form is asked.

    Attributes:
        positions: those to be searched, none of which tactics decide; they know their last move alone.
        priors, values: the net's answers to them: shares of the legal cells [n, N * N], and [n] for the side
            to move.
        simulations: how much may be spent on each.
        rngs: the chance of each; the same game has the same again.
        evaluate: the net's answers to any other positions, in the same form.
    """

    positions: Sequence[Position]
    priors: Floats
    values: Floats
    simulations: Sequence[int]
    rngs: Sequence[np.random.Generator]
    evaluate: Callable[[Sequence[Position]], tuple[Floats, Floats]]


@dataclass(frozen=True)
class FormResult:
    """What a form found of a position: shares of the legal cells [N * N], the value for the side to move."""

    policy: npt.NDArray[Any]
    value: float


SearchForm = Callable[[FormRequest], Sequence[FormResult]]


def _why_no_form(found: object) -> str | None:
    return None if callable(found) else f"{found!r} cannot be called with what is asked"


SEARCHES: plugins.Registry[SearchForm] = plugins.Registry(plugins.SEARCHES, "search form", _why_no_form)
"""All search forms by name."""


def make_trees(
    rules: Rules, games: int, evaluator: Evaluator, options: TreeOptions, *, max_nodes: int
) -> BatchedTrees:
    """The trees of some games: :class:`FormTrees` if the options name a registered form."""
    kind = BatchedTrees if options.search_form is None else FormTrees
    return kind(rules, games, evaluator, options, max_nodes=max_nodes)


class FormTrees(BatchedTrees):
    """Roots that a registered form fills in. Tactics decide a root first, as in any search."""

    def __init__(
        self,
        rules: Rules,
        games: int,
        evaluator: Evaluator,
        options: TreeOptions = TreeOptions(),
        *,
        max_nodes: int = 200_000,
    ) -> None:
        """As :class:`BatchedTrees`; a ConfigError for a form that is not registered."""
        self._name = str(options.search_form)
        self._form = SEARCHES.find(self._name)
        self._keys = np.zeros(games, np.uint64)
        self._where, self._more = np.arange(rules.num_cells), 0
        points = [rule_kernels.to_point(cell, rules.size) for cell in range(rules.num_cells)]
        self._points = np.array(points)
        # Roots are read as those of PUCT: shares of visits.
        super().__init__(
            rules, games, evaluator, replace(options, form=SearchAlgorithm.PUCT), max_nodes=max_nodes
        )

    def draw_noise(
        self, games: npt.NDArray[np.int64], keys: npt.NDArray[np.uint64], noise: bool = True
    ) -> None:
        """See :class:`BatchedTrees`: the keys are a form's chance."""
        self._keys[games] = keys

    def begin(self) -> None:
        """See :class:`BatchedTrees`: a form does not compute beside other work."""

    def finish(self) -> int:
        """See :meth:`step`."""
        return self.step()

    def step(self) -> int:
        """Search all that wait; how many positions were evaluated.

        A PlayerError where the form's or the net's answers are of the wrong shape, or no policies and values.
        """
        trees, nodes = self.memory.trees, self.memory.nodes
        waiting = np.flatnonzero(trees["done"] < trees["target"])
        for game in waiting.tolist():
            self._look(game)
        games = [game for game in waiting.tolist() if not nodes[game, 0]["proven"]]
        self._more = 0
        if games:
            values = self._expanded(games)
            for game, value in zip(games, values, strict=True):
                self._value(game, float(value))
            self._search([game for game in games if nodes[game, 0]["count"] > 1])
        for name in ("started", "done"):
            trees[name][waiting] = trees["target"][waiting]
        trees["prepared"][waiting] = 1
        return len(games) + self._more

    # ------------------------------------------------------------------ inside

    def _look(self, game: int) -> None:
        """Decide a root by tactics if they can."""
        batch = self.batch
        own = batch.patterns[game if self.options.tactics is not Tactics.NONE else 0]
        tree = batch.trees[game], batch.nodes[game], batch.choices[game], batch.stats[game]
        board = batch.states[game], own, batch.tables, batch.vcf, batch.entries, batch.ctl
        grown = tree_kernels.GrownTree(*tree)
        batch_kernels.look_at_root(grown, puct_kernels.SearchBoard(*board), batch.options)

    def _expanded(self, games: Sequence[int]) -> Floats:
        """Give fresh roots their moves with the net's priors; the net's values of all."""
        memory = self.memory
        features = self._encoder.encode(memory.states[games])
        logits, values = self._checked(len(games), *self._evaluator.evaluate(features))
        if not (np.isfinite(logits).all() and np.isfinite(values).all()):
            raise PlayerError(f"{type(self._evaluator).__name__} answered with numbers that are not finite")
        for game, own in zip(games, logits, strict=True):
            tree, root = memory.trees[game], memory.nodes[game, 0]
            tree["evaluated"] += 1
            if root["status"] == _OPEN:
                continue
            root["first"] = tree["edges"]
            parts = memory.nodes[game], memory.choices[game], memory.states[game]
            tree_kernels.expand(*parts, np.ascontiguousarray(own), self._where, 0)
            tree["edges"] += root["count"]
        return values

    def _value(self, game: int, value: float) -> None:
        self.memory.nodes[game, 0]["value"] = value
        self.memory.stats[game, 0]["value"] = -value

    def _edges(self, game: int) -> tuple[slice, npt.NDArray[np.int64]]:
        """Where a root's edges are, and their cells."""
        root = self.memory.nodes[game, 0]
        edges = slice(int(root["first"]), int(root["first"]) + int(root["count"]))
        points = self.memory.choices[game, edges]["point"]
        return edges, np.searchsorted(self._points, points)

    def _search(self, games: Sequence[int]) -> None:
        """Ask the form for these, and write down what it found."""
        if not games:
            return
        trees, cells = self.memory.trees, self.rules.num_cells
        priors = np.zeros((len(games), cells), np.float32)
        for row, game in zip(priors, games, strict=True):
            edges, moves = self._edges(game)
            row[moves] = self.memory.choices[game, edges]["prior"]
        asked = FormRequest(
            positions=[self._position(game) for game in games],
            priors=priors,
            values=self.memory.nodes[games, 0]["value"],
            simulations=[int(trees[game]["target"]) for game in games],
            rngs=[np.random.default_rng(int(self._keys[game])) for game in games],
            evaluate=self._evaluate,
        )
        found = self._form(asked)
        if len(found) != len(games):
            raise PlayerError(f"search form {self._name}: {len(found)} answers: expected {len(games)}")
        for game, one in zip(games, found, strict=True):
            self._write(game, one)

    def _write(self, game: int, found: FormResult) -> None:
        """Make what was found the root's."""
        edges, moves = self._edges(game)
        policy = np.asarray(found.policy, np.float64)
        shares = policy[moves] if policy.shape == (self.rules.num_cells,) else np.zeros(0)
        sound = np.isfinite(shares).all() and (shares >= 0).all() and shares.sum() > 0
        if not (sound and abs(found.value) <= 1):
            raise PlayerError(
                f"search form {self._name}: policy of shape {policy.shape}, value {found.value}: expected "
                f"shares of legal cells of shape ({self.rules.num_cells},), and a value from -1 to 1"
            )
        stats, root = self.memory.stats[game], self.memory.nodes[game, 0]
        stats[edges] = np.zeros((), TREE_EDGE)
        stats["visits"][edges] = np.rint(shares / shares.sum() * _VISITS)
        stats["value"][edges] = found.value
        root["tried"] = root["count"]
        self._value(game, float(found.value))

    def _position(self, game: int) -> Position:
        state = self.memory.states[game]
        ply, cells = int(state["ply"]), state["cells"][self._points]
        last = int(np.searchsorted(self._points, state["history"][ply - 1])) if ply else None
        known = last if last is not None and cells[last] else None
        return Position.from_cells(self.rules, cells, Color(int(state["side"])), known)

    def _evaluate(self, positions: Sequence[Position]) -> tuple[Floats, Floats]:
        """See :class:`FormRequest`."""
        self._more += len(positions)
        logits, values = self._evaluator.evaluate(self._encoder.encode(records_of(positions)))
        shares = policy_of(logits) * np.array([position.legal_mask() for position in positions])
        return shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-30), scalar_value(values)
