"""Wins by continuous threats (VCT): each attacking move makes a four or threatens an open four."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from wuzi.core import rule_kernels
from wuzi.core.layout import MAX_CELLS, MAX_NODES, NODES
from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.core.types import Color
from wuzi.tactics import checker_kernels, vcf_kernels, vct_kernels, vct_move_kernels
from wuzi.tactics import kernels as tactics_kernels
from wuzi.tactics.classes import tables
from wuzi.tactics.layout import PATTERNS, VCF, VCF_ENTRY, VCT, VCT_ENTRY
from wuzi.tactics.proof import Attack, chained, completed
from wuzi.tactics.vcf import VERDICTS, Solution, Verdict, check_rules

TABLE_BITS = 19
VCF_TABLE_BITS = 16
LEAF_NODES = 200
"""Positions that the search for fours may look at in each new position of the search for threats."""
DEFAULT_NODES = 5_000_000
PROOF_NODES = 20_000
"""Positions that the search for fours may look at in each position of a proof."""


@dataclass(frozen=True, slots=True)
class VctSolution(Solution):
    """The answer of :class:`VctSolver`; a win comes with its ``proof``, for the checker."""

    proof: Attack | None = None


class VctSolver:
    """Finds wins by fours and open-four threats, with a proof against every reply."""

    def __init__(self, leaf_nodes: int = LEAF_NODES) -> None:
        self._patterns = np.zeros(1, PATTERNS)[0]
        self._work = np.zeros(1, VCT)[0]
        self._work["leaf_nodes"] = leaf_nodes
        self._vcf = np.zeros(1, VCF)[0]
        self._vcf_entries = np.zeros(1 << VCF_TABLE_BITS, VCF_ENTRY)
        self._table = np.zeros(1 << TABLE_BITS, VCT_ENTRY)
        self._scratch = np.zeros(8, np.int64)

    def clear(self) -> None:
        """Forget earlier positions, so that the next answer is that of a new solver."""
        if self._work["solved"]:
            self._work["solved"] = self._work["used"] = 0
            for table in (self._vcf_entries, self._table):
                table.view(np.uint8).fill(0)

    def solve(self, position: Position, *, max_nodes: int | None = None, ctl: Any = None) -> VctSolution:
        """A win by threats of the side to move, if there is one within the limit.

        "none" means that there is no win in which every attacking move makes a four or leaves a point that
        makes an open four or two fours; a slower win may exist. ``max_nodes`` counts the positions of
        searches for fours too (five million by default); ``ctl`` (int64 [8]) can stop it from another thread.

        Raises:
            UnsupportedError: not freestyle, standard or renju with win length 4 or 5.
        """
        check_rules(position.rules)
        start = time.perf_counter()
        if position.outcome is not None:
            return VctSolution(Verdict.NONE, (), 0, 0.0)
        control = np.zeros(8, np.int64) if ctl is None else ctl
        found, state = self._search(position, control, max_nodes or DEFAULT_NODES, position.to_move)
        proof = None
        if found == vcf_kernels.WIN:
            proof = _ProofBuilder(self, position, state, control).build()
        verdict = VERDICTS[found]
        if found == vcf_kernels.WIN and proof is None:
            verdict = Verdict.UNKNOWN  # the limit was reached while the proof was written down
        moves = () if proof is None else completed(position, proof.main_line(), _last(proof).follow)
        nodes = int(control[NODES])
        return VctSolution(verdict, moves, nodes, time.perf_counter() - start, proof)

    def keeps_win(self, position: Position, *, max_nodes: int | None = None, ctl: Any = None) -> Verdict:
        """Whether the side that has just moved now wins by threats, whatever the reply.

        Arguments and errors as for :meth:`solve`.
        """
        check_rules(position.rules)
        if position.outcome is not None:
            won = position.outcome.winner is position.to_move.opponent
            return Verdict.WIN if won else Verdict.NONE
        control = np.zeros(8, np.int64) if ctl is None else ctl
        found, _ = self._search(position, control, max_nodes or DEFAULT_NODES, position.to_move.opponent)
        return VERDICTS[found]

    def solve_move(
        self, position: Position, move: Move, *, max_nodes: int | None = None, ctl: Any = None
    ) -> VctSolution:
        """A win by threats that begins with a move, whatever the reply; arguments as for :meth:`solve`.

        "none" means that the move leaves no such win. The position must not be over.
        """
        check_rules(position.rules)
        start = time.perf_counter()
        after, control = position.play(move), np.zeros(8, np.int64) if ctl is None else ctl
        if after.outcome is not None:
            won = after.outcome.winner is position.to_move
            verdict = Verdict.WIN if won else Verdict.NONE
            return VctSolution(verdict, (move,) * won, 0, 0.0, Attack(move) if won else None)
        found, state = self._search(after, control, max_nodes or DEFAULT_NODES, position.to_move)
        proof = None
        if found == vcf_kernels.WIN:
            proof = _ProofBuilder(self, position, state, control).answered(move)
        verdict = Verdict.UNKNOWN if found == vcf_kernels.WIN and proof is None else VERDICTS[found]
        moves = () if proof is None else completed(position, proof.main_line(), _last(proof).follow)
        return VctSolution(verdict, moves, int(control[NODES]), time.perf_counter() - start, proof)

    def search(self, position: Position, *, max_nodes: int | None = None) -> int:
        """Search as :meth:`solve` does and count the positions, for measuring the speed."""
        control = np.zeros(8, np.int64)
        self._search(position, control, max_nodes or DEFAULT_NODES, position.to_move)
        return int(control[NODES])

    def advise(self, state: Any, attacker: int, replies: list[int]) -> int | None:
        """Which of the replies (points) on a board stops the attacker, by what the last search learned."""
        salt = np.uint64(rule_kernels.mix(np.uint64(self._work["solved"])))
        key = vct_move_kernels.vct_key(state, attacker) ^ salt ^ np.uint64(rule_kernels.SIDE_KEY)
        for reply in replies:
            child = key ^ np.uint64(rule_kernels.zobrist(reply, int(state["side"])))
            place = int(vct_move_kernels.vct_find(self._table, child))
            if place >= 0 and int(self._table["delta"][place]) == 0:
                return reply
        return None

    def _search(self, position: Position, control: Any, max_nodes: int, attacker: Color) -> tuple[int, Any]:
        state, table = position.state(), tables(position.rules.rule, position.rules.win_length)
        control[MAX_NODES] = max_nodes
        vct_kernels.vct_begin(*self._records(state, table, control))
        return self._again(state, table, control, int(attacker)), state

    def _again(self, state: Any, table: Any, control: Any, attacker: int) -> int:
        """Search the board as it is now in ``state`` and the patterns."""
        return int(vct_kernels.vct_search(*self._records(state, table, control), attacker))

    def _records(self, state: Any, table: Any, control: Any) -> tuple[Any, Any]:
        return (
            vct_kernels.VctRecords(state, self._patterns, table, self._work, self._vcf),
            vct_kernels.VctArrays(self._vcf_entries, self._table, control, self._scratch),
        )


def _last(proof: Attack) -> Attack:
    """The last attack of the main line."""
    while proof.replies:
        proof = max(proof.replies.values(), key=lambda attack: attack.plies)
    return proof


class _ProofBuilder:
    """Reads a win out of the tables, searching again where an entry was overwritten."""

    def __init__(self, solver: VctSolver, position: Position, state: Any, control: Any) -> None:
        self._solver, self._state, self._control = solver, state, control
        self._size = position.rules.size
        self._attacker = int(position.to_move)
        self._tables = tables(position.rules.rule, position.rules.win_length)
        self._known: dict[int, Attack] = {}
        self._points = np.empty(MAX_CELLS, np.int64)

    def build(self) -> Attack | None:
        """The proof of the position in ``state``, whose side to move attacks; None if cut short."""
        key = int(self._state["key"])
        if key not in self._known:
            points = self._fours()
            attack = self._by_fours(points) if points else self._by_threat()
            if attack is None:
                return None
            self._known[key] = attack
        return self._known[key]

    def _push(self, point: int) -> None:
        tactics_kernels.pattern_push(self._state, self._solver._patterns, self._tables, point)

    def _pop(self) -> None:
        tactics_kernels.pattern_pop(self._state, self._solver._patterns, self._tables)

    def _cell(self, point: int) -> Move:
        return Move(rule_kernels.to_cell(int(point), self._size), self._size)

    def _winning(self) -> list[int]:
        count = int(checker_kernels.winning_points(self._state, self._attacker, self._points))
        return [int(point) for point in self._points[:count]]

    def _fours(self) -> list[int]:
        """The line of a win by fours, as points."""
        solver = self._solver
        ctl = np.zeros(8, np.int64)
        args = (self._state, solver._patterns, self._tables, solver._vcf, solver._vcf_entries, ctl)
        if vcf_kernels.vcf_within(*args, vcf_kernels.MAX_FOURS, PROOF_NODES) != vcf_kernels.WIN:
            return []
        return [int(point) for point in solver._vcf["line"][: int(solver._vcf["length"])]]

    def _by_fours(self, points: list[int]) -> Attack:
        follows = []
        for i, point in enumerate(points):
            self._push(point)
            if i % 2 == 0:
                wins = [] if self._state["result"] else self._winning()
                follows.append(tuple(map(self._cell, wins)))
        for _ in points:
            self._pop()
        return chained([self._cell(point) for point in points], follows)

    def _by_threat(self) -> Attack | None:
        point = int(vct_kernels.vct_point(*self._records()))
        if point < 0:
            return None
        self._push(point)
        attack = self.answered(self._cell(point))
        self._pop()
        return attack

    def answered(self, move: Move) -> Attack | None:
        """The proof of an attack that is the last stone on the board; None if cut short."""
        count = int(vct_kernels.vct_follow(self._records()[0], self._points))
        follow, work = tuple(map(self._cell, self._points[:count])), self._solver._work
        answers: dict[Move, Attack] = {}
        complete = True
        for reply in work["moves"][0][: int(work["replies"])].tolist():
            self._push(reply)
            attack = None if self._state["result"] else self.build()
            over = int(self._state["result"]) == self._attacker
            self._pop()
            if over:
                continue  # the only reply is forbidden
            if attack is None:
                complete = False
                break
            answers[self._cell(reply)] = attack
        return Attack(move, follow, answers) if complete else None

    def _records(self) -> tuple[Any, Any]:
        return self._solver._records(self._state, self._tables, self._control)
