"""The engine: wuzi's strongest player."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from wuzi.base.schema import option
from wuzi.contract import Capabilities, Limit, OnInfo, PlayResult, SearchInfo, Stop
from wuzi.core import Action, Game, Keep, Move, Phase, Place, PlaceSeveral, Position, Rules, Swap
from wuzi.core.symmetry import NUM_SYMMETRIES
from wuzi.errors import ConfigError
from wuzi.evaluation.codebook import LOGIT, supported_rules
from wuzi.players.base import BasePlayer, check_budget
from wuzi.players.chance import NUM_OPENINGS, Chance, balanced_three
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions
from wuzi.search.balance import balanced_moves, nearest_to

CHOICE_SHARE = 0.4
"""Part of the time that the choice of a colour takes; the move that may follow has the rest."""
CHOICE_NODES = 100_000
"""Positions of that choice where there is no limit."""
OPENINGS_KEPT = 3
"""Of the openings that are most balanced one is drawn among so many."""


ENGINE_KERNELS = (
    "wuzi.evaluation.codebook_kernels:fill_rows",
    "wuzi.search.alphabeta.deepen_kernels:search_begin",
    "wuzi.search.alphabeta.deepen_kernels:search_deepen",
)


@dataclass(frozen=True)
class EngineConfig:
    """Options of :class:`EnginePlayer`."""

    table_mb: int = option(
        64, "transposition table's memory, MB", "置换表内存（MB）", minimum=1, maximum=4096
    )
    threads: int = option(1, "threads that search at once", "并行搜索的线程数", minimum=1, maximum=64)
    depth: int = option(60, "deepest iteration", "最大搜索深度", minimum=1, maximum=60)
    vcf_nodes: int = option(150, "positions of the threat search at a leaf", "叶结点算杀的局面数", minimum=0)
    fresh: bool = option(False, "forget earlier moves; answers are reproducible", "每步清空记忆，结果可复现")
    seed: int = option(0, "which opening patterns are chosen in swap games", "交换开局时选择开局的种子")


class EnginePlayer(BasePlayer[EngineConfig]):
    """Alpha-beta over a fitted evaluation, with threat search; thinks a second without a limit."""

    registered_name = "engine"
    config_type = EngineConfig
    supports = Capabilities(
        rules=frozenset(rule for rule, _ in supported_rules()),
        min_size=5,
        max_size=22,
        win_lengths=frozenset(k for _, k in supported_rules()),
        deterministic=False,
    )

    def __init__(self, config: EngineConfig) -> None:
        super().__init__(config)
        self._search: AlphaBetaSearch | None = None

    def kernels(self, rules: Rules) -> tuple[str, ...]:
        """The evaluation and the search."""
        return ENGINE_KERNELS

    def think(
        self,
        game: Game,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: OnInfo | None = None,
        excluded: frozenset[int] = frozenset(),
    ) -> PlayResult:
        """Search until the limit; without one, for a second. Cells that are ``excluded`` are no candidates.

        The ``extra`` of reports may name the ``current`` move. A ConfigError if every legal move is excluded.
        """
        check_budget(limit, multipv)
        self.compile_kernels(game.rules)
        self.check(game)
        if game.phase is not Phase.PLAY:
            part_s = None if limit.time_s is None else limit.time_s * CHOICE_SHARE
            action = self._open(game, replace(limit, time_s=part_s), stop)
            return PlayResult(action, SearchInfo(color=game.to_move))
        if excluded and excluded.issuperset(game.position.legal_moves):
            raise ConfigError(
                f"all {len(game.position.legal_moves)} moves are excluded: expected one to choose"
            )
        search = self._for(game.rules)
        info = search.run(
            game.position, limit, multipv=multipv, stop=stop, on_info=on_info, excluded=excluded
        )
        return PlayResult(Place(info.lines[0].move), info)

    def balance(
        self,
        game: Game,
        count: int,
        limit: Limit = Limit(),
        *,
        score: float = 0.0,
        excluded: frozenset[int] = frozenset(),
        stop: Stop | None = None,
    ) -> tuple[Move, ...]:
        """One or two moves, both colours in turn, after which the side now to move has about ``score``.

        A ConfigError if there are none.
        """
        self.check(game)
        target = float(np.tanh(score / LOGIT / 2))
        return balanced_moves(
            game.position, count, self._value, limit, target=target, excluded=excluded, stop=stop
        )

    def evaluate(self, game: Game, limit: Limit = Limit(), stop: Stop | None = None) -> float | None:
        """Value after a short search."""
        return self._value(game.position, replace(limit, nodes=limit.nodes or 100_000), stop)

    def resize(self, table_mb: int | None = None, threads: int | None = None) -> None:
        """Search with this table and so many threads from now on; a change loses what was learned."""
        table_mb, threads = table_mb or self.config.table_mb, threads or self.config.threads
        if (table_mb, threads) != (self.config.table_mb, self.config.threads):
            # The old table has to go before the new one comes: together they may exceed a limit.
            self._search = None
            self.config = replace(self.config, table_mb=table_mb, threads=threads)

    def forget(self) -> None:
        """Clear what earlier searches learned."""
        if self._search is not None:
            self._search.clear()

    def close(self) -> None:
        """Free the tables."""
        self._search = None

    def _open(self, game: Game, limit: Limit, stop: Stop | None) -> Action:
        """Three stones that are hard to choose a side in, or the side that stands better."""
        if game.phase is Phase.PLACE_THREE:
            return PlaceSeveral(self._three_stones(game, limit, stop))
        nodes = CHOICE_NODES if limit.time_s is None else None
        value = self._value(game.position, replace(limit, nodes=limit.nodes or nodes), stop)
        return Swap() if value < 0 else Keep()

    def _three_stones(self, game: Game, limit: Limit, stop: Stop | None) -> tuple[Move, ...]:
        chance, count = Chance(self.config.seed, game), NUM_OPENINGS // NUM_SYMMETRIES
        symmetry = chance.below(NUM_SYMMETRIES) * count
        choices = []
        for index in range(count):
            moves = balanced_three(game.rules.size, symmetry + index)
            position = game.position
            for move in moves:
                position = position.play(move)
            choices.append((position, moves))
        ranked = nearest_to(choices, 0.0, self._value, limit, stop=stop)
        return ranked[chance.below(OPENINGS_KEPT)]

    def _value(self, position: Position, limit: Limit, stop: Stop | None = None) -> float:
        """The value for the side to move."""
        value = self._for(position.rules).run(position, limit, stop=stop).lines[0].value
        assert value is not None
        return value

    def _for(self, rules: Rules) -> AlphaBetaSearch:
        if self._search is None or self._search.rules != rules:
            config = self.config
            self._search = None
            options = EngineOptions(
                config.table_mb, config.vcf_nodes, max_depth=config.depth, threads=config.threads
            )
            self._search = AlphaBetaSearch(rules, options)
        elif self.config.fresh:
            self._search.clear()
        return self._search
