"""The weight player against sums written out by hand and a slow twin."""

from __future__ import annotations

import random

import pytest

from wuzi.core import Color, Game, Position, Rules, format_move, parse_move, parse_moves
from wuzi.players import create_player
from wuzi.players.weight import explain_cell, score_table
from wuzi.players.weight_table import best_cell

pytestmark = pytest.mark.kernels


def position(moves: str, rules: Rules = Rules()) -> Position:
    return Game.from_moves(rules, parse_moves(moves, rules.size)).position


def test_table_values_of_the_study() -> None:
    # Black on h8, White to move: i8 stops a run of two with both ends open (100) and makes three
    # fresh single stones (15 each) for both sides, and a single stone closed at one end (10).
    attack, defence = score_table(position("h8"))
    cell = parse_move("i8", 15)
    assert attack[cell] == 10 + 3 * 15
    assert defence[cell] == 100 + 3 * 15
    corner = parse_move("a1", 15)
    assert attack[corner] == 10 + 10 + 10 + 0
    assert attack[parse_move("h8", 15)] == -1


def test_explanation_adds_up() -> None:
    rng = random.Random(5)
    for _ in range(10):
        game = Game(Rules(size=9))
        for _ in range(18):
            game = game.play(rng.choice(game.position.legal_moves))
            if game.outcome:
                break
        attack, defence = score_table(game.position)
        for cell in range(81):
            if game.position.cells[cell] == 0:
                entries = explain_cell(game.position, cell)  # type: ignore[arg-type]
                assert sum(e["score"] for e in entries if e["side"] == "attack") == attack[cell]
                assert sum(e["score"] for e in entries if e["side"] == "defence") == defence[cell]


def test_takes_the_five_stops_the_four_prefers_the_centre() -> None:
    with create_player("weight") as player:
        assert format_move(player.think(Game(Rules(size=15))).move, 15) == "h8"
        assert format_move(player.think(Game(Rules(size=8))).move, 8) in {"d4", "d5", "e4", "e5"}
        four = Game.from_moves(Rules(), parse_moves("h8a1i8a2j8a3k8a4", 15))
        assert format_move(player.think(four).move, 15) in {"g8", "l8"}
        facing = Game.from_moves(Rules(), parse_moves("h8a1i8a2j8a3o15a4", 15))
        assert format_move(player.think(facing).move, 15) == "a5"


def test_black_avoids_forbidden_points_while_it_can() -> None:
    rules = Rules(rule="renju")
    game = Game.from_moves(rules, parse_moves("h8a1h9a3g10a5f10a7", 15))
    assert game.to_move is Color.BLACK
    with create_player("weight") as player:
        move = player.think(game, multipv=300)
    assert not game.position.forbidden_mask()[move.move]
    assert len(move.info.lines) == len(game.position.legal_moves)


def test_plain_python_table_agrees_with_the_kernel() -> None:
    rng = random.Random(9)
    with create_player("weight") as player:
        for size, k in ((6, 4), (9, 5), (15, 5)):
            for _ in range(6):
                game = Game(Rules(size=size, win_length=k))
                for _ in range(rng.randrange(1, size * 2)):
                    after = game.play(rng.choice(game.position.legal_moves))
                    if after.outcome:
                        break
                    game = after
                cell = best_cell(game.position.cells.tolist(), size, k, int(game.to_move))
                attack, defence = score_table(game.position)
                weights = attack + defence
                if k == 5:
                    assert weights[cell] == weights.max() == weights[player.think(game).move]
