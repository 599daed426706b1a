"""How many positions of the tactical suite a player, or the solvers, get right."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wuzi.analysis.solving import Kind, Solvers
from wuzi.contract import Limit, Player
from wuzi.core import Move, Position
from wuzi.tactics import Puzzle, PuzzleTheme, VcfSolver, VctSolver, Verdict

KEEP_NODES = 300_000
"""Positions that may be looked at to see whether a player's move keeps the win."""


@dataclass(frozen=True, slots=True)
class PuzzleMark:
    """Whether a puzzle was answered right; None where the player does not play its rules."""

    puzzle: Puzzle
    solved: bool | None
    time_s: float


@dataclass(frozen=True, slots=True)
class Band:
    """The marks of one theme and range of lengths."""

    theme: PuzzleTheme
    shortest: int  # shortest, longest: plies of the lines, inclusive; both 0 where a theme has no lengths
    longest: int
    positions: int  # how many were asked
    solved: int
    skipped: int  # how many the player could not be asked
    slowest_s: float
    mean_s: float


def score_player(player: Player, puzzles: Iterable[Puzzle], limit: Limit) -> Iterator[PuzzleMark]:
    """Ask a player for its move in each position that has a right one.

    In a won position a move is right if it wins at once, or if the threats solver proves that the win is
    still there after it; an only defence has to be found.
    """
    judge = VctSolver()
    for puzzle in puzzles:
        if puzzle.theme in (PuzzleTheme.NO_VCF, PuzzleTheme.NO_VCT):
            continue
        if player.capabilities.why_not(puzzle.rules) is not None:
            yield PuzzleMark(puzzle, None, 0.0)
            continue
        start = time.perf_counter()
        move = player.think(puzzle.game, limit).move
        seconds = time.perf_counter() - start
        yield PuzzleMark(puzzle, _is_right(puzzle, move, judge), seconds)


def _is_right(puzzle: Puzzle, move: Move, judge: VctSolver) -> bool:
    if move == puzzle.line[0]:
        return True
    if puzzle.theme is PuzzleTheme.DEFENCE:
        return False
    return judge.keeps_win(puzzle.position.play(move), max_nodes=KEEP_NODES) is Verdict.WIN


def score_solvers(
    puzzles: Iterable[Puzzle], *, nodes: int | None = None, time_s: float | None = None
) -> Iterator[PuzzleMark]:
    """Ask the solver of each theme for its verdict; only defences are found by trying every move."""
    solvers, vcf = Solvers(), VcfSolver()
    for puzzle in puzzles:
        start = time.perf_counter()
        if puzzle.theme is PuzzleTheme.DEFENCE:
            solved = defences(puzzle.position, vcf, nodes) == [puzzle.line[0]]
        else:
            kind = Kind.VCF if puzzle.theme in (PuzzleTheme.VCF, PuzzleTheme.NO_VCF) else Kind.VCT
            wanted = Verdict.WIN if puzzle.theme in (PuzzleTheme.VCF, PuzzleTheme.VCT) else Verdict.NONE
            answer = solvers.solve(kind, puzzle.position, nodes=nodes, time_s=time_s)
            solved = answer.result == wanted
        yield PuzzleMark(puzzle, solved, time.perf_counter() - start)


def defences(position: Position, solver: VcfSolver, nodes: int | None = None) -> list[Move]:
    """Moves after which the opponent has no win by fours (none proved within ``nodes`` positions each)."""
    found = []
    for move in position.legal_moves:
        after = position.play(move)
        lost = after.outcome is not None and after.outcome.winner is after.to_move
        if not lost and solver.solve(after, max_nodes=nodes).verdict is not Verdict.WIN:
            found.append(move)
    return found


BANDS = ((0, 0), (1, 7), (8, 11), (12, 15), (16, 25), (26, 999))
"""Ranges of lengths that are reported apart."""


def in_bands(marks: Sequence[PuzzleMark]) -> list[Band]:
    """The marks by theme and length of the line."""
    found = []
    for theme in PuzzleTheme:
        for shortest, longest in BANDS:
            chosen = [m for m in marks if m.puzzle.theme is theme and shortest <= _length(m) <= longest]
            asked = [m for m in chosen if m.solved is not None]
            if not chosen:
                continue
            times = [mark.time_s for mark in asked] or [0.0]
            band = Band(
                theme,
                shortest,
                max(map(_length, chosen)),
                positions=len(asked),
                solved=sum(bool(mark.solved) for mark in asked),
                skipped=len(chosen) - len(asked),
                slowest_s=max(times),
                mean_s=sum(times) / len(times),
            )
            found.append(band)
    return found


def _length(mark: PuzzleMark) -> int:
    return len(mark.puzzle.line) if mark.puzzle.theme in (PuzzleTheme.VCF, PuzzleTheme.VCT) else 0
