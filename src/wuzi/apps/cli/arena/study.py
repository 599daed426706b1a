"""``wuzi study``: comparisons and ablations from a file, resumable, with computed pages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wuzi.apps.cli.arena.ladder import duration
from wuzi.apps.cli.options import Address, ExecutorName, Json, executor_of, print_json

if TYPE_CHECKING:
    from wuzi.arena.schedule import TournamentConfig
    from wuzi.arena.tournament import OnProgress
    from wuzi.studies.config import Part

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Compare methods, take recipes apart; every page is computed.",
)

Out = Annotated[Path, typer.Option("--out", "-o", help="Folder of the record; a run goes on there.")]
MaxTime = Annotated[str | None, typer.Option("--max-time", help="Begin nothing after, as in 90s, 20m or 3h.")]
Core = Annotated[int | None, typer.Option("--core", help="Run on this processor alone.", min=0)]


@app.command("run")
def run(
    config: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="Methods and stages.")],
    out: Out,
    stage: Annotated[
        list[str] | None, typer.Option("--stage", help="Only this stage; may be repeated.")
    ] = None,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Leave out methods whose net is not there.")
    ] = False,
    max_time: MaxTime = None,
    core: Core = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            "-j",
            help="Games at once; each needs a processor. Default: 1, or all.",
            min=1,
        ),
    ] = None,
    executor: ExecutorName = "local",
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Play the games of a study that its folder does not hold yet.

    Stop it at any time, even by kill -9: the same command goes on. Nets that come later join in.
    """
    from wuzi.apps.cli.arena.arena import warm_up
    from wuzi.studies.config import load_study
    from wuzi.studies.run import Portions, missing_nets, run_study

    study = load_study(config)
    portions = Portions(tuple(stage or ()), None if max_time is None else duration(max_time), allow_missing)
    portions.chosen(study)
    if allow_missing or not missing_nets(study, portions.chosen(study)):
        warm_up(as_json)
    pin(core)
    observer = _Observer(quiet=as_json)
    try:
        with executor_of(executor, address) as where:
            at_once = concurrency or int(where.shares_disk)
            missing = run_study(study, out, portions, concurrency=at_once, observe=observer, executor=where)
    except KeyboardInterrupt:
        print("wuzi: interrupted; the same command goes on", file=sys.stderr)
        raise
    finally:
        observer.close()
    if as_json:
        print_json({"out": str(out), "missing": missing})
        return
    for net, command in missing.items():
        print(f"left out: net {net} is missing; make it with: {command}")
    print(f"wuzi study report {out} --into FOLDER")


@app.command("report")
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of `wuzi study run`.")],
    into: Annotated[Path, typer.Option("--into", help="Folder of the page, its charts and records.")],
    as_json: Json = False,
) -> None:
    """Write the page: tables, charts, recommendations, and what is significant, in both languages."""
    from wuzi.studies.data import figures_json
    from wuzi.studies.report import write_study_report

    written = write_study_report(folder, into)
    if as_json:
        print_json(figures_json(written.figures, written.rows))
        return
    for page in written.pages:
        print(page)


@app.command("ablate")
def ablate(
    config: Annotated[Path, typer.Argument(metavar="ABLATION.toml", help="Groups of recipes.")],
    out: Out,
    arm: Annotated[
        list[str] | None, typer.Option("--arm", help="Only this arm or group; may be repeated.")
    ] = None,
    max_time: MaxTime = None,
    core: Core = None,
    into: Annotated[
        Path | None, typer.Option("--into", help="Folder of the page; DIR/page by default.")
    ] = None,
    report_only: Annotated[bool, typer.Option("--report", help="Write the page and train nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Train recipes for the same time each and play them against their base; then write the table.

    Stop it at any time, even by kill -9: the same command goes on. What was not reached stays open.
    """
    from wuzi.studies.ablation.config import load_ablation
    from wuzi.studies.ablation.figures import ablation_json
    from wuzi.studies.ablation.report import write_ablation_report
    from wuzi.studies.ablation.run import Choice, run_ablation

    if not report_only:
        from wuzi.apps.cli.arena.arena import warm_up
        from wuzi.errors import need_torch

        ablation = load_ablation(config)
        choice = Choice(tuple(arm or ()), None if max_time is None else duration(max_time))
        choice.check(ablation)
        need_torch()
        warm_up(as_json)
        pin(core)
        try:
            run_ablation(ablation, out, choice, say=lambda text: print(text, file=sys.stderr, flush=True))
        except KeyboardInterrupt:
            print("wuzi: interrupted; the same command goes on", file=sys.stderr)
            raise
    written = write_ablation_report(out, into or out / "page")
    if as_json:
        print_json(ablation_json(written.figures))
        return
    for one in written.figures.arms:
        print(f"{one.arm.key:40} {one.verdict}")
    for page in written.pages:
        print(page)


def pin(core: int | None) -> None:
    """Keep this process and its children on one processor.

    Raises:
        ConfigError: there is no such processor, or the system cannot do that.
    """
    if core is None:
        return
    import os

    from wuzi.errors import ConfigError

    try:
        os.sched_setaffinity(0, {core})
    except AttributeError:
        raise ConfigError(f"--core {core}: this system cannot keep a program on one processor") from None
    except OSError:
        raise ConfigError(f"--core {core}: expected one of {sorted(os.sched_getaffinity(0))}") from None


class _Observer:
    """A progress bar for each tournament of the study, one after the other."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._view: Any = None

    def __call__(self, part: Part, config: TournamentConfig) -> OnProgress:
        """Close the bar of the tournament before, and open one."""
        from wuzi.apps.cli.arena.arena_view import ProgressView

        self.close()
        if not self._quiet:
            print(f"{part.folder}:", file=sys.stderr)
        self._view = ProgressView(config, quiet=self._quiet)
        self._view.__enter__()
        update: OnProgress = self._view.update
        return update

    def close(self) -> None:
        """Close the bar."""
        if self._view is not None:
            self._view.__exit__(None, None, None)
            self._view = None
