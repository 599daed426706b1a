"""Many games under the same rules side by side: the one batch behind environments and training loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core import batch_kernels
from wuzi.core.layout import PAD, STATE, STRIDE
from wuzi.core.position import Position
from wuzi.core.rules import Rules
from wuzi.core.types import Color
from wuzi.errors import ConfigError, IllegalMoveError

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.uint8]
Stones = npt.NDArray[np.int8]
Cells = npt.NDArray[np.int64]


class GameBatch:
    """``count`` games. The same seed and moves give the same games, whatever the other games do.

    Attributes:
        rules: of all games.
        states: kernel records [count] (:data:`wuzi.core.layout.STATE`).
        rngs: uint64 [count], the generator of each game.
        random_plies: each game begins with 0 to so many random stones, none of which ends it.
        forced: whether :meth:`masks` keeps only wins at once, else only what stops the opponent's.
    """

    def __init__(
        self, rules: Rules, count: int, *, seed: int = 0, random_plies: int = 0, forced: bool = False
    ) -> None:
        """Begin all games.

        Raises:
            ConfigError: no games, or more random stones than the board has room for.
        """
        if count < 1:
            raise ConfigError(f"{count} games side by side: expected at least 1")
        if not 0 <= random_plies < rules.num_cells:
            raise ConfigError(
                f"{random_plies} random stones on {rules.label}: expected 0 to {rules.num_cells - 1}"
            )
        self.rules, self.random_plies, self.forced = rules, random_plies, forced
        self.states: npt.NDArray[Any] = np.zeros(count, STATE)
        self.rngs = np.zeros(count, np.uint64)
        self.reset(seed)

    def __len__(self) -> int:
        return len(self.states)

    def reset(self, seed: int | None = None) -> None:
        """Begin all games anew, with the generators as they are for ``seed=None``."""
        if seed is not None:
            # A generator that is 0 would stay 0.
            self.rngs[:] = np.random.default_rng(seed).integers(1, 1 << 63, len(self), dtype=np.uint64)
        for game in range(len(self)):
            self.begin(game)

    def begin(self, game: int) -> None:
        """Begin one game anew."""
        rules = self.rules
        batch_kernels.begin(
            self.states, self.rngs, game, rules.size, rules.win_length, int(rules.rule), self.random_plies
        )

    def draw(self, game: int, below: int) -> int:
        """A number from 0 to ``below`` - 1 from the generator of a game."""
        return int(batch_kernels.random_below(self.rngs, game, below))

    def masks(self) -> Flags:
        """uint8 [count, cells]: ones where the side to move may play (forbidden points too: they lose)."""
        out = np.empty((len(self), self.rules.num_cells), np.uint8)
        batch_kernels.write_masks(self.states, out)
        if self.forced:
            batch_kernels.keep_forced(self.states, out)
        return out

    def choose(
        self, logits: Floats, masks: Flags, games: Cells | None = None, *, greedy: bool = False
    ) -> tuple[Cells, Floats]:
        """Draw a move a row from the masked softmax [R, cells], or with ``greedy`` take the likeliest.

        ``games`` (int64 [R]) says whose generator draws; by default row r belongs to game r.

        Returns:
            Cells int64 [R], -1 where no move is legal, and their log-probabilities float32 [R].
        """
        games = np.arange(len(self)) if games is None else games
        actions, log_probs = np.empty(len(games), np.int64), np.empty(len(games), np.float32)
        rows = np.ascontiguousarray(logits, np.float32)
        batch_kernels.choose(
            rows, np.ascontiguousarray(masks), self.rngs, games, int(greedy), actions, log_probs
        )
        return actions, log_probs

    def random_moves(self) -> Cells:
        """An empty cell a game, int64 [count]: all equally likely, from the games' own generators."""
        out = np.empty(len(self), np.int64)
        batch_kernels.random_moves(self.states, self.rngs, out)
        return out

    def play(self, actions: Cells, *, again: bool = False) -> tuple[Floats, Flags, Stones, Cells]:
        """Play a cell (int64 [count]) in each game that is not over; with ``again`` ended games begin anew.

        Returns:
            A game each: the movers' rewards float32 (1 won, -1 lost by a foul, else 0), whether it is over
            uint8, the winner's colour int8 (0: nobody), and the stones on the board after the move int64.

        Raises:
            IllegalMoveError: off the board or occupied; no game was changed.
        """
        wrong = int(batch_kernels.first_illegal(self.states, actions))
        if wrong >= 0:
            raise IllegalMoveError(f"cell {int(actions[wrong])} in game {wrong}: expected an empty cell")
        n = len(self)
        played = np.empty(n, np.float32), np.empty(n, np.uint8), np.empty(n, np.int8), np.empty(n, np.int64)
        random_plies = self.random_plies if again else -1
        batch_kernels.play(self.states, self.rngs, actions, random_plies, *played)
        return played

    def boards(self) -> Stones:
        """The stones, int8 [count, size, size]: 0 empty, 1 Black, 2 White; row 0 at the top."""
        size = self.rules.size
        out = np.empty((len(self), size, size), np.int8)
        batch_kernels.write_boards(self.states, out)
        return out

    def position(self, game: int) -> Position:
        """A game's position without its history, for players and pictures."""
        state = self.states[game]
        rows, columns = np.divmod(np.arange(self.rules.num_cells), self.rules.size)
        board = state["cells"][(rows + PAD) * STRIDE + columns + PAD]
        return Position.from_cells(self.rules, board, Color(int(state["side"])))
