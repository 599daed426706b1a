"""Figures of ``wuzi bench`` for nets: raw evaluations a second by net, backend and batch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any

import wuzi
from wuzi.apps.cli.nets.nets import torch_nets

BATCH = 64
WINDOWS, WINDOW_S = 4, 0.1

TORCH_NETS = (("enhanced", "enhanced", 9), ("5b48", "5b48", 9), ("res5x32", "res5x32", 15))
"""Name of the figure, net and board of what is measured where torch is installed."""

HELP: Mapping[str, str] = {
    "planes_per_s_az4": "9x9 positions encoded as az4-v1 planes",
    "planes_per_s_tactical18": "9x9 positions encoded as tactical18-v1 planes",
    "net_evals_per_s_basic_numpy": f"the basic net on 9x9 in NumPy alone, batch {BATCH}",
    **{
        f"net_evals_per_s_{name}_{form}": f"{what}, {how}"
        for name, what in (
            ("basic", "basic 9x9"),
            *((name, f"{text} {size}x{size}, with torch installed") for name, text, size in TORCH_NETS),
        )
        for form, how in (
            ("onnx_b1", "ONNX Runtime float32, batch 1"),
            ("onnx", f"ONNX Runtime float32, batch {BATCH}"),
            ("int8", f"ONNX Runtime 8 bits, batch {BATCH}"),
            ("torch", f"torch, batch {BATCH}, with torch installed"),
        )
    },
}


def net_figures() -> dict[str, float]:
    """All figures, on one core; nets with torch are left out where it is not installed."""
    figures = {**_planes()}
    for name, net in _nets():
        features = positions_of(net, BATCH)
        for form, evaluator, batch in _backends(net, features):
            rows = features[:batch]
            work = partial(evaluator.evaluate, rows)
            figures[f"net_evals_per_s_{name}_{form}"] = _rate(work, len(rows), WINDOW_S)
    return figures


def _rate(work: Callable[[], object], units: int, window_s: float) -> float:
    """Units per second of this thread's processor time: the best of several windows."""
    work()
    best = 0.0
    for _ in range(WINDOWS):
        start, done = time.thread_time(), 0
        while (spent := time.thread_time() - start) < window_s:
            work()
            done += units
        best = max(best, done / spent)
    return best


def _backends(net: wuzi.nets.NetFile, features: Any) -> Iterator[tuple[str, wuzi.nets.Evaluator, int]]:
    if net.card.architecture == "basic":
        yield "numpy", net.numpy(), BATCH
    yield "onnx_b1", net.onnx(), 1
    yield "onnx", net.onnx(), BATCH
    yield "int8", net.quantized(features).onnx(int8=True), BATCH
    if find_spec("torch") is not None:
        nets = torch_nets()
        yield "torch", nets.TorchEvaluator(nets.load_module(net), threads=1), BATCH


def _nets() -> Iterator[tuple[str, wuzi.nets.NetFile]]:
    yield "basic", basic_net()
    if find_spec("torch") is None:
        return
    nets = torch_nets()
    for name, text, size in TORCH_NETS:
        module, spec = nets.create_net(text, size, seed=1)
        yield name, nets.net_file(module, spec, wuzi.Rules(size=size), name)


def basic_net() -> wuzi.nets.NetFile:
    """A basic net for 9x9 with random weights, made without torch."""
    import numpy as np

    from wuzi.nets.legacy import PLANES, basic_graph

    random = np.random.default_rng(1)
    cells = 81
    shapes = {
        **{"trunk.conv1": (32, 4, 3, 3), "trunk.conv2": (64, 32, 3, 3), "trunk.conv3": (128, 64, 3, 3)},
        **{"act_conv1": (4, 128, 1, 1), "act_fc1": (cells, 4 * cells), "val_conv1": (2, 128, 1, 1)},
        **{"val_fc1": (64, 2 * cells), "val_fc2": (1, 64)},
    }
    weights = {}
    for layer, shape in shapes.items():
        spread = 1 / np.sqrt(np.prod(shape[1:]))
        weights[f"{layer}.weight"] = (random.normal(size=shape) * spread).astype(np.float32)
        weights[f"{layer}.bias"] = np.zeros(shape[0], np.float32)
    rules = wuzi.Rules(size=9)
    card = wuzi.nets.NetCard("basic", "basic", {"value_hidden": 64}, 9, PLANES, rules, basic_graph(), 0)
    return wuzi.nets.NetFile(card, weights)


def positions_of(net: wuzi.nets.NetFile, count: int) -> Any:
    """Planes of so many positions of games that the net plays."""
    from wuzi.nets.quantize import sample_positions

    return sample_positions(net.onnx(), net.card.rules, count)


def _planes() -> dict[str, float]:
    game = wuzi.Game.from_moves(wuzi.Rules(size=9), "e5 e6 f6 d4 g7 d7 f5 f4 d5 g5".split())
    records = wuzi.nets.records_of([game] * BATCH)
    figures = {}
    for name in ("az4", "tactical18"):
        encoder = wuzi.nets.PlaneEncoder(f"{name}-v1", game.rules)
        out = encoder.encode(records)
        figures[f"planes_per_s_{name}"] = _rate(partial(encoder.encode, records, out), BATCH, WINDOW_S / 3)
    return figures
