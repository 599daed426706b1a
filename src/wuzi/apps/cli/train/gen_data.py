"""``wuzi gen-data``: games of a player with labels, for distillation."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wuzi.apps.cli.options import (
    Address,
    ExecutorName,
    Json,
    Nodes,
    RuleName,
    Simulations,
    Size,
    WinLength,
    executor_of,
    print_json,
)
from wuzi.errors import ConfigError

if TYPE_CHECKING:
    from wuzi.training.methods.distill.game_file import LabelledGame
    from wuzi.training.methods.distill.generate import Recipe

DEFAULT_NODES = 5000


def gen_data(
    out: Annotated[Path, typer.Option("--out", help="The folder to write, or to go on with.")],
    games: Annotated[int, typer.Option("--games", "-n", help="How many games it shall hold.", min=1)] = 1000,
    size: Size = 9,
    win_length: WinLength = None,
    rule: RuleName = "freestyle",
    player: Annotated[
        str, typer.Option("--player", help="Who plays both sides; teacher: who labels.")
    ] = "weight",
    labels: Annotated[
        str | None,
        typer.Option("--labels", help="Who labels every position: engine, or any player that searches."),
    ] = None,
    nodes: Nodes = None,
    simulations: Simulations = None,
    multipv: Annotated[int, typer.Option("--multipv", help="Candidates in a label.", min=1)] = 8,
    opening: Annotated[str, typer.Option("--opening-plies", help="Random stones first, as in 0-6.")] = "0-6",
    explore: Annotated[
        float, typer.Option("--explore", help="Chance of a move among the best few.", min=0, max=1)
    ] = 0.1,
    seed: Annotated[int, typer.Option("--seed", help="Of everything drawn.", min=0)] = 0,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            help="Processes; the data are the same with any number. Default: 1, all of a cluster.",
            min=1,
        ),
    ] = None,
    executor: ExecutorName = "local",
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Make games with labels: moves, the six counts of patterns, and a teacher's candidates.

    The same options make the same data. Stopped and started again, it goes on where it was; more --games
    lengthen it. For example: wuzi gen-data --games 2000 --labels engine --nodes 5000 --out data/engine
    """
    from wuzi.apps.cli.options import parse_range
    from wuzi.training.methods.distill.generate import ENGINE, Recipe, extend
    from wuzi.training.methods.distill.makers import make_games
    from wuzi.training.run.config import GameSection

    teacher_spec = ENGINE if labels == "engine" else labels
    if labels and nodes is None and simulations is None:
        nodes = DEFAULT_NODES
    if not labels and (nodes or simulations):
        raise ConfigError("--nodes and --simulations are the teacher's: expected --labels as well")
    recipe = Recipe(
        rules=GameSection(size, win_length, rule).rules,
        player=player,
        seed=seed,
        opening=parse_range(opening, "--opening-plies"),
        explore=explore,
        labels=teacher_spec,
        nodes=nodes,
        simulations=simulations,
        multipv=multipv,
    )
    with executor_of(executor, address) as where, _bar(games, quiet=as_json) as on_game:
        at_once = workers or int(where.shares_disk)

        def made(first: int) -> Iterator[LabelledGame]:
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
    if as_json:
        print_json(data)
        return
    print(
        f"{out}: {data['games']} games ({made} new, {data['distinct']} different), "
        f"{data['positions']} positions; Black {data['black_wins']}, White {data['white_wins']}, "
        f"draws {data['draws']}; labels: {recipe.labels or 'none'}"
    )


@contextlib.contextmanager
def _bar(total: int, *, quiet: bool) -> Any:
    """A progress bar on standard error, where that is a terminal; gives the function that moves it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task("games", total=total)
        yield lambda done: bar.update(task, completed=done)
