"""The window of positions and the batches drawn from it."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest

import numpy as np
import pytest

from tests.training.tiny import row_of
from wuzi.core import Game, Rules, parse_moves
from wuzi.core.symmetry import NUM_SYMMETRIES, transform_moves, transform_planes
from wuzi.errors import TrainingError
from wuzi.nets.planes import PlaneEncoder, records_of
from wuzi.training.data.games import Flag, SelfPlayGame
from wuzi.training.data.replay import (
    Replay,
    duplicate_share,
    policy_entropy,
    policy_weights,
    value_weight,
    winning_row,
)
from wuzi.training.run.config import ReplaySection

RULES = Rules(size=6, win_length=4)
EVEN = row_of(np.full(36, 1 / 36, np.float32), 0.0, 0)
ALL = (
    "policy",
    "value",
    "soft_policy",
    "reply_policy",
    "moves_left",
    "final_line",
    "patterns",
    "cell_classes",
)


def random_game(number: int, opening: int = 0, rules: Rules = RULES) -> SelfPlayGame:
    rng = np.random.default_rng(number)
    game, rows = Game(rules), []
    while game.outcome is None:
        if game.ply >= opening:
            policy = np.zeros(rules.num_cells, np.float32)
            legal = [int(move) for move in game.position.legal_moves]
            policy[legal] = rng.dirichlet(np.full(len(legal), 0.5))
            rows.append(row_of(policy, float(rng.uniform(-1, 1)), int(Flag.FAST) * (game.ply % 2)))
        game = game.play(rng.choice(game.position.legal_moves))
    winner = game.outcome.winner
    result = 0 if winner is None else 1 if winner.name == "BLACK" else -1
    moves = np.array([int(m) for m in game.moves], np.int16)
    return SelfPlayGame(number, 0, moves, opening, result, game.outcome.reason.name.lower(), rows)


def window(*numbers: int, opening: int = 0, planes: str = "az4-v1", **options: object) -> Replay:
    replay = Replay(RULES, ReplaySection(**options), planes, ALL)  # type: ignore[arg-type]
    for number in numbers:
        replay.add(random_game(number, opening))
    return replay


@pytest.mark.kernels
@pytest.mark.parametrize("symmetry", range(NUM_SYMMETRIES))
def test_boards_are_those_of_turned_games(symmetry: int) -> None:
    replay = window(2, 3, planes="history11-v1")
    encoder = PlaneEncoder("history11-v1", RULES)
    moves, before = replay.games[1].moves.tolist(), len(replay.games[0].rows)
    for ply in (0, 1, len(moves) // 2, len(moves) - 1):
        batch = replay._batch(np.array([before + ply]), np.array([symmetry]))
        twin = Game.from_moves(RULES, transform_moves(moves[:ply], 6, symmetry))
        assert np.array_equal(batch.features, encoder.encode(records_of([twin])))


def test_a_batch_is_the_positions_of_its_games() -> None:
    replay = window(1, opening=2, symmetry=False)
    (game,) = replay.games
    batch = replay._batch(np.arange(len(game.rows)), np.zeros(len(game.rows), np.int64))
    moves = game.moves.tolist()
    encoder = PlaneEncoder("az4-v1", RULES)
    for row in range(len(game.rows)):
        position = Game.from_moves(RULES, moves[: row + 2])
        assert np.array_equal(batch.features[row], encoder.encode(records_of([position]))[0])
        black = position.to_move.name == "BLACK"
        assert batch.result[row] == (game.result if black else -game.result)
        policy = np.zeros(36, np.float32)
        policy[game.rows[row].cells] = game.rows[row].shares
        assert np.allclose(batch.policy[row], policy / policy.sum(), atol=1e-6)
        assert batch.extra["moves_left"][row] == pytest.approx((len(moves) - row - 2) / 36)
    assert np.allclose(batch.policy.sum(axis=1), 1, atol=1e-5)
    assert batch.extra["reply_policy"][-1].sum() == 0
    assert np.allclose(batch.extra["reply_policy"][:-1], batch.policy[1:], atol=1e-6)


@pytest.mark.parametrize("symmetry", range(NUM_SYMMETRIES))
def test_all_targets_turn_together(symmetry: int) -> None:
    replay = window(5, planes="tactical18-v1")
    (game,) = replay.games
    picks = np.arange(len(game.rows))
    plain = replay._batch(picks, np.zeros(len(picks), np.int64))
    turned = replay._batch(picks, np.full(len(picks), symmetry, np.int64))

    def turn(values: np.ndarray, boards: bool = True) -> np.ndarray:
        shaped = values if boards else values.reshape(-1, 6, 6)
        return np.asarray(transform_planes(shaped, symmetry)).reshape(values.shape)

    assert np.array_equal(turned.features, turn(plain.features))
    assert np.allclose(turned.policy, turn(plain.policy, boards=False), atol=1e-6)
    assert np.array_equal(turned.result, plain.result)
    for name in ("soft_policy", "reply_policy"):
        assert np.allclose(turned.extra[name], turn(plain.extra[name], boards=False), atol=1e-6), name
    for name in ("final_line", "cell_classes"):
        assert np.array_equal(turned.extra[name], turn(plain.extra[name])), name
    for name in ("moves_left", "patterns"):
        assert np.array_equal(turned.extra[name], plain.extra[name]), name


def test_the_final_line_is_the_winner_s() -> None:
    game = next(g for n in range(50) if (g := random_game(n)).reason == "line")
    replay = window(game.number, symmetry=False)
    last = len(game.rows) - 1
    lines = (
        replay._batch(np.array([last, last - 1]), np.zeros(2, np.int64)).extra["final_line"].reshape(2, -1)
    )
    row = winning_row(RULES, tuple(game.moves.tolist()))
    assert len(row) >= 4
    assert np.flatnonzero(lines[0]).tolist() == list(row)
    assert set(lines[0][list(row)]) == {1}, "the side that is about to win"
    assert set(lines[1][list(row)]) == {2}


def test_the_row_that_won_is_the_rules_row() -> None:
    """A stone that makes six in a row and five in a column: in standard only the five has won."""
    rules = Rules(size=9, rule="standard")  # type: ignore[arg-type]
    black = parse_moves("a5b5c5d5f5 e1e2e3e4 e5", 9)
    white = parse_moves("a9c9e9g9i9 a7c7g7i7", 9)
    moves = [cell for pair in zip_longest(black, white) for cell in pair if cell is not None]
    assert Game.from_moves(rules, moves).position.winning_lines() == (parse_moves("e5e4e3e2e1", 9),)
    assert winning_row(rules, tuple(moves)) == parse_moves("e5e4e3e2e1", 9)
    assert winning_row(Rules(size=9), tuple(moves)) == parse_moves("a5b5c5d5e5f5", 9)
    assert winning_row(rules, tuple(moves[:-1])) == ()


def test_the_window_keeps_the_latest() -> None:
    replay = window(*range(20))
    latest = list(replay.games)[-3:]
    size = sum(len(game.rows) for game in latest)
    replay.trim(size)
    assert list(replay.games) == latest
    assert replay.rows == size
    replay.trim(size - 1)
    assert list(replay.games) == latest, "never below the size asked for"
    options = ReplaySection(window=100, window_max=1000, window_share=0.5)
    assert [options.size(rows) for rows in (0, 100, 600, 10_000)] == [100, 100, 300, 1000]


def test_each_position_is_drawn_once_while_there_are_enough() -> None:
    replay = window(1, 2, 3, symmetry=False)
    batch = replay.sample(replay.rows, np.random.default_rng(1))
    assert len({row.tobytes() for row in batch.policy}) == replay.rows
    assert len(replay.sample(10 * replay.rows, np.random.default_rng(1)).policy) == 10 * replay.rows
    again = replay.sample(8, np.random.default_rng(5))
    assert np.array_equal(replay.sample(8, np.random.default_rng(5)).features, again.features)
    with pytest.raises(TrainingError, match="no positions"):
        window().sample(1, np.random.default_rng(1))


def test_fast_and_soft_searches_count_less() -> None:
    replay = window(1, fast_weight=0.25, soft_weight=0.1)
    batch = replay.sample(replay.rows, np.random.default_rng(1))
    assert set(batch.policy_weight.tolist()) == {0.25, 1.0}
    assert set(batch.value_weight.tolist()) == {1.0}, "a short search is as good an example of the result"
    options = ReplaySection(fast_weight=0.25, soft_weight=0.1, decided_weight=0.2)
    flags = [Flag.SOFT | Flag.FAST, Flag.DECIDED, Flag.FAST | Flag.DECIDED]
    assert [value_weight(flag, options) for flag in flags] == [0.1, 0.2, 0.2]
    weights = policy_weights([replace(EVEN, flags=int(flag)) for flag in flags], options)
    assert weights.tolist() == pytest.approx([0.1, 0.2, 0.05])
    options = replace(options, fast_value_weight=0.5)
    assert [value_weight(flag, options) for flag in flags] == [0.1, 0.2, 0.1]
    assert weights.tolist() == policy_weights([replace(EVEN, flags=int(f)) for f in flags], options).tolist()


def test_half_of_the_policy_weight_goes_by_surprise() -> None:
    rows = [replace(EVEN, surprise=surprise) for surprise in (0.0, 0.1, 0.3)]
    rows.append(replace(EVEN, surprise=9.0, flags=int(Flag.DECIDED)))
    options = ReplaySection(surprise_share=0.5, decided_weight=0.0)
    weights = policy_weights(rows, options)
    assert weights.tolist() == pytest.approx([0.5, 0.5 + 1.5 / 4, 0.5 + 1.5 * 3 / 4, 0.0])
    assert policy_weights([EVEN, EVEN], options).tolist() == [1.0, 1.0], "games of schema 1 have none"
    assert policy_weights(rows, ReplaySection()).tolist() == [1.0] * 4, "the documents weigh all alike"
    replay = Replay(RULES, options, "az4-v1", ALL)
    game = random_game(1)
    game = replace(game, rows=[replace(row, surprise=float(i)) for i, row in enumerate(game.rows)])
    for other in (random_game(2), game):
        replay.add(other)
    replay.trim(len(game.rows))
    assert sum(replay.sample(replay.rows, np.random.default_rng(1)).policy_weight) == pytest.approx(
        replay.rows
    )
    assert sorted(replay.sample(replay.rows, np.random.default_rng(1)).policy_weight) == pytest.approx(
        sorted(policy_weights(game.rows, options))
    )


def test_duplicates_and_entropy() -> None:
    game = random_game(1)
    mirror = SelfPlayGame(
        2,
        0,
        np.array(transform_moves(game.moves.tolist(), 6, 5), np.int16),
        0,
        game.result,
        "line",
        game.rows,
    )
    assert duplicate_share([game, mirror, random_game(3)], 6) == pytest.approx(1 / 3)
    assert duplicate_share([], 6) == 0
    even = row_of(np.full(36, 1 / 36, np.float32), 0.0, 0)
    flat = SelfPlayGame(1, 0, np.array([0], np.int16), 0, 0, "line", [even])
    assert policy_entropy([flat]) == pytest.approx(np.log(36), abs=1e-4)


def test_values_of_an_earlier_schema_give_way_to_the_result() -> None:
    replay = Replay(RULES, ReplaySection(symmetry=False), "az4-v1", ALL)
    replay.add(replace(random_game(1), schema=1))
    earlier = replay.sample(40, np.random.default_rng(2))
    assert (earlier.value == earlier.result).all()
    replay.add(random_game(2))
    both = replay.sample(80, np.random.default_rng(2))
    assert (both.value != both.result).any()
