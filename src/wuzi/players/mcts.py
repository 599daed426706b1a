"""The pure Monte Carlo player."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wuzi.base.schema import option
from wuzi.contract import Capabilities, Limit, PlayResult, Stop
from wuzi.core import Game, Place, Rules
from wuzi.core.lines import WIN_LENGTHS
from wuzi.players.base import BasePlayer, ThinkRequest
from wuzi.search.montecarlo.searcher import MctsOptions, MctsSearch, Rollouts, TreeFormula


@dataclass(frozen=True)
class MctsConfig:
    """Options of :class:`MctsPlayer`."""

    simulations: int = option(1000, "random games a move", "每步的模拟次数", minimum=1, maximum=100_000_000)
    max_simulations: int | None = option(
        None,
        "draw the number of each move between simulations and this",
        "每步的模拟次数在 simulations 与此值之间随机",
        minimum=1,
    )
    formula: TreeFormula = option(
        TreeFormula.UCB1, "by what moves in the tree are chosen", "树内选择着法的公式"
    )
    exploration: float | None = option(
        None,
        "constant of the formula; none: 1.414 for ucb1, 5 for puct",
        "公式的探索常数，none：ucb1 为 1.414，puct 为 5",
        minimum=0.0,
        maximum=100.0,
    )
    rollouts: Rollouts = option(Rollouts.RANDOM, "how the games are played", "模拟对局的走法")
    max_nodes: int = option(1_000_000, "size of the tree", "搜索树的结点上限", minimum=2)
    seed: int = option(0, "the same seed plays the same moves", "种子相同则着法相同")


class MctsPlayer(BasePlayer[MctsConfig]):
    """UCB1 or PUCT in the tree, random games below it; plays the most visited move.

    ``preset=s0`` is the 9x9 study's (document 000): UCB1, 1000 to 2000 simulations, drawn for each move from
    the seed. ``preset=s1`` and ``preset=s3`` are that of documents 001 and 003: the formula of their search
    with a net, with equal priors and the constant 5.
    ``preset=tactical`` is the stronger form, whose random games see fives and open fours.
    """

    registered_name = "mcts"
    config_type = MctsConfig
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = {
        "s0": {"simulations": 1000, "max_simulations": 2000},
        "s1": {"simulations": 1000, "formula": TreeFormula.PUCT},
        "s3": {"simulations": 1000, "formula": TreeFormula.PUCT},
        "tactical": {"simulations": 10_000, "rollouts": Rollouts.TACTICAL, "exploration": 0.7},
    }

    @property
    def capabilities(self) -> Capabilities:
        """All rules; tactical rollouts need a win length of 4 or 5."""
        if self.config.rollouts is Rollouts.TACTICAL:
            return Capabilities(win_lengths=frozenset(WIN_LENGTHS))
        return self.supports

    def kernels(self, rules: Rules) -> tuple[str, ...]:
        """The search."""
        kernels = "wuzi.search.montecarlo.kernels"
        return ("wuzi.core.rule_kernels:mix", f"{kernels}:mcts_run", f"{kernels}:mcts_setup")

    def answer(self, request: ThinkRequest, rng: np.random.Generator) -> PlayResult:
        """Simulate until the limit; without one, the configured number of games."""
        config, game = self.config, request.game
        simulations = config.simulations
        if config.max_simulations is not None and config.max_simulations > simulations:
            simulations = int(rng.integers(simulations, config.max_simulations + 1))
        search = self._search(game, simulations, int(rng.integers(1 << 62)))
        info = search.run(request.limit, multipv=request.multipv, stop=request.stop, on_info=request.on_info)
        # The tree is empty where all of Black's points are forbidden, so that each loses.
        move = info.lines[0].move if info.lines else game.position.legal_moves[0]
        return PlayResult(Place(move), info)

    def evaluate(self, game: Game, limit: Limit = Limit(), stop: Stop | None = None) -> float | None:
        """Value of the most visited move, for the choice of colour in swap games."""
        info = self._search(game, self.config.simulations, self.config.seed).run(limit, stop=stop)
        return info.lines[0].value if info.lines else None

    def _search(self, game: Game, simulations: int, seed: int) -> MctsSearch:
        config = self.config
        options = MctsOptions(
            simulations, config.exploration, config.rollouts, config.formula, config.max_nodes, seed
        )
        return MctsSearch(game.position, options)
