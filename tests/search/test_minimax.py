"""Minimax against a slow twin: no pruning, whole-board evaluation, plain Python."""

from __future__ import annotations

import json
import random

import pytest

from wuzi.contract import Limit, Stop
from wuzi.core import Color, Game, Position, Rules, parse_moves
from wuzi.evaluation.run_scores import MINIMAX_S0, MINIMAX_S1, RunScores
from wuzi.players import create_player
from wuzi.search.layout import WIN
from wuzi.search.minimax.searcher import MinimaxOptions, MinimaxSearch, count_runs, trace_rows, trace_text

pytestmark = pytest.mark.kernels


def naive_evaluation(position: Position, scores: RunScores) -> int:
    """Black's runs minus White's plus the position term, run by run over the whole board."""
    size, k = position.rules.size, position.rules.win_length
    board = position.cells.reshape(size, size)
    values = {4: scores.four, 3: scores.three, 2: scores.two, 1: scores.one}
    total = 0

    def at(row: int, col: int) -> int:
        return int(board[row, col]) if 0 <= row < size and 0 <= col < size else 3

    for row in range(size):
        for col in range(size):
            color = at(row, col)
            if color == 0:
                continue
            sign = 1 if color == 1 else -1
            total += sign * scores.centre * min(row, col, size - 1 - row, size - 1 - col)
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if at(row - dr, col - dc) == color:
                    continue
                n = 1
                while at(row + n * dr, col + n * dc) == color:
                    n += 1
                ends = (at(row - dr, col - dc) == 0) + (at(row + n * dr, col + n * dc) == 0)
                worth = max(1, n + 5 - k)
                if worth <= 4 and ends:
                    total += sign * values[worth][0 if ends == 2 else 1]
    return total


def naive_minimax(position: Position, scores: RunScores, depth: int, reach: int, level: int = 0) -> int:
    """Value for the side to move."""
    if position.outcome is not None:
        if position.outcome.winner is None:
            return 0
        return WIN - level if position.outcome.winner is position.to_move else level - WIN
    if depth == 0:
        value = naive_evaluation(position, scores)
        return value if position.to_move is Color.BLACK else -value
    size = position.rules.size
    stones = [divmod(i, size) for i in range(size * size) if position.cells[i]]
    best = -2 * WIN
    for move in position.legal_moves:
        row, col = divmod(move, size)
        if stones and not any(max(abs(row - r), abs(col - c)) <= reach for r, c in stones):
            continue
        best = max(best, -naive_minimax(position.play(move), scores, depth - 1, reach, level + 1))
    return best


def random_position(rng: random.Random, rules: Rules, stones: int) -> Position:
    game = Game(rules)
    for _ in range(stones):
        after = game.play(rng.choice(game.position.legal_moves))
        if after.outcome is not None:
            break
        game = after
    return game.position


RULES = [
    Rules(size=5, win_length=4),
    Rules(size=6, win_length=4, rule="standard"),
    Rules(size=6, win_length=5),
    Rules(size=6, win_length=5, rule="renju"),
    Rules(size=6, win_length=5, rule="caro"),
    Rules(size=5, win_length=3),
]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.label)
@pytest.mark.parametrize("scores", [MINIMAX_S0, MINIMAX_S1], ids=["s0", "s1"])
def test_value_equals_the_slow_twin(rules: Rules, scores: RunScores) -> None:
    rng = random.Random(rules.label)
    for depth, stones in ((1, 9), (2, 6), (2, 13), (3, 16)):
        position = random_position(rng, rules, min(stones, rules.num_cells - 7))
        if position.outcome is not None:
            continue
        found = MinimaxSearch(position, scores, MinimaxOptions(depth)).run().info.lines[0]
        expected = naive_minimax(position, scores, depth, 2)
        assert found.score == expected, f"depth {depth}\n{position}"


@pytest.mark.parametrize("ordered", [True, False])
def test_ordering_and_deepening_do_not_change_the_value(ordered: bool) -> None:
    rng = random.Random(7)
    for _ in range(8):
        position = random_position(rng, Rules(size=9), 12)
        if position.outcome:
            continue
        plain = MinimaxSearch(position, MINIMAX_S1, MinimaxOptions(3)).run().info
        other = MinimaxSearch(position, MINIMAX_S1, MinimaxOptions(3, ordered=ordered)).run(stop=Stop()).info
        assert plain.lines[0].score == other.lines[0].score
        if ordered:
            assert plain.lines[0].move == other.lines[0].move


