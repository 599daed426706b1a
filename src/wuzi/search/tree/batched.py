"""Search trees of many games at once, guided by one evaluator: for self-play, and with one game for play.

A search of a game begins with :meth:`BatchedTrees.start`. Each :meth:`BatchedTrees.step` takes every
game that is not done to its next position for the evaluator and evaluates all of them as one batch, so
games may begin, end and move on independently of each other::

    trees = BatchedTrees(rules, 64, evaluator, options)
    for game in range(64):
        trees.new_game(game, seed=game)
        trees.start(game, simulations=100)
    while True:
        trees.step()
        for game in trees.done():
            root = trees.root(game)                      # visits, policy target, value
            trees.play(game, root.choose(rng, temperature))
            if trees.outcome(game) is not None:
                trees.new_game(game, seed=next_seed())
            trees.start(game, simulations=100)

A game depends on its seed and on the evaluator alone, not on the games beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core import rule_kernels
from wuzi.core.game import Game
from wuzi.core.layout import STATE
from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.core.rules import Rules
from wuzi.core.symmetry import cell_maps
from wuzi.core.types import Color, Outcome, Reason
from wuzi.errors import ConfigError, GameOverError, IllegalMoveError, PlayerError
from wuzi.evaluation.layout import ACCUMULATOR
from wuzi.nets import planes_kernels
from wuzi.nets.codebook import CodebookEvaluator
from wuzi.nets.evaluator import Evaluator, Floats, scalar_value
from wuzi.nets.planes import PlaneEncoder, records_of
from wuzi.search.layout import TREE
from wuzi.search.tree import batch_kernels, codebook_kernels, moving_kernels
from wuzi.search.tree.arrays import SPARE_NODES, TreeArrays
from wuzi.search.tree.options import SearchAlgorithm, Tactics, TreeOptions
from wuzi.search.tree.root import Root
from wuzi.search.tree.support import check_support, playing_rules
from wuzi.tactics.layout import VCF, VCF_ENTRY

_TABLE_BITS = 14
_AT_ONCE = 32
"""Simulations of a tree with the codebook net before the next tree's turn: less than a millisecond."""
_NO_PLANES = np.zeros((0, 1, 1), np.float32)


