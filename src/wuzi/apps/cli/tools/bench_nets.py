"""Figures of ``wuzi bench`` for nets: raw evaluations a second, and what self-play leaves of them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import wuzi

if TYPE_CHECKING:
    from wuzi.training.run.config import SelfPlaySection

BATCH = 64
WINDOWS, WINDOW_S = 4, 0.1

TORCH_NETS = (("enhanced", "enhanced", 9), ("5b48", "5b48", 9), ("res5x32", "res5x32", 15))
"""Name of the figure, net and board of what is measured where torch is installed."""

ROUNDS, TURNS, STEPS = 5, 8, 8
WORKERS_S = 4.0
"""Seconds that games are counted for, after as many to begin with."""


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
        nets = wuzi.torch_nets
        yield "torch", nets.TorchEvaluator(nets.load_module(net), threads=1), BATCH


def _nets() -> Iterator[tuple[str, wuzi.nets.NetFile]]:
    yield "basic", basic_net()
    if find_spec("torch") is None:
        return
    nets = wuzi.torch_nets
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
    """Planes of positions from games that the net plays, as many as asked for."""
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


def selfplay_figures(net: wuzi.nets.NetFile, *, workers: bool = True) -> dict[str, float]:
    """All figures of self-play with a 9x9 net; 20 seconds, half of them for processes."""
    s1, quick = (wuzi.training.make_plan(name).settings.selfplay for name in ("s1", "quick"))
    s1, quick = replace(s1, concurrency=BATCH), replace(quick, concurrency=BATCH)
    small = net.quantized(positions_of(net, BATCH))
    int8, fp32 = small.onnx(int8=True), net.onnx()
    share, speed, raw = efficiency(net, int8, s1)
    share_fp32, speed_fp32, _ = efficiency(net, fp32, s1)
    figures = {
        "selfplay_efficiency": share,
        "selfplay_evals_per_s": speed,
        "selfplay_raw_evals_per_s": raw,
        "selfplay_efficiency_fp32": share_fp32,
        "selfplay_evals_per_s_fp32": speed_fp32,
        "selfplay_int8_speedup": speed / speed_fp32,
        "selfplay_efficiency_gumbel": efficiency(net, int8, quick)[0],
    }
    if workers:
        figures["selfplay_games_per_h_1_worker"] = _games_per_h(small, quick, 1)
        figures["selfplay_games_per_h_2_workers"] = _games_per_h(small, quick, 2)
    return figures


def efficiency(
    net: wuzi.nets.NetFile, evaluator: wuzi.nets.Evaluator, options: SelfPlaySection
) -> tuple[float, float, float]:
    """Evaluations a second of self-play as a part of the net's own, both rates, in this thread's time.

    Self-play and the net alone take turns of some milliseconds, so that whatever else the machine does
    slows both down alike; the median of some rounds.
    """
    from wuzi.training.methods.selfplay.games import SelfPlay, new_numbers

    options = replace(options, concurrency=BATCH)
    play = SelfPlay(net.card.rules, options, evaluator, seed=1, net=0, numbers=new_numbers(frozenset()))
    for _ in range(40):  # the games as they stand after a while of play
        play.step()
    features = wuzi.nets.PlaneEncoder(evaluator.planes, net.card.rules).encode(play.positions())
    found = []
    for _ in range(ROUNDS):
        playing = alone = 0.0
        before = play.evaluations
        for _ in range(TURNS):
            start = time.thread_time()
            for _ in range(STEPS):
                play.step()
            middle = time.thread_time()
            for _ in range(STEPS):
                evaluator.evaluate(features)
            playing, alone = playing + middle - start, alone + time.thread_time() - middle
        speed, raw = (play.evaluations - before) / playing, TURNS * STEPS * len(features) / alone
        found.append((speed / raw, speed, raw))
    return sorted(found)[len(found) // 2]


def _games_per_h(net: wuzi.nets.NetFile, options: SelfPlaySection, workers: int) -> float:
    from wuzi.training.methods.selfplay.fleet import Fleet, play_worker_kind
    from wuzi.training.methods.selfplay.workers import LocalSelfPlay, SelfPlayTask, SelfPlayWorkers
    from wuzi.workers.local import Local

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench"
        wuzi.nets.save_net(path, net)
        task = SelfPlayTask(net.card.rules, options, 1, Path(folder), frozenset())
        where = Local()
        players: SelfPlayWorkers = LocalSelfPlay(task)
        if workers > 1:
            players = Fleet(task, where.crew(play_worker_kind(task, where), workers), where.snapshot_s)
        try:
            players.use(path.with_suffix(".safetensors"), 0)
            games, begun = 0, time.monotonic()
            for game in players.games():
                spent = time.monotonic() - begun
                games += int(game is not None and spent > WORKERS_S)
                if spent > 2 * WORKERS_S:
                    break
            players.pause()
        finally:
            players.close()
    return games / WORKERS_S * 3600
