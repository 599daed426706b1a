"""Evaluations and promotion."""

from __future__ import annotations

import pytest

from wuzi.core import Color, Game, Rules
from wuzi.nets.evaluator import UniformEvaluator
from wuzi.search.tree.options import TreeOptions
from wuzi.training.evaluation.players import MctsMatchPlayer, NetMatchPlayer, play_seeded, score_of
from wuzi.training.evaluation.promotion import (
    EvaluationGames,
    Standing,
    judge_best,
    judge_mcts,
    net_player,
    play_best,
    play_mcts,
    promotion_risk,
)
from wuzi.training.run.config import EvaluateSection, Gate, PromoteSection

RULES = Rules(size=6, win_length=4)


def side(simulations: int = 8) -> NetMatchPlayer:
    return net_player(RULES, UniformEvaluator(), TreeOptions(), simulations)


def journal(scores: list[float], kind: str = "mcts") -> EvaluationGames:
    rows = [{"iteration": 3, "kind": kind, "game": n, "score": s} for n, s in enumerate(scores)]
    other = [{"iteration": 2, "kind": kind, "game": 0, "score": 0.0}]
    return EvaluationGames(3, kind, [*other, *rows], lambda row: None)


def test_the_documents_escalation() -> None:
    options = EvaluateSection(playouts=1000, playouts_step=1000, playouts_max=3000, games=4)
    standing, said = Standing(1000), []
    for scores in ([1, 0, 0, 0], [1, 1, 0.5, 0], [1, 0, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0], [1] * 4, [1] * 4):
        verdict = judge_mcts(journal([float(s) for s in scores]), standing, options, 3, gates=True)
        standing = verdict.standing
        said.append((verdict.promoted, standing.playouts, standing.best_win_rate))
    assert said == [
        (True, 1000, 0.25),
        (True, 1000, 0.625),
        (False, 1000, 0.625),
        (True, 2000, 0.0),
        (True, 2000, 0.25),
        (True, 3000, 0.0),
        (True, 3000, 1.0),
    ]
    assert "num_playouts:3000, win: 4, lose: 0" in verdict.text


def test_without_the_gate_nothing_is_promoted() -> None:
    verdict = judge_mcts(journal([1.0, 1.0]), Standing(10), EvaluateSection(), 3, gates=False)
    assert not verdict.promoted
    assert verdict.standing.best_iteration == 0


def test_promotion_by_win_rate_says_its_risk() -> None:
    options = PromoteSection(gate=Gate.WINRATE, games=20, threshold=0.55)
    lost = judge_best(journal([1.0] * 11 + [0.0] * 9, "best"), Standing(1), options, 3)
    won = judge_best(journal([1.0] * 12 + [0.0] * 8, "best"), Standing(1, elo=100), options, 3)
    assert (lost.promoted, won.promoted) == (False, True)
    assert won.standing.best_iteration == 3
    assert won.standing.elo == pytest.approx(100 + 70.4, abs=0.1)
    assert "25% of nets that are no better" in won.text


def test_the_risk_is_that_of_the_binomial() -> None:
    twenty = sum(1 for bits in range(1 << 10) if bits.bit_count() > 5) / (1 << 10)
    assert promotion_risk(10, 0.5) == pytest.approx(twenty)
    assert promotion_risk(400, 0.55) < 0.03


def test_promotion_by_a_sequential_test() -> None:
    options = PromoteSection(gate=Gate.SPRT, games=100, elo0=0, elo1=50)
    verdict = judge_best(journal([1.0] * 40 + [0.5] * 4, "best"), Standing(1), options, 3)
    assert verdict.promoted
    assert not judge_best(journal([1.0, 0.0] * 3, "best"), Standing(1), options, 3).promoted


def test_games_that_were_journaled_are_not_played_again() -> None:
    written: list[dict[str, object]] = []
    options = EvaluateSection(games=4)
    first = EvaluationGames(3, "mcts", [], written.append)
    play = play_mcts(RULES, side(), options, 8, first, 5)
    assert [next(play), next(play)] == [0, 1]
    second = EvaluationGames(3, "mcts", list(written), written.append)
    assert list(play_mcts(RULES, side(), options, 8, second, 5)) == [2, 3]  # type: ignore[arg-type]
    whole: list[dict[str, object]] = []
    list(play_mcts(RULES, side(), options, 8, EvaluationGames(3, "mcts", [], whole.append), 5))  # type: ignore[arg-type]
    assert whole == written
    assert [row["color"] for row in whole] == ["black", "white", "black", "white"]


def test_pairs_have_the_same_opening() -> None:
    rows: list[dict[str, object]] = []
    options = PromoteSection(gate=Gate.WINRATE, games=4, opening_plies=3)
    book = EvaluationGames(1, "best", [], rows.append)
    list(play_best(RULES, side(), side(), options, book, 9))  # type: ignore[arg-type]
    scores = [row["score"] for row in rows]
    # The same net on both sides, without noise: each pair is one game seen from both sides.
    assert scores[0] + scores[1] == scores[2] + scores[3] == 1.0  # type: ignore[operator]


def test_more_search_beats_less() -> None:
    score = 0.0
    for n in range(6):
        strong, weak = MctsMatchPlayer(400), MctsMatchPlayer(2)
        color = Color.BLACK if n % 2 == 0 else Color.WHITE
        sides = (strong, weak) if color is Color.BLACK else (weak, strong)
        score += score_of(play_seeded(RULES, *sides, seed=n), color)
    assert score >= 5


def test_a_side_follows_games_from_anywhere() -> None:
    player = side()
    game = Game.from_moves(RULES, ["a1", "b2", "c3"])
    player.begin(game, 1)
    move = player.move(game)
    game = game.play(move)
    reply = next(m for m in game.position.legal_moves)
    after = game.play(reply)
    assert after.play(player.move(after)).ply == 6
