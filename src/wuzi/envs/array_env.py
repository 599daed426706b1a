"""Many games side by side as arrays, for one's own training loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wuzi.core import Position, Rules, batch_kernels
from wuzi.core.batch import Cells, Floats, GameBatch, Stones
from wuzi.errors import ConfigError

Flags = npt.NDArray[np.bool_]

PLANES = 3


class Step(NamedTuple):
    """What a step did, one entry a game.

    Attributes:
        rewards: float32 [B], of the side that moved: 1 won, -1 lost by a foul (renju), else 0.
        dones: bool [B], whether the game ended; a new one has begun in its place.
        winners: int8 [B], the colour that won (1 Black, 2 White); 0 for draws and unfinished games.
        lengths: int64 [B], stones on the board after the move, those of a random start included.
    """

    rewards: Floats
    dones: Flags
    winners: Stones
    lengths: Cells


class ArrayEnv:
    """``num_games`` games under the same rules; both sides' moves come from the caller.

    A game that ends begins anew within the same step. The same seed and the same moves give the same
    games, whatever the other games do.

    Attributes:
        rules: of all games.
        random_plies: each game begins with 0 to so many random stones, none of which ends it.

    >>> env = ArrayEnv(Rules(size=9), num_games=64, seed=1)
    >>> for _ in range(100):
    ...     step = env.step(env.random_actions())
    >>> env.planes().shape, env.masks().shape, step.rewards.shape
    ((64, 3, 9, 9), (64, 81), (64,))
    """

    def __init__(
        self, rules: Rules = Rules(size=9), num_games: int = 256, *, seed: int = 0, random_plies: int = 0
    ) -> None:
        """Begin all games.

        Raises:
            ConfigError: no games, or more random stones than the board has room for.
        """
        self._games = GameBatch(rules, num_games, seed=seed, random_plies=random_plies)
        self.rules, self.random_plies = rules, random_plies

    def __len__(self) -> int:
        return len(self._games)

    def reset(self, seed: int | None = None) -> None:
        """Start all games again; None keeps the generators as they are."""
        self._games.reset(seed)

    def step(self, actions: npt.ArrayLike) -> Step:
        """Play one move in every game.

        Args:
            actions: cells [B], whole numbers.

        Raises:
            ConfigError: not one whole number a game.
            IllegalMoveError: off the board or occupied; no game was changed.
        """
        cells = np.asarray(actions)
        if cells.shape != (len(self),) or cells.dtype.kind not in "iu":
            raise ConfigError(
                f"actions {cells.dtype} {list(cells.shape)}: expected whole numbers [{len(self)}]"
            )
        played = self._games.play(np.ascontiguousarray(cells, np.int64), again=True)
        rewards, dones, winners, lengths = played
        return Step(rewards, dones.view(np.bool_), winners, lengths)

    @property
    def to_move(self) -> Stones:
        """The colour to move, int8 [B]: 1 Black or 2 White."""
        return self._games.states["side"].astype(np.int8)

    def masks(self) -> Flags:
        """Where the side to move may play, bool [B, cells] (forbidden points too: they lose)."""
        return self._games.masks().view(np.bool_)

    def boards(self) -> Stones:
        """The stones, int8 [B, size, size]: 0 empty, 1 Black, 2 White; row 0 at the top."""
        return self._games.boards()

    def planes(self, out: Floats | None = None) -> Floats:
        """Own stones, the opponent's, and ones where Black is to move, from the side to move's view.

        Args:
            out: float32 [B, 3, size, size] to write to, in place of a new array.

        Returns:
            float32 [B, 3, size, size].

        Raises:
            ConfigError: ``out`` is another kind of array.
        """
        shape = (len(self), PLANES, self.rules.size, self.rules.size)
        if out is None:
            out = np.empty(shape, np.float32)
        elif out.shape != shape or out.dtype != np.float32 or not out.flags.c_contiguous:
            raise ConfigError(f"out {out.dtype} {list(out.shape)}: expected a float32 array {list(shape)}")
        batch_kernels.write_planes(self._games.states, out)
        return out

    def random_actions(self) -> Cells:
        """An empty cell a game, int64 [B]: all equally likely, from the games' own generators."""
        return self._games.random_moves()

    def position(self, game: int) -> Position:
        """A game's position, for players and pictures."""
        return self._games.position(game)
