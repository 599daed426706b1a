"""``wuzi selfplay`` and ``wuzi gen-data``: games as training data, without learning."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import wuzi
from wuzi.apps.cli.options import (
    Board,
    Cluster,
    Json,
    Natural,
    NetOption,
    Positive,
    output,
    parse_range,
)
from wuzi.apps.cli.progress import progress_bar, warm_up
from wuzi.errors import ConfigError

if TYPE_CHECKING:
    from wuzi.training.methods.distill.generate import Recipe


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
    from wuzi.training.methods.selfplay.generate import generate

    settings = wuzi.training.make_plan(preset, None, set_ or []).settings
    if not isinstance(settings, wuzi.training.TrainSettings):
        raise ConfigError(f"preset {preset} has no self-play")
    rules = wuzi.nets.read_net(net).card.rules
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
    data = {"folder": str(out), "played": played, "games": max(games, played)}
    output(as_json, data, [f"{played} games played into {out}"])


DEFAULT_NODES = 5000


def gen_data(
    out: Path,
    games: Annotated[int, typer.Option("--games", "-n", min=1)] = 1000,
    board: Board = Board(size=9),
    player: str = "weight",
    labels: str | None = None,
    nodes: Positive | None = None,
    simulations: Positive | None = None,
    multipv: Positive = 8,
    opening: Annotated[str, typer.Option("--opening-plies")] = "0-6",
    explore: Annotated[float, typer.Option(min=0, max=1)] = 0.1,
    seed: Natural = 0,
    workers: Positive | None = None,
    cluster: Cluster = Cluster(),
    as_json: Json = False,
) -> None:
    """Make labelled games: moves, the six pattern counts, and a teacher's candidate moves.

    The same options give the same games. Safe to interrupt: rerun the command to resume, or with more
    --games to extend the folder.
    For example: wuzi gen-data --games 2000 --labels engine --nodes 5000 --out data/engine

    Options:
        out: Folder to write, or to extend.
        games: Target number of games in the folder.
        player: Player of both sides; teacher means the one given with --labels.
        labels: Teacher that labels every position: engine, or a player that searches.
        nodes: Maximum number of positions searched per move.
        simulations: Maximum number of tree-search simulations per move (mcts, az).
        multipv: Number of candidate moves in a label.
        opening: Number of random stones before the game, such as 0-6.
        explore: Probability of playing a random move among the best few.
        seed: Random seed; the same seed gives the same games.
        workers: Number of processes; any number gives the same games. Default: 1 here, all on a cluster.
    """
    from wuzi.training.methods.distill.generate import ENGINE, Recipe, extend, make_games
    from wuzi.training.run.config import GameSection

    if labels and nodes is None and simulations is None:
        nodes = DEFAULT_NODES
    if not labels and (nodes or simulations):
        raise ConfigError("--nodes and --simulations are the teacher's: expected --labels as well")
    recipe = Recipe(
        rules=GameSection(board.size, board.win_length, board.rule).rules,
        player=player,
        seed=seed,
        opening=parse_range(opening, "--opening-plies"),
        explore=explore,
        labels=ENGINE if labels == "engine" else labels,
        nodes=nodes,
        simulations=simulations,
        multipv=multipv,
    )
    with cluster.open() as where, progress_bar("games", games, quiet=as_json) as on_game:
        at_once = workers or int(where.shares_disk)

        def made(first: int) -> Iterator[str]:
            return make_games(recipe, player, first, games, at_once, where)

        new = extend(recipe, out, games, made, on_game)
    _report(recipe, out, new, as_json)


def _report(recipe: Recipe, out: Path, made: int, as_json: bool) -> None:
    """What the folder holds now."""
    from wuzi.training.methods.distill.game_file import read_games

    found = list(read_games(out, recipe.rules.size))
    data = {
        "folder": str(out),
        "games": len(found),
        "made": made,
        "positions": sum(len(game.moves) for game in found),
        "distinct": len({game.moves for game in found}),
        "black_wins": sum(game.winner == 1 for game in found),
        "white_wins": sum(game.winner == 2 for game in found),
        "draws": sum(game.winner == 0 for game in found),
        "labels": recipe.labels,
    }
    text = (
        f"{out}: {data['games']} games ({made} new, {data['distinct']} different), "
        f"{data['positions']} positions; Black {data['black_wins']}, White {data['white_wins']}, "
        f"draws {data['draws']}; labels: {recipe.labels or 'none'}"
    )
    output(as_json, data, [text])
