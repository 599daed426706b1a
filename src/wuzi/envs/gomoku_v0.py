"""Gomoku for PettingZoo (AEC): ``gomoku_v0.env(size=9)``.

Two agents, ``player_0`` (Black, moves first) and ``player_1``. An action is a cell, row * size + column.
An agent observes ``observation`` int8 [size, size, 2] (own stones, the opponent's) and ``action_mask`` int8
[size * size]. The winner gets 1, the loser -1; a draw gives 0 to both. A forbidden point (renju) may be
played and loses by the rules; an illegal move ends the game with -1 for who made it and 0 for the other.

========== ===========================================================
version 0  first version
========== ===========================================================
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv, aec_registry, register
from pettingzoo.utils import wrappers

from wuzi.core import Color, Game, Rule, Rules
from wuzi.envs.observation import Observation, check_render_mode, observation_space, observe, render

PETTINGZOO_ID = "wuzi/gomoku-v0"
_COLORS = {"player_0": Color.BLACK, "player_1": Color.WHITE}


def env(**options: Any) -> AECEnv:
    """The environment with PettingZoo's usual wrappers; options as :class:`raw_env`."""
    wrapped: Any = wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return cast("AECEnv", wrappers.OrderEnforcingWrapper(wrapped))


class raw_env(AECEnv, EzPickle):
    """The environment without wrappers.

    Args:
        size: rows and columns.
        win_length: stones in a row that win.
        rule: freestyle, standard, renju, caro or caro_overline.
        render_mode: ``ansi`` (text), ``svg`` (a picture) or None.

    Raises:
        ConfigError: impossible rules or an unknown render mode.
    """

    game: Game
    agents: list[str]
    agent_selection: str
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, Any]]
    _cumulative_rewards: dict[str, float]

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["ansi", "svg"],
        "name": "gomoku_v0",
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        size: int = 15,
        win_length: int = 5,
        rule: str | Rule = "freestyle",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        EzPickle.__init__(self, size, win_length, rule, render_mode)
        check_render_mode(render_mode)
        self.rules = Rules(size, win_length, cast(Rule, rule))
        self.render_mode = render_mode
        self.possible_agents = list(_COLORS)
        self.agents = list(self.possible_agents)
        space = observation_space(self.rules)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(self.rules.num_cells) for agent in self.possible_agents}
        self._begin()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space, one object an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The cells, one object an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. Nothing is random, so the seed changes nothing."""
        self.agents = list(self.possible_agents)
        self._begin()

    def observe(self, agent: str) -> Observation:
        """What an agent sees; its mask is empty unless it is to move."""
        return observe(self.game.position, _COLORS[agent])

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Place the selected agent's stone; None once it is done."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0
        self.game = self.game.play(int(cast(int, action)))
        self._clear_rewards()
        if (outcome := self.game.outcome) is not None:
            self.terminations = dict.fromkeys(self.agents, True)
            if outcome.winner is not None:
                for agent in self.agents:
                    self.rewards[agent] = 1 if _COLORS[agent] is outcome.winner else -1
        self._accumulate_rewards()
        self.agent_selection = self.possible_agents[self.game.ply % 2]

    def render(self) -> Any:
        """The board as the render mode says."""
        return render(self.game.position, self.render_mode)

    def close(self) -> None:
        """Nothing to release."""

    def _begin(self) -> None:
        self.game = Game(self.rules)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]


if PETTINGZOO_ID not in aec_registry:
    register("aec", PETTINGZOO_ID, "wuzi.envs.gomoku_v0:env")
