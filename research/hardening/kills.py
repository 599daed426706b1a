"""kill -9 at random moments: nothing saved is lost or doubled, and the end is that of a quiet run."""

from __future__ import annotations

import random
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil

from research.hardening.ledger import Ledger, RunOptions, processor_s
from research.hardening.server_work import ServerWork
from research.hardening.works import WORKS, CommandWork, Saved

KILLS_A_WORK = 6
"""After so many a work may end, and is compared with the quiet one."""
AT_WORK = 0.7
"""Share of kills whose moment is counted from the first new result, the others from the start."""
LIVES = 3.0
"""A work would take so many of the longest times that it is left, so that most are killed several times."""
PATIENCE_S = 900.0


def kill_often(options: RunOptions, kinds: tuple[str, ...]) -> bool:
    """Kill until the folder holds so many kills; whether nothing was lost or doubled."""
    ledger = Ledger(options.folder, "kills")
    killed = Counter[str]()
    for row in ledger.rows():
        killed[row["kind"]] += row["kills"]
    with tempfile.TemporaryDirectory(prefix="wuzi-kills-") as place:
        works = {kind: _work(kind, options.seed, Path(place)) for kind in kinds}
        number = len(ledger.rows())
        while sum(killed.values()) < options.count and not options.is_over:
            kind = min(works, key=lambda kind: killed[kind])
            row = _torment(
                works[kind], random.Random(f"{options.seed}/{number}"), options, Path(place, str(number))
            )
            number += 1
            killed[kind] += row["kills"]
            ledger.add(seed=options.seed, number=number, **row)
            for line in row["wrong"]:
                print(f"{kind}: {line}", flush=True)
    return report(ledger.rows())


def _work(kind: str, seed: int, place: Path) -> CommandWork | ServerWork:
    if kind == "server":
        return ServerWork(seed)
    work = WORKS[kind](seed)
    work.run_quietly(place / f"{kind}-quiet")
    return work


def _torment(
    work: CommandWork | ServerWork, rng: random.Random, options: RunOptions, folder: Path
) -> dict[str, Any]:
    """One work in a folder of its own, killed again and again, then left to end."""
    folder.mkdir()
    began, spent_s, kills, grew = time.monotonic(), 0.0, 0, 0
    wrong, saved = list[str](), Saved()
    while True:
        last = kills >= KILLS_A_WORK or options.is_over
        with work.start(folder) as process:
            if not last and rng.random() < AT_WORK:
                work.await_result(process, folder)
            wait = PATIENCE_S if last else rng.uniform(0.0, work.life_s / LIVES)
            is_killed = work.run(process, wait)
            if is_killed:
                spent_s += processor_s(process.pid)
                wrong += kill(process)
        kills += is_killed
        now = work.saved(folder)
        wrong += [f"after kill {kills}: {line}" for line in saved.lost_in(now)]
        grew += is_killed and len(now.items) > len(saved.items)
        saved = now
        if not is_killed:
            wrong += work.unlike_quiet(process, folder)
            break
        if last:
            wrong.append(f"did not end within {PATIENCE_S:g} s")
            break
    return {
        "kind": work.kind,
        "kills": kills,
        "grew": grew,
        "items": len(saved.items),
        "wrong": wrong,
        "seconds": round(time.monotonic() - began, 1),
        "cpu_s": round(spent_s, 1),
    }


def kill(process: subprocess.Popen[bytes]) -> list[str]:
    """End it at once; the processes below it have to end by themselves, and are named if they do not."""
    try:
        children = psutil.Process(process.pid).children(recursive=True)
    except psutil.Error:
        children = []
    process.kill()
    process.wait()
    _, left = psutil.wait_procs(children, timeout=60)
    for one in left:
        one.kill()
    return [f"process {one.pid} outlived its parent by a minute" for one in left]


def report(rows: list[dict[str, Any]]) -> bool:
    """Print all that is in the folder; whether it is as it should be."""
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own = [row for row in rows if row["kind"] == kind]
        total = {name: sum(row[name] for row in own) for name in ("kills", "grew", "items", "cpu_s")}
        wrong = sum(len(row["wrong"]) for row in own)
        each = total["cpu_s"] / max(1, total["kills"])
        print(f"{kind:10} {total['kills']:5} kills ({total['grew']} after new results), {len(own)} works, "
              f"{total['items']} results, {wrong} wrong, {each:.1f} s of processor time a kill")  # fmt: skip
    return not any(row["wrong"] for row in rows)
