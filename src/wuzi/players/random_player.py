"""The player that plays anywhere: the floor of every rating list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wuzi.base.schema import option
from wuzi.contract import Line, PlayResult, SearchInfo
from wuzi.core import Place
from wuzi.players.base import BasePlayer, ThinkRequest


@dataclass(frozen=True)
class RandomConfig:
    """Options of :class:`RandomPlayer`."""

    seed: int = option(0, "the same seed plays the same moves", "种子相同则着法相同")


class RandomPlayer(BasePlayer[RandomConfig]):
    """Plays any legal move, all equally likely; forbidden points of renju too.

    The move depends on the seed and the position alone.
    """

    registered_name = "random"
    config_type = RandomConfig

    def answer(self, request: ThinkRequest, rng: np.random.Generator) -> PlayResult:
        """Draw a legal move; the limit is never reached."""
        moves = request.game.position.legal_moves
        order = rng.permutation(len(moves))[: request.multipv]
        lines = tuple(Line(move=moves[i], pv=(moves[i],)) for i in order)
        info = SearchInfo(request.game.to_move, lines)
        return request.reported(PlayResult(Place(lines[0].move), info))
