"""The engine: wuzi's strongest player."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from wuzi.contract import Capabilities, Limit, OnInfo, PlayResult, SearchInfo, Stop
from wuzi.core.game import Game
from wuzi.core.rules import Rules
from wuzi.core.types import Place
from wuzi.evaluators.cell_values import supported_rules
from wuzi.players.base import BasePlayer, state_rng
from wuzi.players.schema import option
from wuzi.search.alphabeta import AlphaBetaSearch, EngineOptions


@dataclass(frozen=True)
class EngineConfig:
    """Options of :class:`EnginePlayer`."""

    table_mb: int = option(
        64, "memory of the transposition table", "置换表的内存（MB）", minimum=1, maximum=4096
    )
    depth: int = option(60, "deepest iteration", "最大搜索深度", minimum=1, maximum=60)
    vcf_nodes: int = option(150, "positions of the threat search at a leaf", "叶结点算杀的局面数", minimum=0)
    fresh: bool = option(
        False, "forget earlier moves, so that each answer is reproducible", "每步清空记忆，使结果可复现"
    )
    seed: int = option(0, "which opening patterns are chosen in swap games", "交换开局时选择开局的种子")


class EnginePlayer(BasePlayer[EngineConfig]):
    """Alpha-beta over a fitted evaluation, with threat search; thinks a second without a limit."""

    registered_name: ClassVar[str] = "engine"
    config_type: ClassVar[type] = EngineConfig
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    supports: ClassVar[Capabilities] = Capabilities(
        rules=frozenset(rule for rule, _ in supported_rules()),
        min_size=5,
        max_size=22,
        win_lengths=frozenset(k for _, k in supported_rules()),
        deterministic=False,
    )

    def __init__(self, config: EngineConfig) -> None:
        super().__init__(config)
        self._search: AlphaBetaSearch | None = None

    def think(
        self,
        game: Game,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: OnInfo | None = None,
    ) -> PlayResult:
        """Search until the limit; without one, for a second."""
        self.check(game)
        action = self.opening_action(game, state_rng(self.config.seed, game))
        if action is not None:
            return PlayResult(action, SearchInfo(color=game.to_move))
        search = self._for(game.rules)
        info = search.run(game.position, limit, multipv=multipv, stop=stop, on_info=on_info)
        return PlayResult(Place(info.lines[0].move), info)

    def evaluate(self, game: Game) -> float | None:
        """Value after a short search, for the choice of colour in swap games."""
        return self._for(game.rules).run(game.position, Limit(nodes=100_000)).lines[0].value

    def _for(self, rules: Rules) -> AlphaBetaSearch:
        if self._search is None or self._search.rules != rules:
            config = self.config
            options = EngineOptions(config.table_mb, config.vcf_nodes, max_depth=config.depth)
            self._search = AlphaBetaSearch(rules, options)
        elif self.config.fresh:
            self._search.clear()
        return self._search

    def close(self) -> None:
        """Free the tables."""
        self._search = None
