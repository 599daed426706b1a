"""What a net sees at a glance: does its policy, without any search, take a win and stop one?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wuzi.core import Position, Rules, rule_kernels
from wuzi.core.classes import CellClass
from wuzi.core.layout import STATE
from wuzi.core.lines import check_supported
from wuzi.nets.evaluator import Evaluator
from wuzi.nets.planes import PlaneEncoder, Records, class_maps


@dataclass(frozen=True, slots=True)
class QuizScore:
    """How many positions of one kind there were, and how many the policy's best move answers."""

    positions: int
    right: int


def run_quiz(evaluator: Evaluator, rules: Rules, positions: int = 200, seed: int = 1) -> dict[str, QuizScore]:
    """Ask a net's policy for so many positions of random games of each kind that has one right answer: of
    ``win`` a stone wins at once; of ``block`` only the opponent has a winning point, exactly one;
    of ``open_four`` there are none, but a stone makes an open four (or two fours). An UnsupportedError for a
    win length other than 4 and 5.
    """
    check_supported(rules)
    boards = _random_boards(rules, positions, np.random.default_rng(seed))
    found = {kind: QuizScore(0, 0) for kind in boards}
    points = [rule_kernels.to_point(cell, rules.size) for cell in range(rules.num_cells)]
    for kind, (states, answers) in boards.items():
        if not len(states):
            continue
        logits, _ = evaluator.evaluate(PlaneEncoder(evaluator.planes, rules).encode(states))
        best = np.where(states["cells"][:, points] != 0, -np.inf, logits).argmax(axis=1)
        found[kind] = QuizScore(len(states), int(answers[np.arange(len(states)), best].sum()))
    return found


def _random_boards(
    rules: Rules, wanted: int, rng: np.random.Generator
) -> dict[str, tuple[Records, np.ndarray]]:
    kept: dict[str, list[tuple[Records, np.ndarray]]] = {"win": [], "block": [], "open_four": []}
    for _ in range(wanted * 20):
        if all(len(found) >= wanted for found in kept.values()):
            break
        states = _random_game(rules, rng)
        maps = class_maps(states, rules).reshape(len(states), 2, -1)
        for i in rng.permutation(len(states)):
            kind, answers = _question(maps[i])
            if kind and len(kept[kind]) < wanted:
                kept[kind].append((states[i : i + 1].copy(), answers))
                break
    none = np.zeros(0, STATE), np.zeros((0, rules.num_cells), bool)
    return {
        kind: (np.concatenate([state for state, _ in found]), np.stack([answers for _, answers in found]))
        if found
        else none
        for kind, found in kept.items()
    }


def _question(maps: np.ndarray) -> tuple[str, np.ndarray]:
    own, opponent = maps
    if (own == CellClass.FIVE).any():
        return "win", own == CellClass.FIVE
    threats = opponent == CellClass.FIVE
    if threats.any():
        return ("block", threats) if threats.sum() == 1 else ("", threats)
    fours = own == CellClass.OPEN_FOUR
    return ("open_four", fours) if fours.any() else ("", fours)


def _random_game(rules: Rules, rng: np.random.Generator) -> Records:
    """The positions of a random game in which nobody has won yet."""
    state = np.zeros(1, STATE)
    state[0] = Position(rules).state()
    found = []
    for cell in rng.permutation(rules.num_cells):
        rule_kernels.push(state[0], int(rule_kernels.to_point(int(cell), rules.size)))
        if state[0]["result"]:
            break
        found.append(state.copy())
    return np.concatenate(found)