def test_every_candidate_is_exact_with_multipv() -> None:
    position = Game.from_moves(Rules(size=7), parse_moves("d4e4d5e5c3", 7)).position
    lines = MinimaxSearch(position, MINIMAX_S1, MinimaxOptions(2)).run(multipv=100).info.lines
    assert len(lines) > 20
    for line in lines[::5]:
        below = MinimaxSearch(position.play(line.move), MINIMAX_S1, MinimaxOptions(1)).run().info
        if below.lines[0].win_in is None:
            assert line.score == -(below.lines[0].score or 0)
    scores = [line.score or 0 for line in lines]
    assert scores == sorted(scores, reverse=True)


def test_wins_are_found_at_their_distance_and_fours_are_stopped() -> None:
    four = Game.from_moves(Rules(size=15), parse_moves("h8a1i8a2j8a3k8a5", 15)).position
    line = MinimaxSearch(four, MINIMAX_S1, MinimaxOptions(4)).run().info.lines[0]
    assert (line.win_in, line.value) == (1, 1.0)
    three = Game.from_moves(Rules(size=15), parse_moves("h8a1i8a3j8o15", 15)).position
    line = MinimaxSearch(three, MINIMAX_S0, MinimaxOptions(3)).run().info.lines[0]
    assert line.win_in == 3
    assert len(line.pv) == 3
    facing = Game.from_moves(Rules(size=15), parse_moves("h8a1i8a2j8a3o15a4", 15)).position
    best = MinimaxSearch(facing, MINIMAX_S1, MinimaxOptions(2)).run().info.lines[0]
    assert best.move == parse_moves("a5", 15)[0]


def test_limits_cut_the_search_and_leave_an_answer() -> None:
    position = Game.from_moves(Rules(size=15), parse_moves("h8h9i8g7h7h6", 15)).position
    search = MinimaxSearch(position, MINIMAX_S1, MinimaxOptions(10))
    info = search.run(Limit(nodes=5000)).info
    assert info.nodes <= 5001
    assert 1 <= info.depth < 10
    tiny = MinimaxSearch(position, MINIMAX_S1, MinimaxOptions(10)).run(Limit(nodes=1)).info
    assert tiny.lines[0].move in position.legal_moves
    stop = Stop()
    stop.set()
    stopped = MinimaxSearch(position, MINIMAX_S1, MinimaxOptions(10)).run(stop=stop).info
    assert stopped.lines[0].move in position.legal_moves


def test_the_recorded_tree_is_a_tree_of_the_search() -> None:
    position = Game.from_moves(Rules(size=9), parse_moves("e5e6d5", 9)).position
    result = MinimaxSearch(position, MINIMAX_S0, MinimaxOptions(3, trace=20_000)).run()
    rows = trace_rows(result.trace, 9)
    json.dumps(rows)
    assert len(rows) == result.info.nodes
    by_id = {row["id"]: row for row in rows}
    for row in rows:
        parent = by_id.get(row["parent"])
        assert row["depth"] == (1 if parent is None else parent["depth"] + 1)
        assert parent is None or parent["id"] < row["id"]
        children = [other for other in rows if other["parent"] == row["id"]]
        if children:
            assert row["value"] == max(-child["value"] for child in children)
            assert row["cutoff"] in (False, True)
            if row["cutoff"]:
                assert row["beta"] is not None and row["value"] >= row["beta"]
    roots = [row for row in rows if row["parent"] is None]
    assert max(-row["value"] for row in roots) == result.info.lines[0].score
    text = trace_text(result.trace, 9)
    assert text.count("\n") + 1 == len(rows)
    assert "cut-off" in text


def test_the_player_explains_itself_as_text_and_json() -> None:
    game = Game.from_moves(Rules(size=9), parse_moves("e5e6d5", 9))
    with create_player("minimax:preset=s0,trace=100") as player:
        extra = player.think(game).info.extra
    assert len(json.loads(json.dumps(extra))["tree"]) == 100
    assert extra["tree_text"].count("\n") == 99
    with create_player("minimax:preset=s1,trace=1") as player:
        patterns = player.think(game).info.extra["patterns"]
    assert {"color": "B", "cells": ["d5", "e5"], "open_ends": 2, "score": 200} in patterns


def test_counted_runs_add_up_to_the_evaluation() -> None:
    rng = random.Random(11)
    for _ in range(20):
        position = random_position(rng, Rules(size=9), 20)
        if position.outcome:
            continue
        runs = count_runs(position, MINIMAX_S0)
        total = sum(run.score if run.color is Color.BLACK else -run.score for run in runs)
        assert total == naive_evaluation(position, MINIMAX_S0)
