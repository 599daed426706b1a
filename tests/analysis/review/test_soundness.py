"""A review is never wrong while sounding certain, and the same at every run."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

from wuzi.analysis.review import (
    Defence,
    Examiner,
    MoveMark,
    MoveReview,
    Proof,
    ProvedWin,
    Review,
    ReviewOptions,
    ReviewTask,
    SearchedPosition,
    TaskKind,
    judge,
    next_task,
)
from wuzi.analysis.review.model import DEPTHS
from wuzi.analysis.review.output import move_text, review_json
from wuzi.analysis.review.results import SeenLine, result_json
from wuzi.analysis.review.tasks import default_analyst
from wuzi.analysis.review.trial import Goal, Trial, TrialVerdict, judge_move
from wuzi.core import Game, Outcome, Reason, Rule, Rules, parse_moves
from wuzi.core.types import Color
from wuzi.players import create_player
from wuzi.players.proof_player import proved_move
from wuzi.records import load
from wuzi.tactics import VctSolver, Verdict
from wuzi.tactics.checker import why_proof_fails
from wuzi.tactics.suite import load_suite

GAMES = Path(__file__).parent / "games"
TINY = ReviewOptions(
    quick_nodes=400, deep_nodes=1000, verify_nodes=2000, multipv=2, proof_nodes=20_000, strength=False
)
QUIET_WIN = "H8 G9 F9 G8 G7 I9 H6 H9 F7 F8 E7 H7 E8 D7 G6 D9 E6 E9 F6 D6 I6"
"""After 9.F7 Black wins by force, but not by threats alone."""


def game_of(moves: str, rules: Rules = Rules()) -> Game:
    return Game.from_moves(rules, parse_moves(moves.replace(" ", "").lower(), rules.size))


def reviewed(game: Game, options: ReviewOptions = TINY, plies: Collection[int] | None = None) -> Review:
    review = Review.of(game, options)
    with create_player(options.player) as player:
        examiner = Examiner(player, options)
        while (task := next_task(review, plies)) is not None:
            review.results[task.key] = examiner.run(review.subject, task)
    return review


def test_a_move_that_wins_is_not_marked_nor_is_one_where_all_lose() -> None:
    """At Normal: 9.F7 lets a win by threats go and wins more slowly, 10.F8 is lost as everything else is."""
    review = reviewed(game_of(QUIET_WIN), ReviewOptions(), range(7, 11))
    winning, lost = judge(review).moves[8:10]
    assert (winning.mark, winning.missed, winning.loss) == (MoveMark.GOOD, None, 0)
    assert winning.open_win is not None, "it had a proved win, and nothing proves the other one"
    assert (lost.mark, lost.allowed, lost.missed) == (None, None, None)
    assert lost.loses is not None, "that it loses is proved"
    assert lost.is_lost or lost.seems_lost
    assert lost.defence is None, "a four that only delays is no defence"


@pytest.fixture(scope="module")
def known() -> Game:
    return load(GAMES / "missed_vcf.sgf").game()


def test_what_is_found_depends_on_nothing_that_was_looked_at_before(known: Game) -> None:
    """Tasks in any order, and by several examiners, find the same."""
    review = reviewed(known)
    tasks = [(TaskKind(kind), int(ply)) for kind, ply in (key.split(".") for key in review.results)]
    random.Random(1).shuffle(tasks)
    moves = {task.key: task.moves for task in _all_tasks(review)}
    with create_player(TINY.player) as one, create_player(TINY.player) as other:
        workers = [Examiner(player, TINY) for player in (one, other)]
        for number, (kind, ply) in enumerate(tasks):
            task = ReviewTask(kind, ply, moves[f"{kind}.{ply}"])
            again = workers[number % 3 % 2].run(review.subject, task)
            assert result_json(again) == result_json(review.results[task.key]), task.key


def _all_tasks(review: Review) -> list[ReviewTask]:
    empty = Review(review.subject, review.options)
    found = []
    while (task := next_task(empty)) is not None:
        found.append(task)
        empty.results[task.key] = review.results[task.key]
    return found


def test_an_engine_that_remembers_forgets_between_positions(known: Game) -> None:
    """A spec without ``fresh`` gives the same review, too, whatever it thought of before."""
    options = replace(TINY, player="engine:table_mb=16")
    assert reviewed(known.at(8), options).results == reviewed(known.at(8)).results


def test_every_face_has_the_same_budgets_and_analyst() -> None:
    options = ReviewOptions()
    assert (options.quick_nodes, options.deep_nodes, options.verify_nodes) == DEPTHS["normal"]
    assert default_analyst(Rules()) == options.player
    assert default_analyst(Rules(rule=Rule.CARO)).startswith("minimax")


def test_a_move_that_is_proved_to_win_has_a_proof_that_the_checker_accepts(known: Game) -> None:
    review = reviewed(known)
    of_the_board = [proved_move(review.subject.game_at(ply)) for ply in range(known.ply)]
    winning = [move for move in judge(review).moves if move.wins and of_the_board[move.ply] != move.move]
    assert winning
    for move in winning:
        assert (move.mark, move.loss) == (MoveMark.GOOD, 0)
        position = review.subject.positions[move.ply]
        found = VctSolver().solve_move(position, move.move)
        assert found.verdict is Verdict.WIN
        assert found.proof is not None
        assert why_proof_fails(position, found.proof) is None


def test_solving_for_a_move_says_so_where_it_wins_nothing() -> None:
    position = game_of("h8 a1 i8 a2 j8 a15").position
    solver = VctSolver()
    assert solver.solve_move(position, position.check("k8")).verdict is Verdict.WIN
    assert solver.solve_move(position, position.check("a8")).verdict is Verdict.NONE
    five = game_of("h8 a1 i8 a2 j8 a15 k8 o1").position
    assert solver.solve_move(five, five.check("l8")).verdict is Verdict.WIN


def test_a_position_in_which_every_move_is_proved_to_lose_says_so() -> None:
    game = game_of("h8 a1 i8 a3 j8 a5 k8 a7 l8")
    review = reviewed(game)
    last = judge(review).moves[7]
    assert (last.is_lost, last.mark) == (True, None)
    assert move_text(review, last)[0] == "Every move loses here."
    assert move_text(review, last, "zh")[0] == "此处走哪里都输。"


# ---------------------------------------------------------------- the judgement alone


def look(rate: float, move: str = "a1", win_in: int | None = None) -> SearchedPosition:
    cells = parse_moves(move, 15)
    return SearchedPosition(rate, 1, (SeenLine(cells[0], rate, win_in, cells),))


NO_WIN = Proof(None, False, None, None, False)
WIN = Proof(ProvedWin("vct", parse_moves("k8", 15)), False, None, None, False)


def judged(at: dict[str, object], ply: int = 4) -> MoveReview:
    """The move at a ply of an ordinary game, by the results that are given."""
    review = Review.of(game_of("h8 h9 i8 i9 j10 k11"))
    review.results.update(at)  # type: ignore[arg-type]
    return judge(review).moves[ply]


def test_what_is_only_believed_is_no_blunder() -> None:
    move = judged({"prove.4": NO_WIN, "prove.5": NO_WIN, "deep.4": look(0.9), "deep.5": look(0.1)})
    assert move.mark is MoveMark.MISTAKE
    assert (move.missed, move.allowed, move.loses, move.seems_lost) == (None, None, None, False)


@pytest.mark.parametrize(
    ("believed", "verified", "mark"),
    [
        (0.2, None, MoveMark.MISTAKE),
        (0.2, 0.3, MoveMark.BLUNDER),
        (0.2, 0.6, MoveMark.MISTAKE),
        (0.2, 0.45, MoveMark.MISTAKE),
        (0.2, 0.97, MoveMark.GOOD),
        (0.7, 0.2, MoveMark.MISTAKE),
        (0.7, 0.0, MoveMark.BLUNDER),
    ],
)
def test_a_win_is_missed_only_where_longer_searches_agree(
    believed: float, verified: float | None, mark: MoveMark
) -> None:
    at: dict[str, object] = {"prove.4": WIN, "prove.5": NO_WIN, "deep.5": look(believed)}
    if verified is not None:
        at["verify.4"] = look(verified)
    move = judged(at)
    assert move.mark is mark
    assert (move.missed is not None) == (mark is MoveMark.BLUNDER)
    assert (move.open_win is None) == (mark is MoveMark.BLUNDER)


@pytest.mark.parametrize(
    ("verified", "mark"),
    [(None, MoveMark.MISTAKE), (0.6, MoveMark.BLUNDER), (0.35, MoveMark.MISTAKE), (0.0, None)],
)
def test_a_win_is_allowed_only_where_the_defence_holds_in_a_longer_search(
    verified: float | None, mark: MoveMark | None
) -> None:
    at = {
        "prove.4": NO_WIN,
        "prove.5": WIN,
        "deep.4": look(0.6),
        "defend.4": Defence(parse_moves("g7", 15)[0], 1),
    }
    move = judged(at if verified is None else at | {"verify.4": look(verified)})
    assert move.mark is mark
    assert move.loses is not None
    assert (move.allowed is not None) == (mark is MoveMark.BLUNDER)
    assert (move.defence is None) == (mark is None)


@pytest.mark.parametrize(("depth", "least"), [("quick", 0.5), ("normal", 0.45), ("deep", 0.4)])
def test_the_fewer_positions_were_searched_the_surer_a_blunder_has_to_be(depth: str, least: float) -> None:
    """A longer review thus confirms the blunders of a shorter one, unless it believes something else."""
    review = Review.of(game_of("h8 h9 i8 i9 j10 k11"), ReviewOptions(verify_nodes=DEPTHS[depth][2]))
    review.results |= {"prove.4": NO_WIN, "prove.5": WIN, "defend.4": Defence(parse_moves("g7", 15)[0], 1)}
    marks = []
    for points in (-0.01, 0.01):
        review.results |= {"deep.4": look(0.6), "verify.4": look(least + points)}
        marks.append(judge(review).moves[4].mark)
    assert marks == [MoveMark.MISTAKE, MoveMark.BLUNDER]


@pytest.mark.parametrize("proved", [True, False])
def test_nothing_is_marked_where_no_defence_is_left(proved: bool) -> None:
    at = {
        "prove.4": NO_WIN,
        "prove.5": WIN,
        "deep.4": look(0.6),
        "defend.4": Defence(None, 200, proved),
    }
    move = judged(at)
    assert (move.mark, move.is_lost, move.seems_lost, move.loss) == (None, proved, not proved, 0)


def test_a_win_thrown_into_a_loss_needs_no_search() -> None:
    move = judged({"prove.4": WIN, "prove.5": WIN})
    assert move.mark is MoveMark.BLUNDER
    assert move.missed is not None
    assert move.allowed is not None


# ---------------------------------------------------------------- the end, and moves that are tried


def ended(outcome: Outcome | None, winner: str = "B") -> Review:
    game = game_of("h8 a1 i8 a3 j8 a5")
    if outcome is None:
        game = game.resign(Color.BLACK if winner == "W" else Color.WHITE)
    else:
        game = game.end(outcome)
    return reviewed(game)


def test_a_won_game_that_is_given_up_is_mentioned() -> None:
    review = ended(None, winner="W")
    resigned = judge(review).resigned
    assert resigned is not None
    assert (resigned.color, resigned.winrate) == (Color.BLACK, 1.0)
    assert resigned.win is not None
    text = review_json(review)["resigned"]["text"]
    assert text["en"].startswith("Black resigned with a forced win on the board")
    assert "必胜" in text["zh"]
    drawn = judge(ended(Outcome(None, Reason.AGREEMENT))).resigned
    assert drawn is not None
    assert drawn.color is Color.BLACK
    assert judge(ended(None, winner="B")).resigned is None, "White had lost"
    assert judge(reviewed(game_of("h8 a1 i8 a3 j8 a5"))).resigned is None


def test_a_quiet_move_keeps_a_win_where_every_reply_loses() -> None:
    at, other = (next(one.game for one in load_suite() if one.id == id_) for id_ in ("vct-0001", "vct-0007"))
    with create_player(TINY.player) as player:
        examiner = Examiner(player, replace(TINY, proof_nodes=200_000))

        def worth(move: str, game: Game = at) -> Trial:
            return judge_move(examiner, game, game.position.check(move), Goal.WIN)

        for move in ("j6", "j8", "k6"):
            after = at.position.play(at.position.check(move))
            assert VctSolver().solve_move(at.position, at.position.check(move)).verdict is not Verdict.WIN
            assert worth(move).verdict is TrialVerdict.CONTINUES
            for reply in after.legal_moves[::9]:
                assert VctSolver().solve(after.play(reply)).verdict is Verdict.WIN
        failed = worth("g7", other)
        assert (failed.verdict, failed.proved) == (TrialVerdict.FAILS, False)
        assert failed.reply is not None
        answered = other.play(other.position.check("g7")).play(failed.reply).position
        assert VctSolver().solve(answered, max_nodes=200_000).verdict is not Verdict.WIN
        # Nobody has proved a win after it, and the engine believes in one.
        assert worth("a1") == Trial(TrialVerdict.CLOSE, proved=False)


def test_a_try_in_a_lost_position_is_told_that_everything_loses() -> None:
    game = game_of("h8 a1 i8 a3 j8 a5 k8")
    with create_player(TINY.player) as player:
        examiner = Examiner(player, TINY)

        def worth(move: str, at: Game = game) -> tuple[str, bool]:
            trial = judge_move(examiner, at, at.position.check(move), Goal.BEST)
            return trial.verdict, trial.proved

        assert worth("l8") == (TrialVerdict.LOST, True)
        assert worth("a7") == (TrialVerdict.LOST, True)
        won = game_of("h8 a1 i8 a3 j8 a5")
        assert worth("k8", won) == (TrialVerdict.SOLVED, True)
        assert worth("o1", won)[0] in (TrialVerdict.CLOSE, TrialVerdict.FAILS)
        assert not worth("o1", won)[1], "that it does not win is only believed"
