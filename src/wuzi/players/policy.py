"""The player that plays a net's policy, with no search at all."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wuzi.base.schema import option
from wuzi.contract import Limit, Line, PlayResult, SearchInfo, Stop
from wuzi.core import Color, Game, Move, Place, Position, Rules
from wuzi.errors import PlayerError
from wuzi.nets import PlaneEncoder, records_of, scalar_value
from wuzi.players.base import ThinkRequest
from wuzi.players.net_player import NetConfig, NetPlayer
from wuzi.search.tree.options import Doubles, with_temperature


@dataclass(frozen=True)
class PolicyConfig(NetConfig):
    """Options of :class:`PolicyPlayer`."""

    temperature: float = option(
        0.0,
        "0: the likeliest move; 1: drawn from the policy",
        "0 为最可能的点；1 为按策略抽取",
        minimum=0,
        maximum=10,
    )
    seed: int = option(0, "seed of the draw", "抽取的种子")


class PolicyPlayer(NetPlayer[PolicyConfig]):
    """The legal move of the greatest probability: one evaluation a move, no tree, no look ahead.

    Black's forbidden points in renju are left out while there are other moves.
    """

    registered_name = "policy"
    config_type = PolicyConfig

    def kernels(self, rules: Rules) -> tuple[str, ...]:
        """The nets' planes."""
        return ("wuzi.nets.planes_kernels",)

    def answer(self, request: ThinkRequest, rng: np.random.Generator) -> PlayResult:
        """Evaluate the position once; the limit plays no part."""
        game = request.game
        start = time.perf_counter()
        policy, value = self._ask(game)
        move = int(np.argmax(policy))
        if self.config.temperature > 0:
            move = int(rng.choice(len(policy), p=with_temperature(policy, self.config.temperature)))
        order = [
            int(cell) for cell in np.argsort(-policy, kind="stable") if policy[cell] > 0 and cell != move
        ]
        color = game.to_move
        info = SearchInfo(
            color=color,
            lines=tuple(
                _line(Move(cell, game.rules.size), policy, value, color)
                for cell in [move, *order][: request.multipv]
            ),
            nodes=1,
            time_s=time.perf_counter() - start,
            extra={"value": value},
        )
        return request.reported(PlayResult(Place(info.lines[0].move), info))

    def evaluate(self, game: Game, limit: Limit = Limit(), stop: Stop | None = None) -> float | None:
        """The net's value, for the choice of colour in swap games."""
        return self._ask(game)[1]

    def _ask(self, game: Game) -> tuple[Doubles, float]:
        """The net's policy over the legal moves and its value for the side to move."""
        evaluator = self.evaluator(game.rules)
        encoder = PlaneEncoder(evaluator.planes, game.rules)
        logits, values = evaluator.evaluate(encoder.encode(records_of([game])))
        value = float(scalar_value(values)[0])
        allowed = policy_cells(game.position)
        if not (np.isfinite(logits[0]).all() and np.isfinite(value)):
            raise PlayerError(f"net {self.config.net} answered with numbers that are not finite")
        weights = np.where(allowed, np.exp(logits[0].astype(np.float64) - logits[0][allowed].max()), 0.0)
        return weights / weights.sum(), value


def policy_cells(position: Position) -> npt.NDArray[np.bool_]:
    """Where a policy may play (bool [size * size]): on no forbidden point while there is another."""
    allowed = position.legal_mask()
    if position.to_move is Color.BLACK and (allowed & ~position.forbidden_mask()).any():
        allowed &= ~position.forbidden_mask()
    return allowed


def _line(move: Move, policy: Doubles, value: float, color: Color) -> Line:
    bounded = max(-1.0, min(1.0, value))
    return Line(move, value=bounded, color=color, prior=float(policy[move]), pv=(move,))
