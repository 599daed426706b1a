"""Many games of a net against itself, side by side in one process.

All chance in a game comes from the run's seed, the game's number and the ply, so a game that is taken up
again from its moves continues with the same noise and the same draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core import Color, Rules
from wuzi.core.layout import STATE
from wuzi.core.symmetry import NUM_SYMMETRIES, transform_moves
from wuzi.nets.evaluator import Evaluator
from wuzi.nets.planes import Records
from wuzi.search.tree import moving_kernels
from wuzi.search.tree.forms import make_trees
from wuzi.search.tree.moving import BatchMover, Keys
from wuzi.search.tree.options import mix_move_noise, with_temperature
from wuzi.training.data.games import Flag, Row, SelfPlayGame, pack_rows, unpack_rows
from wuzi.training.run.config import SelfPlaySection, StoredValue

_SOFT_PLIES = 3
_MAX_NODES = 60_000


@dataclass
class OpenGame:
    """A game going on, as :class:`.SelfPlayGame` has it; the flags are of the next search."""

    number: int
    net: int
    moves: list[int]
    opening: int
    rows: list[Row] = field(default_factory=list)
    flags: int = 0

    def to_json(self) -> dict[str, Any]:
        """As plain data, to be taken up again."""
        plain = {name: getattr(self, name) for name in ("number", "net", "moves", "opening")}
        return {**plain, "rows": pack_rows(self.rows)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> OpenGame:
        """The game that :meth:`to_json` wrote."""
        rows = unpack_rows(data["rows"])
        return cls(data["number"], data["net"], list(data["moves"]), data["opening"], rows)


class SelfPlay:
    """Games of one evaluator against itself, as many at once as there are slots.

    ``evaluations`` counts the positions evaluated so far, ``played`` the moves.
    """

    def __init__(
        self,
        rules: Rules,
        options: SelfPlaySection,
        evaluator: Evaluator,
        *,
        seed: int,
        net: int,
        numbers: Iterator[int | None],
        going_on: Sequence[OpenGame] = (),
        openings: Sequence[Sequence[int]] = (),
    ) -> None:
        """Begin games, those that were going on first.

        ``seed`` is the run's, ``net`` the iteration the net comes from. ``numbers`` are those of new games;
        while there is none (None, or the end), slots whose games have ended stay empty.
        Games that have an opening take it from ``openings``, if there are any.
        """
        slots = options.concurrency
        self.rules, self.options = rules, options
        self.evaluations = self.played = 0
        self._seed, self._net, self._numbers = seed, net, numbers
        self._openings = openings
        self._temperature = options.schedule()
        self._trees = make_trees(rules, slots, evaluator, options.tree_options(), max_nodes=_MAX_NODES)
        self._waiting = list(going_on)
        self._games: dict[int, OpenGame] = {}  # by slot
        self._moving = BatchMover(self._trees)
        self._keys = np.zeros(slots, np.uint64)
        self._board: Any = np.zeros(1, STATE)[0]
        self._start(self._seat())

    @property
    def going(self) -> bool:
        """Whether a game is going on."""
        return bool(self._games or self._waiting)

    def use(self, evaluator: Evaluator, net: int, options: SelfPlaySection) -> None:
        """Go on with another net, and perhaps more simulations; games under way keep their trees."""
        self._trees.use(evaluator)
        self._net, self.options = net, options
        for slot, game in self._games.items():
            # It has a slot already, but no position of it was evaluated.
            if not game.rows and not self._trees.memory.stats[slot, 0]["visits"]:
                game.net = net

    def take_up(self, games: Sequence[OpenGame]) -> None:
        """Go on with further games, before new ones begin."""
        self._waiting += games

    def step(self) -> list[SelfPlayGame]:
        """Evaluate one batch and play what is decided; the games that ended."""
        return self._played_on(self._trees.step())

    def begin(self) -> None:
        """Give a batch to the evaluator; :meth:`finish` takes the answer."""
        self._trees.begin()

    def finish(self) -> list[SelfPlayGame]:
        """Play what the batch that was begun decides; the games that ended."""
        return self._played_on(self._trees.finish())

    def _played_on(self, evaluations: int) -> list[SelfPlayGame]:
        self.evaluations += evaluations
        done, ended = self._trees.done(), []
        for slot, result in zip(done, self._move(done) if done else (), strict=True):
            finished = self._finished(slot, result)
            if finished is not None:
                ended.append(finished)
                del self._games[slot]
        self._start([slot for slot in done if slot in self._games] + self._seat())
        return ended

    def _seat(self) -> list[int]:
        """Give empty slots games, those that wait first; the slots that got one."""
        seated: list[int] = []
        if len(self._games) == self._trees.games:
            return seated
        for slot in range(self._trees.games):
            if slot in self._games:
                continue
            game = self._waiting.pop(0) if self._waiting else self._begin()
            if game is None:
                break
            game.net = game.net if game.rows else self._net
            self._games[slot] = game
            self._moving.seat(slot, game.moves)
            seated.append(slot)
        return seated

    def positions(self) -> Records:
        """The boards of all games as records [slots]; not to be changed."""
        return self._trees.records()

    def open_games(self) -> list[dict[str, Any]]:
        """The games going on, as plain data."""
        games = (*self._games.values(), *self._waiting)
        # An interrupt may have come between a move and its row.
        return [game.to_json() for game in games if len(game.rows) == len(game.moves) - game.opening]

    # ------------------------------------------------------------------ a game

    def _rng(self, game: OpenGame, ply: int) -> np.random.Generator:
        return np.random.default_rng((self._seed, game.number, ply))

    def _begin(self) -> OpenGame | None:
        """The next new game; None where there is no number for it."""
        number = next(self._numbers, None)
        if number is None:
            return None
        game = OpenGame(number, self._net, [], 0)
        keys = self._keys_of([number], [moving_kernels.OPENING])
        if moving_kernels.number(keys[0], moving_kernels.COIN) < self.options.opening_share:
            game.moves = self._opening(game, keys)
            game.opening = len(game.moves)
        return game

    def _opening(self, game: OpenGame, keys: Keys) -> list[int]:
        """Random stones that a game begins with, or one of the openings that were given."""
        rules, options = self.rules, self.options
        if self._openings:
            rng = self._rng(game, moving_kernels.OPENING)
            moves = self._openings[int(rng.integers(len(self._openings)))]
            return [*transform_moves(moves, rules.size, int(rng.integers(NUM_SYMMETRIES)))]
        cells = np.zeros(options.opening_plies_max, np.int64)
        how = rules.size, rules.win_length, int(rules.rule)
        plies = options.opening_plies_min, options.opening_plies_max
        count = int(moving_kernels.draw_opening(self._board, keys, *how, *plies, cells))
        return [int(cell) for cell in cells[:count]]

    def _keys_of(self, numbers: Sequence[int], plies: Sequence[int]) -> Keys:
        """What all chance in games comes from, by their numbers and plies."""
        keys = np.zeros(len(numbers), np.uint64)
        which = np.array(numbers, np.int64), np.array(plies, np.int64)
        moving_kernels.make_keys(self._seed, *which, keys)
        return keys

    def _start(self, slots: Sequence[int]) -> None:
        """Begin the next search of these games, with the chance of its seed, number and ply."""
        if not slots:
            return
        games = [self._games[slot] for slot in slots]
        keys = self._keys_of([game.number for game in games], [len(game.moves) for game in games])
        self._keys[slots] = keys
        wanted = [*map(self._simulations, games, self._numbers_of(slots, moving_kernels.COIN).tolist())]
        self._moving.start(slots, wanted, keys)

    def _numbers_of(self, slots: Sequence[int], index: int) -> npt.NDArray[np.float64]:
        """A number from 0 to 1 for each game's search."""
        found = np.zeros(len(slots))
        moving_kernels.draw_numbers(self._keys[slots], index, found)
        return found

    def _simulations(self, game: OpenGame, coin: float) -> int:
        """How much is searched in a game, by a number from 0 to 1; what is special about it."""
        options = self.options
        game.flags, simulations = 0, options.simulations
        if options.full_simulations is not None:
            if coin < options.full_share:
                simulations = options.full_simulations
            else:
                game.flags = int(Flag.FAST)
        limit, last = options.soft_above, game.rows[-_SOFT_PLIES:]
        if limit is not None and len(last) == _SOFT_PLIES and all(abs(row.value) > limit for row in last):
            game.flags, simulations = int(Flag.SOFT), options.soft_simulations
        return simulations

    def _move(self, slots: list[int]) -> list[int]:
        """Play the moves that searches have decided; the kernels' results."""
        games, options, decided = [self._games[slot] for slot in slots], self.options, int(Flag.DECIDED)
        temperatures = [self._temperature.at(len(game.moves)) for game in games]
        found = self._moving.conclude(slots, temperatures, self._numbers_of(slots, moving_kernels.MOVE))
        if options.stored_value is StoredValue.VISITS:
            means = -self._trees.memory.stats[slots, 0]["value"]
            found = [end._replace(value=mean) for end, mean in zip(found, means.tolist(), strict=True)]
        moves = [self._noisy(slot) for slot in slots] if options.played_noise else [end.move for end in found]
        rounded = np.array([(end.value, end.surprise) for end in found], np.float16).astype(float).tolist()
        for game, move, end, (value, surprise) in zip(games, moves, found, rounded, strict=True):
            flags = game.flags | decided if end.decided else game.flags
            game.rows.append(Row(end.cells, end.shares, value, flags, surprise))
            game.moves.append(move)
        self.played += len(slots)
        return self._moving.play(slots, moves, reuse=options.reuse, dead_draws=options.dead_draws)

    def _finished(self, slot: int, result: int) -> SelfPlayGame | None:
        game, winner, reason = self._games[slot], None, "resignation"
        if result:
            reason = "adjudication"
            if (outcome := self._trees.outcome(slot)) is not None:
                winner, reason = outcome.winner, outcome.reason.name.lower()
        elif self._gives_up(game):
            winner = self._trees.to_move(slot)
        else:
            return None
        points = 0 if winner is None else 1 if winner is Color.BLACK else -1
        moves = np.array(game.moves, np.int16)
        return SelfPlayGame(game.number, game.net, moves, game.opening, points, reason, tuple(game.rows))

    def _noisy(self, slot: int) -> int:
        """A move with noise in it (document 003)."""
        game, options, root = self._games[slot], self.options, self._trees.root(slot)
        rng = self._rng(game, len(game.moves))
        warm = self._temperature.at(self._trees.ply(slot))
        shares = with_temperature(root.policy, warm) if warm > 0 else np.eye(len(root.policy))[int(root.best)]
        mixed = mix_move_noise(shares, root.priors > 0, rng, options.noise_alpha, options.played_noise)
        return int(rng.choice(len(mixed), p=mixed / mixed.sum()))

    def _gives_up(self, game: OpenGame) -> bool:
        """Whether the side that just moved resigns."""
        limit, plies = self.options.resign_below, self.options.resign_plies
        own = game.rows[::-2][:plies]
        if limit is None or len(own) < plies or any(row.value >= limit for row in own):
            return False
        return bool(self._rng(game, moving_kernels.OPENING + 1).random() >= self.options.resign_never)


