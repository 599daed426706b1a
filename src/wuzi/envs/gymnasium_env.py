"""Gomoku for Gymnasium: one agent against a player of wuzi."""

from __future__ import annotations

from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import register, registry

from wuzi.contract import Limit, Player
from wuzi.core import Color, Game, Rule, Rules
from wuzi.envs.observation import Observation, check_render_mode, observation_space, observe, render
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.players import create_player

GYMNASIUM_ID = "wuzi/Gomoku-v0"
COLORS = ("black", "white", "random")


class GomokuEnv(gymnasium.Env[Observation, "np.int64"]):
    """One side of a game; the opponent answers within the step.

    An action is a cell, row * size + column. The reward is 1 for a win, -1 for a loss, 0 otherwise; an
    illegal move (off the mask) ends the game with -1 and ``info["illegal"]`` True. ``info`` always has
    ``ply`` and ``color`` (``black`` or ``white``, the agent's), at the end also ``result`` (``black``,
    ``white`` or ``draw``).

    Args:
        size: rows and columns.
        win_length: stones in a row that win.
        rule: freestyle, standard, renju, caro or caro_overline.
        opponent: a spec string such as ``"minimax:preset=s1"``, or a player (who stays yours to close).
            The player ``random`` draws from the environment's own seed.
        limit: how long the opponent thinks about a move; by default as its own options say.
        color: the agent's: black, white, or random (drawn at each reset).
        render_mode: ``ansi`` (text), ``svg`` (a picture) or None.

    Raises:
        ConfigError: impossible rules, colour or render mode, or no such player.
        UnsupportedError: the opponent cannot play these rules.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "svg"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        size: int = 9,
        win_length: int = 5,
        rule: str | Rule = "freestyle",
        opponent: str | Player = "random",
        limit: Limit = Limit(),
        color: str = "random",
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode)
        if color not in COLORS:
            raise ConfigError(f"color {color!r}: expected one of {', '.join(COLORS)}")
        self.rules = Rules(size, win_length, cast(Rule, rule))
        self._owned = create_player(opponent) if isinstance(opponent, str) and opponent != "random" else None
        self._opponent = self._owned if isinstance(opponent, str) else opponent
        if self._opponent is not None and (why := self._opponent.capabilities.why_not(self.rules)):
            self.close()
            raise UnsupportedError(f"{self._opponent.name} {why}")
        self._limit, self._color_choice = limit, color
        self.render_mode = render_mode
        self.observation_space = observation_space(self.rules)
        self.action_space = spaces.Discrete(self.rules.num_cells)
        self.color = Color.BLACK
        self.game = Game(self.rules)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game; the opponent moves first when the agent has White."""
        super().reset(seed=seed)
        colors = {"black": Color.BLACK, "white": Color.WHITE}
        drawn = Color.BLACK if self.np_random.integers(2) == 0 else Color.WHITE
        self.color = colors.get(self._color_choice, drawn)
        self.game = Game(self.rules)
        if self.color is Color.WHITE:
            self._answer()
        return self._observation(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Place the agent's stone and, if the game is not over, the opponent's.

        Raises:
            ConfigError: the game is over: reset first.
            PlayerError: the opponent failed.
        """
        if self.game.outcome is not None:
            raise ConfigError("step after the end of the game: expected reset()")
        cell = int(action)
        position = self.game.position
        if not 0 <= cell < self.rules.num_cells or position.cells[cell]:
            self.game = self.game.resign(self.color)
            return self._observation(), -1.0, True, False, {**self._info(), "illegal": True}
        self.game = self.game.play(cell)
        if self.game.outcome is None:
            self._answer()
        outcome = self.game.outcome
        winner = None if outcome is None else outcome.winner
        reward = 0.0 if winner is None else 1.0 if winner is self.color else -1.0
        return self._observation(), reward, outcome is not None, False, self._info()

    def render(self) -> Any:
        """The board as the render mode says."""
        return render(self.game.position, self.render_mode)

    def close(self) -> None:
        """Close the opponent, if the environment made it."""
        if self._owned is not None:
            self._owned.close()

    def _answer(self) -> None:
        if self._opponent is None:
            legal = np.flatnonzero(self.game.position.legal_mask())
            self.game = self.game.play(int(self.np_random.choice(legal)))
            return
        answer = self._opponent.think(self.game, self._limit)
        self.game = self.game.resign(self.game.to_move) if answer.resigned else self.game.act(answer.action)

    def _observation(self) -> Observation:
        return observe(self.game.position, self.color)

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"ply": self.game.ply, "color": self.color.name.lower(), "illegal": False}
        if self.game.outcome is not None:
            info["result"] = self.game.outcome.result
        return info


if GYMNASIUM_ID not in registry:
    register(id=GYMNASIUM_ID, entry_point="wuzi.envs.gymnasium_env:GomokuEnv")
