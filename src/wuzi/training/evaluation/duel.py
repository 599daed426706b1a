"""Games between a net and pure MCTS, or between two nets, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from wuzi.core import Color, Game, Move, Rules
from wuzi.nets.evaluator import Evaluator
from wuzi.search.montecarlo.searcher import MctsOptions, MctsSearch
from wuzi.search.tree.batched import BatchedTrees
from wuzi.search.tree.options import Temperature, TreeOptions

_MAX_NODES = 100_000


class Side(Protocol):
    """Somebody who plays."""

    def begin(self, game: Game, seed: int) -> None:
        """A new game begins here."""
        ...

    def move(self, game: Game) -> Move:
        """The answer to this game, which began with :meth:`begin`."""
        ...


class NetSide:
    """A net with its search."""

    def __init__(
        self,
        rules: Rules,
        evaluator: Evaluator,
        options: TreeOptions,
        simulations: int,
        temperature: Temperature = Temperature(),
    ) -> None:
        """Search without noise, ``simulations`` a move, choosing softly if told to."""
        self._trees = BatchedTrees(rules, 1, evaluator, options, max_nodes=_MAX_NODES)
        self._simulations, self._temperature = simulations, temperature
        self._played = 0

    def begin(self, game: Game, seed: int) -> None:
        """See :class:`Side`."""
        self._trees.new_game(0, game, seed=seed)
        self._played = game.ply

    def move(self, game: Game) -> Move:
        """See :class:`Side`."""
        for move in game.moves[self._played :]:
            self._trees.play(0, move)
        self._played = game.ply
        self._trees.start(0, self._simulations, noise=False)
        while not self._trees.idle:
            self._trees.step()
        root = self._trees.root(0)
        return root.choose(self._trees.generator(0), self._temperature.at(game.ply))


class MctsSide:
    """Pure Monte Carlo tree search with random games."""

    def __init__(self, playouts: int) -> None:
        """Use so many random games a move."""
        self._playouts = playouts
        self._seed = 0

    def begin(self, game: Game, seed: int) -> None:
        """See :class:`Side`."""
        del game
        self._seed = seed

    def move(self, game: Game) -> Move:
        """See :class:`Side`."""
        options = MctsOptions(self._playouts, seed=(self._seed * 1009 + game.ply) % (1 << 60))
        lines = MctsSearch(game.position, options).run().lines
        return lines[0].move if lines else game.position.legal_moves()[0]


def play_duel(rules: Rules, black: Side, white: Side, *, opening: Sequence[Move] = (), seed: int = 0) -> Game:
    """Play one game to its end.

    Args:
        rules: what is played.
        black: who has the black stones.
        white: who has the white stones.
        opening: the first stones.
        seed: of both sides.
    """
    game = Game.from_moves(rules, opening)
    for side in (black, white):
        side.begin(game, seed)
    while game.outcome is None:
        game = game.play((black if game.to_move is Color.BLACK else white).move(game))
    return game


def score_of(game: Game, color: Color) -> float:
    """1, 0.5 or 0: the result of a finished game for a colour."""
    assert game.outcome is not None
    if game.outcome.winner is None:
        return 0.5
    return 1.0 if game.outcome.winner is color else 0.0
