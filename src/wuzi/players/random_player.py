"""The player that plays anywhere: the floor of every rating list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from wuzi.base.schema import option
from wuzi.contract import Capabilities, Limit, Line, OnInfo, PlayResult, SearchInfo, Stop
from wuzi.core.game import Game
from wuzi.core.types import Place
from wuzi.players.base import BasePlayer, state_rng


@dataclass(frozen=True)
class RandomConfig:
    """Options of :class:`RandomPlayer`."""

    seed: int = option(0, "the same seed plays the same moves", "种子相同则着法相同")


class RandomPlayer(BasePlayer[RandomConfig]):
    """Plays any legal move, all equally likely; forbidden points of renju too.

    The move depends on the seed and the position alone.
    """

    registered_name: ClassVar[str] = "random"
    config_type: ClassVar[type] = RandomConfig
    supports: ClassVar[Capabilities] = Capabilities()

    def think(
        self,
        game: Game,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: OnInfo | None = None,
    ) -> PlayResult:
        """Draw a legal move; the limit is never reached."""
        self.check(game)
        rng = state_rng(self.config.seed, game)
        action = self.opening_action(game, rng)
        info = SearchInfo(color=game.to_move)
        if action is None:
            moves = game.position.legal_moves
            order = rng.permutation(len(moves))[: max(1, multipv)]
            lines = tuple(Line(move=moves[i], pv=(moves[i],)) for i in order)
            action = Place(lines[0].move)
            info = SearchInfo(color=game.to_move, lines=lines)
        if on_info is not None:
            on_info(info)
        return PlayResult(action, info)
