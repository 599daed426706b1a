"""Train presets one after the other: research/train_documents.py DIR [--presets s1,s3-8x8] [--max-time 25m].

Each preset is trained in DIR/PRESET. It can be stopped at any time; the same command resumes it, and the time
already spent counts. Its net plays the anchors of ``wuzi models test``, by its policy and with a search.
``docs/results/training/PRESET`` keeps metrics and evaluations with rounded numbers, curves, the log, the
parameters, the rating and a summary.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import wuzi
from wuzi.apps.cli.options import duration
from wuzi.base.atomic import write_atomic
from wuzi.base.store import read_object, write_object
from wuzi.errors import WuziError
from wuzi.nets import load_net
from wuzi.training import RunDirectory, list_presets
from wuzi.training.evaluation.cards import totals
from wuzi.training.run.directory import CURRENT
from wuzi.training.run.watch import write_curves

OUT = Path(__file__).resolve().parents[1] / "docs" / "results" / "training"
SEARCHES = (0, 100)
"""Simulations that the net is rated with; 0 is its policy alone."""

ROWS, LOG_LINES = 300, 600
"""The most rows and log lines that are kept; longer runs keep every second, third, ... row."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is asked for; the exit status."""
    parser = argparse.ArgumentParser(description="Train presets for a while and keep what they did.")
    parser.add_argument("folder", type=Path, help="where the runs are")
    parser.add_argument("--presets", default="", help="with commas; default: those of the documents")
    parser.add_argument("--max-time", default="25m", help="of each run, as in 300s or 25m")
    parser.add_argument("--games", type=int, default=40, help="against each anchor")
    parser.add_argument("--out", type=Path, default=OUT, help="where the small files go")
    parser.add_argument("--set", action="append", default=[], help="section.key=value, of every run")
    options = parser.parse_args(arguments)
    known = [preset.name for preset in list_presets()]
    chosen = options.presets.split(",") if options.presets else [n for n in known if n[:1] == "s"]
    if unknown := [name for name in chosen if name not in known]:
        print(f"--presets {unknown[0]}: expected some of {', '.join(known)}", file=sys.stderr)
        return 2
    try:
        limit = duration(options.max_time) or 0.0
        for name in chosen:
            folder = options.folder / name
            train(name, folder, limit, options.set)
            keep(name, folder, options.out / name, options.games)
    except WuziError as error:
        print(f"train_documents: {error}", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as error:
        command = " ".join(map(str, error.cmd))
        print(f"train_documents: {command} ended with {error.returncode}", file=sys.stderr)
        return 1
    return 0


def train(preset: str, folder: Path, limit: float, assignments: Sequence[str]) -> None:
    """Begin or resume a run until its time is spent or it is complete."""
    directory, spent = RunDirectory(folder), 0.0
    start = ["--preset", preset, *(part for text in assignments for part in ("--set", text))]
    if directory.exists:
        start = ["--resume"]
        rows = directory.rows("metrics.jsonl")
        spent = float(rows[-1]["seconds"]) if rows else 0.0
    if spent < limit:
        left = f"{max(1, round(limit - spent))}s"
        _wuzi("train", *start, "--run-dir", str(folder), "--max-time", left)


def keep(preset: str, folder: Path, out: Path, games: int) -> None:
    """Write what a run did into a folder of small files, and rate its net if that was not done yet."""
    directory = RunDirectory(folder)
    rows = [_rounded(row) for row in directory.rows("metrics.jsonl")]
    out.mkdir(parents=True, exist_ok=True)
    # The best by ten games against pure MCTS may be an early one: the latest says what the time was good for.
    net = directory.net_path(CURRENT)
    rating_path = out / "rating.json"
    if not rating_path.exists() or read_object(rating_path)["net"] != net.stem:
        rating = {"net": net.stem, "games": games, "matches": _rate(net, games)}
        write_object(rating_path, rating, indent=1)
    _lines(out / "metrics.jsonl", _thinned(rows))
    _lines(out / "evaluations.jsonl", directory.rows("evaluations.jsonl"))
    write_curves(rows, out / "curves.png")
    write_atomic(out / "config.toml", (folder / "config.toml").read_bytes())
    paths = sorted(folder.glob("training_log_*.log"))
    logs = [line for path in paths for line in path.read_text("utf-8").splitlines()]
    write_atomic(out / "training.log", ("\n".join(logs[-LOG_LINES:]) + "\n").encode())
    card = load_net(net).card
    summary = {
        "preset": preset,
        "wuzi": wuzi.__version__,
        "seconds": rows[-1]["seconds"] if rows else 0.0,
        "iterations": rows[-1]["iteration"] if rows else 0,
        "games": totals(str(directory.notes()["method"]), rows)[0] or 0,
        "net": net.stem,
        "parameters": card.parameters,
        "environment": directory.notes()["environment"],
        "warnings": sorted({text.partition(":")[0] for row in rows for text in row.get("warnings", ())}),
    }
    write_object(out / "summary.json", summary, indent=1)
    print(f"{preset}: kept in {out}")


def _rate(net: Path, games: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for simulations in SEARCHES:
        arguments = ("--net", str(net), "--games", str(games), "--simulations", str(simulations), "--json")
        report = json.loads(_wuzi("models", "test", *arguments, quiet=True))
        tactics = report.get("tactics")
        found += [{"simulations": simulations, **match} for match in report["matches"]]
        if tactics and not simulations:
            found.append({"simulations": 0, "against": "tactics", **tactics})
    return found


def _wuzi(*arguments: str, quiet: bool = False) -> str:
    """Run the command line and return what it printed if ``quiet``."""
    command = [sys.executable, "-m", "wuzi", *arguments]
    print("wuzi " + " ".join(arguments), flush=True)
    done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE if quiet else None)
    return done.stdout or ""


def _thinned(rows: Sequence[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    return rows[:: -max(1, -(-len(rows) // ROWS))][::-1]


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {name: float(f"{value:.5g}") if isinstance(value, float) else value for name, value in row.items()}


def _lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    write_atomic(path, "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows).encode())


if __name__ == "__main__":
    sys.exit(main())
