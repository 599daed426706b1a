"""PettingZoo's and Gymnasium's own checks, and what those do not check: who wins, and what is illegal."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo import make

from wuzi.contract import Limit
from wuzi.core import Color
from wuzi.envs import gomoku_v0
from wuzi.envs.gomoku_v0 import PETTINGZOO_ID
from wuzi.envs.gymnasium_env import GYMNASIUM_ID, GomokuEnv
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.players import create_player

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its tests import an environment the old way
    from pettingzoo.test import api_test, seed_test

pytestmark = pytest.mark.kernels

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("options", [{"size": 9}, {"size": 5, "win_length": 4, "rule": "standard"}])
def test_pettingzoo_accepts_the_environment(options: dict[str, Any]) -> None:
    with redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # such as: an empty board is all zeros
        api_test(gomoku_v0.env(**options), num_cycles=300)
        seed_test(lambda: gomoku_v0.env(**options), num_cycles=100)


def play(env: Any, cells: list[int]) -> dict[str, float]:
    """Rewards after these moves; agents that are done step with None."""
    env.reset(seed=1)
    rewards: dict[str, float] = {}
    moves = iter(cells)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            rewards[agent] = reward
            env.step(None)
        else:
            env.step(next(moves))
    return rewards


def test_the_winner_gets_one_and_the_loser_minus_one() -> None:
    env = gomoku_v0.env(size=5, win_length=3)
    assert play(env, [0, 5, 1, 6, 2]) == {"player_0": 1, "player_1": -1}
    assert play(env, [0, 5, 1, 6, 12, 7]) == {"player_0": -1, "player_1": 1}
    assert set(play(gomoku_v0.env(size=3, win_length=3), [0, 1, 2, 4, 3, 5, 7, 6, 8]).values()) == {0}


def test_an_illegal_move_loses_for_who_made_it() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert play(gomoku_v0.env(size=5), [7, 7]) == {"player_0": 0, "player_1": -1}


def test_an_agent_sees_its_own_stones_first() -> None:
    env = gomoku_v0.env(size=5, render_mode="ansi")
    env.reset()
    env.step(3)
    seen = env.observe("player_1")
    assert seen["observation"][0, 3].tolist() == [0, 1]
    assert seen["action_mask"].sum() == 24 and not seen["action_mask"][3]
    assert not env.observe("player_0")["action_mask"].any()
    assert "X" in env.render()


def test_pettingzoo_environment_by_name_and_through_pickle() -> None:
    env = make("aec", PETTINGZOO_ID, size=6)
    env.reset()
    assert env.action_space("player_0").n == 36
    raw = pickle.loads(pickle.dumps(gomoku_v0.raw_env(size=7)))
    assert raw.rules.size == 7


@pytest.mark.parametrize("opponent", ["random", "weight"])
def test_gymnasium_accepts_the_environment(opponent: str) -> None:
    env = gymnasium.make(GYMNASIUM_ID, size=6, opponent=opponent, limit=Limit(nodes=10), render_mode="ansi")
    check_env(env.unwrapped)
    env.close()


def finish(env: GomokuEnv, seed: int) -> tuple[float, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    while True:
        legal = np.flatnonzero(seen["action_mask"])
        seen, reward, terminated, _, info = env.step(int(rng.choice(legal)))
        if terminated:
            return reward, info


@pytest.mark.parametrize("color", ["black", "white", "random"])
def test_rewards_are_those_of_the_agents_colour(color: str) -> None:
    env = GomokuEnv(size=5, win_length=3, color=color)
    results = [finish(env, seed) for seed in range(30)]
    for reward, info in results:
        black = {"black": 1, "white": -1, "draw": 0}[info["result"]]
        assert reward == (black if info["color"] == "black" else -black)
    assert {reward for reward, _ in results} >= {1, -1}
    assert {info["color"] for _, info in results} == ({"black", "white"} if color == "random" else {color})


def test_the_opponent_moves_first_when_the_agent_has_white() -> None:
    with create_player("weight") as player:
        env = GomokuEnv(size=7, opponent=player, color="white")
        seen, info = env.reset(seed=1)
        assert info == {"ply": 1, "color": "white", "illegal": False}
        assert seen["observation"][..., 1].sum() == 1
        cell = int(np.flatnonzero(seen["action_mask"])[0])
        seen, reward, terminated, _, info = env.step(cell)
        assert (info["ply"], reward, terminated) == (3, 0.0, False)
        assert env.color is Color.WHITE


def test_an_illegal_action_ends_the_game() -> None:
    env = GomokuEnv(size=5, color="black")
    env.reset(seed=1)
    env.step(0)
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, info["illegal"]) == (-1.0, True, False, True)
    with pytest.raises(ConfigError, match="expected reset"):
        env.step(1)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(ConfigError, match="color 'red': expected one of black, white, random"):
        GomokuEnv(color="red")
    with pytest.raises(ConfigError, match="render mode 'human'"):
        GomokuEnv(render_mode="human")
    with pytest.raises(ConfigError, match="render mode 'human'"):
        gomoku_v0.env(render_mode="human")
    with pytest.raises(UnsupportedError, match="does not play"):
        GomokuEnv(size=15, opponent="solver")


def test_gymnasium_finds_the_environment_by_module_and_name() -> None:
    code = (
        f"import gymnasium; print(gymnasium.make('wuzi.envs.gymnasium_env:{GYMNASIUM_ID}', size=7).spec.id)"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.strip() == GYMNASIUM_ID
