"""``wuzi selfplay``: games of a net against itself, without learning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wuzi.apps.cli.options import Address, ExecutorName, Json, executor_of, print_json
from wuzi.errors import ConfigError


def selfplay(
    net: Annotated[str, typer.Option("--net", help="Name of a net, or a file; see wuzi models list.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the games; a run goes on there.")],
    games: Annotated[
        int, typer.Option("--games", "-n", help="Games that the folder shall hold.", min=1)
    ] = 100,
    preset: Annotated[
        str, typer.Option("--preset", help="Whose self-play; see wuzi train --list-presets.")
    ] = "quick",
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="selfplay.key=value; may be repeated.")
    ] = None,
    size: Annotated[
        int | None, typer.Option("--size", help="By default the one the net was made for.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of all chance.", min=0)] = 1,
    executor: ExecutorName = "local",
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Let a net play itself and keep moves, policies and values.

    For example: wuzi selfplay --net 9x9 --games 1000 --out games
    """
    from dataclasses import replace

    from wuzi.apps.cli.arena.arena import warm_up
    from wuzi.apps.cli.train.train import Console
    from wuzi.nets.catalogue import read_net
    from wuzi.training.methods.registry import make_plan
    from wuzi.training.run.config import TrainSettings
    from wuzi.training.run.generate import generate

    settings = make_plan(preset, None, set_ or []).settings
    if not isinstance(settings, TrainSettings):
        raise ConfigError(f"preset {preset} has no self-play")
    rules = read_net(net).card.rules
    rules = rules if size is None else replace(rules, size=size, win_length=min(rules.win_length, size))
    warm_up(as_json)
    console = Console(as_json)
    try:
        with executor_of(executor, address) as where:
            played = generate(
                net, rules, settings.selfplay, out, games=games, seed=seed, observe=console, executor=where
            )
    finally:
        console.close()
    if as_json:
        print_json({"folder": str(out), "played": played, "games": max(games, played)})
    else:
        print(f"{played} games played into {out}")
