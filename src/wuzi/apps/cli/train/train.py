"""``wuzi train``: learning; ``wuzi selfplay`` and ``wuzi gen-data``: games as training data without it."""

from __future__ import annotations

import datetime
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

import wuzi
from wuzi.apps.cli.options import (
    Board,
    Cluster,
    Json,
    Natural,
    NetOption,
    Positive,
    duration,
    output,
    parse_range,
)
from wuzi.apps.cli.progress import progress_bar, status_line, warm_up
from wuzi.base.imports import need
from wuzi.base.words import filled
from wuzi.errors import ConfigError, TrainingError
from wuzi.nets.shelf import best_of_run, net_of_run

if TYPE_CHECKING:
    from wuzi.training.methods.distill.generate import Recipe
    from wuzi.workers.crew import Executor

DEFAULT_NODES = 5000
RUNS = Path("runs")
"""Where runs are made."""


@dataclass(frozen=True)
class Flags:
    """Parameters in place of those of the preset.

    Attributes:
        size: Board size: rows and columns.
        win_length: Number of stones in a row that wins.
        iterations: Number of training iterations.
        samples: Number of self-play games per iteration.
        simulations: Number of tree-search simulations per self-play move.
        workers: Number of self-play processes, or auto.
        eval_interval: Number of iterations between two evaluations.
        win_threshold: Score against the best net so far that makes a net the best.
        seed: Random seed of the weights, the games and the batches.
    """

    heading: ClassVar = "In place of the preset's parameters"
    size: int | None = None
    win_length: int | None = None
    iterations: Annotated[int | None, typer.Option("--iterations", "-n")] = None
    samples: int | None = None
    simulations: int | None = None
    workers: Annotated[str | None, typer.Option(metavar="NUMBER")] = None
    eval_interval: int | None = None
    win_threshold: float | None = None
    seed: int | None = None

    def values(self) -> dict[str, Any]:
        """By name; None where nothing was given."""
        if self.workers is None or self.workers.strip("+-").isdecimal():
            return asdict(self) | {"workers": None if self.workers is None else int(self.workers)}
        if self.workers != "auto":
            raise ConfigError(f"--workers {self.workers!r}: expected a number or auto")
        return asdict(self) | {"workers": 0}


def train(
    preset: str | None = None,
    config: Path | None = None,
    set_: Annotated[list[str] | None, typer.Option("--set", metavar="SECTION.KEY=VALUE")] = None,
    run_dir: Path | None = None,
    resume: bool = False,
    status: bool = False,
    max_time: Annotated[str | None, typer.Option(metavar="TIME")] = None,
    flags: Flags = Flags(),
    dry_run: bool = False,
    print_config: bool = False,
    list_presets: bool = False,
    cluster: Cluster = Cluster(),
    as_json: Json = False,
) -> None:
    """Train a net from scratch, with games played on this machine or on a cluster.

    Safe to interrupt, even with kill -9: continue with --resume. With it, --set and the options below change
    parameters from there on, such as more iterations for a run that is complete (-n 400); a run keeps its
    board, net and seed. The options of document 004 (--samples, --simulations, --eval-interval,
    --win-threshold) without --preset mean that document's training (s4).
    For example: wuzi train --preset quick --size 6 -n 200

    Options:
        preset: Name of a set of parameters (see --list-presets).
        config: TOML file of parameters that change the preset.
        set_: Change one parameter. Repeatable.
        run_dir: Folder of the run; default: a new one below runs/.
        resume: Continue the run in --run-dir; default: the one below runs/ that was begun last.
        status: Say how that run stands and what was changed in it, and exit.
        max_time: Stop after this time, such as 300s, 10m or 2h; the run can be resumed.
        dry_run: Train nothing: take short measurements and estimate the time.
        print_config: Print all parameters as TOML and exit.
        list_presets: List the presets and exit.
    """
    if list_presets:
        _list(as_json)
        return
    if (resume or status) and run_dir is None:
        from wuzi.training.run.directory import newest_run

        run_dir = newest_run(RUNS)
    if status and run_dir is not None:
        output(as_json, *_status(run_dir))
        return
    plan = _plan(preset, config, set_ or [], flags.values(), run_dir if resume else None)
    if print_config:
        print(plan.toml(), end="")
        return
    _need_torch(plan)
    if dry_run:
        _dry_run(plan, as_json)
        return
    folder = run_dir or RUNS / f"{plan.preset}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
    with cluster.open() as where:
        _train(plan, folder, resume, duration(max_time), where, as_json)


