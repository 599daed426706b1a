"""How long a step of each learner takes, on one thread: the kernels' and PyTorch's.

``python -m research.learner_bench`` prints processor time a step, the best of several rounds in turn, for the
nets of some presets on positions of random games.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np

from wuzi.core import Rules
from wuzi.nets.file import NetFile
from wuzi.nets.fresh import fresh_net
from wuzi.nets.planes import plane_set
from wuzi.torch_nets import NetSpec, load_module
from wuzi.torch_nets.registry import net_spec
from wuzi.training.data.replay import TrainingBatch
from wuzi.training.learner.base import BaseLearner
from wuzi.training.learner.kernels.learner import KernelLearner
from wuzi.training.learner.torch_learner import TorchLearner
from wuzi.training.run.config import LearnSection, Optimizer, Precision, Schedule

CASES = (
    ("2b16", 6, 256),
    ("3b24", 6, 256),
    ("4b32", 6, 256),
    ("4b32", 9, 256),
    ("basic", 6, 512),
    ("basic", 9, 512),
)
"""Nets with board size and batch: those of the presets tiny, quick, s3-6x6 and s1, and two between."""


def random_batch(net: NetFile, count: int, seed: int = 0) -> TrainingBatch:
    """Planes and targets of the right form; how long a step takes does not depend on what they say."""
    rng, size = np.random.default_rng(seed), net.card.rules.size
    policy = rng.dirichlet(np.full(size * size, 0.3), count).astype(np.float32)
    extra = {"soft_policy": policy, "reply_policy": policy, "moves_left": rng.random(count, np.float32)}
    extra |= {"final_line": rng.integers(0, 3, (count, size, size))}  # type: ignore[dict-item]
    one = np.ones(count, np.float32)
    shape = (count, plane_set(net.card.planes).channels, size, size)
    features = (rng.random(shape) < 0.3).astype(np.float32)
    value = rng.uniform(-1, 1, count).astype(np.float32)
    return TrainingBatch(features, policy, np.sign(value), value, one, one, {**extra})


def step_seconds(learner: BaseLearner, batch: TrainingBatch, rounds: int) -> float:
    """Processor time of one step, the least of so many rounds."""
    best = np.inf
    learner._take(batch)
    learner._step(1e-3)
    for _ in range(rounds):
        begun = time.process_time()
        for _ in range(5):
            learner._take(batch)
            learner._step(1e-3)
        best = min(best, (time.process_time() - begun) / 5)
    return float(best)


def main() -> None:
    """Print one line for each net."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(f"{'net':<8}{'board':>6}{'batch':>7}{'kernels':>11}{'torch fp32':>13}{'torch bf16':>13}")
    for text, size, count in CASES:
        spec = net_spec(text, size)
        net = fresh_net(spec.name, spec.options, Rules(size, 4))
        options = LearnSection(
            batch=count,
            threads=1,
            device="cpu",
            precision=Precision.FP32,
            schedule=Schedule.CONSTANT,
            optimizer=Optimizer.ADAMW,
            ema=0.99,
            value_target=0.25,
        )
        batch = random_batch(net, count)
        found = [step_seconds(KernelLearner(net, options, size), batch, rounds)]
        own = NetSpec(spec.name, spec.options, spec.size)
        for precision in (Precision.FP32, Precision.BF16):
            chosen = replace(options, precision=precision)
            found.append(step_seconds(TorchLearner(load_module(net), chosen, own), batch, rounds))
        times = "".join(f"{1000 * seconds:10.1f} ms" for seconds in found)
        print(f"{text:<8}{size:>6}{count:>7}{times}   {found[1] / found[0]:.2f} of torch fp32")


if __name__ == "__main__":
    main()
