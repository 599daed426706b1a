"""``wuzi train``: learning by self-play and the other methods of the studies."""

from __future__ import annotations

import datetime
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import wuzi
from wuzi.apps.cli.options import Cluster, Json, duration, output
from wuzi.apps.cli.progress import warm_up
from wuzi.base.imports import need
from wuzi.errors import ConfigError

if TYPE_CHECKING:
    from wuzi.workers.crew import Executor

_PROGRESS_S = 0.5


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

    size: int | None = None
    win_length: int | None = None
    iterations: Annotated[int | None, typer.Option("--iterations", "-n")] = None
    samples: int | None = None
    simulations: int | None = None
    workers: str | None = None
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
    max_time: str | None = None,
    flags: Flags = Flags(),
    dry_run: bool = False,
    print_config: bool = False,
    list_presets: bool = False,
    cluster: Cluster = Cluster(),
    as_json: Json = False,
) -> None:
    """Train a net from scratch, with games played on this machine or on a cluster.

    Safe to interrupt, even with kill -9: continue with --resume --run-dir DIR.
    For example: wuzi train --preset quick --size 6 --max-time 5m

    Options:
        preset: Name of a set of parameters (see --list-presets).
        config: TOML file of parameters that change the preset.
        set_: Change one parameter. Repeatable.
        run_dir: Folder of the run; default: a new one below runs/.
        resume: Continue the run in --run-dir.
        max_time: Stop after this time, such as 300s, 10m or 2h; the run can be resumed.
        dry_run: Train nothing: take short measurements and estimate the time.
        print_config: Print all parameters as TOML and exit.
        list_presets: List the presets and exit.
    """
    if list_presets:
        _list(as_json)
        return
    plan = _plan(preset, config, set_ or [], flags.values(), run_dir if resume else None)
    if print_config:
        print(plan.toml(), end="")
        return
    need("train", "torch")
    if dry_run:
        _dry_run(plan, as_json)
        return
    folder = run_dir or Path("runs") / f"{plan.preset}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
    with cluster.open() as where:
        _train(plan, folder, resume, duration(max_time), where, as_json)


def _plan(
    preset: str | None, config: Path | None, sets: list[str], flags: dict[str, Any], resumed: Path | None
) -> wuzi.training.Plan:
    from wuzi.training.methods.registry import stored_plan

    if resumed is None:
        return wuzi.training.make_plan(preset, config, sets, flags)
    given = [f"--{name.replace('_', '-')}" for name, value in flags.items() if value is not None]
    given += (
        ["--preset"] * (preset is not None) + ["--config"] * (config is not None) + ["--set"] * bool(sets)
    )
    if given:
        raise ConfigError(f"{given[0]} with --resume: a run keeps the parameters it was started with")
    return stored_plan(resumed)


def _list(as_json: bool) -> None:
    found = [{"name": p.name, "method": p.method, "summary": p.summary} for p in wuzi.training.list_presets()]
    output(as_json, found, (f"{item['name']:<14} {item['summary']}" for item in found))


def _dry_run(plan: wuzi.training.Plan, as_json: bool) -> None:
    estimate = plan.method.estimate()
    if estimate is None:
        raise ConfigError(f"--dry-run: method {plan.method.name} has no estimate")
    lines = list(estimate(plan.settings))
    output(as_json, {"preset": plan.preset, "estimate": lines}, lines)


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
    if resume:
        directory.notes()
    else:
        directory.create(plan.toml(), {"method": plan.method.name, "preset": plan.preset})
    warm_up(as_json)
    console, watch, status = Console(as_json), Watch(folder), StatusFile(folder)

    def observe(event: wuzi.training.Event) -> None:
        for follow in (console, watch, status):
            follow(event)

    if not as_json:
        print(f"{plan.method.name} ({plan.preset}) in {folder}")
    try:
        with status, watch:
            ended = wuzi.training.train(
                folder, plan.settings, observe=observe, max_seconds=max_seconds, executor=executor
            )
            status.completed(ended)
    except ConfigError:
        if not resume:
            directory.discard()  # parameters that nothing can be done with are no run
        raise
    except KeyboardInterrupt:
        print(f"\nwuzi: interrupted; continue with: wuzi train --resume --run-dir {folder}", file=sys.stderr)
        raise
    finally:
        console.close()
    over = f"time is over; continue with: wuzi train --resume --run-dir {folder}"
    text = f"complete; its nets are in {folder / 'nets'}" if ended else over
    output(as_json, {"run_dir": str(folder), "complete": ended}, [text])


class Console:
    """Shows a run on the terminal: a line an iteration, and the present moment below it."""

    def __init__(self, quiet: bool) -> None:
        """Say nothing when quiet."""
        self._quiet = quiet
        self._live = sys.stderr.isatty() and not quiet
        self._shown = 0.0
        self._width = 0

    def __call__(self, event: wuzi.training.Event) -> None:
        """Show an event."""
        if event.kind == "progress":
            if self._live and time.monotonic() - self._shown > _PROGRESS_S:
                self._shown = time.monotonic()
                self._status(event.text)
            return
        if self._quiet:
            return
        self._status("")
        if event.kind == "warning":
            print(f"!!! {event.text}", file=sys.stderr, flush=True)
        else:
            print(event.text, flush=True)

    def close(self) -> None:
        """Leave the terminal clean."""
        self._status("")

    def _status(self, text: str) -> None:
        if self._live:
            sys.stderr.write("\r" + text.ljust(self._width)[:200] + ("" if text else "\r"))
            sys.stderr.flush()
            self._width = len(text)
