"""The list of a player names all kernels of its first moves: they are compiled before a clock runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wuzi.core import kernel_cache, warming

SOURCE = kernel_cache.PACKAGE_ROOT.parent

# Plays the first moves of a player; prints what was loaded that its list does not hold.
MOVES = """
import json, sys
import wuzi
from wuzi.core import Rules, jit
from wuzi.players.base import RULE_KERNELS
spec, size, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rules = Rules(size, length)
with wuzi.player(spec) as player:
    listed = {one.name for one in jit._needed((*RULE_KERNELS, *player.kernels(rules)))}
    middle = size // 2
    games = [wuzi.Game(rules), wuzi.Game(rules).play(middle * size + middle)]
    for cells in ((0, 1), (size, size + 1)):
        games.append(games[-1].play(cells[0]).play(cells[1]))
    for game in games:
        player.think(game, wuzi.Limit(nodes=300))
print(json.dumps(sorted({kernel.__name__ for kernel in jit.KERNELS} - listed)))
"""
ENGINES = ("engine", "level:name=novice", "level:name=casual", "level:name=master")
OTHERS = (
    "random",
    "weight",
    "minimax:depth=2",
    "minimax:preset=s0",
    "mcts",
    "mcts:preset=tactical",
    "az",
    "policy",
)


@pytest.mark.slow
@pytest.mark.kernels
@pytest.mark.parametrize(
    ("spec", "size", "length"),
    [*((spec, 15, 5) for spec in (*ENGINES, *OTHERS)), ("level:name=casual", 7, 6), ("solver", 4, 4)],
)
def test_the_list_of_a_player_misses_no_kernel(spec: str, size: int, length: int) -> None:
    warming.fill()
    command = [sys.executable, "-c", MOVES, spec, str(size), str(length)]
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


@pytest.mark.ci("compiles the kernels of a level on an empty cache")
def test_a_first_move_on_a_new_machine_compiles_the_list_and_says_so_in_one_line(tmp_path: Path) -> None:
    folders = {f"WUZI_{name}_DIR": str(tmp_path / name.lower()) for name in ("CACHE", "DATA", "CONFIG")}
    env = {**os.environ, **folders, "PYTHONPATH": str(SOURCE), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "wuzi", "play", "--size", "9", "--level", "novice"]
    done = subprocess.run(
        command, env=env, input="e5\nquit\n", capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 1 and "compiling kernels for this machine, once" in done.stderr
    (cache,) = (tmp_path / "cache" / "kernels").iterdir()
    assert not (cache / "complete").exists()
    assert 20 < len(list(cache.rglob("*.nbi"))) < kernel_cache.num_kernels()
