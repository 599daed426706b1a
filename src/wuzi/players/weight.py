"""The score-table player of the 9x9 study: looks at every empty cell once, and can say why."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from wuzi.base.schema import option
from wuzi.contract import Line, PlayResult, SearchInfo
from wuzi.core import Color, Move, Place, Position, Rules, Stone, format_move, rule_kernels
from wuzi.core.layout import DIRECTIONS
from wuzi.evaluation import run_kernels
from wuzi.evaluation.run_scores import WEIGHT_S0, RunScores
from wuzi.players.base import BasePlayer, ThinkRequest

DIRECTION_NAMES = ("row", "column", "diagonal", "anti-diagonal")
CERTAIN = 10_000
"""A weight at which the display is rather certain: it shows tanh(weight / CERTAIN) as the value."""


@dataclass(frozen=True)
class WeightConfig:
    """Options of :class:`WeightPlayer`."""

    attack: float = option(1.0, "factor of own runs made", "己方棋型的系数", minimum=0.0, maximum=100.0)
    defence: float = option(
        1.0, "factor of the opponent's runs stopped", "对方棋型的系数", minimum=0.0, maximum=100.0
    )
    seed: int = option(0, "which opening patterns are chosen in swap games", "交换开局时选择开局的种子")


class WeightPlayer(BasePlayer[WeightConfig]):
    """Plays the cell with the greatest sum of attack and defence; ties go to the centre.

    The weight of a cell is summed over four lines and both sides: the value in the score table of
    the run that a stone there would make (document 000, section 7.1). Needs no training and no search.
    """

    registered_name = "weight"
    config_type = WeightConfig
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = {"s0": {}}

    def kernels(self, rules: Rules) -> tuple[str, ...]:
        """The scores of cells and of the rows through the best."""
        return (
            "wuzi.core.rule_kernels:run_length",
            "wuzi.evaluation.run_kernels:cell_weights",
            "wuzi.evaluation.run_kernels:line_weight",
        )

    def answer(self, request: ThinkRequest, rng: np.random.Generator) -> PlayResult:
        """Weigh every empty cell; takes microseconds, so the limit is never reached."""
        game, start = request.game, time.perf_counter()
        weights, order = self._ranked(game.position)
        lines = tuple(
            Line(
                move=Move(cell, game.rules.size),
                value=math.tanh(float(weights[cell]) / CERTAIN),
                color=game.to_move,
                score=float(weights[cell]),
                pv=(Move(cell, game.rules.size),),
            )
            for cell in order[: request.multipv]
        )
        info = SearchInfo(
            color=game.to_move,
            lines=lines,
            nodes=len(order),
            depth=1,
            max_depth=1,
            time_s=time.perf_counter() - start,
            extra={"reasons": explain_cell(game.position, lines[0].move)},
        )
        return request.reported(PlayResult(Place(lines[0].move), info))

    def _ranked(self, position: Position) -> tuple[Any, Any]:
        """Weights of all cells (float64 [cells]) and the empty cells, best first."""
        attack, defence = score_table(position)
        weights = self.config.attack * attack + self.config.defence * defence
        size = position.rules.size
        row, col = np.divmod(np.arange(size * size), size)
        centre = (size - 1) / 2
        off_centre = np.maximum(abs(row - centre), abs(col - centre)) + (
            abs(row - centre) + abs(col - centre)
        ) / (4 * size)
        avoid = position.forbidden_mask() if position.to_move is Color.BLACK else np.zeros(size * size, bool)
        cells = np.flatnonzero(position.cells == Stone.EMPTY)
        order = cells[np.lexsort((cells, off_centre[cells], -weights[cells], avoid[cells]))]
        return weights, order


def score_table(position: Position, scores: RunScores = WEIGHT_S0) -> tuple[Any, Any]:
    """Attack and defence weights for the side to move, two int64 [cells]; -1 on occupied cells."""
    attack = np.empty(position.rules.num_cells, np.int64)
    defence = np.empty_like(attack)
    run_kernels.cell_weights(position.state(), scores.table, int(position.to_move), attack, defence)
    return attack, defence


def explain_cell(position: Position, cell: Move, scores: RunScores = WEIGHT_S0) -> list[dict[str, Any]]:
    """Where the weight of a cell comes from: one entry for each line and side that adds something.

    Each entry has ``side`` (attack or defence), ``direction``, ``stones`` (in the run, the new one
    included), ``open_ends``, ``score`` and ``cells`` (the stones already there).
    """
    size, state = position.rules.size, position.state()
    point = int(rule_kernels.to_point(int(cell), size))
    entries: list[dict[str, Any]] = []
    for side, color in (("attack", position.to_move), ("defence", position.to_move.opponent)):
        for name, step in zip(DIRECTION_NAMES, DIRECTIONS, strict=True):
            score = int(run_kernels.line_weight(state, scores.table, point, int(color), step))
            if not score:
                continue
            ahead = int(rule_kernels.run_length(state, point, step, int(color)))
            back = int(rule_kernels.run_length(state, point, -step, int(color)))
            ends = (point + (ahead + 1) * step, point - (back + 1) * step)
            stones = [point + i * step for i in range(-back, ahead + 1) if i]
            entries.append(
                {
                    "side": side,
                    "direction": name,
                    "stones": ahead + back + 1,
                    "open_ends": sum(int(state["cells"][end] == Stone.EMPTY) for end in ends),
                    "score": score,
                    "cells": [format_move(int(rule_kernels.to_cell(p, size)), size) for p in stones],
                }
            )
    return sorted(entries, key=lambda entry: -entry["score"])
