"""The minimax players of the source documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

import numpy as np

from wuzi.base.schema import option
from wuzi.contract import Limit, PlayResult, Stop
from wuzi.core import Game, Place, Rules
from wuzi.evaluation.run_scores import MINIMAX_S0, MINIMAX_S1, RunScores
from wuzi.players.base import BasePlayer, ThinkRequest
from wuzi.players.chance import Chance
from wuzi.search.minimax.searcher import (
    PROVEN,
    MinimaxOptions,
    MinimaxSearch,
    count_runs,
    run_rows,
    trace_rows,
    trace_text,
)

VALUE_DEPTH = 2
"""Plies searched where nothing but the value is wanted."""


class Evaluation(StrEnum):
    """Which hand-made evaluation: that of the 9x9 study or that of the two-stage report."""

    S0 = "s0"
    S1 = "s1"


_SCORES: Mapping[Evaluation, RunScores] = {Evaluation.S0: MINIMAX_S0, Evaluation.S1: MINIMAX_S1}


@dataclass(frozen=True)
class MinimaxConfig:
    """Options of :class:`MinimaxPlayer`."""

    depth: int = option(4, "plies searched full-width", "完整搜索的层数", minimum=1, maximum=20)
    min_depth: int | None = option(
        None,
        "draw the depth of each move between this and depth",
        "每步在此值与 depth 之间随机取搜索深度",
        minimum=1,
        maximum=20,
    )
    evaluation: Evaluation = option(Evaluation.S1, "which hand-made evaluation", "采用哪套手工评估")
    reach: int = option(2, "candidates' distance to a stone", "候选点到棋子的最大距离", minimum=1, maximum=4)
    width: int = option(0, "moves tried at a node, 0 for all", "每个结点尝试的着法数，0 为全部", minimum=0)
    ordered: bool = option(True, "sort moves: threats, then the centre", "着法排序：先威胁，后中心")
    trace: int = option(0, "nodes of the tree to record", "记录的搜索树结点数", minimum=0, maximum=1_000_000)
    seed: int = option(0, "seed of the random depth", "随机深度的种子")


class MinimaxPlayer(BasePlayer[MinimaxConfig]):
    """Depth-limited alpha-beta over scores of runs, as in the source documents, with their errors corrected.

    ``preset=s0`` is the 9x9 study (depth 2 or 3 at random, five 10000), ``preset=s1`` the two-stage
    report (depth 4, five 100000, a position term). Two errors are corrected in both: a won game ends its line
    of the search (the report's listing continues after a five), and each run is counted once.
    """

    registered_name = "minimax"
    config_type = MinimaxConfig
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = {
        "s0": {"depth": 3, "min_depth": 2, "evaluation": Evaluation.S0},
        "s1": {"depth": 4, "evaluation": Evaluation.S1},
    }

    def kernels(self, rules: Rules) -> tuple[str, ...]:
        """The search, and the draw of a depth."""
        draws = () if self.config.min_depth is None else ("level_draw", "level_seed")
        return (
            "wuzi.search.minimax.kernels:minimax_root",
            "wuzi.search.minimax.kernels:minimax_setup",
            *(f"wuzi.players.level_kernels:{name}" for name in draws),
        )

    def answer(self, request: ThinkRequest, rng: np.random.Generator) -> PlayResult:
        """Search to the configured depth; a limit in time or nodes deepens step by step instead."""
        config, game = self.config, request.game
        depth = config.depth
        if config.min_depth is not None and config.min_depth < depth:
            depth = config.min_depth + Chance(config.seed, game).below(depth - config.min_depth + 1)
        result = self._search(game, depth, config.trace).run(
            request.limit, multipv=request.multipv, stop=request.stop, on_info=request.on_info
        )
        info = result.info
        if config.trace:
            size = game.rules.size
            runs = count_runs(game.position, _SCORES[config.evaluation])
            explanation = {
                "tree": trace_rows(result.trace, size),
                "tree_text": trace_text(result.trace, size),
                "patterns": run_rows(runs, size),
            }
            info = replace(info, extra=explanation)
        return PlayResult(Place(info.lines[0].move), info)

    @property
    def scale(self) -> tuple[int, int]:
        """Points of one unit of log-odds in its scores, and the score beyond which the end is proved."""
        return _SCORES[self.config.evaluation].four[0], PROVEN

    def evaluate(self, game: Game, limit: Limit = Limit(), stop: Stop | None = None) -> float | None:
        """Value of the best line :data:`VALUE_DEPTH` plies deep, for the choice of colour in swap games."""
        return self._search(game, VALUE_DEPTH, 0).run(limit, stop=stop).info.lines[0].value

    def _search(self, game: Game, depth: int, trace: int) -> MinimaxSearch:
        config = self.config
        options = MinimaxOptions(depth, config.reach, config.width, config.ordered, trace)
        return MinimaxSearch(game.position, _SCORES[config.evaluation], options)
