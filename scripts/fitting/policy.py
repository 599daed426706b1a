"""The policy: a softmax over the candidates, fitted to the moves that the search chose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, diags

from fitting.games import samples
from wuzi.core import Rules
from wuzi.evaluators.fitted import NUM_CLASSES, PLACES, POLICY_LOGIT, FittedValues, mirrored, zero_values
from wuzi.tactics.layout import REACH

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
PAIRS = NUM_CLASSES**2
FAR = PLACES
RIDGES = {"pairs": 5.0, "places": 3.0, "windows": 20.0}
STEPS = 80


def _orbits() -> Ints:
    """For every place (and FAR) the number of its class under the eight symmetries."""
    numbers: dict[tuple[int, int], int] = {}
    width = 2 * REACH + 1
    orbit = np.zeros(PLACES + 1, np.int64)
    for place in range(PLACES):
        low, high = sorted((abs(place // width - REACH), abs(place % width - REACH)))
        orbit[place] = numbers.setdefault((low, high), len(numbers))
    orbit[FAR] = len(numbers)
    return orbit


def _places(cells: Ints, last: int, size: int) -> Ints:
    """The place of each cell relative to a move."""
    if last < 0:
        return np.full(len(cells), FAR)
    dy, dx = cells // size - last // size + REACH, cells % size - last % size + REACH
    width = 2 * REACH + 1
    inside = (dy >= 0) & (dy < width) & (dx >= 0) & (dx < width)
    return np.where(inside, dy * width + dx, FAR)


class _Softmax:
    """Candidates of many positions in one matrix."""

    def __init__(self, x: csr_matrix, sizes: Ints, chosen: Ints) -> None:
        self.x, self.sizes = x, sizes
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.chosen = self.starts + chosen

    def take(self, keep: npt.NDArray[np.bool_]) -> _Softmax:
        """The positions marked in ``keep``."""
        rows = np.repeat(keep, self.sizes)
        return _Softmax(self.x[rows], self.sizes[keep], (self.chosen - self.starts)[keep])

    def probabilities(self, z: Floats) -> tuple[Floats, Floats]:
        """Of every candidate, and the log of the chosen ones."""
        top = np.maximum.reduceat(z, self.starts)
        odds = np.exp(z - np.repeat(top, self.sizes))
        total = np.add.reduceat(odds, self.starts)
        return odds / np.repeat(total, self.sizes), z[self.chosen] - top - np.log(total)


def _collect(rules: Rules, games: list[Path], share: float) -> tuple[_Softmax, Ints, Ints, dict[str, Ints]]:
    rng = np.random.default_rng(1)
    orbit = _orbits()
    pairs, keys, first, second, sizes, chosen, game = [], [], [], [], [], [], []
    for sample in samples(rules, games):
        cells = sample.cells[sample.near]
        where = np.flatnonzero(cells == sample.move)
        if rng.random() >= share or len(where) == 0:
            continue
        pairs.append(sample.pairs[sample.near])
        keys.append(sample.windows[sample.near])
        first.append(orbit[_places(cells, sample.last[0], rules.size)])
        second.append(orbit[_places(cells, sample.last[1], rules.size)])
        sizes.append(len(cells))
        chosen.append(int(where[0]))
        game.append(sample.game)
    every = np.concatenate(keys)
    known = np.unique(every)
    blocks = (
        (np.concatenate(pairs)[:, None], PAIRS, RIDGES["pairs"]),
        (np.concatenate(first)[:, None], int(orbit.max()) + 1, RIDGES["places"]),
        (np.concatenate(second)[:, None], int(orbit.max()) + 1, RIDGES["places"]),
        (np.searchsorted(known, every), len(known), RIDGES["windows"]),
    )
    offset, columns, penalty = 0, [], []
    for block, width, ridge in blocks:
        columns.append(block + offset)
        penalty.append(np.full(width, ridge))
        offset += width
    table = np.concatenate(columns, axis=1)
    ends = np.arange(len(table) + 1) * table.shape[1]
    x = csr_matrix((np.ones(table.size), table.ravel(), ends), shape=(len(table), offset))
    shape = {"orbit": orbit, "known": known, "penalty": np.concatenate(penalty)}
    return _Softmax(x, np.array(sizes), np.array(chosen)), np.array(game), known, shape


def fit_policy(rules: Rules, games: list[Path], *, share: float) -> FittedValues:
    """Fit on a random ``share`` of the positions."""
    data, game, known, shape = _collect(rules, games, share)
    held_out = game % 10 == 0
    weights = _regress(data.take(~held_out), shape["penalty"].astype(np.float64))
    test = data.take(held_out)
    z = test.x @ weights
    _, log_chosen = test.probabilities(z)
    best = np.maximum.reduceat(z, test.starts)
    recipe: dict[str, object] = {
        "policy_positions": len(game),
        "policy_held_out_loss": round(float(-log_chosen.mean()), 4),
        "policy_held_out_top1": round(float(np.mean(z[test.chosen] >= best)), 4),
    }
    print(recipe, flush=True)
    return _to_policy(rules, weights, shape, known, recipe)


def _regress(data: _Softmax, penalty: Floats) -> Floats:
    scale = 1 / np.sqrt(0.02 * np.asarray(data.x.multiply(data.x).sum(axis=0)).ravel() + penalty)
    scaled = (data.x @ diags(scale)).tocsr()
    turned = scaled.T.tocsr()
    weight = penalty * scale * scale
    one = np.zeros(scaled.shape[0])
    one[data.chosen] = 1

    def objective(v: Floats) -> tuple[float, Floats]:
        p, log_chosen = data.probabilities(scaled @ v)
        value = -log_chosen.sum() + 0.5 * np.sum(weight * v * v)
        return float(value), turned @ (p - one) + weight * v

    start = np.zeros(scaled.shape[1])
    options = {"maxiter": STEPS, "maxcor": 20}
    return np.asarray(minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x * scale)


def _to_policy(
    rules: Rules, weights: Floats, shape: dict[str, Ints], known: Ints, recipe: dict[str, object]
) -> FittedValues:
    zero = zero_values(rules.rule, rules.win_length)
    orbit = shape["orbit"]
    num_orbits = int(orbit.max()) + 1
    points = np.round(weights * POLICY_LOGIT)
    pairs = points[:PAIRS].astype(np.int32).reshape(NUM_CLASSES, NUM_CLASSES)
    places = np.zeros((2, PLACES))
    for i in range(2):
        block = points[PAIRS + i * num_orbits : PAIRS + (i + 1) * num_orbits]
        places[i] = block[orbit[:PLACES]] - block[orbit[FAR]]
    by_key = np.zeros(len(zero.windows))
    by_key[known] = points[PAIRS + 2 * num_orbits :]
    by_key[mirrored(known, len(by_key))] = points[PAIRS + 2 * num_orbits :]
    keys = np.arange(len(by_key), dtype=np.int64)
    windows = zero.windows.copy()
    windows[:, 2] = by_key.clip(-32767, 32767)
    windows[:, 3] = windows[((keys & 0x55555555) << 1) | ((keys >> 1) & 0x55555555), 2]
    return FittedValues(
        pairs=zero.pairs,
        windows=windows,
        threats=zero.threats,
        tempo=zero.tempo,
        policy=np.repeat(pairs[None], 2, axis=0),
        places=places.astype(np.int32),
        recipe=recipe,
    )
