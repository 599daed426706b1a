"""One way to ask all solvers: wins by fours, wins by threats, exact values. Every win is checked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial

from wuzi.contract import Stop
from wuzi.core import Game, Move, Position, Rules
from wuzi.errors import ConfigError, UnsupportedError, WuziError
from wuzi.search.control import drive, new_control
from wuzi.search.exact.solver import ExactSolver, why_unsupported
from wuzi.tactics import Solution, VcfSolver, VctSolver
from wuzi.tactics.checker import why_proof_fails
from wuzi.tactics.proof import Attack, proof_by_fours
from wuzi.tactics.vcf import check_rules


class Kind(StrEnum):
    """A win of the side to move by fours, one by fours and open-four threats, or the exact value."""

    VCF = "vcf"
    VCT = "vct"
    EXACT = "exact"


@dataclass(frozen=True, slots=True)
class SolverResult:
    """What a solver found for one position.

    Attributes:
        result: ``win``, ``none`` or ``unknown``; for exact solving ``win``, ``loss``, ``draw`` or
            ``unknown``, for the side to move.
        moves: the winning line, both sides; see the solvers for where it ends.
        plies: its length.
        nodes: positions looked at.
        time_s: seconds it took.
    """

    result: str
    moves: tuple[Move, ...]
    plies: int
    nodes: int
    time_s: float


class RefutedError(WuziError):
    """A solver claimed a win that the independent checker does not accept: an error in wuzi."""


class Solvers:
    """Solvers of all kinds, made when first asked and kept for the next position."""

    def __init__(self) -> None:
        self._exact: ExactSolver | None = None

    _vcf = cached_property(lambda self: VcfSolver())
    _vct = cached_property(lambda self: VctSolver())

    def clear(self) -> None:
        """Forget earlier positions, so that the next answers are those of new solvers."""
        for solver in (self.__dict__.get("_vcf"), self.__dict__.get("_vct")):
            if solver is not None:
                solver.clear()

    def wins(self, position: Position, move: Move, *, nodes: int, stop: Stop | None = None) -> bool:
        """Whether a move wins by threats, whatever the reply, within the limit; the checker saw the proof.

        UnsupportedError and RefutedError as for :func:`solve`.
        """
        ctl = new_control()
        search = partial(self._vct.solve_move, position, move, max_nodes=nodes, ctl=ctl)
        found = drive(search, ctl, stop=stop)
        _check(position, found.proof, Kind.VCT)
        return found.proof is not None

    def solve(
        self,
        kind: Kind,
        position: Position,
        *,
        nodes: int | None = None,
        time_s: float | None = None,
        stop: Stop | None = None,
    ) -> SolverResult:
        """Ask about one position that is not over; a win has passed the checker. As :func:`solve`."""
        if (reason := why_not(kind, position.rules)) is not None:
            raise UnsupportedError(reason)
        ctl = new_control()
        if kind is Kind.EXACT:
            if self._exact is None or self._exact.rules != position.rules:
                self._exact = ExactSolver(position.rules)
            search = partial(self._exact.solve, position, max_nodes=nodes, ctl=ctl)
            solved = drive(search, ctl, budget_s=time_s, stop=stop)
            _check_end(position, solved.moves)
            return SolverResult(
                str(solved.value), solved.moves, len(solved.moves), solved.nodes, solved.time_s
            )
        answer: Solution
        if kind is Kind.VCF:
            fours = partial(self._vcf.solve, position, max_nodes=nodes, ctl=ctl)
            answer = drive(fours, ctl, budget_s=time_s, stop=stop)
            proof = proof_by_fours(position, answer.moves) if answer.moves else None
        else:
            threats = partial(self._vct.solve, position, max_nodes=nodes, ctl=ctl)
            answer = found = drive(threats, ctl, budget_s=time_s, stop=stop)
            proof = found.proof
        _check(position, proof, kind)
        return SolverResult(str(answer.verdict), answer.moves, answer.plies, answer.nodes, answer.time_s)


def solve(
    game: Game | Position,
    kind: Kind | str = Kind.VCT,
    *,
    nodes: int | None = None,
    time_s: float | None = None,
    stop: Stop | None = None,
) -> SolverResult:
    """Ask a solver for a forced win of the side to move, or for the exact value on a small board.

    Args:
        game: a game or position that is not over.
        kind: ``"vcf"``, ``"vct"`` or ``"exact"``.
        nodes: positions to look at, then the result is ``unknown``.
        time_s: seconds, likewise.
        stop: a request to stop early.

    Raises:
        ConfigError: an unknown kind.
        UnsupportedError: rules that this kind does not know, see :func:`why_not`.
        RefutedError: the checker refused a win.

    >>> import wuzi
    >>> solved = wuzi.solve(wuzi.Game.from_moves(wuzi.Rules(), "h8 a1 j8 a15 k8 o1".split()), "vcf")
    >>> print(solved.result, *solved.moves)
    win i8
    """
    if kind not in list(Kind):
        raise ConfigError(f"kind {str(kind)!r}: expected one of {', '.join(Kind)}")
    position = game.position if isinstance(game, Game) else game
    return Solvers().solve(Kind(kind), position, nodes=nodes, time_s=time_s, stop=stop)


def why_not(kind: Kind, rules: Rules) -> str | None:
    """None if solvers of this kind know the rules, else the reason."""
    if kind is Kind.EXACT:
        return why_unsupported(rules)
    try:
        check_rules(rules)
    except UnsupportedError as error:
        return str(error)
    return None


def _check(position: Position, proof: Attack | None, kind: Kind) -> None:
    if proof is not None and (reason := why_proof_fails(position, proof)) is not None:
        raise RefutedError(f"{kind} claims a win that the checker refuses: {reason}")


def _check_end(position: Position, line: tuple[Move, ...]) -> None:
    """Refuse a line of exact play that does not end with a winning row."""
    for move in line:
        position = position.play(move)
    if line and (position.outcome is None or position.outcome.winner is None):
        raise RefutedError("exact claims a win whose line ends without one")
