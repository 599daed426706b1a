"""Many games side by side, as reinforcement learning wants them: masks, moves, rewards. No torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core import Position, Rules
from wuzi.core.layout import PAD, STATE, STRIDE
from wuzi.core.types import Color, Move
from wuzi.envs.array_kernels import begin, draw
from wuzi.errors import ConfigError, IllegalMoveError
from wuzi.nets.evaluator import Floats
from wuzi.training.methods.ppo import games_kernels as kernels

Masks = npt.NDArray[np.uint8]
Cells = npt.NDArray[np.int64]


class VectorGames:
    """``count`` games under the same rules.

    Attributes:
        rules: of all games.
        states: kernel records [count] (:data:`wuzi.core.layout.STATE`).
        rngs: uint64 [count], the generator of each game.
        random_plies: a game begins with 0 to so many random stones.
        forced: whether :meth:`masks` leaves out moves that overlook a five.
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
        # A generator that is 0 would stay 0.
        self.rngs = np.random.default_rng(seed).integers(1, 1 << 63, count, dtype=np.uint64)
        for game in range(count):
            self.begin(game)

    def __len__(self) -> int:
        return len(self.states)

    def begin(self, game: int) -> None:
        """Begin a game anew."""
        rules = self.rules
        begin(self.states, self.rngs, game, rules.size, rules.win_length, int(rules.rule), self.random_plies)

    def draw(self, game: int, below: int) -> int:
        """A number from 0 to ``below`` - 1 from the generator of a game."""
        return int(draw(self.rngs, game, below))

    def masks(self) -> Masks:
        """uint8 [count, cells]: ones where the side to move may play."""
        out = np.empty((len(self), self.rules.num_cells), np.uint8)
        kernels.legal_masks(self.states, int(self.forced), out)
        return out

    def choose(
        self, logits: Floats, masks: Masks, games: Cells | None = None, *, greedy: bool = False
    ) -> tuple[Cells, Floats]:
        """Draw a move a row from the masked softmax.

        Args:
            logits: float32 [B, cells].
            masks: uint8 [B, cells].
            games: the game of each row; by default row b belongs to game b.
            greedy: take the likeliest move instead.

        Returns:
            Cells int64 [B] and their log-probabilities float32 [B].
        """
        games = np.arange(len(self)) if games is None else games
        actions, log_probs = np.empty(len(games), np.int64), np.empty(len(games), np.float32)
        rows = np.ascontiguousarray(logits, np.float32)
        kernels.choose(rows, np.ascontiguousarray(masks), self.rngs, games, int(greedy), actions, log_probs)
        return actions, log_probs

    def play(self, actions: Cells) -> tuple[Floats, npt.NDArray[np.uint8]]:
        """Play a move in each game; finished games stay as they ended until :meth:`begin`.

        Returns:
            The movers' rewards float32 [count] (1 won, -1 lost a foul, else 0), and uint8 [count] dones.

        Raises:
            IllegalMoveError: off the board or occupied, in a game that goes on.
        """
        self._check(actions)
        rewards, dones = np.empty(len(self), np.float32), np.empty(len(self), np.uint8)
        kernels.play(self.states, actions, rewards, dones)
        return rewards, dones

    def position(self, game: int) -> Position:
        """A game's position, for players."""
        state = self.states[game]
        size = self.rules.size
        rows, columns = np.divmod(np.arange(size * size), size)
        board = state["cells"][(rows + PAD) * STRIDE + columns + PAD]
        return Position.from_cells(self.rules, board, Color(int(state["side"])))

    def _check(self, actions: Cells) -> None:
        going_on = self.states["result"] == 0
        free = np.empty((len(self), self.rules.num_cells), np.uint8)
        kernels.legal_masks(self.states, 0, free)
        inside = (actions >= 0) & (actions < self.rules.num_cells)
        legal = inside & (free[np.arange(len(self)), np.where(inside, actions, 0)] == 1)
        wrong = np.flatnonzero(going_on & ~legal)
        if len(wrong):
            game = int(wrong[0])
            raise IllegalMoveError(f"cell {Move(int(actions[game]))} in game {game}: expected an empty cell")
