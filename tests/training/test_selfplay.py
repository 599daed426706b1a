"""Games of a net against itself."""

from __future__ import annotations

import json
from collections import Counter
from itertools import count, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.training.tiny import run, settings
from wuzi.arena.openings import is_quiet, load_openings
from wuzi.base.schema import build_config
from wuzi.core import Game, Move, Rule, Rules
from wuzi.core.layout import STATE
from wuzi.core.symmetry import canonical_stones
from wuzi.nets.evaluator import UniformEvaluator
from wuzi.search.tree import moving_kernels
from wuzi.training.data.games import Flag, SelfPlayGame, pack_rows
from wuzi.training.methods.selfplay.fleet import play_worker_kind
from wuzi.training.methods.selfplay.games import OpenGame, SelfPlay, new_numbers
from wuzi.training.methods.selfplay.workers import SelfPlayTask
from wuzi.training.run.config import SelfPlaySection
from wuzi.training.run.directory import RunDirectory
from wuzi.workers.local import Local

RULES = Rules(size=6, win_length=4)


def options(**more: object) -> SelfPlaySection:
    found: SelfPlaySection = build_config(SelfPlaySection, {}, {"simulations": 8, **more}, "selfplay")
    return found


def player(slots: int = 4, seed: int = 1, going_on: tuple[OpenGame, ...] = (), **more: object) -> SelfPlay:
    taken = {game.number for game in going_on}
    return SelfPlay(
        RULES,
        options(concurrency=slots, **more),
        UniformEvaluator(),
        seed=seed,
        net=0,
        numbers=new_numbers(taken),
        going_on=going_on,
    )


def games_of(play: SelfPlay, count: int) -> list[SelfPlayGame]:
    found: list[SelfPlayGame] = []
    while len(found) < count:
        found += play.step()
    return sorted(found[:count], key=lambda game: game.number)


def key(game: SelfPlayGame) -> tuple[object, ...]:
    return game.number, game.moves.tolist(), game.result, pack_rows(game.rows)


def test_the_mean_of_the_visits_can_be_stored_instead() -> None:
    how: dict[str, Any] = {"search": "gumbel", "simulations": 16}
    today, before = (games_of(player(**how, stored_value=kind), 4) for kind in ("completed", "visits"))
    assert [game.moves.tolist() for game in today] == [game.moves.tolist() for game in before]
    values = [[row.value for game in games for row in game.rows] for games in (today, before)]
    assert values[0] != values[1] and np.mean(values[0]) > np.mean(values[1])


@pytest.mark.parametrize("search", ["puct", "gumbel"])
def test_games_are_played_by_the_rules(search: str) -> None:
    for game in games_of(player(search=search, noise_fraction=0.25), 12):
        replayed = Game.from_moves(RULES, game.moves.tolist())
        assert replayed.outcome is not None
        winner = replayed.outcome.winner
        assert game.result == (0 if winner is None else 1 if winner.name == "BLACK" else -1)
        assert game.reason == replayed.outcome.reason.name.lower()
        assert len(game.rows) == len(game.moves) - game.opening
        for ply, row in enumerate(game.rows, start=game.opening):
            free = set(range(36)) - set(game.moves[:ply].tolist())
            assert set(row.cells.tolist()) <= free
            assert row.shares.sum() == pytest.approx(1, abs=1e-3)
            assert -1 <= row.value <= 1


def test_games_depend_on_their_number_and_not_on_their_neighbours() -> None:
    alone = {game.number: key(game) for game in games_of(player(slots=1), 6)}
    beside = {game.number: key(game) for game in games_of(player(slots=5), 12)}
    shared = alone.keys() & beside.keys()
    assert len(shared) >= 4
    assert all(alone[n] == beside[n] for n in shared)
    other = {game.number: key(game) for game in games_of(player(slots=5, seed=2), 12)}
    assert any(other[n][1] != beside[n][1] for n in other.keys() & beside.keys())


def test_games_differ_from_each_other() -> None:
    found = games_of(player(noise_fraction=0.25), 20)
    assert len({tuple(game.moves.tolist()) for game in found}) >= 19


def test_a_game_taken_up_again_ends_the_same() -> None:
    more = {"reuse": "false", "noise_fraction": 0.25}
    straight = {game.number: key(game) for game in games_of(player(**more), 8)}
    first = player(**more)
    ended: list[SelfPlayGame] = []
    for _ in range(37):
        ended += first.step()
    left = [OpenGame.from_json(json.loads(json.dumps(data))) for data in first.open_games()]
    assert any(game.moves for game in left)
    second = player(going_on=tuple(left), **more)
    again = {game.number: key(game) for game in games_of(second, 4)}
    shared = again.keys() & straight.keys()
    assert shared & {game.number for game in left if game.moves}
    assert all(again[n] == straight[n] for n in shared)


