"""The shipped suite: enough of everything, and a sample proved once more."""

from __future__ import annotations

from collections import Counter

import pytest

from wuzi.analysis.scoring import in_bands, score_player, score_solvers
from wuzi.contract import Limit
from wuzi.core import Color, Game, Position
from wuzi.players import create_player
from wuzi.tactics.checker import why_line_fails
from wuzi.tactics.slow import SlowSearch
from wuzi.tactics.suite import Puzzle, PuzzleTheme, load_suite
from wuzi.tactics.vcf import VcfSolver, Verdict
from wuzi.tactics.vct import VctSolver

pytestmark = pytest.mark.kernels

LEAST = {
    PuzzleTheme.VCF: 1000,
    PuzzleTheme.VCT: 300,
    PuzzleTheme.NO_VCF: 150,
    PuzzleTheme.NO_VCT: 150,
    PuzzleTheme.DEFENCE: 200,
}


def sample(theme: PuzzleTheme, count: int) -> list[Puzzle]:
    puzzles = load_suite([theme])
    return list(puzzles[:: max(1, len(puzzles) // count)])


def passed(position: Position) -> Position:
    return Position.from_cells(position.rules, position.cells, position.to_move.opponent)


def test_there_is_enough_of_everything() -> None:
    puzzles = load_suite()
    counts = Counter(puzzle.theme for puzzle in puzzles)
    assert all(counts[theme] >= least for theme, least in LEAST.items()), counts
    assert len({puzzle.id for puzzle in puzzles}) == len(puzzles)
    assert len({(puzzle.rules, puzzle.position.key) for puzzle in puzzles}) == len(puzzles)
    for theme in PuzzleTheme:
        of_theme = [puzzle for puzzle in puzzles if puzzle.theme is theme]
        assert {puzzle.rules.rule.label for puzzle in of_theme} == {"freestyle", "standard", "renju"}
        assert {puzzle.to_move for puzzle in of_theme} == set(Color)
        assert all(puzzle.to_move is puzzle.position.to_move for puzzle in of_theme)
        assert len({puzzle.rules.size for puzzle in of_theme}) >= 3
        assert all(puzzle.position.outcome is None for puzzle in of_theme)


@pytest.mark.parametrize("puzzle", sample(PuzzleTheme.VCF, 25), ids=lambda puzzle: puzzle.id)
def test_wins_by_fours_are_real_and_shortest(puzzle: Puzzle) -> None:
    assert why_line_fails(puzzle.position, puzzle.line) is None
    answer = VcfSolver().solve(puzzle.position)
    assert (answer.verdict, answer.plies) == (Verdict.WIN, len(puzzle.line))


@pytest.mark.parametrize("puzzle", sample(PuzzleTheme.NO_VCF, 8), ids=lambda puzzle: puzzle.id)
def test_there_is_no_win_by_fours(puzzle: Puzzle) -> None:
    assert SlowSearch(fours_only=True, max_nodes=20_000).wins(puzzle.position) is False


@pytest.mark.parametrize("puzzle", sample(PuzzleTheme.NO_VCT, 5), ids=lambda puzzle: puzzle.id)
def test_there_is_no_win_by_threats(puzzle: Puzzle) -> None:
    solver = VctSolver()
    assert solver.solve(puzzle.position).verdict is Verdict.NONE
    slow = SlowSearch(fours_only=False, max_nodes=3000, advice=solver.advise)
    assert slow.wins(puzzle.position) is False


@pytest.mark.parametrize("puzzle", sample(PuzzleTheme.DEFENCE, 5), ids=lambda puzzle: puzzle.id)
def test_only_one_move_defends(puzzle: Puzzle) -> None:
    solver = VcfSolver()
    assert solver.solve(passed(puzzle.position)).verdict is Verdict.WIN
    (defence,) = puzzle.line
    after = puzzle.position.play(defence)
    assert SlowSearch(fours_only=True, max_nodes=20_000).wins(after) is False
    for move in puzzle.position.legal_moves[::5]:
        if move != defence:
            refuted = solver.solve(puzzle.position.play(move))
            assert refuted.verdict is Verdict.WIN
            assert (len(refuted.moves) + 1) // 2 <= puzzle.refuted_in


def test_puzzles_of_every_difficulty_are_there() -> None:
    for theme in (PuzzleTheme.VCF, PuzzleTheme.VCT, PuzzleTheme.DEFENCE):
        found = Counter(puzzle.difficulty for puzzle in load_suite([theme]))
        assert all(found[name] >= 5 for name in ("medium", "hard")), (theme, found)
        assert theme is PuzzleTheme.VCT or found["easy"] >= 5


def test_the_solvers_score_full_marks_on_a_sample() -> None:
    chosen = [puzzle for theme in PuzzleTheme for puzzle in sample(theme, 4)]
    marks = list(score_solvers(chosen))
    assert [mark.puzzle.id for mark in marks if not mark.solved] == []
    bands = in_bands(marks)
    assert sum(band.positions for band in bands) == len(chosen)
    assert all(band.solved == band.positions and band.skipped == 0 for band in bands)


def test_players_are_scored_by_their_moves() -> None:
    chosen = sample(PuzzleTheme.VCF, 4) + sample(PuzzleTheme.NO_VCF, 2) + sample(PuzzleTheme.DEFENCE, 3)
    with create_player("engine:table_mb=1,fresh=true") as engine, create_player("random:seed=1") as guess:
        good = list(score_player(engine, chosen, Limit(nodes=20_000)))
        bad = list(score_player(guess, chosen, Limit()))
    assert not any(mark.puzzle.theme is PuzzleTheme.NO_VCF for mark in good)
    playable = [mark for mark in good if mark.solved is not None and mark.puzzle.theme is PuzzleTheme.VCF]
    assert playable
    assert all(mark.solved for mark in playable)
    assert sum(bool(mark.solved) for mark in bad) <= len(bad) // 2
    line = chosen[0]
    assert Game.from_moves(line.rules, line.moves).position == line.position
