"""``wuzi analyse``: what it prints is what the player and the rules say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wuzi.analysis.study import judge
from wuzi.apps.cli import main
from wuzi.contract import Limit
from wuzi.core import Color, Game, Rules, parse_move, parse_moves
from wuzi.players import create_player

FAST = ["--nodes", "3000", "--player", "engine:table_mb=1"]


def analysed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["analyse", *arguments, "--json"]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def test_a_win_is_found_proved_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    data = analysed(capsys, "--moves", "7,7 0,0 8,7 2,0 9,7 4,0", "--multipv", "3", *FAST)
    best = data["candidates"][0]
    assert data["to_move"] == "black" and data["ply"] == 6
    assert best["move"] in ("g8", "k8") and best["rank"] == 1
    assert best["win_in"] == 3 and best["winrate"] == 1.0 and best["value"] == 1.0
    assert "makes an open four" in best["words"]
    assert [item["rank"] for item in data["candidates"]] == [1, 2, 3]
    assert data["nodes"] > 0 and data["nodes_per_s"] > 0
    assert {"kind", "color", "stones", "gains", "reason"} == set(data["threats"][0])


def test_win_rates_are_named_for_the_side_to_move(capsys: pytest.CaptureFixture[str]) -> None:
    moves = ["--moves", "a1h8b3i8c5j8d7", "--multipv", "1", *FAST]
    data = analysed(capsys, *moves)
    assert data["candidates"][0]["winrate"] == 0.0 and data["candidates"][0]["value"] == 1.0
    assert main(["analyse", *moves]) == 0
    out = capsys.readouterr().out
    assert "White to move" in out and "win rate of White" in out and "100.0%" in out
    assert main(["analyse", *moves, "--lang", "zh"]) == 0
    assert "白方胜率" in capsys.readouterr().out


def test_a_bad_move_that_was_asked_about_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    moves = "h8a1i8a3j8"
    data = analysed(capsys, "--moves", moves, "--move", "o15", "--multipv", "2", *FAST)
    asked = data["candidates"][-1]
    assert asked["move"] == "o15" and asked["rank"] is None and asked["asked"]
    assert asked["win_in"] < 0 and asked["winrate"] == 1.0
    assert any(words.startswith("loses to a win by fours: ") for words in asked["words"])


def test_records_are_entered_at_a_ply_and_their_move_is_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.sgf"
    game = Game.from_moves(Rules(15, 5, "renju"), parse_moves("h8i9h9h7g8i8o1a1", 15))  # type: ignore[arg-type]
    game.save(path)
    data = analysed(capsys, str(path), "--ply", "6", *FAST)
    assert data["rules"]["rule"] == "renju" and data["ply"] == 6
    assert data["candidates"][-1]["move"] == "o1" and data["candidates"][-1]["asked"]
    assert analysed(capsys, str(path), *FAST)["ply"] == 8


def test_forbidden_points_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--moves", "h9a1h10a3i8a5j8a7", "--rule", "renju", *FAST]
    assert main(["analyse", *arguments]) == 0
    out = capsys.readouterr().out
    assert "h8 double three" in out and " * " in out


def test_opening_phases_are_answered_and_studied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from wuzi.core import Opening, PlaceSeveral

    game = Game(Rules(15, opening=Opening.SWAP2))
    after = game.act(PlaceSeveral(parse_moves("h8i9j8", 15)))
    for stage, name in ((game, "empty"), (after, "three")):
        stage.save(tmp_path / f"{name}.json")
        data = analysed(capsys, str(tmp_path / f"{name}.json"), *FAST)
        assert data["choice"]
        assert bool(data["candidates"]) == (name == "three")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected a game record or --moves"),
        (["--moves", "h8h8"], "--moves: h8 is occupied"),
        (["--moves", "z9"], "'z9' is no cell"),
        (["--moves", "h8", "--ply", "1"], "--ply needs a game record"),
        (["--moves", "h8", "--move", "h8"], "--move: h8 is occupied"),
        (["--moves", "a1i1b1i3c1i5d1i7e1", "--size", "9"], "the game is over there (black)"),
        (["--moves", "", "--rule", "caro", "--player", "engine"], "does not play caro"),
        (["--moves", "", "--player", "nobody"], "unknown player 'nobody'"),
        (["no.sgf"], "no.sgf"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyse", *arguments, "--nodes", "10"]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_any_player_can_be_asked(capsys: pytest.CaptureFixture[str]) -> None:
    for spec in ("random", "weight", "minimax:depth=2", "mcts:simulations=50"):
        data = analysed(capsys, "--moves", "h8i9", "--player", spec, "--depth", "2", "--simulations", "50")
        assert data["candidates"][0]["words"]


def test_judging_a_move_turns_the_view() -> None:
    game = Game.from_moves(Rules(15), parse_moves("h8a1i8a3j8a5k8", 15))
    with create_player("engine:table_mb=1") as engine:
        saved = judge(engine, game, parse_move("o15", 15), Limit(nodes=500))
        assert game.to_move is Color.WHITE and saved.win_in == -2
        assert saved.value == -1.0 and saved.winrate == 1.0
        over = judge(engine, game.play("o15"), parse_move("g8", 15), Limit(nodes=500))
        assert over.win_in == 1 and over.value == 1.0


def test_a_tree_search_is_told_by_its_visits_and_its_net(capsys: pytest.CaptureFixture[str]) -> None:
    search = ["--moves", "h8i9", "--simulations", "60", "--multipv", "1"]
    data = analysed(capsys, *search, "--player", "az:reuse=false")
    assert (data["net"], data["simulations"], data["depth"]) == ("codebook", 60, 0)
    best = data["candidates"][0]
    assert main(["analyse", *search, "--player", "az:reuse=false"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "az:reuse=false with the net codebook, 60 simulations: 60 simulations, " in text
    assert f"{best['visits']} of them through the best move, whose line is {len(best['pv'])} " in text
    assert "depth 0" not in text
    assert main(["analyse", *search, "--player", "az:reuse=false", "--lang", "zh"]) == 0
    assert "az:reuse=false（网络 codebook）" in "".join(capsys.readouterr().out.split("\n"))
    assert analysed(capsys, "--moves", "h8i9", *FAST)["net"] is None


@pytest.mark.parametrize(("nodes", "depth"), [("1", ""), ("3000", "depth ")])
def test_a_depth_is_said_where_an_iteration_was_finished(
    capsys: pytest.CaptureFixture[str], nodes: str, depth: str
) -> None:
    assert main(["analyse", "--moves", "h8 i9 j10", *FAST, "--nodes", nodes]) == 0
    effort = capsys.readouterr().out.splitlines()[-1]
    assert f"{nodes} nodes: {depth}" in effort and "depth 0" not in effort


def test_players_lists_the_nets_by_board(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["players", "az"]) == 0
    text = capsys.readouterr().out
    assert "codebook judges where no net= is given on freestyle 9x9, freestyle 15x15" in text
    assert "s3-8x8 judges where no net= is given on freestyle 8x8" in text
    assert main(["players", "policy", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["nets"]["15x15"] == ["freestyle 15x15"]
    assert main(["players", "engine", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert "nets" not in found
