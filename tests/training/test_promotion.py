"""Evaluations and promotion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wuzi
from tests.training.tiny import run, settings
from wuzi.core import Color, Game, Rules
from wuzi.nets.evaluator import UniformEvaluator
from wuzi.players.registry import create_player
from wuzi.search.tree.options import TreeOptions
from wuzi.training.evaluation.players import MctsMatchPlayer, NetMatchPlayer, play_seeded, score_of
from wuzi.training.evaluation.promotion import (
    ANCHORS,
    EvaluationGames,
    GateState,
    anchor_elo,
    judge_best,
    judge_mcts,
    net_player,
    next_anchor,
    play_best,
    play_mcts,
    promotion_risk,
)
from wuzi.training.evaluation.table_games import GAMES
from wuzi.training.run.config import EvaluateSection, Gate, PromoteSection
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.reader import RunReader

RULES = Rules(size=6, win_length=4)


def side(simulations: int = 8) -> NetMatchPlayer:
    return net_player(RULES, UniformEvaluator(), TreeOptions(), simulations)


def journal(scores: list[float], kind: str = "mcts") -> EvaluationGames:
    rows = [{"iteration": 3, "kind": kind, "game": n, "score": s} for n, s in enumerate(scores)]
    other = [{"iteration": 2, "kind": kind, "game": 0, "score": 0.0}]
    return EvaluationGames(3, kind, [*other, *rows], lambda row: None)


def test_the_documents_escalation() -> None:
    options = EvaluateSection(playouts=1000, playouts_step=1000, playouts_max=3000, games=4)
    standing, said = GateState(1000), []
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
    assert "num_playouts:3000 (ucb1), win: 4, lose: 0" in verdict.text


def test_without_the_gate_nothing_is_promoted() -> None:
    verdict = judge_mcts(journal([1.0, 1.0]), GateState(10), EvaluateSection(), 3, gates=False)
    assert not verdict.promoted
    assert verdict.standing.best_iteration == 0


def test_promotion_by_win_rate_says_its_risk() -> None:
    options = PromoteSection(gate=Gate.WINRATE, games=20, threshold=0.55)
    lost = judge_best(journal([1.0] * 11 + [0.0] * 9, "best"), GateState(1), options, 3)
    won = judge_best(journal([1.0] * 12 + [0.0] * 8, "best"), GateState(1, elo=100), options, 3)
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
    verdict = judge_best(journal([1.0] * 40 + [0.5] * 4, "best"), GateState(1), options, 3)
    assert verdict.promoted
    assert not judge_best(journal([1.0, 0.0] * 3, "best"), GateState(1), options, 3).promoted


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


def anchored(
    iteration: int, anchor: int, scores: list[float], first: int = 0, **facts: Any
) -> list[dict[str, Any]]:
    """Rows of games of an iteration's net, with both colours in turn."""
    head = {"kind": "anchor", "iteration": iteration, "anchor": anchor, **facts}
    games = enumerate(scores, start=first)
    return [{**head, "game": n, "score": s, "color": ("black", "white")[n % 2]} for n, s in games]


def test_anchors_follow_the_nets_strength() -> None:
    assert next_anchor([], 5) == 1
    rows = anchored(5, 50, [1.0] * 8) + anchored(5, 200, [1.0] * 5 + [0.0] * 3, 8)
    assert next_anchor(rows, 10) == 2
    assert next_anchor(rows, 5) == 1, "games of the iteration itself, written before a crash"
    rows += anchored(10, 200, [1.0, 0.0]) + anchored(10, 1_000, [0.0] * 6, 2)
    assert next_anchor(rows, 15) == 1
    top = anchored(15, ANCHORS[-2], [1.0]) + anchored(15, ANCHORS[-1], [1.0] * 4, 2)
    assert next_anchor(top, 20) == len(ANCHORS) - 1


def test_elo_is_on_the_scale_of_the_weakest_anchor() -> None:
    """A net that scores three of four against the first has 191 Elo; the next stands on the first net."""
    rows = anchored(5, 50, [1.0, 1.0, 1.0, 0.0] * 6)
    found = anchor_elo(rows, 5)
    assert found.value == pytest.approx(190.8, abs=0.1)
    assert found.low < 191 < found.high
    more = rows + anchored(10, 0, [1.0, 1.0, 1.0, 0.0] * 6, earlier=5)
    assert anchor_elo(more, 10).value == pytest.approx(2 * 190.8, abs=0.5)
    assert anchor_elo(more, 5).value == pytest.approx(found.value)
    swept = anchor_elo(rows + anchored(10, 50, [1.0] * 24), 10)
    assert found.value < swept.value < swept.high < 2_000, "a clean sweep has an Elo too"


def test_a_run_rates_its_nets(tmp_path: Path) -> None:
    chosen = settings(
        "evaluate.interval=0", "evaluate.anchor_interval=1", "evaluate.anchor_games=8", "promote.gate=none"
    )
    run(tmp_path / "run", chosen)
    directory = RunDirectory(tmp_path / "run")
    rows, games = directory.rows("metrics.jsonl"), directory.rows("evaluations.jsonl")
    assert len(rows) == 2
    for row in rows:
        assert row["anchor_elo_low"] <= row["anchor_elo"] <= row["anchor_elo_high"]
        assert "mcts_win_rate" not in row
        own = [game for game in games if game["iteration"] == row["iteration"]]
        assert [game["game"] for game in own] == list(range(8))
    assert {game["anchor"] for game in games if game["iteration"] == 1} == {50, 200}
    assert {game.get("earlier") for game in games if game["iteration"] == 2 and not game["anchor"]} == {1}
    reader = RunReader(tmp_path / "run")
    reader.refresh()
    assert reader.last("anchor_elo") == rows[-1]["anchor_elo"]
    assert not reader.evaluations


def test_a_run_shows_what_its_policy_has_learned_beside_the_untrained_net(tmp_path: Path) -> None:
    more = ("evaluate.interval=0", "evaluate.table_interval=2", "promote.gate=none", "run.iterations=3")
    run(tmp_path / "run", settings(*more))
    directory = RunDirectory(tmp_path / "run")
    rows, games = directory.rows("metrics.jsonl"), directory.rows("evaluations.jsonl")
    assert ["table_score" in row for row in rows] == [False, True, True]
    own = [game["score"] for game in games if game["iteration"] == 3]
    assert (len(own), rows[2]["table_score"]) == (GAMES, pytest.approx(sum(own) / GAMES, abs=1e-4))
    assert rows[2]["table_score_low"] <= rows[2]["table_score"] <= rows[2]["table_score_high"]
    assert rows[1]["untrained_score"] == rows[2]["untrained_score"] < 0.2
    # They are the games of the command that the pages name.
    net = f"policy:net={directory.net_path('current_policy')}"
    with create_player(net, allow_command=True) as own:
        match = wuzi.match(own, "weight", size=6, win_length=4, games=GAMES, openings="auto")
    assert match.score == pytest.approx(rows[2]["table_score"], abs=0.02)
    said = directory.pointed("current_policy")
    assert said is not None and "without search against the score table" in said["judged"]
