"""Many games side by side as arrays, for one's own training loops."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wuzi.core import Position, Rules
from wuzi.core.layout import PAD, STATE, STRIDE
from wuzi.core.types import Color
from wuzi.envs import array_kernels as kernels
from wuzi.errors import ConfigError, IllegalMoveError

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
Stones = npt.NDArray[np.int8]
Cells = npt.NDArray[np.int64]

PLANES = 3


class Step(NamedTuple):
    """What a step did, one entry a game.

    Attributes:
        rewards: float32 [B], of the side that moved: 1 won, -1 lost by a foul (renju), else 0.
        dones: bool [B], whether the game ended; a new one has begun in its place.
        winners: int8 [B], the colour that won (1 Black, 2 White); 0 for draws and games that go on.
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
        if num_games < 1:
            raise ConfigError(f"{num_games} games side by side: expected at least 1")
        if not 0 <= random_plies < rules.num_cells:
            raise ConfigError(
                f"{random_plies} random stones on {rules.label}: expected 0 to {rules.num_cells - 1}"
            )
        self.rules, self.random_plies = rules, random_plies
        self._states: npt.NDArray[Any] = np.zeros(num_games, STATE)
        self._rngs = np.zeros(num_games, np.uint64)
        self.reset(seed)

    def __len__(self) -> int:
        return len(self._states)

    def reset(self, seed: int | None = None) -> None:
        """Begin all games anew; None goes on with the generators as they are."""
        if seed is not None:
            # A generator that is 0 would stay 0.
            self._rngs[:] = np.random.default_rng(seed).integers(1, 1 << 63, len(self), dtype=np.uint64)
        rules = self.rules
        for game in range(len(self)):
            kernels.begin(
                self._states,
                self._rngs,
                game,
                rules.size,
                rules.win_length,
                int(rules.rule),
                self.random_plies,
            )

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
        cells = np.ascontiguousarray(cells, np.int64)
        wrong = int(kernels.first_illegal(self._states, cells))
        if wrong >= 0:
            raise IllegalMoveError(f"cell {cells[wrong]} in game {wrong}: expected an empty cell")
        n = len(self)
        rewards, dones = np.empty(n, np.float32), np.empty(n, np.uint8)
        winners, lengths = np.empty(n, np.int8), np.empty(n, np.int64)
        kernels.step(self._states, self._rngs, cells, self.random_plies, rewards, dones, winners, lengths)
        return Step(rewards, dones.view(np.bool_), winners, lengths)

    @property
    def to_move(self) -> Stones:
        """The colour to move, int8 [B]: 1 Black or 2 White."""
        return self._states["side"].astype(np.int8)

    def masks(self) -> Flags:
        """Where the side to move may play, bool [B, cells] (forbidden points too: they lose)."""
        out = np.empty((len(self), self.rules.num_cells), np.uint8)
        kernels.write_masks(self._states, out)
        return out.view(np.bool_)

    def boards(self) -> Stones:
        """The stones, int8 [B, size, size]: 0 empty, 1 Black, 2 White; row 0 at the top."""
        size = self.rules.size
        out = np.empty((len(self), size, size), np.int8)
        kernels.write_boards(self._states, out)
        return out

    def planes(self, out: Floats | None = None) -> Floats:
        """Own stones, the enemy's, and ones where Black is to move, from the side to move's view.

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
        kernels.write_planes(self._states, out)
        return out

    def random_actions(self) -> Cells:
        """An empty cell a game, int64 [B]: all equally likely, from the games' own generators."""
        out = np.empty(len(self), np.int64)
        kernels.random_actions(self._states, self._rngs, out)
        return out

    def position(self, game: int) -> Position:
        """A game's position, for players and pictures."""
        state = self._states[game]
        rows, columns = np.divmod(np.arange(self.rules.num_cells), self.rules.size)
        board = state["cells"][(rows + PAD) * STRIDE + columns + PAD]
        return Position.from_cells(self.rules, board, Color(int(state["side"])))