class SelfPlayGroups:
    """Several :class:`SelfPlay` that alternate: while the net is computed for one group of games, the trees
    of another are worked on. Each game is the same as in one group.
    """

    def __init__(self, groups: Sequence[SelfPlay]) -> None:
        """Take groups of equal options."""
        self._groups, self._turn = groups, 0

    @property
    def evaluations(self) -> int:
        """Positions evaluated so far."""
        return sum(group.evaluations for group in self._groups)

    @property
    def going(self) -> bool:
        """See :class:`SelfPlay`."""
        return any(group.going for group in self._groups)

    def use(self, evaluator: Evaluator, net: int, options: SelfPlaySection) -> None:
        """See :class:`SelfPlay`."""
        for group in self._groups:
            group.use(evaluator, net, options)

    def take_up(self, games: Sequence[OpenGame]) -> None:
        """See :class:`SelfPlay`."""
        for number, group in enumerate(self._groups):
            group.take_up(games[number :: len(self._groups)])

    def step(self) -> list[SelfPlayGame]:
        """Begin a batch of one group, and take the answer of the group that has waited longest."""
        self._groups[self._turn].begin()
        self._turn = (self._turn + 1) % len(self._groups)
        return self._groups[self._turn].finish()

    def open_games(self) -> list[dict[str, Any]]:
        """The games going on, as plain data."""
        return [game for group in self._groups for game in group.open_games()]


def new_numbers(taken: AbstractSet[int]) -> Iterator[int]:
    """0, 1, 2, ... without the taken ones."""
    return (number for number in count() if number not in taken)
