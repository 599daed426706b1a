"""Who plays the games of an evaluation: a net with its search, pure MCTS, the engine; how they are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from wuzi.contract import Limit
from wuzi.core import Color, Game, Move, Rules
from wuzi.errors import TrainingError
from wuzi.games.referee import play_game
from wuzi.nets.evaluator import Evaluator
from wuzi.players.own import OwnPlayer
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions
from wuzi.search.montecarlo.searcher import MctsOptions, MctsSearch, TreeFormula
from wuzi.search.tree.forms import make_trees
from wuzi.search.tree.options import TreeOptions

_MAX_NODES = 100_000

Record = dict[str, Any]
"""A row of evaluations.jsonl."""


class MatchPlayer(Protocol):
    """Plays games that can be repeated: it is told a seed for each."""

    def begin(self, game: Game, seed: int) -> None:
        """A new game begins here."""

    def move(self, game: Game) -> Move:
        """The answer to this game, which began with :meth:`begin`."""
        ...


class NetMatchPlayer:
    """A net with its search."""

    def __init__(
        self,
        rules: Rules,
        evaluator: Evaluator,
        options: TreeOptions,
        simulations: int,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        """Search without noise, ``simulations`` a move, and play the best; then call ``meanwhile``."""
        self._trees = make_trees(rules, 1, evaluator, options, max_nodes=_MAX_NODES)
        self._simulations, self._played, self._meanwhile = simulations, 0, meanwhile

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
        self._meanwhile()
        return self._trees.root(0).best


class MctsMatchPlayer:
    """Pure Monte Carlo tree search with random games."""

    def __init__(self, playouts: int, formula: TreeFormula = TreeFormula.UCB1) -> None:
        """Use so many random games a move."""
        self._options, self._seed = MctsOptions(playouts, formula=formula), 0

    def begin(self, game: Game, seed: int) -> None:
        """See :class:`MatchPlayer`."""
        self._seed = seed

    def move(self, game: Game) -> Move:
        """See :class:`MatchPlayer`."""
        options = replace(self._options, seed=(self._seed * 1009 + game.ply) % (1 << 60))
        lines = MctsSearch(game.position, options).run().lines
        return lines[0].move if lines else game.position.legal_moves[0]


class EngineMatchPlayer:
    """The engine at so many positions a move: the same answer to the same game."""

    def __init__(self, rules: Rules, nodes: int) -> None:
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
    seats = OwnPlayer(black.move), OwnPlayer(white.move)
    played = play_game(seats, game, (Limit(), Limit()))
    if played.detail:
        raise TrainingError(f"a game of an evaluation could not be played: {played.detail}")
    return played.game


def score_of(game: Game, color: Color) -> float:
    """1, 0.5 or 0: the result of a finished game for a colour."""
    assert game.outcome is not None
    return 0.5 if game.outcome.winner is None else float(game.outcome.winner is color)


class EvaluationGames:
    """Games of one evaluation: those written down before a crash are not played again.

    They are the rows of this iteration and kind; new ones go to ``append``.
    """

    def __init__(
        self, iteration: int, kind: str, rows: Sequence[Record], append: Callable[[Record], None]
    ) -> None:
        self._key = {"iteration": iteration, "kind": kind}
        self.scores = {
            row["game"]: float(row["score"]) for row in rows if all(row[k] == v for k, v in self._key.items())
        }
        self._append = append

    def play(
        self,
        rules: Rules,
        number: int,
        net: MatchPlayer,
        opponent: MatchPlayer,
        opening: Sequence[Move],
        seed: int,
        **facts: Any,
    ) -> None:
        """Play the game of a number, of even ones with Black, and write it down with these facts."""
        color = Color.BLACK if number % 2 == 0 else Color.WHITE
        sides = (net, opponent) if color is Color.BLACK else (opponent, net)
        game = play_seeded(rules, *sides, opening=opening, seed=seed * 1_000 + number)
        self.add(number, game, color, **facts)

    def add(self, number: int, game: Game, color: Color, **facts: Any) -> None:
        """Write down a game in which the net had this colour."""
        score = score_of(game, color)
        row = {**self._key, "game": number, "score": score, "color": color.name.lower()}
        self._append({**row, **facts, "plies": game.ply})
        self.scores[number] = score

    def total(self) -> tuple[int, int, int]:
        """Wins, losses, draws."""
        scores = list(self.scores.values())
        return scores.count(1.0), scores.count(0.0), scores.count(0.5)