def _need_torch(plan: wuzi.training.Plan) -> None:
    """Raise MissingExtraError where PyTorch is needed and is not there."""
    from wuzi.training.learner.choice import learner_kind

    if isinstance(plan.settings, wuzi.training.TrainSettings):
        learner_kind(plan.settings)
    else:
        need("train", "torch")


def _plan(
    preset: str | None, config: Path | None, sets: list[str], flags: dict[str, Any], resumed: Path | None
) -> wuzi.training.Plan:
    from wuzi.training.methods.registry import resumed_plan

    if resumed is None:
        return wuzi.training.make_plan(preset, config, sets, flags)
    for name, given in (("preset", preset), ("config", config)):
        if given is not None:
            raise ConfigError(f"--{name} {given} with --resume: expected single changes, with --set or -n")
    wuzi.training.RunDirectory(resumed).notes()
    return resumed_plan(resumed, sets, flags)


def _status(folder: Path) -> tuple[dict[str, Any], list[str]]:
    """How a run stands, as data and in lines."""
    from wuzi.training.run.attempts import attempt_lines, read_attempts
    from wuzi.training.run.changes import change_lines
    from wuzi.training.run.reader import RunReader

    run = RunReader(folder)
    run.refresh()
    done, reason = int((run.rows[-1]["iteration"] or 0) if run.rows else 0), ""
    if run.status is not None and not run.is_locked:
        reason = run.status.text
    data: dict[str, Any] = {"run_dir": str(folder), "method": run.method, "state": str(run.state)}
    data |= {
        "reason": reason,
        "iteration": done,
        "iterations": run.iterations,
        "seconds": run.last("seconds") or 0.0,
    }
    given_up = read_attempts(folder)
    data |= {"findings": [found.text for found in run.findings], "changes": run.changes, "attempts": given_up}
    of = f" of {run.iterations}" if run.iterations else ""
    lines = [f"{folder}: {run.method}, {run.state}, iteration {done}{of}"]
    lines += [reason] if reason else []
    lines += [*change_lines(run.changes), *attempt_lines(given_up)]
    return data, [*lines, *(f"!!! {found.text}" for found in run.findings)]


def _list(as_json: bool) -> None:
    found = [{"name": p.name, "method": p.method, "summary": p.summary} for p in wuzi.training.list_presets()]
    output(as_json, found, (f"{item['name']:<14} {item['summary']}" for item in found))


def _dry_run(plan: wuzi.training.Plan, as_json: bool) -> None:
    from wuzi.training.methods.trial_run import ESTIMATES

    estimate = ESTIMATES.get(plan.method.name)
    if estimate is None:
        raise ConfigError(f"--dry-run: method {plan.method.name} has no estimate")
    warm_up()
    found = estimate(plan.settings)
    data = {"preset": plan.preset, "seconds": round(found.seconds, 1), "estimate": found.lines}
    output(as_json, data, found.lines)


def _train(
    plan: wuzi.training.Plan,
    folder: Path,
    resume: bool,
    max_seconds: float | None,
    executor: Executor,
    as_json: bool,
) -> None:
    from wuzi.training.run.status import StatusFile
    from wuzi.training.run.watch import Watch

    directory = wuzi.training.RunDirectory(folder)
    again = f"wuzi train --resume --run-dir {shlex.quote(str(folder))}"
    warm_up()
    if not resume:
        directory.create(plan.toml(), {"method": plan.method.name, "preset": plan.preset})
    watch, status = Watch(folder), StatusFile(folder)
    if not as_json:
        print(f"{plan.method.name} ({plan.preset}) in {folder}")
    try:
        with status, watch, shown(quiet=as_json) as show:

            def observe(event: wuzi.training.Event) -> None:
                for follow in (show, watch, status):
                    follow(event)

            ended = wuzi.training.train(
                folder, plan.settings, observe=observe, max_seconds=max_seconds, executor=executor
            )
            status.completed(ended)
    except ConfigError:
        if not resume:
            directory.discard()  # parameters that nothing can be done with are no run
        raise
    except KeyboardInterrupt:
        print(f"\nwuzi: interrupted; continue with: {again}", file=sys.stderr)
        raise
    except TrainingError as error:
        if error.change:
            print(f"wuzi: continue with: {again} --set {error.change}", file=sys.stderr)
        raise
    more = f"complete; for more iterations: {again} -n {2 * plan.settings.run.iterations}"
    output(
        as_json, *_outcome(plan, directory, ended, more if ended else f"time is over; continue with: {again}")
    )


