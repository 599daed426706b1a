"""Reviews of real games, their judgement, and what they leave behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from wuzi.analysis.judgement_kernels import loss_mark
from wuzi.analysis.review import (
    Judgement,
    MoveMark,
    Review,
    ReviewOptions,
    TaskKind,
    judge,
    next_task,
    run_review,
)
from wuzi.analysis.review.judgement import accuracy_of
from wuzi.analysis.review.model import ReviewStage
from wuzi.analysis.review.subject import ReviewedGame
from wuzi.contract import Stop
from wuzi.core import Game, Keep, Opening, Outcome, PlaceSeveral, Reason, Rule, Rules, Swap, parse_moves
from wuzi.core.types import Color
from wuzi.errors import ConfigError, PlayerError
from wuzi.players import create_player
from wuzi.records import load
from wuzi.tactics.checker import why_line_fails, why_proof_fails
from wuzi.tactics.vcf import VcfSolver, Verdict
from wuzi.tactics.vct import VctSolver

GAMES = Path(__file__).parent / "games"
SMALL = ReviewOptions(
    "engine:table_mb=16", 500, 1000, verify_nodes=500_000, multipv=2, proof_nodes=30_000, strength=False
)


def reviewed(game: Game, options: ReviewOptions = SMALL) -> Review:
    review = Review.of(game, options)
    with create_player(options.player) as player:
        assert run_review(review, player)
    return review


@pytest.fixture(scope="module")
def missed() -> Review:
    """A game between two levels of the engine in which White once had a win by fours and let it go."""
    return reviewed(load(GAMES / "missed_vcf.sgf").game())


@pytest.fixture(scope="module")
def only() -> Review:
    """A game with moves that alone stopped a win by fours."""
    return reviewed(load(GAMES / "only_defence.sgf").game())


def test_a_known_missed_win_is_found_with_a_line_that_the_checker_accepts(missed: Review) -> None:
    move = judge(missed).moves[19]
    assert move.missed is not None
    assert move.missed.kind == "vcf"
    assert move.mark is MoveMark.BLUNDER
    assert move.missed.moves[0] != move.move
    position = missed.subject.positions[19]
    assert why_line_fails(position, move.missed.moves[:3]) is not None, "a part of it proves nothing"
    proof = VctSolver().solve(position).proof
    assert proof is not None
    assert why_proof_fails(position, proof) is None
    assert move.allowed is not None, "it lost the game on top of that"
    assert VcfSolver().solve(missed.subject.positions[20]).moves == move.allowed.moves


def test_what_the_proof_of_the_board_says_is_judged_by_it() -> None:
    game = Game.from_moves(Rules(15), parse_moves("h8i7i9g7j9g8", 15))
    lost = judge(reviewed(game, replace(SMALL, deep_nodes=0)))
    assert lost.winrates == (1.0,) * 7
    assert [move.wins for move in lost.moves] == [True, False] * 3
    assert [move.is_lost for move in lost.moves] == [False, True] * 3
    assert {move.mark for move in lost.moves[1::2]} == {None}
    left = judge(reviewed(Game.from_moves(Rules(15), (*game.moves[:4], *parse_moves("a1b2", 15))), SMALL))
    assert not any(move.is_lost or move.wins for move in left.moves), "who leaves the proof need not lose"
    assert lost.black.accuracy == pytest.approx(100, abs=0.01)
    assert (lost.white.moves, lost.white.accuracy, lost.white.mean_loss) == (3, None, None)


def test_every_win_that_is_claimed_is_one(missed: Review, only: Review) -> None:
    claims = 0
    for review in (missed, only):
        for move in judge(review).moves:
            for ply, win in ((move.ply, move.missed), (move.ply + 1, move.allowed)):
                if win is None:
                    continue
                claims += 1
                end = review.subject.positions[ply]
                winner = end.to_move
                for cell in win.moves:
                    end = end.play(cell)
                if end.outcome is not None:
                    assert end.outcome.winner is winner
                else:
                    assert len(win.moves) % 2 == 1, "it ends with the attacker"
                assert VctSolver().solve(review.subject.positions[ply]).verdict is Verdict.WIN
    assert claims > 4


def test_an_allowed_win_names_a_move_that_would_have_held(missed: Review) -> None:
    allowed = [move for move in judge(missed).moves if move.allowed is not None]
    assert allowed
    for move in allowed:
        assert move.mark is MoveMark.BLUNDER
        assert move.loses == move.allowed
        assert move.defence is not None
        if move.missed is not None:
            assert move.defence == move.missed.moves[0]
            continue
        held = missed.subject.positions[move.ply].play(move.defence)
        assert VcfSolver().solve(held).verdict is Verdict.NONE
        assert VctSolver().solve(held, max_nodes=30_000).verdict is not Verdict.WIN


def test_an_only_defence_is_the_only_one(only: Review) -> None:
    moves = [move for move in judge(only).moves if move.only is not None]
    assert moves
    solver = VcfSolver()
    for move in moves:
        position = only.subject.positions[move.ply]
        holding = [
            cell for cell in position.legal_moves if solver.solve(position.play(cell)).verdict is Verdict.NONE
        ]
        assert holding == [move.only]
    judgement = judge(only)
    found = sum(move.only == move.move for move in moves)
    assert sum(side.only_found for side in judgement.sides) == found
    assert sum(side.only_missed for side in judgement.sides) == len(moves) - found


def test_losses_marks_and_reports_agree(missed: Review) -> None:
    judgement = judge(missed)
    assert judgement.winrates[-1] == 1.0, "Black made five"
    for move in judgement.moves:
        assert move.loss is not None
        decided = missed.has_win(move.ply) or missed.is_lost(move.ply)
        assert move.is_deep or decided
        if move.mark is MoveMark.BLUNDER:
            assert move.loss > 20
            assert move.missed or move.allowed
        elif move.mark is not None and move.loss <= 20:
            assert move.mark is tuple(MoveMark)[loss_mark(move.loss)]
        if move.wins or (move.best[:1] == (move.move,) and move.loses is None):
            assert move.loss == 0
    for side in judgement.sides:
        mine = [move for move in judgement.moves if move.color is side.color]
        assert side.moves == len(mine)
        assert side.blunders == sum(move.mark is MoveMark.BLUNDER for move in mine)
        chosen = [accuracy_of(move.loss or 0) for move in mine if not move.is_lost]
        assert side.accuracy == pytest.approx(sum(chosen) / len(chosen))
    severities = [move.severity for move in judgement.worst]
    assert severities == sorted(severities, reverse=True)


@pytest.mark.parametrize(
    ("loss", "mark"),
    [
        (0, MoveMark.GOOD),
        (5, MoveMark.GOOD),
        (5.1, MoveMark.INACCURACY),
        (10.1, MoveMark.MISTAKE),
        (20.1, MoveMark.BLUNDER),
    ],
)
def test_marks_by_stated_thresholds(loss: float, mark: MoveMark) -> None:
    assert tuple(MoveMark)[loss_mark(loss)] is mark


def test_a_stopped_review_goes_on_where_it_was() -> None:
    game = load(GAMES / "missed_vcf.sgf").game().at(9)
    review, stop = Review.of(game, SMALL), Stop()
    seen: list[ReviewStage] = []

    def count(progress: ReviewStage) -> None:
        seen.append(progress)
        if len(seen) == 14:
            stop.set()

    with create_player(SMALL.player) as player:
        assert not run_review(review, player, on_progress=count, stop=stop)
        done = dict(review.results)
        assert len(done) == 13
        partial = judge(review)
        assert partial.winrates[0] is not None
        assert run_review(review, player, on_progress=seen.append)
    assert next_task(review) is None
    assert done.items() <= review.results.items()
    fractions = [one.fraction for one in seen]
    assert fractions == sorted(fractions)
    assert seen[-1] == ReviewStage(None, 0, 0, 1.0)


def test_the_first_pass_alone_gives_marks() -> None:
    game = load(GAMES / "missed_vcf.sgf").game()
    review = Review.of(game, replace(SMALL, deep_nodes=0, proof_nodes=1))
    with create_player(SMALL.player) as player:
        run_review(review, player)
    assert not any(key.startswith("deep") for key in review.results)
    assert all(move.mark is not None or move.is_lost for move in judge(review).moves[:10])


GAMES_OF_ALL_KINDS = {
    "renju, lost by a forbidden point": (Rules(rule=Rule.RENJU), "h8a1i8c1h9e1i9g1j8a3k10c3l11e3j10"),
    "caro": (Rules(rule=Rule.CARO), "h8i8h9i9h10i10"),
    "standard on 9x9": (Rules(size=9, rule=Rule.STANDARD), "e5e6f5f6g5"),
    "four in a row on 6x6": (Rules(size=6, win_length=4), "c3d4c4d3c2c5"),
    "twenty": (Rules(size=20), "j10k10j11"),
}


@pytest.mark.parametrize("name", GAMES_OF_ALL_KINDS)
def test_all_rules_sizes_and_unfinished_games(name: str) -> None:
    rules, moves = GAMES_OF_ALL_KINDS[name]
    game = Game.from_moves(rules, parse_moves(moves, rules.size))
    tiny = ReviewOptions("minimax:depth=1", quick_nodes=100, deep_nodes=0, verify_nodes=100, proof_nodes=500)
    review = reviewed(game, tiny)
    judgement = judge(review)
    assert len(judgement.moves) == len(game.moves)
    assert all(move.loss is not None for move in judgement.moves)
    assert all(side.accuracy is not None for side in judgement.sides)


def test_three_in_a_row_needs_no_tactics() -> None:
    game = Game.from_moves(Rules(size=3, win_length=3), parse_moves("b2a1c3", 3))
    review = reviewed(game, ReviewOptions("minimax:depth=2", quick_nodes=100, deep_nodes=0, verify_nodes=100))
    assert judge(review).moves[2].loss is not None


def test_a_resigned_game_is_looked_at_to_its_last_position() -> None:
    game = Game.from_moves(Rules(size=9), parse_moves("e5e6f5", 9)).resign(Color.WHITE)
    review = reviewed(game, replace(SMALL, deep_nodes=0))
    assert review.result(TaskKind.QUICK, 3) is not None
    drawn = Game.from_moves(Rules(size=9), parse_moves("e5e6", 9)).end(Outcome(None, Reason.AGREEMENT))
    assert ReviewedGame(drawn).last_open == 2


def test_stones_of_an_opening_are_not_judged() -> None:
    rules = Rules(opening=Opening.SWAP2)
    game = Game(rules).act(PlaceSeveral(parse_moves("h8i9j7", 15)))
    assert ReviewedGame(game).judged_from == 3
    swapped = game.act(Swap()).play("k10").play("g6")
    assert ReviewedGame(swapped).judged_from == 3
    five = game.act(PlaceSeveral(parse_moves("c3d4", 15))).act(Keep()).play("k10")
    assert ReviewedGame(five).judged_from == 5
    review = reviewed(
        swapped,
        ReviewOptions("minimax:depth=1", quick_nodes=50, deep_nodes=0, verify_nodes=50, proof_nodes=100),
    )
    judgement: Judgement = judge(review)
    assert [move.loss is None for move in judgement.moves] == [True, True, True, False, False]
    assert judgement.black.moves + judgement.white.moves == 2


def test_nothing_to_review_and_players_without_opinions_are_refused() -> None:
    with pytest.raises(ConfigError, match="no moves"):
        Review.of(Game())
    review = Review.of(Game.from_moves(Rules(), parse_moves("h8", 15)), replace(SMALL, player="random"))
    with create_player("random") as player, pytest.raises(PlayerError, match="gives no win rate"):
        run_review(review, player)
    with pytest.raises(ConfigError, match="quick_nodes is 0"):
        ReviewOptions(quick_nodes=0)