def test_more_games_going_on_than_slots_wait() -> None:
    first = player(slots=4)
    for _ in range(20):
        first.step()
    left = tuple(OpenGame.from_json(data) for data in first.open_games())
    second = player(slots=2, going_on=left)
    assert len(second.open_games()) == 4
    numbers = [game.number for game in games_of(second, 8)]
    assert set(numbers[:4]) == {game.number for game in left}


def test_openings_are_set_up() -> None:
    found = games_of(player(opening_share=1.0, opening_plies_min=2, opening_plies_max=4), 16)
    assert {game.opening for game in found} == {2, 3, 4}
    some = games_of(player(opening_share=0.5), 30)
    assert 5 <= sum(game.opening > 0 for game in some) <= 25


def slow_opening(rules: Rules, key: np.uint64, least: int, most: int) -> list[int]:
    """What the kernel draws, by the rule book alone."""
    size, middle = rules.size, rules.size // 2

    def is_near(cell: int, taken: list[int]) -> bool:
        row, column = divmod(cell, size)
        stones = [divmod(one, size) for one in taken]
        beside = any(max(abs(row - r), abs(column - c)) == 1 for r, c in stones)
        return cell not in taken and (beside or max(abs(row - middle), abs(column - middle)) <= 2)

    for trial in range(moving_kernels.OPENING_TRIES):
        first = moving_kernels.MOVE + trial * (most + 1)
        count, moves = least + int(moving_kernels.number(key, first) * (most + 1 - least)), list[int]()
        for ply in range(count):
            free = [cell for cell in range(rules.num_cells) if is_near(cell, moves)]
            moves.append(free[int(moving_kernels.number(key, first + 1 + ply) * len(free))])
        if is_quiet(rules, [Move(move, size) for move in moves]):
            return moves
    return []


