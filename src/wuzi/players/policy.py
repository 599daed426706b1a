"""The player that plays a net's policy, with no search at all."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wuzi.base.schema import option
from wuzi.contract import Limit, Line, OnInfo, PlayResult, SearchInfo, Stop
from wuzi.core.game import Game
from wuzi.core.notation import Move
from wuzi.core.types import Color, Place
from wuzi.errors import PlayerError
from wuzi.nets.evaluator import scalar_value
from wuzi.nets.file import Backend
from wuzi.nets.planes import PlaneEncoder, records_of
from wuzi.players.base import state_rng
from wuzi.players.net_player import NetPlayer
from wuzi.search.tree.options import Doubles, soften


@dataclass(frozen=True)
class PolicyConfig:
    """Options of :class:`PolicyPlayer`."""

    net: str | None = option(
        None, "a net's name or file; none: the one for the board", "网络名称或文件", file=True
    )
    backend: Backend = option(Backend.AUTO, "what computes the net", "网络的计算方式")
    symmetric: bool = option(
        False, "ask the net for all eight images and take the mean", "对八种对称局面取平均"
    )
    temperature: float = option(
        0.0,
        "0: the likeliest move; 1: drawn from the policy",
        "0 为最可能的点；1 为按策略抽取",
        minimum=0,
        maximum=10,
    )
    seed: int = option(0, "of the draw", "抽取的种子")


class PolicyPlayer(NetPlayer[PolicyConfig]):
    """The legal move of the greatest probability: one evaluation a move, no tree, no look ahead.

    Black's forbidden points in renju are left out while there are other moves.
    """

    registered_name: ClassVar[str] = "policy"
    config_type: ClassVar[type] = PolicyConfig

    def think(
        self,
        game: Game,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: OnInfo | None = None,
    ) -> PlayResult:
        """Evaluate the position once; the limit plays no part."""
        rng = state_rng(self.config.seed, game)
        if (opening := self.opening_result(game, rng)) is not None:
            return opening
        start = time.perf_counter()
        policy, value = self._ask(game)
        move = int(np.argmax(policy))
        if self.config.temperature > 0:
            move = int(rng.choice(len(policy), p=soften(policy, self.config.temperature)))
        order = [
            int(cell) for cell in np.argsort(-policy, kind="stable") if policy[cell] > 0 and cell != move
        ]
        color = game.to_move
        info = SearchInfo(
            color=color,
            lines=tuple(
                _line(Move(cell, game.rules.size), policy, value, color)
                for cell in [move, *order][: max(1, multipv)]
            ),
            nodes=1,
            time_s=time.perf_counter() - start,
            extra={"value": value},
        )
        if on_info is not None:
            on_info(info)
        return PlayResult(Place(info.lines[0].move), info)

    def evaluate(self, game: Game) -> float | None:
        """The net's value, for the choice of colour in swap games."""
        return self._ask(game)[1]

    def _ask(self, game: Game) -> tuple[Doubles, float]:
        """The net's policy over the legal moves and its value for the side to move."""
        position = game.position
        evaluator = self.evaluator(game.rules)
        encoder = PlaneEncoder(evaluator.planes, game.rules)
        logits, values = evaluator.evaluate(encoder.encode(records_of([game])))
        value = float(scalar_value(values)[0])
        allowed = position.legal_mask()
        if game.to_move is Color.BLACK and (allowed & ~position.forbidden_mask()).any():
            allowed &= ~position.forbidden_mask()
        if not (np.isfinite(logits[0]).all() and np.isfinite(value)):
            raise PlayerError(f"net {self.config.net} answered with numbers that are not finite")
        weights = np.where(allowed, np.exp(logits[0].astype(np.float64) - logits[0][allowed].max()), 0.0)
        return weights / weights.sum(), value


def _line(move: Move, policy: Doubles, value: float, color: Color) -> Line:
    bounded = max(-1.0, min(1.0, value))
    return Line(move, value=bounded, color=color, prior=float(policy[move]), pv=(move,))
