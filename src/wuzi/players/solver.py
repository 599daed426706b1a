"""The exact player of small boards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wuzi.base.schema import option
from wuzi.contract import Capabilities, Limit, Line, PlayResult, SearchInfo, Stop
from wuzi.core import Game, Move, Place, Position, Rule, Rules
from wuzi.players.base import BasePlayer, ThinkRequest
from wuzi.search.control import Control, drive, new_control, time_budget
from wuzi.search.exact.solver import DISTANCE_NODES, MAX_SIZE, ExactSolution, ExactSolver, Value


@dataclass(frozen=True)
class SolverConfig:
    """Options of :class:`SolverPlayer`."""

    nodes: int = option(20_000_000, "positions a move", "每步搜索的局面数上限", minimum=1)
    seed: int = option(0, "which of equally good moves is played", "同样好的着法中选哪一手的种子")


class SolverPlayer(BasePlayer[SolverConfig]):
    """Perfect play on boards up to 8x8: the shortest win, the longest defence, or a move that draws.

    Where the limit comes before the solution (larger boards, five in a row), it plays the cell on most
    rows, stopping a winning row if there is one.
    """

    registered_name = "solver"
    config_type = SolverConfig
    supports = Capabilities(rules=frozenset(rule for rule in Rule if not rule.forbids), max_size=MAX_SIZE)

    def __init__(self, config: SolverConfig) -> None:
        super().__init__(config)
        self._solver: ExactSolver | None = None

    def kernels(self, rules: Rules) -> tuple[str, ...]:
        """The search."""
        return ("wuzi.search.exact.kernels",)

    def answer(self, request: ThinkRequest, rng: np.random.Generator) -> PlayResult:
        """Solve the position within the limit and play by the solution; one line, whatever ``multipv``."""
        game, limit = request.game, request.limit
        ctl, nodes = new_control(), self._nodes(limit)
        line, solution = drive(
            lambda: self._best(game.position, rng, nodes, ctl),
            ctl,
            budget_s=time_budget(limit),
            stop=request.stop,
        )
        info = SearchInfo(
            color=game.to_move,
            lines=(line,),
            nodes=solution.nodes,
            depth=solution.plies or 0,
            time_s=solution.time_s,
        )
        return request.reported(PlayResult(Place(line.move), info))

    def evaluate(self, game: Game, limit: Limit = Limit(), stop: Stop | None = None) -> float | None:
        """The exact value; None where the limit comes first."""
        ctl, nodes, solver = new_control(), self._nodes(limit), self._for(game.rules)
        solution = drive(
            lambda: solver.solve(game.position, max_nodes=nodes, ctl=ctl),
            ctl,
            budget_s=time_budget(limit),
            stop=stop,
        )
        return {Value.WIN: 1.0, Value.LOSS: -1.0, Value.DRAW: 0.0}.get(solution.value)

    def close(self) -> None:
        """Free the tables."""
        self._solver = None

    def _nodes(self, limit: Limit) -> int:
        return min(n for n in (limit.nodes, limit.simulations, self.config.nodes) if n is not None)

    def _for(self, rules: Rules) -> ExactSolver:
        if self._solver is None or self._solver.rules != rules:
            self._solver = ExactSolver(rules)
        return self._solver

    def _best(
        self, position: Position, rng: np.random.Generator, nodes: int, ctl: Control
    ) -> tuple[Line, ExactSolution]:
        solver = self._for(position.rules)
        solution = solver.solve(position, max_nodes=nodes, ctl=ctl)
        moves = solution.moves
        if solution.value is Value.LOSS:
            distances = solver.distances(position, max_nodes=DISTANCE_NODES, ctl=ctl)
            longest = max(distances.values(), default=0)
            if best := [move for move, plies in distances.items() if plies == longest]:
                move = best[int(rng.integers(len(best)))]
                moves = moves if move == moves[0] else (move,)
        elif solution.value is Value.DRAW:
            kept = solver.choose(position, position.to_move.opponent, ctl)
            moves = () if kept is None else (kept,)
        if not moves:
            moves = (solver.likely_move(position),)
        return _line(position, moves, solution), solution


def _line(position: Position, moves: tuple[Move, ...], solution: ExactSolution) -> Line:
    sign = {Value.WIN: 1, Value.LOSS: -1, Value.DRAW: 0}.get(solution.value)
    if sign is None:
        return Line(move=moves[0], pv=moves)
    win_in = sign * solution.plies if solution.plies else None
    return Line(moves[0], float(sign), position.to_move, pv=moves, win_in=win_in or None)
