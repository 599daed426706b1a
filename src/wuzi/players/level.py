"""The player of the named levels: the engine, held back in the way people are."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wuzi.base.schema import option
from wuzi.contract import Capabilities, Limit, Line, OnInfo, PlayResult, SearchInfo, Stop
from wuzi.core import Game, Move, Phase, Place, Rules
from wuzi.errors import UnsupportedError
from wuzi.evaluation.codebook import LOGIT
from wuzi.players.base import BasePlayer, check_budget
from wuzi.players.engine import EngineConfig, EnginePlayer
from wuzi.players.intuition import LevelNoise
from wuzi.players.levels import LEVELS, Level, LevelName
from wuzi.players.minimax import MinimaxConfig, MinimaxPlayer
from wuzi.search.alphabeta import node_kernels

LEVEL_CANDIDATES = 4
"""Lines among which a slip is chosen."""
LEVEL_TABLE_MB = 2
"""Memory of a level's transposition table."""
MINIMAX_DEPTH = 4
"""Plies that minimax searches at most where the engine does not know the rules."""


_CHOICE = tuple(
    f"wuzi.players.level_kernels:{name}" for name in ("level_choice", "level_hastes", "level_seed")
)
_GLANCE = ("wuzi.players.level_kernels:glance_move", "wuzi.evaluation.codebook_kernels:fill_rows")


@dataclass(frozen=True)
class LevelConfig:
    """Options of :class:`LevelPlayer`."""

    name: LevelName = option(LevelName.CLUB, f"how strong: {', '.join(LEVELS)}", f"水平：{', '.join(LEVELS)}")
    seed: int = option(0, "the same seed plays the same moves", "种子相同则着法相同")


class LevelPlayer(BasePlayer[LevelConfig]):
    """A named level: some moves at a glance, the others by a small search, a choice among the best.

    The top level is the whole engine. Where the engine does not know the rules (caro, other win lengths),
    a minimax of matching depth plays instead.
    """

    registered_name = "level"
    config_type = LevelConfig
    supports = Capabilities(deterministic=False)

    def __init__(self, config: LevelConfig) -> None:
        super().__init__(config)
        self.level: Level = LEVELS[config.name]
        self._thinker: EnginePlayer | MinimaxPlayer | None = None

    @property
    def capabilities(self) -> Capabilities:
        """All rules; every level but the whole engine plays the same moves for the same seed."""
        return replace(self.supports, deterministic=self.level.searches_less)

    def kernels(self, rules: Rules) -> tuple[str, ...]:
        """Those of a glance, and of the search where the level has one."""
        thinker, level = self._for(rules), self.level
        glance = _GLANCE if level.haste and isinstance(thinker, EnginePlayer) else ()
        search = () if glance and level.haste >= 1 else thinker.kernels(rules)
        return (*(_CHOICE if level.searches_less else ()), *glance, *search)

    def think(
        self,
        game: Game,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: OnInfo | None = None,
    ) -> PlayResult:
        """Answer as a player of this level would; the limit can only make it faster."""
        check_budget(limit, multipv)
        self.compile_kernels(game.rules)
        self.check(game)
        thinker, level = self._for(game.rules), self.level
        if game.phase is not Phase.PLAY:
            return thinker.think(game, self._limit(limit), stop=stop)
        if not level.searches_less:
            return thinker.think(game, limit, multipv=multipv, stop=stop, on_info=on_info)
        chance = LevelNoise(level, self.config.seed, game)
        if isinstance(thinker, EnginePlayer) and chance.hastes():
            move = chance.glance(game.position)
            return PlayResult(Place(move), SearchInfo(color=game.to_move, lines=(Line(move, pv=(move,)),)))
        count = max(multipv, LEVEL_CANDIDATES if level.temperature else 1)

        def report(info: SearchInfo) -> None:
            if on_info is not None:
                on_info(replace(info, lines=info.lines[:multipv]))

        wanted = None if on_info is None else report
        result = thinker.think(game, self._limit(limit), multipv=count, stop=stop, on_info=wanted)
        lines = result.info.lines
        if not lines:
            return result
        logit, proven = (
            (LOGIT, node_kernels.MATE_BOUND) if isinstance(thinker, EnginePlayer) else thinker.scale
        )
        chosen = chance.choose(lines[:LEVEL_CANDIDATES], logit, proven)
        ordered = (chosen, *(line for line in lines if line is not chosen))
        return PlayResult(Place(chosen.move), replace(result.info, lines=ordered[:multipv]))

    def likelihood(self, game: Game, move: Move) -> float:
        """How likely the level plays a move in this game, 0 to 1, over all its seeds.

        UnsupportedError where the engine does not know the rules, or the level is the whole engine.
        """
        level, thinker = self.level, self._for(game.rules)
        if not level.searches_less or not isinstance(thinker, EnginePlayer):
            raise UnsupportedError(f"{self.name} has no likelihoods under {game.rules.label}")
        chance = LevelNoise(level, self.config.seed, game)
        glanced = chance.glance_likelihood(game.position, move) if level.haste else 0.0
        if level.haste >= 1:
            return glanced
        count = LEVEL_CANDIDATES if level.temperature else 1
        lines = thinker.think(game, self._limit(Limit()), multipv=count).info.lines[:count]
        chosen = chance.choice_likelihood(lines, LOGIT, node_kernels.MATE_BOUND, move)
        return level.haste * glanced + (1 - level.haste) * chosen

    def evaluate(self, game: Game, limit: Limit = Limit(), stop: Stop | None = None) -> float | None:
        """What its search thinks."""
        return self._for(game.rules).evaluate(game, limit, stop)

    def close(self) -> None:
        """Free the tables."""
        if self._thinker is not None:
            self._thinker.close()
            self._thinker = None

    def _limit(self, limit: Limit) -> Limit:
        """The level's own budget, within the one that is given."""
        if not self.level.searches_less:
            return limit
        nodes = min(n for n in (limit.nodes, self.level.nodes) if n is not None)
        depth = min(d for d in (limit.depth, self.level.depth) if d is not None)
        return replace(limit, nodes=nodes, depth=depth)

    def _for(self, rules: Rules) -> EnginePlayer | MinimaxPlayer:
        """Who searches for this level under these rules."""
        level = self.level
        wanted = EnginePlayer if EnginePlayer.supports.why_not(rules) is None else MinimaxPlayer
        if not isinstance(self._thinker, wanted):
            self.close()
            if wanted is MinimaxPlayer:
                depth = min(level.depth, MINIMAX_DEPTH)
                self._thinker = MinimaxPlayer(MinimaxConfig(depth=depth, seed=self.config.seed))
            elif level.searches_less:
                config = EngineConfig(table_mb=LEVEL_TABLE_MB, vcf_nodes=level.vcf_nodes, fresh=True)
                self._thinker = EnginePlayer(replace(config, seed=self.config.seed))
            else:
                self._thinker = EnginePlayer(EngineConfig(seed=self.config.seed))
        assert self._thinker is not None
        return self._thinker
