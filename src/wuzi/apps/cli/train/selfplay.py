"""``wuzi selfplay``: games of a net against itself, without learning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wuzi.apps.cli.options import Cluster, Json, NetOption, grouped, print_json
from wuzi.apps.cli.progress import warm_up
from wuzi.errors import ConfigError


@grouped
def selfplay(
    net: NetOption,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder of the games; an earlier run is continued.")
    ],
    games: Annotated[
        int, typer.Option("--games", "-n", help="Target number of games in the folder.", min=1)
    ] = 100,
    preset: Annotated[
        str,
        typer.Option(
            "--preset", help="Training preset that sets the search (see wuzi train --list-presets)."
        ),
    ] = "quick",
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="selfplay.KEY=VALUE", help="Change one setting of the preset. Repeatable."
        ),
    ] = None,
    size: Annotated[
        int | None, typer.Option("--size", help="Board size; default: the size the net was made for.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed of the games.", min=0)] = 1,
    cluster: Cluster = Cluster(),
    as_json: Json = False,
) -> None:
    """Let a net play itself and keep the moves, policies and values as training data.

    For example: wuzi selfplay --net 9x9 --games 1000 --out games
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
