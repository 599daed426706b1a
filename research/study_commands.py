"""``wuzi study``: comparisons and ablations from a file, resumable, with computed pages."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from wuzi.apps.cli.options import Cluster, Commands, Json, MaxTime, duration, output
from wuzi.apps.cli.progress import resumable, warm_up
from wuzi.base.imports import need
from wuzi.errors import ConfigError

app = Commands("Compare methods and ablate training recipes; every page is computed from games.")

Out = Annotated[Path, typer.Option("--out", "-o", help="Folder of the games; an earlier run is continued.")]
Core = Annotated[
    int | None,
    typer.Option("--core", help="Run only on this processor (0 is the first).", min=0),
]


@app.add("run")
def run(
    config: Annotated[Path, typer.Argument(metavar="STUDY.toml")],
    out: Out,
    stage: list[str] | None = None,
    allow_missing: bool = False,
    max_time: MaxTime = None,
    core: Core = None,
    concurrency: Annotated[int | None, typer.Option("--concurrency", "-j", min=1)] = None,
    cluster: Cluster = Cluster(),
    as_json: Json = False,
) -> None:
    """Play the missing games of a study.

    Safe to interrupt, even with kill -9; rerun the command to resume. Methods whose net was missing are
    played once it is there.

    Options:
        config: Description of the study: methods and stages.
        stage: Play only this stage. Repeatable.
        allow_missing: Leave out methods whose net is missing.
        concurrency: Number of games at once; each needs a processor. Default: 1 here, all on a cluster.
    """
    from wuzi.apps.cli.arena.arena_view import ProgressView
    from wuzi.studies.config import load_study
    from wuzi.studies.run import missing_nets, run_study

    study = load_study(config)
    chosen = study.chosen(stage or ())
    if allow_missing or not missing_nets(study, chosen):
        warm_up()
    pin(core)
    with resumable(), cluster.open() as where, ProgressView(quiet=as_json) as view:
        missing = run_study(
            study,
            out,
            stages=stage or (),
            max_time_s=duration(max_time),
            allow_missing=allow_missing,
            concurrency=concurrency or int(where.shares_disk),
            observe=lambda part, config: view.begin(config, part.folder),
            executor=where,
        )
    lines = [f"left out: net {net} is missing; make it with: {command}" for net, command in missing.items()]
    lines.append(f"wuzi study report {out} --into FOLDER")
    output(as_json, {"out": str(out), "missing": missing}, lines)


@app.add("report")
def report(folder: Annotated[Path, typer.Argument(metavar="DIR")], into: Path, as_json: Json = False) -> None:
    """Write the page of a study in both languages: tables, charts, significance, recommendations.

    Options:
        folder: Folder of `wuzi study run`.
        into: Folder to write the page, its charts and the game records to.
    """
    from wuzi.studies.report import write_study_report

    figures, pages = write_study_report(folder, into)
    output(as_json, figures, map(str, pages))


@app.add("ablate")
def ablate(
    config: Annotated[Path, typer.Argument(metavar="ABLATION.toml")],
    out: Out,
    arm: list[str] | None = None,
    max_time: MaxTime = None,
    core: Core = None,
    into: Path | None = None,
    report_only: Annotated[bool, typer.Option("--report")] = False,
    as_json: Json = False,
) -> None:
    """Train recipes for equal times, play each against the base recipe, and write the table.

    Safe to interrupt, even with kill -9; rerun the command to resume.

    Options:
        config: Description of the ablation: groups of training recipes.
        arm: Train only this arm or group. Repeatable.
        into: Folder to write the page to; default: page/ in --out.
        report_only: Write the page without training anything.
    """
    from wuzi.studies.ablation.config import load_ablation
    from wuzi.studies.ablation.report import ablation_json, write_ablation_report
    from wuzi.studies.ablation.run import run_ablation

    if not report_only:
        ablation = load_ablation(config)
        names = arm or ()
        ablation.check_arms(names)
        need("train", "torch")
        warm_up()
        pin(core)
        with resumable():
            run_ablation(
                ablation,
                out,
                arms=names,
                max_time_s=duration(max_time),
                say=lambda text: print(text, file=sys.stderr, flush=True),
            )
    figures, pages = write_ablation_report(out, into or out / "page")
    lines = [f"{one.arm.key:40} {one.verdict}" for one in figures.arms]
    output(as_json, ablation_json(figures), [*lines, *map(str, pages)])


def pin(core: int | None) -> None:
    """Keep this process and its children on one processor."""
    if core is None:
        return
    try:
        os.sched_setaffinity(0, {core})
    except AttributeError:
        raise ConfigError(f"--core {core}: this system cannot keep a program on one processor") from None
    except OSError:
        raise ConfigError(f"--core {core}: expected one of {sorted(os.sched_getaffinity(0))}") from None
