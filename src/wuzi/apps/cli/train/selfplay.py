"""``wuzi selfplay``: games of a net against itself, without learning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wuzi.apps.cli.options import Cluster, Json, Natural, NetOption, print_json
from wuzi.apps.cli.progress import warm_up
from wuzi.errors import ConfigError


def selfplay(
    net: NetOption,
    out: Annotated[Path, typer.Option("--out", "-o")],
    games: Annotated[int, typer.Option("--games", "-n", min=1)] = 100,
    preset: str = "quick",
    set_: Annotated[list[str] | None, typer.Option("--set", metavar="selfplay.KEY=VALUE")] = None,
    size: int | None = None,
    seed: Natural = 1,
    cluster: Cluster = Cluster(),
    as_json: Json = False,
) -> None:
    """Let a net play itself and keep the moves, policies and values as training data.

    For example: wuzi selfplay --net 9x9 --games 1000 --out games

    Options:
        out: Folder of the games; an earlier run is continued.
        games: Target number of games in the folder.
        preset: Training preset that sets the search (see wuzi train --list-presets).
        set_: Change one setting of the preset. Repeatable.
        size: Board size; default: the size the net was made for.
        seed: Random seed of the games.
    """
    from dataclasses import replace

    from wuzi.apps.cli.train.train import Console
    from wuzi.nets.loading import read_net
    from wuzi.training.methods.registry import make_plan
    from wuzi.training.methods.selfplay.generate import generate
    from wuzi.training.run.config import TrainSettings

    settings = make_plan(preset, None, set_ or []).settings
    if not isinstance(settings, TrainSettings):
        raise ConfigError(f"preset {preset} has no self-play")
    rules = read_net(net).card.rules
    rules = rules if size is None else replace(rules, size=size, win_length=min(rules.win_length, size))
    warm_up(as_json)
    console = Console(as_json)
    try:
        with cluster.open() as where:
            played = generate(
                net, rules, settings.selfplay, out, games=games, seed=seed, observe=console, executor=where
            )
    finally:
        console.close()
    if as_json:
        print_json({"folder": str(out), "played": played, "games": max(games, played)})
    else:
        print(f"{played} games played into {out}")
