"""Looking for positions worth keeping, and proving what is said of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from wuzi.core import Game, Move, Position
from wuzi.core.layout import MAX_CELLS
from wuzi.tactics.checker import why_line_fails, why_proof_fails
from wuzi.tactics.checker_kernels import attack_points
from wuzi.tactics.proof import points_to_win, proof_by_fours
from wuzi.tactics.slow import SlowSearch
from wuzi.tactics.vcf import Solution, VcfSolver, Verdict
from wuzi.tactics.vct import VctSolver

VCF_NODES = 200_000
VCT_NODES = 60_000
SLOW_VCF_NODES = 20_000
SLOW_VCT_NODES = 3_000
SHORTEST = {"vcf": 5, "vct": 7}
FEWEST_ATTACKS = {"vcf": 3, "vct": 4}
"""A position without a win is kept only if so many points make a threat (fours only, for VCF)."""
FEWEST_NODES = 8
"""A position without a win by fours is kept only if its search took so many positions."""
APART = 6
"""Plies between two positions of one kind and side from the same game."""


class Finder:
    """Finds and proves tactical positions in games."""

    def __init__(self) -> None:
        self._vcf, self._vct = VcfSolver(), VctSolver()
        self._slow_vcf = SlowSearch(fours_only=True, max_nodes=SLOW_VCF_NODES)
        self._slow_vct = SlowSearch(fours_only=False, max_nodes=SLOW_VCT_NODES, advice=self._vct.advise)

    def finds(self, game: Game) -> list[dict[str, Any]]:
        """What a game offers but for threats: of each kind and side the first position of a run of them."""
        moves = game.moves
        found = []
        last: dict[tuple[str, int], int] = {}
        replay = Game(game.rules)
        for ply, move in enumerate(moves):
            if ply >= 4 and (entry := self._look_at(replay.position, threats=False)) is not None:
                place = (str(entry["kind"]), ply % 2)
                if last.get(place, -99) < ply - APART:
                    found.append({**entry, **_rules_of(game), "moves": _text(moves[:ply], game)})
                last[place] = ply
            replay = replay.play(move)
        return found

    def find_last(self, game: Game, *, threats: bool) -> list[dict[str, Any]]:
        """What the last position of an unfinished game offers: a win by fours, or anything at all."""
        position = game.position
        if threats:
            entry = self._look_at(position, threats=True)
        elif points_to_win(position, position.to_move):
            entry = None
        else:
            entry, _ = self._by_fours(position)
        return [] if entry is None else [{**entry, **_rules_of(game), "moves": _text(game.moves, game)}]

    def _look_at(self, position: Position, *, threats: bool) -> dict[str, Any] | None:
        if points_to_win(position, position.to_move):
            return None
        entry, by_fours = self._by_fours(position)
        if by_fours.verdict is Verdict.WIN:
            return entry
        if by_fours.verdict is Verdict.UNKNOWN or points_to_win(position, position.to_move.opponent):
            return None
        if threats and (entry := self._by_threats(position)) is not None:
            return entry
        defence = self._only_defence(position)
        if defence is not None:
            return _entry(position, "defence", (defence,))
        turn = position.ply % 7 == 0  # there are many such positions
        near = turn and by_fours.nodes >= FEWEST_NODES and self._attacks(position, 1) >= FEWEST_ATTACKS["vcf"]
        if near and self._slow_vcf.wins(position) is False:
            return _entry(position, "no_vcf", ())
        return None

    def _by_fours(self, position: Position) -> tuple[dict[str, Any] | None, Solution]:
        answer = self._vcf.solve(position, max_nodes=VCF_NODES)
        if answer.plies < SHORTEST["vcf"]:
            return None, answer
        assert why_line_fails(position, answer.moves) is None, f"a false win: {position} {answer.moves}"
        return _entry(position, "vcf", answer.moves), answer

    def _by_threats(self, position: Position) -> dict[str, Any] | None:
        answer = self._vct.solve(position, max_nodes=VCT_NODES)
        if answer.proof is not None:
            sound = why_proof_fails(position, answer.proof) is None
            assert sound, f"a false win: {position} {answer.moves}"
            if answer.plies < SHORTEST["vct"] or self._slow_vcf.wins(position) is not False:
                return None
            return _entry(position, "vct", answer.moves)
        near = answer.verdict is Verdict.NONE and self._attacks(position, 0) >= FEWEST_ATTACKS["vct"]
        if near and self._slow_vct.wins(position) is False:
            return _entry(position, "no_vct", ())
        return None

    def _attacks(self, position: Position, fours_only: int) -> int:
        return int(attack_points(position.state(), fours_only, np.empty(MAX_CELLS, np.int64)))

    def _only_defence(self, position: Position) -> Move | None:
        """The one move that stops the enemy's win by fours, if all others lose to one."""
        passed = Position.from_cells(position.rules, position.cells, position.to_move.opponent)
        threat = self._vcf.solve(passed, max_nodes=VCF_NODES)
        if threat.verdict is not Verdict.WIN:
            return None
        defence: Move | None = None
        lost: list[tuple[Position, tuple[Move, ...]]] = []
        for move in sorted(position.legal_moves, key=lambda m: m not in threat.moves):
            after = position.play(move)
            if after.outcome is not None:
                continue
            answer = self._vcf.solve(after, max_nodes=VCF_NODES)
            if answer.verdict is Verdict.WIN:
                lost.append((after, answer.moves))
            elif answer.verdict is Verdict.UNKNOWN or defence is not None:
                return None
            else:
                defence = move
        if defence is None or self._slow_vcf.wins(position.play(defence)) is not False:
            return None
        for after, line in lost:
            assert why_proof_fails(after, proof_by_fours(after, line)) is None, f"a false win: {after}"
        return defence


def _text(moves: tuple[Move, ...], game: Game) -> str:
    return " ".join(f"{move % game.rules.size},{move // game.rules.size}" for move in moves)


def _rules_of(game: Game) -> dict[str, Any]:
    rules = game.rules
    return {"size": rules.size, "win_length": rules.win_length, "rule": rules.rule.label}


def _entry(position: Position, kind: str, line: tuple[Move, ...]) -> dict[str, Any]:
    size = position.rules.size
    text = " ".join(f"{m % size},{m // size}" for m in line)
    return {"kind": kind, "line": text, "plies": len(line)}
