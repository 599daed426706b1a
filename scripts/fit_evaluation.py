"""Fit the engine's evaluation to the results of its own games.

    python scripts/fit_evaluation.py --rule freestyle --size 15 --generations 3 --games 3000

Each generation plays games with the last generation's values (the first with none: all zero, so
nothing is set by hand), collects the positions at which the search would ask for a static value, and
fits the log-odds of the side to move by ridge logistic regression (Newton's method). One game in ten
is held out; its loss is printed and stored. Games begin with random stones near the centre and are
ended when the search has proved a win.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wuzi.contract import Limit
from wuzi.core import Color, Game, Rules, parse_rule
from wuzi.errors import WuziError
from wuzi.evaluators.cell_values import LOGIT, NUM_CLASSES, CellValues, dump_values, file_name
from wuzi.records.atomic import write_atomic
from wuzi.search.alphabeta import AlphaBetaSearch, EngineOptions
from wuzi.tactics.classes import CellClass, tables
from wuzi.tactics.kernels import patterns_from_state
from wuzi.tactics.layout import PATTERNS

Floats = npt.NDArray[np.float64]
FEATURES = NUM_CLASSES * NUM_CLASSES
ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Samples:
    """Positions for the fit.

    Attributes:
        counts: int16 [n, 196]: empty cells by own and enemy class. side: [n] 0 Black, 1 White to move.
        result: [n] 1 won, 0.5 drawn, 0 lost by the side to move. game: [n] number of the game.
    """

    counts: npt.NDArray[np.int16]
    side: npt.NDArray[np.int8]
    result: Floats
    game: npt.NDArray[np.int64]


def features(game: Game) -> npt.NDArray[np.int16] | None:
    """Counts of class pairs, or None where the search never asks for a static value."""
    rules = game.rules
    state = game.position.state()
    patterns = np.zeros(1, PATTERNS)[0]
    patterns_from_state(state, patterns, tables(rules.rule, rules.win_length))
    own, foe = int(game.to_move) - 1, 2 - int(game.to_move)
    counts = patterns["counts"]
    if counts[own][CellClass.FIVE] or counts[foe][CellClass.FIVE] or counts[own][CellClass.OPEN_FOUR]:
        return None
    empty = state["cells"] == 0
    pairs = patterns["classes"][own][empty].astype(np.int64) * NUM_CLASSES + patterns["classes"][foe][empty]
    return np.bincount(pairs, minlength=FEATURES).astype(np.int16)


def opening(rules: Rules, rng: np.random.Generator) -> Game:
    """Three to eight random stones in the middle."""
    half = min(3, rules.size // 2 - 1)
    middle = range(rules.size // 2 - half, rules.size // 2 + half + 1)
    cells = [row * rules.size + col for row in middle for col in middle]
    while True:
        game = Game(rules)
        for cell in rng.choice(cells, int(rng.integers(3, 9)), replace=False):
            if game.outcome is None:
                game = game.play(int(cell))
        if game.outcome is None:
            return game


def play_games(rules: Rules, values: CellValues, games: int, nodes: int, seed: int) -> Samples:
    """Self-play with these values; each move at half to one and a half times ``nodes``."""
    rng = np.random.default_rng(seed)
    search = AlphaBetaSearch(rules, EngineOptions(table_mb=4, vcf_nodes=100, root_vcf_nodes=2000), values)
    counts: list[npt.NDArray[np.int16]] = []
    side: list[int] = []
    result: list[float] = []
    number: list[int] = []
    for played in range(games):
        game = opening(rules, rng)
        search.clear()
        rows: list[tuple[npt.NDArray[np.int16], Color]] = []
        winner: Color | None = None
        while game.outcome is None:
            row = features(game)
            if row is not None:
                rows.append((row, game.to_move))
            budget = int(nodes * rng.uniform(0.5, 1.5))
            line = search.run(game.position, Limit(nodes=budget)).lines[0]
            if line.win_in:
                winner = game.to_move if line.win_in > 0 else game.to_move.opponent
                break
            game = game.play(line.move)
        if game.outcome is not None:
            winner = game.outcome.winner
        for row, color in rows:
            counts.append(row)
            side.append(int(color) - 1)
            result.append(0.5 if winner is None else float(winner is color))
            number.append(played)
    return Samples(np.array(counts), np.array(side, np.int8), np.array(result), np.array(number))


def design(samples: Samples, by_side: bool) -> Floats:
    """The matrix of the regression: class pairs (of each side apart where they differ) and a constant."""
    x = samples.counts.astype(np.float64)
    if by_side:
        white = samples.side.astype(bool)[:, None]
        x = np.concatenate([np.where(white, 0, x), np.where(white, x, 0)], axis=1)
    return np.concatenate([x, np.ones((len(x), 1))], axis=1)


def fit(x: Floats, y: Floats, ridge: float) -> Floats:
    """Weights of the ridge logistic regression, by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-(x @ weights)))
        gradient = x.T @ (p - y) + ridge * weights
        hessian = (x * (p * (1 - p) + 1e-9)[:, None]).T @ x + ridge * np.eye(len(weights))
        step = np.linalg.solve(hessian, gradient)
        weights -= step
        if np.abs(step).max() < 1e-7:
            break
    return weights


