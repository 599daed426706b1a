"""Completing a card: measured from games, written back, verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.arena.games import record
from tests.training.ppo.test_run import begun
from wuzi.apps.cli import main
from wuzi.arena.journal import load_games
from wuzi.core import Game, Rules, format_moves
from wuzi.nets.card import MEASURED
from wuzi.nets.evaluator import Evaluator, UniformEvaluator
from wuzi.nets.file import load_net
from wuzi.training.evaluation.cards import calibration, totals, training_facts, weaknesses
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.loop import train


@pytest.mark.slow
def test_a_card_is_completed_and_its_weights_stay(
    tmp_path: Path, netty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights, before = netty.read_bytes(), load_net(netty).card
    assert main(["models", "verify", "netty", "--complete"]) == 1
    assert "its card lacks training, rating" in capsys.readouterr().out
    assert main(["models", "measure", "netty"]) == 2
    assert "nothing says how it was trained: expected --run-dir" in capsys.readouterr().err
    sets = ["run.iterations=1", "selfplay.games=2", "selfplay.workers=1", "selfplay.simulations=2"]
    sets += [
        "selfplay.concurrency=1",
        "learn.batch=8",
        "learn.batches=1",
        "learn.epochs=1",
        "evaluate.interval=0",
    ]
    run = ["train", "--preset", "s3-6x6", "--run-dir", str(tmp_path / "run"), "--seed", "5"]
    assert main([*run, *(word for item in sets for word in ("--set", item))]) == 0
    options = ["--run-dir", str(tmp_path / "run"), "--games", "2", "--player", "policy:net={net}"]
    games = tmp_path / "games"
    assert main(["models", "measure", "netty", *options, "--out", str(games)]) == 0
    assert len(load_games(games / "games.jsonl")) == 20, "two games of each pair of five players"
    assert main(["models", "measure", "netty", *options, "--out", str(games)]) == 2
    assert "it exists already: expected a new folder" in capsys.readouterr().err
    assert netty.read_bytes() == weights
    card = load_net(netty).card
    assert card.weights_sha256 == before.weights_sha256 and set(card.measured) == set(MEASURED)
    training = card.measured["training"]
    assert (training["preset"], training["seed"], training["games"]) == ("s3-6x6", 5, 2)
    assert training["schedule_share"] == 1.0 and training["hours"] > 0
    assert training["start"] is None
    settings = tmp_path / "run" / "config.toml"
    settings.write_text(settings.read_text().replace('start = "none"', 'start = "netty"'))
    assert training_facts(tmp_path / "run")["start"] == "netty"
    assert [match["games"] for match in card.measured["matches"]] == [2, 2, 2, 2]
    assert card.measured["rating"]["fixed"] == {"weight": 1000.0} and card.measured["rating"]["games"] == 8
    assert card.measured["tactics"]["win"]["positions"] > 0
    assert sum(b["positions"] for b in card.measured["calibration"]["bins"]) > 0
    assert any("misses a" in one or "weaker" in one for one in card.measured["weaknesses"])
    assert main(["models", "verify", "netty", "--complete"]) == 0
    assert main(["models", "measure", "netty", *options[2:]]) == 0, "training is known now"


@pytest.mark.kernels
def test_games_against_the_solver_are_told(netty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "models",
        "test",
        "--net",
        "netty",
        "--size",
        "5",
        "--solver-games",
        "2",
        "--simulations",
        "2",
    ]
    assert main([*arguments, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    played = [Game.from_moves(Rules(size=5, win_length=4), line).outcome for line in report["moves"]]
    assert len(played) == 2 and sum(end is not None and end.winner == 2 for end in played) == report["losses"]


@pytest.mark.slow
def test_a_run_of_ppo_says_what_it_has_played(tmp_path: Path) -> None:
    settings = begun(tmp_path, "run.iterations=3")
    train(tmp_path, settings)
    found = training_facts(tmp_path)
    assert (found["method"], found["positions"], found["schedule_share"]) == ("ppo", 3 * 16 * 8, 1.0)
    assert found["games"] == RunDirectory(tmp_path).rows("metrics.jsonl")[-1]["games"] > 0


@pytest.mark.parametrize(
    ("method", "rows", "wanted"),
    [
        ("selfplay", [{"total_games": 4, "total_rows": 9}, {"total_games": 8, "total_rows": 20}], (8, 20)),
        ("distill", [{"games": 50}, {"positions": 300}, {"games": 20}, {"positions": 420}, {}], (70, 420)),
        ("ppo", [{"games": 3, "moves": 64}, {"games": 7, "moves": 128}], (7, 128)),
        ("ppo", [], (None, None)),
    ],
)
def test_totals_of_each_method(
    method: str, rows: list[dict[str, int]], wanted: tuple[int | None, int | None]
) -> None:
    assert totals(method, rows) == wanted


def test_calibration_compares_expected_with_real_scores() -> None:
    """A net that always says 'even' is off by half a point when its side always wins."""
    rules = Rules(5, 4)
    game = Game(rules)
    for cell in (0, 5, 1, 6, 2, 7, 3):
        game = game.play(cell)
    moves = format_moves(game.moves, 5)
    won = record(1, "net", "x", "black", moves=moves, opening="", size=5, win_length=4)
    even: Evaluator = UniformEvaluator()
    found = calibration(even, rules, [won])
    assert found["positions"] == 4, "the net is asked before its own moves only"
    assert found["bins"] == [{"positions": 4, "expected": 0.5, "real": 1.0}] and found["error"] == 0.5
    opening = format_moves(game.moves[:2], 5)
    assert (
        calibration(even, rules, [record(1, "net", "x", "black", moves=moves, opening=opening)])["positions"]
        == 3
    )
    assert calibration(even, rules, []) == {"positions": 0, "error": None, "bins": []}


def test_weaknesses_are_what_the_figures_show() -> None:
    fine = {"value": 0.6, "low": 0.5, "high": 0.7}
    data = {
        "matches": [{"against": "weight", "games": 20, "score": 0.2, "low": 0.1, "high": 0.4}],
        "tactics": {"open_four": {"positions": 200, "right": 100}, "win": {"positions": 200, "right": 199}},
        "first_player": {"first": {"value": 0.9, "low": 0.8, "high": 1.0}, "second": fine},
        "calibration": {"error": 0.2},
        "training": {"schedule_share": 0.2},
    }
    said = weaknesses(data)
    assert (
        len(said) == 5 and "misses an open four in 100 of 200" in said[1] and "20% of its schedule" in said[4]
    )
    good = {
        "matches": [{"against": "weight", "games": 20, "score": 0.8, "low": 0.6, "high": 0.9}],
        "tactics": {},
        "first_player": {"first": fine, "second": fine},
        "calibration": {"error": 0.02},
    }
    assert weaknesses(good) == []
