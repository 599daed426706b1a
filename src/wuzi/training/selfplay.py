"""Many games of a net against itself, side by side in one process.

All chance in a game comes from the run's seed, the game's number and the ply, so a game that is taken up
again from its moves goes on with the same noise and the same draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wuzi.arena.openings import is_quiet, random_stones
from wuzi.core import Color, Game, Move, Outcome, Rules
from wuzi.evaluators.evaluator import Evaluator
from wuzi.search.tree_options import mix_noise, soften
from wuzi.search.tree_root import Root
from wuzi.search.trees import BatchedTrees
from wuzi.training.config import SelfPlaySection
from wuzi.training.games import Flag, Row, SelfPlayGame, pack_rows, unpack_rows

_OPENING = 1 << 20
"""Stands for the ply where a game's opening and its conduct are drawn."""

_SOFT_PLIES = 3
_MAX_NODES = 60_000


@dataclass
class OpenGame:
    """A game going on.

    Attributes:
        number, net, opening: as of :class:`wuzi.training.games.SelfPlayGame`.
        moves: the stones so far.
        rows: a search for each move after the opening.
    """

    number: int
    net: int
    moves: list[int]
    opening: int
    rows: list[Row] = field(default_factory=list)
    flags: int = 0

    def to_json(self) -> dict[str, Any]:
        """As plain data, to be taken up again."""
        return {
            "number": self.number,
            "net": self.net,
            "moves": self.moves,
            "opening": self.opening,
            "rows": pack_rows(self.rows),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> OpenGame:
        """The game that :meth:`to_json` wrote."""
        rows = unpack_rows(data["rows"])
        return cls(data["number"], data["net"], list(data["moves"]), data["opening"], rows)


class SelfPlay:
    """Games of one evaluator against itself, as many at once as there are slots.

    Attributes:
        evaluations: positions evaluated so far.
        played: moves played so far.
    """

    def __init__(
        self,
        rules: Rules,
        options: SelfPlaySection,
        evaluator: Evaluator,
        *,
        seed: int,
        net: int,
        numbers: Iterator[int],
        slots: int,
        going_on: Sequence[OpenGame] = (),
    ) -> None:
        """Begin ``slots`` games, those that were going on first.

        Args:
            rules: what is played.
            options: how.
            evaluator: the net.
            seed: of the run.
            net: the iteration the net comes from.
            numbers: the numbers of new games.
            slots: games at once.
            going_on: games to take up again.
        """
        self.rules, self.options = rules, options
        self.evaluations = self.played = 0
        self._seed, self._net, self._numbers = seed, net, numbers
        self._temperature = options.schedule()
        self._trees = BatchedTrees(rules, slots, evaluator, options.tree_options(), max_nodes=_MAX_NODES)
        waiting = list(going_on)
        self._waiting = waiting[slots:]
        self._games = [waiting[i] if i < len(waiting) else self._begin() for i in range(slots)]
        for slot, game in enumerate(self._games):
            self._seat(slot, game)

    def use(self, evaluator: Evaluator, net: int) -> None:
        """Go on with another net; games under way keep their trees."""
        self._trees.use(evaluator)
        self._net = net

    def step(self) -> list[SelfPlayGame]:
        """Evaluate one batch and play what is decided; the games that ended."""
        self.evaluations += self._trees.step()
        ended = []
        for slot in self._trees.done():
            finished = self._move(slot)
            if finished is not None:
                ended.append(finished)
                game = self._waiting.pop(0) if self._waiting else self._begin()
                self._games[slot] = game
                self._seat(slot, game)
        return ended

    def open_games(self) -> list[dict[str, Any]]:
        """The games going on, as plain data."""
        games = (*self._games, *self._waiting)
        # An interrupt may have come between a move and its row.
        return [game.to_json() for game in games if len(game.rows) == len(game.moves) - game.opening]

    # ------------------------------------------------------------------ a game

    def _rng(self, game: OpenGame, ply: int) -> np.random.Generator:
        return np.random.default_rng((self._seed, game.number, ply))

    def _begin(self) -> OpenGame:
        game = OpenGame(next(self._numbers), self._net, [], 0)
        rng = self._rng(game, _OPENING)
        options = self.options
        if rng.random() < options.opening_share:
            while not game.moves:
                plies = (options.opening_plies_min, options.opening_plies_max)
                stones = random_stones(self.rules, plies, rng)
                game.moves = [int(move) for move in stones] if is_quiet(self.rules, stones) else []
            game.opening = len(game.moves)
        return game

    def _plays_out(self, game: OpenGame) -> bool:
        return bool(self._rng(game, _OPENING + 1).random() < self.options.resign_never)

    def _seat(self, slot: int, game: OpenGame) -> None:
        start = Game.from_moves(self.rules, [Move(move) for move in game.moves])
        self._trees.new_game(slot, start)
        self._start(slot)

    def _start(self, slot: int) -> None:
        game, options = self._games[slot], self.options
        rng_seed = (self._seed, game.number, len(game.moves))
        self._trees.reseed(slot, rng_seed)
        game.flags, simulations = Flag.NONE, options.simulations
        if options.full_simulations is not None:
            if self._trees.generator(slot).random() < options.full_share:
                simulations = options.full_simulations
            else:
                game.flags = Flag.FAST
        if self._seems_decided(game):
            game.flags, simulations = Flag.SOFT, options.soft_simulations
        self._trees.start(slot, simulations)

    def _seems_decided(self, game: OpenGame) -> bool:
        limit, last = self.options.soft_above, game.rows[-_SOFT_PLIES:]
        return limit is not None and len(last) == _SOFT_PLIES and all(abs(r.value) > limit for r in last)

    def _move(self, slot: int) -> SelfPlayGame | None:
        game = self._games[slot]
        root = self._trees.root(slot)
        move = self._choose(slot, root)
        game.rows.append(Row.of(root.policy, root.value, game.flags))
        game.moves.append(int(move))
        self.played += 1
        outcome = self._trees.play(slot, move, reuse=self.options.reuse)
        if outcome is not None:
            return _finished(game, outcome)
        if self._gives_up(game):
            winner = self._trees.to_move(slot)
            return _closed(game, 1 if winner is Color.BLACK else -1, "resignation")
        self._start(slot)
        return None

    def _choose(self, slot: int, root: Root) -> Move:
        rng, options = self._trees.generator(slot), self.options
        temperature = self._temperature.at(self._trees.ply(slot))
        if not options.played_noise:
            return root.choose(rng, temperature)
        shares = np.zeros(len(root.policy))
        shares[int(root.best)] = 1.0
        if temperature > 0:
            shares = soften(root.policy, temperature)
        mixed = mix_noise(shares, root.priors > 0, rng, options.noise_alpha, options.played_noise)
        return Move(int(rng.choice(len(mixed), p=mixed / mixed.sum())))

    def _gives_up(self, game: OpenGame) -> bool:
        """Whether the side that just moved resigns."""
        limit, plies = self.options.resign_below, self.options.resign_plies
        own = game.rows[::-2][:plies]
        if limit is None or len(own) < plies or any(row.value >= limit for row in own):
            return False
        return not self._plays_out(game)


def _finished(game: OpenGame, outcome: Outcome) -> SelfPlayGame:
    result = 0 if outcome.winner is None else 1 if outcome.winner is Color.BLACK else -1
    return _closed(game, result, outcome.reason.name.lower())


def _closed(game: OpenGame, result: int, reason: str) -> SelfPlayGame:
    moves = np.array(game.moves, np.int16)
    return SelfPlayGame(game.number, game.net, moves, game.opening, result, reason, tuple(game.rows))


def new_numbers(first: int, step: int, taken: set[int]) -> Iterator[int]:
    """``first``, ``first + step``, ... without the taken ones."""
    number = first
    while True:
        if number not in taken:
            yield number
        number += step
