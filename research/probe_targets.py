"""Are the stored values of self-play sound? They are compared with how the games ended, on open positions.

    python -m research.probe_targets [PRESET ...] [--positions 2000] [--doubled 0] [--set considered=16]

plays real games of a preset with the net that comes with wuzi under the preset's name, each to its end. A
position is open where there is more than one move and the search proved nothing. Beside the stored value are
the raw net's and the mean of the visits, which was stored until schema 2 of the games.
"""

from __future__ import annotations

import argparse
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.nets import find_net, load_net, scalar_value
from wuzi.training import SelfPlayGame, TrainSettings, make_plan
from wuzi.training.data.games import Flag
from wuzi.training.data.replay import Replay
from wuzi.training.methods.selfplay.games import SelfPlay
from wuzi.training.methods.selfplay.workers import open_evaluator
from wuzi.training.run.config import ReplaySection, SelfPlayBackend

Values = dict[str, npt.NDArray[np.float64]]

BATCH = 256


class ProbedPlay(SelfPlay):
    """Self-play that also notes the mean of the visits of each root."""

    means: dict[tuple[int, int], float]

    def _move(self, slots: list[int]) -> list[int]:
        for slot in slots:
            game = self._games[slot]
            self.means[game.number, len(game.rows)] = -float(self._trees.memory.stats[slot, 0]["value"])
        return super()._move(slots)


def probe(
    preset: str, positions: int, *, doubled: int = 0, changes: tuple[str, ...] = (), seed: int = 1
) -> Values:
    """Values [P] of at least so many open positions: ``result``, ``stored``, ``raw`` and ``visits``."""
    settings: TrainSettings = make_plan(preset, None, [f"selfplay.{change}" for change in changes]).settings
    rules, net = settings.game.rules, load_net(find_net(preset).path)
    evaluator = open_evaluator(net, SelfPlayBackend.AUTO, "cpu")
    how: dict[str, Any] = {"seed": seed, "net": 0, "numbers": count()}
    play = ProbedPlay(rules, settings.selfplay.doubled(doubled), evaluator, **how)
    play.means = {}
    replay = Replay(rules, ReplaySection(symmetry=False), evaluator.planes, ())
    waiting: dict[int, SelfPlayGame] = {}
    picks: list[tuple[int, SelfPlayGame, int]] = []
    found: dict[str, list[float]] = {name: [] for name in ("result", "stored", "raw", "visits")}
    number = 0
    while len(picks) < positions:
        waiting |= {game.number: game for game in play.step()}
        # In the order in which they began: those that end first are the short ones.
        while (game := waiting.pop(number, None)) is not None:
            number += 1
            first = replay.rows
            replay.add(game)
            picks += [(first + i, game, i) for i, row in enumerate(game.rows) if not row.flags & Flag.DECIDED]
    for begin in range(0, len(picks), BATCH):
        part = picks[begin : begin + BATCH]
        batch = replay._batch(np.array([row for row, _, _ in part]), np.zeros(len(part), np.int64))
        found["result"] += batch.result.tolist()
        found["stored"] += batch.value.tolist()
        found["raw"] += scalar_value(evaluator.evaluate(batch.features)[1]).tolist()
        found["visits"] += [play.means[game.number, row] for _, game, row in part]
    return {name: np.array(values) for name, values in found.items()}


def bias(values: Values, name: str) -> float:
    """By how much values of this name are greater than the results, on average."""
    return float((values[name] - values["result"]).mean())


def squared_error(values: Values, name: str) -> float:
    """The mean square of their difference from the results."""
    return float(((values[name] - values["result"]) ** 2).mean())


def main() -> None:
    """Probe the presets that are named and print a row for each value."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("presets", nargs="*", default=["9x9", "15x15"])
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--doubled", type=int, default=0, help="how often simulations have doubled")
    parser.add_argument("--set", action="append", default=[], help="a parameter of selfplay")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for preset in given.presets:
        how = {"doubled": given.doubled, "changes": tuple(given.set), "seed": given.seed}
        found = probe(preset, given.positions, **how)
        for name in ("stored", "raw", "visits"):
            figures = f"{bias(found, name):+.3f}  {squared_error(found, name):.3f}"
            print(f"{preset:6} {len(found['result']):6} positions  {name:7} {figures}", flush=True)


if __name__ == "__main__":
    main()
