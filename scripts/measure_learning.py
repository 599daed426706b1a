"""The same small recipe three times: learned by kernels, by PyTorch, and by the page in Chromium.

    python scripts/measure_learning.py DIR                                  # five trainings each of all three
    python scripts/measure_learning.py DIR --where kernels --seeds 1-8 --set learn.lr=4e-3

Each training is preset ``tiny`` on one core. In its last iteration the net plays the score table without any
search: 120 games, 60 openings with both colours. Times are processor time of all processes of a training; for
Chromium those of the whole browser. What is in ``DIR/results.jsonl`` already is not measured again.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from browsers import CHROMIUM
from measure_browser import chromium
from playwright.sync_api import Page
from static_host import static_host

from wuzi.apps.web.site import write_site
from wuzi.arena.provenance import commit, machine
from wuzi.base.store import JsonLines

WHERE = ("kernels", "torch", "tab")
MARKS = (10, 20, 40)
"""Iterations whose losses are shown beside those of the last one."""
SCORE = """() => {
    const part = (name) => document.querySelector(`[data-test=learn-${name}]`)
    const [one, status] = [part('score'), part('status')]
    return [one.dataset.score, one.dataset.at, status.dataset.state, one.dataset.interval]
}"""
OWN = {"selfplay.workers": 1, "learn.threads": 1}

Row = dict[str, Any]
"""``where``, ``seed``, ``score`` in percent with ``low`` and ``high``, ``seconds``; ``losses`` by iteration;
for the tab ``first``: the seconds until a score above ten percent.
"""


def seconds_of(command: Sequence[str]) -> float:
    """The processor time that a command takes with all of its children."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(command)}: {child.returncode}")
    return used.ru_utime + used.ru_stime


def natively(folder: Path, where: str, seed: int, changes: Sequence[str]) -> Row:
    """A training by `wuzi train`, which measures its nets itself."""
    run = folder / f"{where}-{seed}"
    sets = [f"{name}={value}" for name, value in OWN.items()] + [f"learn.learner={where}", *changes]
    options = [word for one in sets for word in ("--set", one)]
    train = ["train", "--preset", "tiny", "--seed", str(seed), "--run-dir", str(run), *options]
    seconds = seconds_of([sys.executable, "-m", "wuzi", *train])
    rows = [row for _, row in JsonLines(run / "metrics.jsonl").objects()]
    losses = [row["policy_loss"] for row in rows]
    score = {name: rows[-1][f"table_{name}"] for name in ("score", "score_low", "score_high")}
    return {name.removeprefix("score_"): round(100 * value, 1) for name, value in score.items()} | {
        "seconds": round(seconds, 1),
        "losses": {str(i): round(losses[i - 1], 3) for i in (*MARKS, len(losses)) if i <= len(losses)},
    }


def children_of(pid: int) -> list[int]:
    """A process and all that come from it."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has just ended
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def browser_seconds() -> float:
    """Processor time so far of the browser's processes."""
    total = 0
    for pid in children_of(os.getpid())[1:]:
        try:
            name, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
            total += sum(map(int, rest.split()[11:13])) if "chrom" in name else 0
        except OSError:
            continue
    return total / os.sysconf("SC_CLK_TCK")


def in_tab(page: Page, url: str) -> Row:
    """A whole training by the page, as a visitor starts it."""
    page.goto(f"{url}#/learn")
    page.wait_for_selector("[data-test=learn-go]:not([disabled])")
    begun, first = browser_seconds(), None
    page.click("[data-test=learn-go]")
    state = ""
    while state != "over":
        time.sleep(1)
        score, at, state, interval = page.evaluate(SCORE)
        if first is None and score and float(score) > 10:
            first = round(browser_seconds() - begun, 1)
    seconds = round(browser_seconds() - begun, 1)
    figures = dict(zip(("score", "low", "high"), [score, *interval.split()], strict=True))
    return {name: round(float(value), 1) for name, value in figures.items()} | {
        "seconds": seconds,
        "first": first,
        "iterations": int(at),
    }


def table(rows: Sequence[Row]) -> None:
    """Print what was measured."""
    for where in WHERE:
        own = sorted((row for row in rows if row["where"] == where), key=lambda row: int(row["seed"]))
        for row in own:
            more = " ".join(f"{name}: {value}" for name, value in row.get("losses", {}).items())
            print(
                f"{where:<8}{row['seed']:>3}  {row['score']:5.1f} % ({row['low']:.1f} to {row['high']:.1f})"
                f"{row['seconds']:8.1f} s  {more or row.get('first')}"
            )
        if len(own) > 1:
            scores, times = ([row[name] for row in own] for name in ("score", "seconds"))
            print(
                f"{where:<8}all  {statistics.mean(scores):5.1f} % ({min(scores):.1f} to {max(scores):.1f}), "
                f"spread {statistics.stdev(scores):.1f}, {min(times):.0f} to {max(times):.0f} s"
            )
            for mark in own[0].get("losses", {}):
                losses = [row["losses"][mark] for row in own]
                print(
                    f"{'':8}policy loss after {mark} iterations: {statistics.mean(losses):.3f}, "
                    f"{min(losses):.3f} to {max(losses):.3f}"
                )


def _numbers(text: str) -> list[int]:
    """The numbers of ``1-5`` or ``1,4,9``."""
    first, dash, last = text.partition("-")
    return list(range(int(first), int(last) + 1)) if dash else [int(one) for one in text.split(",")]


def main() -> None:
    """Measure what is missing, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--where", nargs="+", choices=WHERE, default=WHERE)
    parser.add_argument("--seeds", type=_numbers, default=[1, 2, 3, 4, 5], help="such as 1-5 or 1,4,9")
    parser.add_argument("--set", nargs="+", default=[], dest="sets", help="as of wuzi train; not for the tab")
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    print(f"wuzi {commit()}, {machine()}, load {os.getloadavg()[0]:.1f}")
    results = JsonLines(chosen.folder / "results.jsonl")
    done = {(row["where"], row["seed"]) for _, row in results.objects()}
    for where, seed in [(where, seed) for where in chosen.where for seed in chosen.seeds]:
        if (where, seed) in done:
            continue
        if where == "tab":
            write_site(chosen.folder / "site")
            with static_host(chosen.folder / "site") as url, chromium(CHROMIUM.find()) as browser:
                row = in_tab(browser.new_page(), url)
        else:
            row = natively(chosen.folder, where, seed, chosen.sets)
        results.add({"where": where, "seed": seed, **row})
        print(f"{where} {seed}: {row}", flush=True)
    table([row for _, row in results.objects()])


if __name__ == "__main__":
    main()