@pytest.mark.parametrize(
    "rules",
    [Rules(5, 3), Rules(6, 4), Rules(8, 5), Rules(7, 4, Rule.STANDARD), Rules(9, 5, Rule.RENJU), Rules(4, 3)],
    ids=lambda rules: rules.label,
)
def test_random_openings_are_quiet_and_near_the_centre(rules: Rules) -> None:
    board, keys = np.zeros(1, STATE)[0], np.zeros(150, np.uint64)
    moving_kernels.make_keys(5, np.arange(150), np.full(150, moving_kernels.OPENING), keys)
    most, cells, found = min(6, rules.num_cells // 3), np.zeros(6, np.int64), list[tuple[int, ...]]()
    how = rules.size, rules.win_length, int(rules.rule)
    for key in keys:
        count = moving_kernels.draw_opening(board, np.array([key]), *how, 2, most, cells)
        found.append(tuple(cells[:count].tolist()))
        assert list(found[-1]) == slow_opening(rules, key, 2, most)
    assert {*map(len, found)} <= {*range(2, most + 1)}
    assert len({*found}) > 60


def test_balanced_openings_are_a_book_beside_the_games(tmp_path: Path) -> None:
    how = options(balanced_openings=3, opening_share=1.0, opening_plies_min=3, opening_plies_max=5, workers=1)
    task = SelfPlayTask(Rules(size=9), how, 1, tmp_path / "games", frozenset())
    made = task.with_openings()
    book = {canonical_stones(moves, 9) for moves in made.openings}
    assert len(book) == 3
    kept = (tmp_path / "games" / "openings.txt").read_bytes()
    assert task.with_openings() == made
    assert (tmp_path / "games" / "openings.txt").read_bytes() == kept
    assert {
        opening.moves for opening in load_openings(tmp_path / "games" / "openings.txt", Rules(size=9))
    } == {*made.openings}
    turned = set()
    play = made.begin(UniformEvaluator(), 0, count(), [], 0)
    for data in games_of(play, 24):
        moves = [Move(int(cell), 9) for cell in data.moves[: data.opening]]
        assert canonical_stones(moves, 9) in book
        turned.add(tuple(moves))
    assert len(turned) > 8, "in all orientations"
    setup = json.loads(json.dumps(play_worker_kind(made, Local()).setup))
    assert setup["openings"] == [list(map(int, moves)) for moves in made.openings]


def test_simulations_double_over_the_run(tmp_path: Path) -> None:
    more = ("selfplay.doublings=2", "selfplay.simulations=16", "selfplay.games=4", "evaluate.interval=0")
    run(tmp_path / "run", settings(*more, "selfplay.reuse=false", "run.iterations=3"))
    rows = RunDirectory(tmp_path / "run").rows("metrics.jsonl")
    moves = [row["evaluations"] / row["new_rows"] for row in rows]
    assert 1.5 < moves[1] / moves[0] < 2.5
    assert 1.5 < moves[2] / moves[1] < 2.5


def test_a_share_of_moves_is_searched_more() -> None:
    found = games_of(player(full_simulations=30, full_share=0.25), 20)
    flags = Counter(row.flags for game in found for row in game.rows)
    assert set(flags) == {Flag.NONE, Flag.FAST, Flag.DECIDED, Flag.FAST | Flag.DECIDED}
    full = flags[Flag.NONE] + flags[Flag.DECIDED]
    assert 0.15 < full / sum(flags.values()) < 0.35


def test_a_decided_game_is_searched_less() -> None:
    found = games_of(player(soft_above=0.0, soft_simulations=2), 6)
    assert any(row.flags & Flag.SOFT for game in found for row in game.rows)
    assert all(not row.flags & Flag.SOFT for game in found for row in game.rows[:3])


def test_forced_and_proven_positions_are_marked() -> None:
    found = games_of(player(tactics="fives"), 8)
    for game in found:
        if game.reason == "line":
            assert game.rows[-1].flags & Flag.DECIDED, "a five was there to be taken"
            assert abs(game.rows[-1].value) == 1
        first = game.rows[0]
        assert not first.flags & Flag.DECIDED
        assert first.surprise > 0, "equal priors are no search's policy"


def rows_left(moves: list[int], rules: Rules) -> bool:
    """Whether some row of the winning length has stones of one colour at most."""
    size, length = rules.size, rules.win_length
    color = {move: ply % 2 for ply, move in enumerate(moves)}
    for y, x, (dy, dx) in product(range(size), range(size), ((0, 1), (1, 0), (1, 1), (1, -1))):
        row = [(y + i * dy, x + i * dx) for i in range(length)]
        inside = all(0 <= a < size and 0 <= b < size for a, b in row)
        if inside and len({color[a * size + b] for a, b in row if a * size + b in color}) < 2:
            return True
    return False


def test_games_that_nobody_can_win_are_draws() -> None:
    rules = Rules(size=6, win_length=5)
    how: dict[str, object] = {"simulations": 2, "dead_draws": True, "concurrency": 8}
    play = SelfPlay(rules, options(**how), UniformEvaluator(), seed=1, net=0, numbers=count())
    found = games_of(play, 24)
    dead = [game for game in found if game.reason == "adjudication"]
    assert len(dead) >= 6
    for game in dead:
        moves = game.moves.tolist()
        assert game.result == 0
        assert not rows_left(moves, rules)
        assert rows_left(moves[:-1], rules)
    assert all(rows_left(game.moves.tolist(), rules) for game in found if game.reason == "line")
    how["dead_draws"] = False
    played = SelfPlay(rules, options(**how), UniformEvaluator(), seed=1, net=0, numbers=count())
    longer = {game.number: game for game in games_of(played, 24)}
    for game in dead:
        if (other := longer.get(game.number)) is not None:
            assert (other.result, other.reason) == (0, "draw_full")
            assert other.moves[: len(game.moves)].tolist() == game.moves.tolist()


def test_resignation_ends_games_but_for_some() -> None:
    play = player(resign_below=0.0, resign_plies=1, resign_never=0.0, noise_fraction=0.25)
    reasons = Counter(game.reason for game in games_of(play, 20))
    assert reasons["resignation"] > 0
    play = player(resign_below=0.0, resign_plies=1, resign_never=1.0)
    assert all(game.reason != "resignation" for game in games_of(play, 20))


def test_who_resigns_has_lost() -> None:
    play = player(resign_below=0.0, resign_plies=1, resign_never=0.0, noise_fraction=0.25)
    for game in games_of(play, 20):
        if game.reason == "resignation":
            black_moved_last = len(game.moves) % 2 == 1
            assert game.result == (-1 if black_moved_last else 1)
            assert game.rows[-1].value < 0


def test_noise_in_what_is_played_is_not_in_what_is_learned() -> None:
    """Document 003's form: blunders are played, and the policy does not ask for them."""
    found = games_of(player(played_noise=0.5, temperature=0.0, simulations=20), 10)
    asked = [
        row.shares[row.cells == move].sum()
        for game in found
        for row, move in zip(game.rows, game.moves[game.opening :], strict=True)
    ]
    assert np.mean(np.array(asked) == 0) > 0.05


def test_numbers_leave_out_what_is_taken() -> None:
    numbers = new_numbers({0, 2, 3})
    assert [next(numbers) for _ in range(3)] == [1, 4, 5]
