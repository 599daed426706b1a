"""``python -m wuzi_keras train DATA --out NAME`` and ``python -m wuzi_keras bench NET``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from wuzi.errors import WuziError


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m wuzi_keras", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    learn = commands.add_parser("train", help="train a basic net on games of wuzi gen-data")
    learn.add_argument("data", nargs="+", type=Path, help="folders of wuzi gen-data")
    learn.add_argument("--out", required=True, type=Path, help="the net to write, without an ending")
    for name, default in (("--epochs", 8), ("--batch", 256), ("--lr", 1e-3), ("--seed", 0)):
        learn.add_argument(name, type=type(default), default=default)
    speed = commands.add_parser("bench", help="positions and training steps a second of a net")
    speed.add_argument("net", help="a net's name or file")
    given = parser.parse_args(arguments)
    try:
        return _train(given) if given.command == "train" else _bench(given.net)
    except (WuziError, OSError) as error:
        print(f"wuzi_keras: {error}", file=sys.stderr)
        return 2


def _train(given: argparse.Namespace) -> int:
    from wuzi.nets import save_net
    from wuzi_keras.evaluator import backend
    from wuzi_keras.model import to_net
    from wuzi_keras.training import Settings, train

    def show(row: dict[str, float]) -> None:
        print("  ".join(f"{name} {value:.4g}" for name, value in row.items()), flush=True)

    given.out.parent.mkdir(parents=True, exist_ok=True)  # now, not after the training
    print(backend())
    start = time.perf_counter()
    settings = Settings(epochs=given.epochs, batch=given.batch, lr=given.lr, seed=given.seed)
    model, rules = train(given.data, settings, show)
    seconds = time.perf_counter() - start
    notes = {"data": [folder.name for folder in given.data], "epochs": given.epochs, "lr": given.lr}
    net = save_net(given.out, to_net(model, rules, given.out.name, notes))
    print(f"{seconds:.0f} s; wrote {given.out}.safetensors, {net.card.parameters:,} parameters")
    return 0


def _bench(name: str) -> int:
    from wuzi_keras.evaluator import backend, open_evaluator
    from wuzi_keras.training import Settings, learner

    evaluator = open_evaluator(name)
    size = evaluator.size or 15
    print(backend())
    for batch in (1, 64):
        planes = np.zeros((batch, 4, size, size), np.float32)
        rates = _rates(lambda planes=planes: evaluator.evaluate(planes))
        print(f"batch {batch}: {_said(rates, batch, 'positions')}")
    settings = Settings()
    model = learner(size, settings)
    planes = np.zeros((settings.batch, 4, size, size), np.float32)
    policy = np.full((settings.batch, size * size), 1 / size**2, np.float32)
    targets = {"policy": policy, "value": np.zeros((settings.batch, 1), np.float32)}
    rates = _rates(lambda: model.train_on_batch(planes, targets))
    print(f"training, batch {settings.batch}: {_said(rates, 1, 'steps')}")
    return 0


def _rates(work: Callable[[], object]) -> tuple[float, float]:
    """Calls a second by the clock and a second of processor time, each the best of five windows."""
    for _ in range(3):  # what is compiled once
        work()
    clock = processor = 0.0
    for _ in range(5):
        start, begun, done = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - start < 0.5:
            work()
            done += 1
        clock = max(clock, done / (time.perf_counter() - start))
        processor = max(processor, done / (time.process_time() - begun))
    return clock, processor


def _said(rates: tuple[float, float], each: int, what: str) -> str:
    clock, processor = (
        f"{rate:,.4g}" if rate < 100 else f"{rate:,.0f}" for rate in (each * r for r in rates)
    )
    return f"{clock} {what}/s, {processor} a second of processor time"


if __name__ == "__main__":
    sys.exit(main())
