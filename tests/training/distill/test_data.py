"""Games with labels: that they are real, repeat, survive being cut off, and say what is on the board."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from research import probe_labels
from wuzi.contract import Limit
from wuzi.core import Game, Rules
from wuzi.errors import ConfigError, RecordError
from wuzi.nets.planes import PlaneEncoder, records_of, run_counts
from wuzi.players import create_player
from wuzi.training.methods.distill.game_file import read_games, shard_path
from wuzi.training.methods.distill.generate import Recipe, generate, make_game
from wuzi.training.methods.distill.rows import game_records, load_rows, rows_of_games, searched_game

pytestmark = pytest.mark.kernels

RULES = Rules(size=7)
PLAIN = Recipe(RULES, seed=3)
LABELLED = Recipe(RULES, seed=3, labels="engine:table_mb=1,fresh=true", nodes=300, multipv=4)


@pytest.fixture(scope="module")
def players() -> Iterator[tuple[Any, Any]]:
    with create_player("weight") as player, create_player("engine:table_mb=1,fresh=true") as teacher:
        yield player, teacher


def test_games_are_played_by_the_rules_to_their_end(players: tuple[Any, Any]) -> None:
    found = [make_game(PLAIN, number, players[0]) for number in range(12)]
    for item in found:
        game = Game.from_moves(RULES, item.moves)
        assert game.outcome is not None
        assert (game.outcome.winner or 0) == item.winner
    assert len({item.moves for item in found}) == 12, "a player that does not vary must be made to"
    assert {len(item.random) > 0 for item in found} == {True, False} or len(found[0].random) > 0


def test_moves_that_were_not_drawn_are_the_player_s(players: tuple[Any, Any]) -> None:
    item = make_game(PLAIN, 5, players[0])
    game = Game(RULES)
    for ply, move in enumerate(item.moves):
        if ply not in item.random:
            assert players[0].think(game).move == move
        game = game.play(move)


def test_features_are_the_counts_on_the_board(players: tuple[Any, Any]) -> None:
    item = make_game(PLAIN, 1, players[0])
    games = [Game.from_moves(RULES, item.moves[:ply]) for ply in range(len(item.moves))]
    assert np.array_equal(run_counts(records_of(games)).astype(int), np.array(item.features))
    assert np.array(item.features).sum() > 0


def test_labels_are_what_the_teacher_says(players: tuple[Any, Any]) -> None:
    item = make_game(LABELLED, 0, *players)
    assert len(item.labels) == len(item.moves)
    game = Game.from_moves(RULES, item.moves[:4])
    lines = players[1].think(game, Limit(nodes=LABELLED.nodes), multipv=4).info.lines
    assert [(c.cell, c.score, c.win_in) for c in item.labels[4]] == [
        (line.move, line.score, line.win_in) for line in lines
    ]


def test_the_teacher_plays_the_best_of_its_labels(players: tuple[Any, Any]) -> None:
    recipe = replace(LABELLED, player="teacher", opening=(2, 4), explore=0.3, explore_top=2)
    games = [make_game(recipe, number, None, players[1]) for number in range(4)]
    drawn = [(item, ply) for item in games for ply in item.random if ply >= 4]
    assert drawn
    for item in games:
        for ply, move in enumerate(item.moves):
            if ply not in item.random:
                assert move == item.labels[ply][0].cell
    for item, ply in drawn:
        assert item.moves[ply] in [candidate.cell for candidate in item.labels[ply][:2]]
    with pytest.raises(ConfigError, match="player 'teacher' plays the best of its labels"):
        replace(PLAIN, player="teacher")


def test_an_interrupted_folder_goes_on_as_if_nothing_had_happened(
    tmp_path: Path, players: tuple[Any, Any]
) -> None:
    assert generate(PLAIN, tmp_path / "whole", 6, players[0]) == 6
    cut = tmp_path / "cut"
    generate(PLAIN, cut, 4, players[0])
    shard = shard_path(cut, 0)
    shard.write_bytes(shard.read_bytes()[:-9])
    assert len(list(read_games(cut, 7))) == 3
    seen: list[int] = []
    assert generate(PLAIN, cut, 6, players[0], on_game=seen.append) == 3
    assert seen == [4, 5, 6]
    assert shard.read_bytes() == shard_path(tmp_path / "whole", 0).read_bytes()
    assert generate(PLAIN, cut, 6, players[0]) == 0


def test_folders_of_another_recipe_or_broken_ones_are_refused(
    tmp_path: Path, players: tuple[Any, Any]
) -> None:
    generate(PLAIN, tmp_path, 2, players[0])
    with pytest.raises(ConfigError, match="was begun with seed=3, not 4"):
        generate(Recipe(RULES, seed=4), tmp_path, 3, players[0])
    shard = shard_path(tmp_path, 0)
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(b"{}\n" + lines[1])
    with pytest.raises(RecordError, match="line 1: not a game with labels"):
        list(read_games(tmp_path, 7))
    shard.write_bytes(lines[0].replace(b'"n":0', b'"n":1e999'))
    with pytest.raises(RecordError, match="line 1: not a game with labels"):
        list(read_games(tmp_path, 7))
    shard.write_bytes(lines[1])
    with pytest.raises(RecordError, match="game 1, expected 0"):
        list(read_games(tmp_path, 7))
    with pytest.raises(RecordError, match="cannot be read"):
        load_rows([tmp_path / "none"], "az4-v1")
    with pytest.raises(ConfigError, match="opening of 3 to 2"):
        Recipe(RULES, opening=(3, 2))


def test_rows_are_seen_by_the_side_to_move(players: tuple[Any, Any]) -> None:
    games = [make_game(LABELLED, number, *players) for number in range(3)]
    rows, model = rows_of_games(games, RULES, "az4-v1")
    assert model is not None
    assert len(rows) == sum(len(game.moves) for game in games)
    at = 0
    for item in games:
        for ply, move in enumerate(item.moves):
            game = Game.from_moves(RULES, item.moves[:ply])
            planes = PlaneEncoder("az4-v1", RULES).encode(records_of([game]))[0]
            assert np.array_equal(rows.planes[at], planes)
            sign = 0 if not item.winner else 1 if item.winner == game.to_move else -1
            assert rows.results[at] == sign
            assert rows.played[at] == (-1 if ply in item.random else move)
            assert rows.policy[at].sum() == pytest.approx(1, abs=1e-5)
            assert (rows.policy[at][game.position.cells != 0] == 0).all()
            assert rows.policy[at][item.labels[ply][0].cell] == rows.policy[at].max()
            assert rows.wdl[at].sum() == pytest.approx(1, abs=1e-5)
            at += 1
    kept = [value for value in vars(rows.planes).values() if isinstance(value, np.ndarray)]
    assert sum(value.nbytes for value in kept) == 18 * len(rows), "planes are encoded when they are asked for"
    assert np.array_equal(np.asarray(rows.planes)[::3], np.asarray(rows.planes[::3]))
    assert np.array_equal(game_records(RULES, games[0].moves)["ply"], np.arange(len(games[0].moves)))


def test_held_out_games_are_whole(players: tuple[Any, Any]) -> None:
    games = [make_game(PLAIN, number, players[0]) for number in range(20)]
    rows, model = rows_of_games(games, RULES, "az4-v1")
    assert model is None and not rows.policy.any()
    learned, held = rows.split(0.1)
    assert set(held.games) == {0, 10}
    assert not set(held.games) & set(learned.games)
    assert len(learned) + len(held) == len(rows)


def test_turned_rows_are_rows_of_turned_games(players: tuple[Any, Any]) -> None:
    from wuzi.core.symmetry import cell_maps, transform_moves

    item = make_game(LABELLED, 2, *players)
    rows, _ = rows_of_games([item], RULES, "az4-v1")
    for symmetry in range(8):
        where = cell_maps(7)[symmetry]
        image = replace(
            item,
            moves=transform_moves(item.moves, 7, symmetry),
            labels=tuple(
                tuple(replace(c, cell=int(where[c.cell])) for c in candidates) for candidates in item.labels
            ),
        )
        expected, _ = rows_of_games([image], RULES, "az4-v1")
        turned = rows.turned(symmetry)
        assert np.array_equal(turned.planes, expected.planes)
        assert turned.policy == pytest.approx(expected.policy, abs=1e-6)
        assert np.array_equal(turned.played, expected.played)


def test_self_play_games_become_rows(players: tuple[Any, Any]) -> None:
    item = make_game(PLAIN, 4, players[0])
    visits: list[dict[int, int]] = [{int(move): 30, (int(move) + 1) % 49: 10} for move in item.moves]
    visits[2] = {}
    game = searched_game(RULES, 8, item.moves, visits, item.winner)
    assert game.features == item.features
    rows, model = rows_of_games([game], RULES, "az4-v1")
    assert model is None and np.isnan(rows.wdl).all(), "visits say nothing of the result"
    assert not rows.policy[2].any() and rows.played[2] == -1
    for ply, move in enumerate(item.moves):
        if ply != 2:
            assert rows.policy[ply, move] == 0.75
            assert rows.policy[ply, (move + 1) % 49] == 0.25
    assert set(rows.games) == {8}


def test_folders_are_joined(tmp_path: Path, players: tuple[Any, Any]) -> None:
    generate(PLAIN, tmp_path / "a", 3, players[0])
    generate(Recipe(RULES, seed=9), tmp_path / "b", 2, players[0])
    generate(Recipe(Rules(size=8)), tmp_path / "c", 1, players[0])
    rows, rules, _ = load_rows([tmp_path / "a", tmp_path / "b"], "az4-v1")
    assert rules == RULES
    assert set(rows.games) == {0, 1, 2, 3, 4}
    with pytest.raises(ConfigError, match="expected one board"):
        load_rows([tmp_path / "a", tmp_path / "c"], "az4-v1")


@pytest.mark.slow
def test_command(tmp_path: Path, wuzi_command: Any) -> None:
    out = ["--out", str(tmp_path / "data"), "--size", "7", "--json"]
    first = json.loads(wuzi_command("gen-data", "--games", "3", *out).stdout)
    assert (first["games"], first["made"], first["labels"]) == (3, 3, None)
    more = json.loads(wuzi_command("gen-data", "--games", "5", *out).stdout)
    assert (more["games"], more["made"]) == (5, 2)
    taught = ["--player", "teacher", "--labels", "engine:table_mb=1", "--nodes", "50", "--workers", "2"]
    out[1] = str(tmp_path / "taught")
    made = json.loads(wuzi_command("gen-data", "--games", "2", *taught, *out).stdout)
    assert (made["games"], made["labels"]) == (2, "engine:table_mb=1")
    refused = wuzi_command("gen-data", "--games", "5", "--nodes", "9", *out)
    assert refused.returncode == 2
    assert "expected --labels" in refused.stderr


def test_the_probe_compares_labels_with_results(
    tmp_path: Path,
    players: tuple[Any, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rules = Rules(size=7, win_length=4)
    generate(replace(LABELLED, rules=rules), tmp_path / "data", 4, *players)
    monkeypatch.setattr("sys.argv", ["probe_labels.py", str(tmp_path / "data")])
    probe_labels.main()
    said = capsys.readouterr().out.splitlines()
    errors, drawn = [], 0
    for item in read_games(tmp_path / "data", rules.size):
        drawn += item.winner == 0
        errors += [float(item.winner != 0)] * len(item.moves)
    assert said[0] == f"4 games, {drawn} of them drawn, {len(errors)} positions"
    assert said[2].endswith(f"squared error {sum(errors) / len(errors):.3f}")
    assert said[5].startswith("the teacher's value")
