"""Who plays the games of an evaluation: a net with its search, and pure MCTS. The referee leads each game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self

from wuzi.contract import Capabilities, Limit, OnInfo, PlayResult, SearchInfo, Stop
from wuzi.core import Color, Game, Move, Place, Rules
from wuzi.errors import TrainingError
from wuzi.games.referee import play_game
from wuzi.nets.evaluator import Evaluator
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions
from wuzi.search.montecarlo.searcher import MctsOptions, MctsSearch
from wuzi.search.tree.batched import BatchedTrees
from wuzi.search.tree.options import Temperature, TreeOptions

_MAX_NODES = 100_000


class MatchPlayer(ABC):
    """A :class:`wuzi.contract.Player` that is told a seed for each game, so that it can be repeated."""

    name: str
    capabilities = Capabilities()

    @abstractmethod
    def begin(self, game: Game, seed: int) -> None:
        """A new game begins here."""

    @abstractmethod
    def move(self, game: Game) -> Move:
        """The answer to this game, which began with :meth:`begin`."""

    def think(
        self,
        game: Game,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: OnInfo | None = None,
    ) -> PlayResult:
        """The answer, however long it takes; only the move is told."""
        return PlayResult(Place(self.move(game)), SearchInfo(color=game.to_move))

    def close(self) -> None:
        """Nothing is held."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class NetMatchPlayer(MatchPlayer):
    """A net with its search."""

    name = "net"

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
        """See :class:`MatchPlayer`."""
        self._trees.new_game(0, game, seed=seed)
        self._played = game.ply

    def move(self, game: Game) -> Move:
        """See :class:`MatchPlayer`."""
        for move in game.moves[self._played :]:
            self._trees.play(0, move)
        self._played = game.ply
        self._trees.start(0, self._simulations, noise=False)
        while not self._trees.idle:
            self._trees.step()
        return self._trees.root(0).choose(self._trees.generator(0), self._temperature.at(game.ply))


class MctsMatchPlayer(MatchPlayer):
    """Pure Monte Carlo tree search with random games."""

    name = "pure MCTS"

    def __init__(self, playouts: int) -> None:
        """Use so many random games a move."""
        self._playouts, self._seed = playouts, 0

    def begin(self, game: Game, seed: int) -> None:
        """See :class:`MatchPlayer`."""
        self._seed = seed

    def move(self, game: Game) -> Move:
        """See :class:`MatchPlayer`."""
        options = MctsOptions(self._playouts, seed=(self._seed * 1009 + game.ply) % (1 << 60))
        lines = MctsSearch(game.position, options).run().lines
        return lines[0].move if lines else game.position.legal_moves[0]


class EngineMatchPlayer(MatchPlayer):
    """The engine at so many positions a move: the same answer to the same game."""

    def __init__(self, rules: Rules, nodes: int) -> None:
        self.name = f"engine-{nodes}"
        self._search, self._limit = AlphaBetaSearch(rules, EngineOptions(table_mb=1)), Limit(nodes=nodes)

    def begin(self, game: Game, seed: int) -> None:
        """See :class:`MatchPlayer`."""
        self._search.clear()

    def move(self, game: Game) -> Move:
        """See :class:`MatchPlayer`."""
        return self._search.run(game.position, self._limit).lines[0].move


def play_seeded(
    rules: Rules, black: MatchPlayer, white: MatchPlayer, *, opening: Sequence[Move] = (), seed: int = 0
) -> Game:
    """Play one game to its end after the stones of an opening; ``seed`` is that of both players.

    A player that fails is a TrainingError: an evaluation counts no forfeits.
    """
    game = Game.from_moves(rules, opening)
    for player in (black, white):
        player.begin(game, seed)
    played = play_game((black, white), game, (Limit(), Limit()))
    if played.detail:
        raise TrainingError(f"a game of an evaluation could not be played: {played.detail}")
    return played.game


def score_of(game: Game, color: Color) -> float:
    """1, 0.5 or 0: the result of a finished game for a colour."""
    assert game.outcome is not None
    return 0.5 if game.outcome.winner is None else float(game.outcome.winner is color)
