"""A small net, and games of it to compare."""

from __future__ import annotations

from pathlib import Path

from wuzi.base.schema import build_config
from wuzi.core import Rules
from wuzi.nets.file import save_net
from wuzi.training.data.games import Shards, pack_rows
from wuzi.training.run.config import SelfPlaySection

RULES = Rules(size=6, win_length=4)
SETTING = {"simulations": 8, "concurrency": 4, "noise_fraction": 0.25}


def options(workers: int) -> SelfPlaySection:
    found: SelfPlaySection = build_config(SelfPlaySection, {}, {**SETTING, "workers": workers}, "selfplay")
    return found


def small_net(folder: Path) -> Path:
    from wuzi.torch_nets import create_net, net_file

    path = folder / "small.safetensors"
    save_net(path, net_file(*create_net("basic", 6, seed=3), RULES, "small"))
    return path


def games_in(folder: Path) -> dict[int, tuple[list[int], int, str]]:
    """The games of a folder by number; each is there once."""
    found = list(Shards(folder).read(0))
    games = {game.number: (game.moves.tolist(), game.result, pack_rows(game.rows)) for game in found}
    assert len(games) == len(found)
    return games


def check_same(some: Path, others: Path) -> None:
    """Games with the same number are the same game; none is missing at the beginning."""
    a, b = games_in(some), games_in(others)
    shared = a.keys() & b.keys()
    assert len(shared) > len(a) // 2
    assert {n: a[n] for n in shared} == {n: b[n] for n in shared}
