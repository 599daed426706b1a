"""Figures of ``wuzi bench`` for self-play: how much of the net's raw speed is left, and games an hour."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import wuzi

if TYPE_CHECKING:
    from wuzi.training.run.config import SelfPlaySection

GAMES = 64
ROUNDS, TURNS, STEPS = 5, 8, 8
WORKERS_S = 4.0
"""Seconds that games are counted for, after as many to begin with."""

HELP: Mapping[str, str] = {
    "selfplay_efficiency": f"part of the net's raw speed left in self-play: preset s1, {GAMES} games, 8 bits",
    "selfplay_evals_per_s": "evaluations a second of that self-play",
    "selfplay_raw_evals_per_s": "and of the same net alone on its batches, in turn with it",
    "selfplay_efficiency_fp32": "the same part with the net in float32",
    "selfplay_evals_per_s_fp32": "evaluations a second of that",
    "selfplay_int8_speedup": "self-play in 8 bits against float32",
    "selfplay_efficiency_gumbel": "that part with preset quick: 16 or 32 simulations a move",
    "selfplay_games_per_h_1_worker": "games an hour by the clock, preset quick, basic net, one process",
    "selfplay_games_per_h_2_workers": "the same with two processes",
}


def selfplay_figures(net: wuzi.nets.NetFile, features: Any, *, workers: bool = True) -> dict[str, float]:
    """All figures of a 9x9 net, whose 8-bit form these positions make; 20 seconds, half for processes."""
    s1, quick = (wuzi.training.make_plan(name).settings.selfplay for name in ("s1", "quick"))
    s1, quick = replace(s1, concurrency=GAMES), replace(quick, concurrency=GAMES)
    small = net.quantized(features)
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

    play = SelfPlay(
        net.card.rules, options, evaluator, seed=1, net=0, numbers=new_numbers(frozenset()), slots=GAMES
    )
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
    from wuzi.training.methods.selfplay.fleet import Fleet, play_job
    from wuzi.training.methods.selfplay.workers import Here, SelfPlayTask, SelfPlayWorkers
    from wuzi.workers.local import Local

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench"
        wuzi.nets.save_net(path, net)
        task = SelfPlayTask(net.card.rules, options, 1, Path(folder), frozenset())
        where = Local()
        players: SelfPlayWorkers = Here(task)
        if workers > 1:
            players = Fleet(task, where.crew(play_job(task, where), workers), where.snapshot_s)
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
