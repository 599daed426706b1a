"""A training that is killed in the middle of a step, on an installed wuzi without PyTorch.

    PATH/TO/venv/bin/python scripts/train_alone.py DIR

Some iterations of preset ``tiny`` are learned, the process ends itself with SIGKILL while kernels learn in
the next one, and ``wuzi train --resume`` goes on to the fifth. Then the net is looked at, plays, and plays a
match. ``.ci/run`` calls this where the wheel alone is installed.
"""

from __future__ import annotations

import importlib.util
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

ITERATIONS = 5
SMALL = "--preset tiny --size 6 --set selfplay.games=64 --set run.checkpoint_s=0"
KILLED = """
import os, signal, sys
from wuzi.apps.cli.frame import main
from wuzi.training.learner.kernels import learner

whole, left = learner.backward, int(sys.argv[1])

def dying(*args):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    whole(*args)

learner.backward = dying
sys.exit(main(sys.argv[2:]))
"""


def fail(text: str) -> None:
    """End with a message."""
    sys.exit(f"train_alone: error: {text}")


def wuzi(*words: str, before: tuple[str, ...] = ("-m", "wuzi"), given: str = "", ends: int = 0) -> str:
    """What the command prints; it must end with that status."""
    command = [sys.executable, *before, *words]
    done = subprocess.run(command, input=given, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != ends:
        fail(f"{' '.join(words)} ended with {done.returncode}: expected {ends}")
    return done.stdout


def rows(run: Path) -> list[dict[str, float]]:
    """The figures of all iterations that are written down."""
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text("utf-8").splitlines()]


def main() -> None:
    """Train, be killed, go on, play."""
    run = Path(sys.argv[1])
    if importlib.util.find_spec("torch") is not None:
        fail("torch is installed")
    begin = ["train", *SMALL.split(), "-n", str(ITERATIONS), "--run-dir", str(run)]
    wuzi("15", *begin, before=("-c", KILLED), ends=-signal.SIGKILL)
    killed = rows(run)
    if not 1 <= len(killed) < ITERATIONS:
        fail(f"{len(killed)} iterations before the kill: expected 1 to {ITERATIONS - 1}")
    wuzi("train", "--resume", "--run-dir", str(run))
    found = rows(run)
    if found[: len(killed)] != killed or [row["iteration"] for row in found] != [*range(1, ITERATIONS + 1)]:
        fail(f"iterations {[row['iteration'] for row in found]} after the kill: expected each once")
    said = json.loads(wuzi("evaluate", "--net", str(run), "--moves", "c3d4", "--json"))
    if len(said["policy"]) != 36:
        fail(f"evaluate says {len(said['policy'])} shares: expected 36")
    board = ["--size", "6", "--win-length", "4"]
    answer = wuzi("play", *board, "--player", f"az:net={run},simulations=16", given="c3\nmoves\nquit\n")
    if not re.search(r"> c3[a-f][1-6]$", answer, re.MULTILINE):
        fail(f"wuzi play did not play on: {answer[-200:]!r}")
    match = ["match", f"net=policy:net={run}", "random", *board, "--games", "40", "--out", str(run / "match")]
    score = next(one for one in json.loads(wuzi(*match, "--json"))["players"] if one["label"] == "net")[
        "score"
    ]
    if score["low"] <= 0.5:
        fail(f"the net scores {score} against random moves: expected more than half")
    print(
        f"killed after {len(killed)} iterations, resumed to {ITERATIONS}; against random {score['value']:.0%}"
    )


if __name__ == "__main__":
    main()
