"""The engine: incremental values, sound wins, reproducible at fixed nodes, obedient to limits."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest

from wuzi.contract import Limit, SearchInfo, Stop
from wuzi.core import Color, Game, Position, Rules, format_moves, parse_moves
from wuzi.errors import ConfigError
from wuzi.search.alphabeta.parameters import CHOSEN, PARAMETERS, PUBLISHED, TUNED
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions
from wuzi.search.alphabeta.table_kernels import (
    pack,
    packed_bound,
    packed_depth,
    packed_move,
    packed_static,
    packed_value,
    table_probe,
    table_store,
)
from wuzi.search.alphabeta.workspace import parameters_record
from wuzi.tactics.checker import why_line_fails
from wuzi.tactics.classes import tables
from wuzi.tactics.kernels import patterns_from_state, threat_index
from wuzi.tactics.layout import PATTERNS

pytestmark = pytest.mark.kernels

SMALL = EngineOptions(table_mb=1)


def game_of(code: str, rules: Rules = Rules()) -> Game:
    return Game.from_moves(rules, parse_moves(code, rules.size))


def test_table_entries_round_trip_and_torn_ones_are_not_found() -> None:
    rng = random.Random(2)
    table = np.zeros((64, 2), np.uint64)
    for _ in range(500):
        value, static = rng.randrange(-999_999, 999_999), rng.randrange(-60_000, 60_000)
        depth, bound, move, age = (
            rng.randrange(-8, 100),
            rng.randrange(1, 4),
            rng.randrange(1184),
            rng.randrange(64),
        )
        data = np.uint64(pack(value, static, depth, bound, move, age))
        assert packed_value(data) == value
        assert packed_static(data) == static
        assert (packed_depth(data), packed_bound(data), packed_move(data)) == (depth, bound, move)
        key = np.uint64(rng.getrandbits(64))
        table_store(table, key, data, age)
        assert table_probe(table, key) == data
        slot = next(i for i in range(64) if table[i, 1] == data)
        table[slot, 1] ^= np.uint64(1 << 40)
        assert table_probe(table, key) == 0, "a torn entry is none"
        table[slot] = 0


def test_forced_wins_are_found_and_real() -> None:
    rng = random.Random(8)
    search = AlphaBetaSearch(Rules(), SMALL)
    found = 0
    for _ in range(60):
        game = Game(Rules())
        cells = [r * 15 + c for r in range(3, 12) for c in range(3, 12)]
        rng.shuffle(cells)
        for cell in cells[: rng.randrange(12, 26)]:
            if game.outcome is None:
                game = game.play(cell)
        if game.outcome:
            continue
        search.clear()
        line = search.run(game.position, Limit(nodes=3000)).lines[0]
        if not line.win_in or line.win_in < 0:
            continue
        found += 1
        if line.win_in > 1 and len(line.pv) == line.win_in:
            reason = why_line_fails(game.position, line.pv)
            # A line of fours is checked move by move; one with threes only by playing it out.
            if reason is not None:
                assert plays_out(search, game, line.win_in), f"{reason}\n{game}"
    assert found > 10


def plays_out(search: AlphaBetaSearch, game: Game, plies: int) -> bool:
    """Whether the search wins from here against its own best defence within some more plies."""
    attacker = game.to_move
    for _ in range(plies + 6):
        game = game.play(search.run(game.position, Limit(nodes=20_000)).lines[0].move)
        if game.outcome is not None:
            return game.outcome.winner is attacker
    return False


def test_five_four_and_open_three_are_answered() -> None:
    search = AlphaBetaSearch(Rules(), SMALL)
    win = search.run(game_of("h8a1i8a2j8a3k8a5").position, Limit(nodes=2000)).lines[0]
    assert (win.win_in, win.value) == (1, 1.0)
    block = search.run(game_of("h8a1i8a2j8a3o15a4").position, Limit(nodes=2000)).lines[0]
    assert format_moves([block.move], 15) == "a5"
    three = search.run(game_of("h8a1i8o1j8").position, Limit(nodes=20_000)).lines[0]
    assert format_moves([three.move], 15) in {"f8", "g8", "k8", "l8"}


def test_same_position_and_nodes_give_the_same_answer() -> None:
    position = game_of("h8h9i8g7h7h6").position

    def answer() -> tuple[object, ...]:
        info = AlphaBetaSearch(Rules(), SMALL).run(position, Limit(nodes=30_000))
        assert info.extra["vcf_nodes"] > 0
        return info.lines[0].move, info.lines[0].pv, info.lines[0].score, info.nodes, info.depth, info.extra

    assert answer() == answer()
    search = AlphaBetaSearch(Rules(), SMALL)
    search.run(game_of("h8a1").position, Limit(nodes=5000))
    search.clear()
    again = search.run(position, Limit(nodes=30_000))
    line = again.lines[0]
    assert (line.move, line.pv, line.score, again.nodes, again.depth, again.extra) == answer()


def test_first_move_is_the_centre_and_reports_come_in_order() -> None:
    search = AlphaBetaSearch(Rules(), SMALL)
    assert format_moves([search.run(Position(Rules()), Limit(nodes=500)).lines[0].move], 15) == "h8"
    seen: list[SearchInfo] = []
    info = search.run(game_of("h8h9i8").position, Limit(depth=5), on_info=seen.append)
    assert list(dict.fromkeys(item.depth for item in seen)) == [1, 2, 3, 4, 5]
    assert seen[-1].lines == info.lines
    assert info.lines[0].pv[0] == info.lines[0].move


def test_several_candidates_are_distinct_and_sorted_by_search() -> None:
    info = AlphaBetaSearch(Rules(), SMALL).run(game_of("h8h9i8").position, Limit(depth=4), multipv=4)
    assert len({line.move for line in info.lines}) == 4
    assert info.lines[0].winrate is not None and 0 <= info.lines[0].winrate <= 1


def test_stop_and_time_are_obeyed() -> None:
    search = AlphaBetaSearch(Rules(), SMALL)
    stop = Stop()
    stop.set()
    position = game_of("h8h9i8g7h7h6").position
    assert search.run(position, Limit(depth=30), stop=stop).lines[0].move in position.legal_moves
    start = time.perf_counter()
    search.run(position, Limit(time_s=0.05))
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("size", [5, 6, 9, 22])
def test_plays_to_the_end_on_other_boards(size: int) -> None:
    rules = Rules(size=size)
    search, rng = AlphaBetaSearch(rules, SMALL), random.Random(size)
    game = Game(rules)
    while game.outcome is None:
        if game.to_move is Color.BLACK:
            game = game.play(search.run(game.position, Limit(nodes=300)).lines[0].move)
        else:
            game = game.play(rng.choice(game.position.legal_moves))
    assert game.outcome.winner is not Color.WHITE


def test_threat_index_names_what_is_on_the_board() -> None:
    table = tables(Rules().rule, 5)
    patterns = np.zeros(1, PATTERNS)[0]

    def index(code: str, side: int) -> int:
        patterns_from_state(game_of(code).position.state(), patterns, table)
        return int(threat_index(patterns, side))

    assert index("", 1) == 0
    three = "h8a1i8o1j8"
    assert index(three, 2) & 16  # White must answer an open three: Black could make an open four.
    assert not index(three, 1) & 16
    assert index("h8a1i8a3j8g8", 1) & 4  # Black, blocked at one end, can make a four.


def test_the_smallest_budget_still_answers_the_threat() -> None:
    search = AlphaBetaSearch(Rules(), SMALL)
    for nodes in (1, 2, 5, 50):
        search.clear()
        line = search.run(game_of("h8a1i8a2j8a3o15a4").position, Limit(nodes=nodes)).lines[0]
        assert format_moves([line.move], 15) == "a5"


def test_parameters_are_named_and_unknown_ones_refused() -> None:
    assert parameters_record({"razor": 7})["razor"] == 7
    plain, wide = parameters_record(), parameters_record({"lmr_scale": 40, "lmp_base": 2000})
    assert wide["reductions"][10, 10] < plain["reductions"][10, 10]
    assert wide["lmp_counts"][1] > plain["lmp_counts"][1]
    with pytest.raises(ConfigError, match="rasor"):
        AlphaBetaSearch(Rules(), EngineOptions(table_mb=1, parameters={"rasor": 1}))


def test_every_parameter_has_one_origin() -> None:
    groups = (PUBLISHED, TUNED, CHOSEN)
    assert sum(len(group) for group in groups) == len(PARAMETERS)


def test_two_threads_look_at_more_and_still_win_and_stop() -> None:
    game = game_of("h8a1i8a3j8o15")
    search = AlphaBetaSearch(Rules(), EngineOptions(table_mb=4, threads=2))
    assert search.run(game.position, Limit(depth=4)).lines[0].win_in == 3
    quiet = game_of("h8i9g9i7i8")
    before = threading.active_count()
    # Long enough that the second thread gets its turn on a busy machine, too.
    info = search.run(quiet.position, Limit(nodes=200_000))
    assert threading.active_count() == before
    assert info.nodes > 210_000
    excluded = frozenset(int(move) for move in quiet.position.legal_moves[:-1])
    line = search.run(quiet.position, Limit(nodes=100), excluded=excluded).lines[0]
    assert line.move == quiet.position.legal_moves[-1]