class BatchedTrees:
    """The trees of ``games`` games under the same rules.

    Attributes:
        rules: the rules of all games.
        options: the search's parameters.
        games: how many games there are.
    """

    def __init__(
        self,
        rules: Rules,
        games: int,
        evaluator: Evaluator,
        options: TreeOptions = TreeOptions(),
        *,
        max_nodes: int = 200_000,
    ) -> None:
        """Make the trees; each game needs :meth:`new_game` first, and a search ends where its tree reaches
        ``max_nodes``. An UnsupportedError where evaluator or tactics do not fit these rules.
        """
        check_support(rules, evaluator, options)
        self.rules, self.games, self.options = rules, games, options
        self._encoder = PlaneEncoder(evaluator.planes, rules)
        self.use(evaluator)
        cells = rules.num_cells
        self._options = options.record()
        self._arrays = TreeArrays(rules, games, options.tactics is not Tactics.NONE, max_nodes)
        bits = _TABLE_BITS if options.tactics is Tactics.VCF else 0
        self._vcf = np.zeros(1, VCF)[0]
        self._entries = np.zeros(1 << bits, VCF_ENTRY)
        self._ctl = np.zeros(8, np.int64)
        self._begun: tuple[int, Callable[[], tuple[Floats, Floats]]] | None = None
        self._rngs: list[np.random.Generator | None] = [None] * games
        room = games * options.batch
        self._features = np.zeros(self._encoder.shape(room), np.float32)
        # Planes that follow from the trees' own patterns are written, and turned, on the way.
        written = self._encoder.planes.from_patterns and options.tactics is not Tactics.NONE
        self._leaves = batch_kernels.Leaves(
            states=np.zeros(room, STATE),
            trees=np.zeros(room, np.int64),
            nodes=np.zeros(room, np.int64),
            turns=np.zeros(room, np.int64),
            maps=cell_maps(rules.size).copy(),
            planes=self._features.reshape(room, -1, cells) if written else _NO_PLANES,
        )
        self._rows = batch_kernels.RootRows(
            visits=np.zeros((games, cells), np.int32),
            values=np.zeros((games, cells), np.float32),
            proofs=np.zeros((games, cells), np.int16),
            policy=np.zeros((games, cells), np.float32),
        )

    def gather(self, leaves: int) -> None:
        """Take so many leaves of a tree together from now on, at most as many as the options say."""
        self._options["batch"] = max(1, min(leaves, self.options.batch))

    def use(self, evaluator: Evaluator) -> None:
        """Evaluate with another net from now on; kept trees stay. A ConfigError if it reads other planes."""
        if evaluator.planes != self._encoder.planes.name:
            raise ConfigError(f"planes {evaluator.planes}: expected {self._encoder.planes.name} as before")
        self._evaluator = evaluator
        self._net: Any = None
        if isinstance(evaluator, CodebookEvaluator) and self.options.tactics is not Tactics.NONE:
            cells = self.rules.num_cells
            self._net = evaluator.record(self.rules)
            self._for_net = (
                *(np.zeros(1, ACCUMULATOR)[0], np.zeros(cells, np.float32)),
                *(np.arange(cells), _AT_ONCE),
            )

    def new_game(self, game: int, start: Game | Position | None = None, *, seed: Any = 0) -> None:
        """Forget a game and begin another, on the empty board by default; a game brings its history.

        The seed of the noise may be anything that ``numpy.random.default_rng`` takes. A ConfigError for other
        rules, a GameOverError where the start is decided.
        """
        first = Position(self.rules) if start is None else start
        if playing_rules(first.rules) != playing_rules(self.rules):
            raise ConfigError(f"a game of {first.rules.label}: expected {self.rules.label}")
        if first.outcome is not None:
            raise GameOverError(f"the game to search is over: {first.outcome}")
        self._arrays.states[game] = records_of([first])[0]
        self._rngs[game] = np.random.default_rng(seed)
        if self.options.tactics is not Tactics.NONE:
            batch_kernels.enter_board(self._arrays.states, self._arrays.patterns, self._arrays.tables, game)
        self._arrays.trees[game] = np.zeros((), TREE)
        self._arrays.init_root(game)

    def reseed(self, game: int, seed: Any) -> None:
        """Draw the noise of a game from another seed from now on."""
        self._rngs[game] = np.random.default_rng(seed)

    def generator(self, game: int) -> np.random.Generator:
        """The generator of a game's noise and moves; a ConfigError where the game was not begun."""
        rng = self._rngs[game]
        if rng is None:
            raise ConfigError(f"game {game} was not begun: call new_game first")
        return rng

    def play(self, game: int, move: Move, *, reuse: bool = True) -> Outcome | None:
        """Play a move, keeping what the search knows of the position after it; the outcome, if it ends.

        An IllegalMoveError for a move off the board, on a stone, or after the end.
        """
        size = self.rules.size
        if not 0 <= move < size * size:
            raise IllegalMoveError(f"cell {move} is off the {size}x{size} board")
        if not moving_kernels.play_all(
            self.batch, np.array([game]), np.array([move]), int(reuse), 0, np.zeros(1, np.int64)
        ):
            raise IllegalMoveError(f"cell {move} of game {game}: occupied, or the game is over")
        return self.outcome(game)

    def outcome(self, game: int) -> Outcome | None:
        """How a game ended; None while it is not over."""
        state = self._arrays.states[game]
        result = int(state["result"])
        if not result:
            return None
        return Outcome(None if result == 3 else Color(result), Reason(int(state["reason"])))

    def ply(self, game: int) -> int:
        """Stones on the board of a game."""
        return int(self._arrays.states[game]["ply"])

    def to_move(self, game: int) -> Color:
        """The side to move in a game."""
        return Color(int(self._arrays.states[game]["side"]))

    @property
    def memory(self) -> TreeArrays:
        """What the kernels of :mod:`wuzi.search.tree.moving` work on."""
        return self._arrays

    @property
    def batch(self) -> batch_kernels.TreeBatch:
        """All trees as the kernels take them; a search that needs more room makes another of it."""
        return self._arrays.batch(self._vcf, self._entries, self._ctl, self._options)

    @property
    def rows(self) -> batch_kernels.RootRows:
        """The arrays that roots are read into."""
        return self._rows

    def records(self) -> npt.NDArray[Any]:
        """The kernel records [games] of all boards; do not change them."""
        return self._arrays.states

    def start(self, game: int, simulations: int, *, noise: bool = True, same_noise: bool = False) -> None:
        """Begin a search: so many simulations more than the tree already holds.

        The root's own evaluation is not one of them. A search ends early when the root is proven or
        memory is used up, and after one simulation when there is only one move. With ``same_noise`` the root
        keeps the noise of the search before. A GameOverError where the game is over.
        """
        if self._arrays.states[game]["result"]:
            raise GameOverError(f"game {game} is over: {self.outcome(game)}")
        if not same_noise:
            key = self.generator(game).integers(1 << 62, size=1, dtype=np.uint64)
            self.draw_noise(np.array([game]), key, noise)
        self.start_all(np.array([game]), np.array([simulations]))

    def start_all(self, games: npt.NDArray[np.int64], simulations: npt.NDArray[np.int64]) -> None:
        """As :meth:`start` for games that are not over, with the noise that was drawn."""
        needed = int(moving_kernels.start_all(self._arrays.trees, games, simulations))
        self._arrays.reserve(needed + SPARE_NODES)

    def draw_noise(
        self, games: npt.NDArray[np.int64], keys: npt.NDArray[np.uint64], noise: bool = True
    ) -> None:
        """Noise for the next searches of games as the options say, and their orientations, by a key each."""
        options, memory = self.options, self._arrays
        gumbel = options.gumbel_scale if noise and options.form is SearchAlgorithm.GUMBEL else 0.0
        moving_kernels.draw_gumbels(memory.trees, memory.noise, games, keys, gumbel)
        if noise and options.form is SearchAlgorithm.PUCT and options.noise_fraction:
            for game, key in zip(games, keys, strict=True):
                rng = np.random.default_rng(int(key))
                memory.noise[game] = rng.standard_gamma(options.noise_alpha, self.rules.num_cells)

    def step(self) -> int:
        """Take all searches one batch further; how many positions were evaluated.

        With the codebook net that is some simulations of each.

        None at all (0) where ways ended in proven results; :attr:`idle` says whether all are done. A
        PlayerError where the evaluator's answer has the wrong shape or is not finite.
        """
        if self._net is not None:
            return int(codebook_kernels.search_codebook(self.batch, self._net, *self._for_net))
        self.begin()
        return self.finish()

    def begin(self) -> None:
        """Take all searches to their next positions and give these to the evaluator.

        One with ``submit`` computes while other trees are worked on, until :meth:`finish` asks for answers.
        """
        n = int(batch_kernels.collect(self.batch, self._leaves))
        if n:
            features = self._planes_of(n)
            submit = getattr(self._evaluator, "submit", None)
            self._begun = (
                n,
                partial(self._evaluator.evaluate, features) if submit is None else submit(features),
            )

    def finish(self) -> int:
        """Take in the answer to what was begun; how many positions it is of. Raises as :meth:`step`."""
        if self._begun is None:
            return 0
        (n, answer), self._begun = self._begun, None
        logits, values = self._checked(n, *answer())
        if not batch_kernels.absorb(*self.batch[:4], self._leaves, logits, values, n):
            name = type(self._evaluator).__name__
            raise PlayerError(f"{name} answered with numbers that are not finite")
        return n

    def done(self) -> list[int]:
        """The games whose search was started and has ended."""
        games = np.zeros(self.games, np.int64)
        count = int(moving_kernels.find_done(self._arrays.trees, games))
        return [*map(int, games[:count])]

    def search(self, simulations: int, games: Iterable[int] | None = None, *, noise: bool = True) -> None:
        """Start searches of these games (by default all unfinished ones) and run them to their end."""
        chosen = [g for g in range(self.games) if self.outcome(g) is None] if games is None else games
        for game in chosen:
            self.start(game, simulations, noise=noise)
        while not self.idle:
            self.step()

    @property
    def idle(self) -> bool:
        """Whether no search has anything left to do."""
        trees = self._arrays.trees
        return not (trees["done"] < trees["target"]).any()

    def search_uniform(self, game: int, simulations: int) -> int:
        """Search a new game with equal priors and value 0, for benchmarks; the simulations done.

        The root must not be decided by tactics.
        """
        self.start(game, simulations, noise=False)
        return int(batch_kernels.search_uniform(self.batch, game, simulations))

    def root(self, game: int) -> Root:
        """What the last search of a game found; a ConfigError where it was not searched yet."""
        rows, memory = self._rows, self._arrays
        best = batch_kernels.read_root(self.batch, rows, game)
        if best < 0:
            raise ConfigError(f"game {game} was not searched yet: call start and step first")
        proven, tree = int(memory.nodes[game, 0]["proven"]), memory.trees[game]
        return Root(
            Move(best, self.rules.size),
            float(tree["value"]),
            proven,
            rows.visits[game].copy(),
            rows.values[game].copy(),
            rows.proofs[game].copy(),
            memory.priors[game].copy(),
            rows.policy[game].copy(),
            int(tree["done"]),
            int(tree["evaluated"]),
        )

    def line(self, game: int, move: Move, length: int = 10) -> tuple[Move, ...]:
        """The expected continuation of a root move: the most visited answers."""
        nodes, choices, stats = self._arrays.nodes[game], self._arrays.choices[game], self._arrays.stats[game]
        moves: list[Move] = [move]
        size = self.rules.size
        node = 0
        wanted: int | None = int(rule_kernels.to_point(int(move), size))
        while len(moves) <= length:
            first, tried = int(nodes[node]["first"]), int(nodes[node]["tried"])
            edges = range(first, first + tried)
            if wanted is not None:
                edge = next((e for e in edges if choices[e]["point"] == wanted), None)
            else:
                edge = max(edges, key=lambda e: int(stats[e]["visits"]), default=None)
                if edge is not None and stats[edge]["visits"]:
                    moves.append(Move(rule_kernels.to_cell(int(choices[edge]["point"]), size), size))
            if edge is None or not stats[edge]["child"] or not stats[edge]["visits"]:
                break
            node, wanted = int(stats[edge]["child"]), None
        return tuple(moves[:length])

    def deepest(self, game: int) -> int:
        """The longest way from the root that a search of this game has gone."""
        return int(self._arrays.trees[game]["deepest"])

    def size(self, game: int) -> int:
        """Positions in the tree of a game."""
        return int(self._arrays.trees[game]["nodes"])

    def _planes_of(self, n: int) -> Floats:
        """The planes of the first ``n`` leaves, as the evaluator is to see them."""
        features, leaves = self._features[:n], self._leaves
        if not len(leaves.planes):
            self._encoder.encode(leaves.states[:n], features)
            if self.options.random_symmetry:
                flat = features.reshape(n, features.shape[1], -1)
                turned = np.empty_like(flat)
                planes_kernels.turn_planes(flat, leaves.maps, leaves.turns, turned, n)
                features = turned.reshape(features.shape)
        return features

    def _checked(self, n: int, logits: Floats, values: Floats) -> tuple[Floats, Floats]:
        """Logits [n, cells] and values [n] as the kernels take them."""
        cells = self.rules.num_cells
        if logits.shape != (n, cells) or values.shape not in ((n,), (n, 3)):
            name = type(self._evaluator).__name__
            raise PlayerError(
                f"{name} answered {n} positions with logits {logits.shape} and values {values.shape}: "
                f"expected ({n}, {cells}) and ({n},) or ({n}, 3)"
            )
        single = np.ascontiguousarray(scalar_value(values), np.float32)
        return np.ascontiguousarray(logits, np.float32), single