def _outcome(
    plan: wuzi.training.Plan, directory: wuzi.training.RunDirectory, ended: bool, first: str
) -> tuple[dict[str, Any], list[str]]:
    """What the end of a run says: how to play against its net, which that is, and by which games."""
    folder, game = directory.path, plan.settings.game.rules
    lines = [first]
    data = {"run_dir": str(folder), "complete": ended, "net": None, "judged": None, "play": None}
    if (found := net_of_run(folder)) is None:
        return data, lines
    net, judged = directory.nets / f"{found['net']}.safetensors", found.get("judged")
    player = shlex.quote(f"{'policy' if plan.method.name == 'ppo' else 'az'}:net={folder}")
    play = f"wuzi play --player {player} --size {game.size} --win-length {game.win_length}"
    play += "" if game.rule.label == "freestyle" else f" --rule {game.rule.label}"
    lines.append(f"play against its net in the terminal: {play}")
    lines.append(f"or in the browser: wuzi serve --runs {shlex.quote(str(folder.parent))}, page /training")
    what = ("its best net" if found == best_of_run(folder) else "its latest net") if judged else "its net"
    what += "" if found["iteration"] else ", the untrained one of the beginning"
    lines.append(f"{what}: {net}; {judged or 'no games are known that judged it'}")
    return data | {"net": str(net), "judged": judged, "play": play}, lines


@contextmanager
def shown(*, quiet: bool) -> Iterator[Callable[[wuzi.training.Event], None]]:
    """What shows the events of a run: a line an iteration, and the present moment below it."""
    with status_line(quiet=quiet) as show:

        def follow(event: wuzi.training.Event) -> None:
            if event.kind == "progress" or quiet:
                show(event.text)
                return
            show("")
            if event.kind == "warning":
                print(f"!!! {event.text}", file=sys.stderr, flush=True)
            else:
                print(event.text, flush=True)

        yield follow


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
        size: Board size; default: the size the net was made for; for a codebook net, the preset's size.
        seed: Random seed of the games.
    """
    from wuzi.nets.codebook import is_codebook
    from wuzi.training.data.games import Shards
    from wuzi.training.methods.selfplay.generate import generate

    settings = wuzi.training.make_plan(preset, None, set_ or []).settings
    if not isinstance(settings, wuzi.training.TrainSettings):
        raise ConfigError(f"preset {preset} has no self-play")
    rules = settings.game.rules if is_codebook(net) else wuzi.nets.read_net(net).card.rules
    rules = rules if size is None else replace(rules, size=size, win_length=min(rules.win_length, size))
    warm_up()
    with cluster.open() as where, shown(quiet=as_json) as show:
        played = generate(
            net,
            rules,
            settings.selfplay,
            out,
            games=games,
            finish=True,
            seed=seed,
            observe=show,
            executor=where,
        )
    data = {"folder": str(out), "played": played, "games": Shards(out).count}
    output(as_json, data, [filled("{n} {n:game|games} played into {out}", n=played, out=out)])


def gen_data(
    out: Path,
    games: Annotated[int, typer.Option("--games", "-n", min=1)] = 1000,
    board: Board = Board(size=9),
    player: str = "weight",
    labels: str | None = None,
    nodes: Positive | None = None,
    simulations: Positive | None = None,
    multipv: Positive = 8,
    opening: Annotated[str, typer.Option("--opening-plies", metavar="PLIES")] = "0-6",
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