def loss(x: Floats, y: Floats, weights: Floats) -> float:
    """Mean cross-entropy."""
    z = x @ weights
    return float(np.mean(np.logaddexp(0, z) - y * z))


def to_values(weights: Floats, by_side: bool, recipe: dict[str, object]) -> CellValues:
    """Weights as evaluation points."""
    scaled = np.round(weights * LOGIT).astype(np.int32)
    tables_ = scaled[:-1].reshape(-1, NUM_CLASSES, NUM_CLASSES)
    table = tables_ if by_side else np.repeat(tables_, 2, axis=0)
    return CellValues(np.ascontiguousarray(table), int(scaled[-1]), recipe)


def main() -> None:
    """Run the generations and write the last one's values."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rule", default="freestyle")
    parser.add_argument("--size", type=int, default=15)
    parser.add_argument("--win-length", type=int, default=5)
    parser.add_argument("--generations", type=int, default=3)
    parser.add_argument("--games", type=int, default=3000)
    parser.add_argument("--nodes", type=int, default=2500)
    parser.add_argument("--ridge", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "src" / "wuzi" / "data" / "evaluation")
    options = parser.parse_args()
    rules = Rules(options.size, options.win_length, parse_rule(options.rule))
    by_side = rules.rule.label == "renju"
    values = CellValues(np.zeros((2, NUM_CLASSES, NUM_CLASSES), np.int32), 0, {})
    for generation in range(options.generations):
        start = time.perf_counter()
        seed = options.seed * 1000 + generation
        samples = play_games(rules, values, options.games, options.nodes, seed)
        x, held_out = design(samples, by_side), samples.game % 10 == 0
        weights = fit(x[~held_out], samples.result[~held_out], options.ridge)
        held_out_loss = loss(x[held_out], samples.result[held_out], weights)
        recipe = {
            "command": f"scripts/fit_evaluation.py --rule {rules.rule.label} --size {rules.size} "
            f"--win-length {rules.win_length} --generations {options.generations} --games {options.games} "
            f"--nodes {options.nodes} --ridge {options.ridge:g} --seed {options.seed}",
            "generation": generation + 1,
            "positions": len(x),
            "train_loss": round(loss(x[~held_out], samples.result[~held_out], weights), 4),
            "held_out_loss": round(held_out_loss, 4),
            "machine": platform.machine(),
        }
        values = to_values(weights, by_side, recipe)
        options.out.mkdir(parents=True, exist_ok=True)
        path = options.out / file_name(rules.rule, rules.win_length)
        write_atomic(path, dump_values(values).encode())
        print(f"{recipe} in {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    try:
        main()
    except WuziError as error:
        sys.exit(f"fit_evaluation: {error}")
