"""Pure Monte Carlo tree search against a twin with a plain Python tree."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wuzi.contract import Limit, SearchInfo, Stop
from wuzi.core import Game, Position, Rules, parse_moves, random_kernels
from wuzi.core.layout import DEEPEST, LINES, MAX_NODES, NODES, UNDECIDED
from wuzi.search.layout import NODE
from wuzi.search.montecarlo.kernels import PLAIN, mcts_run, mcts_setup, next_child_place
from wuzi.search.montecarlo.searcher import MctsOptions, MctsSearch, Rollouts
from wuzi.tactics.layout import PATTERNS, TABLES

pytestmark = pytest.mark.kernels

C = 1.414


class TwinNode:
    def __init__(self, place: int) -> None:
        self.place, self.visits, self.wins = place, 0, 0.0
        self.children: list[tuple[int, TwinNode]] = []
        self.exhausted = False


def twin_search(position: Position, simulations: int, rng: int) -> dict[int, int]:
    """Visits by root move. The order of new children and the random games come from the kernels."""
    size = position.rules.size
    state = position.state()
    base = np.zeros(1, LINES)[0]
    random_kernels.lines_from_state(state, base)
    work = np.zeros(1, LINES)[0]
    work["rng"] = rng
    no_patterns = np.zeros(1, PATTERNS)[0]
    cursor = np.zeros(simulations + 2, NODE)
    numbers: dict[int, TwinNode] = {0: TwinNode(-1)}
    for _ in range(simulations):
        random_kernels.copy_lines(base, work)
        path, node, number, game = [numbers[0]], numbers[0], 0, position
        while game.outcome is None:
            place = int(
                next_child_place(state, no_patterns, work, cursor, number, PLAIN, np.uint64(base["rng"]))
            )
            fresh = place >= 0
            if fresh:
                child = TwinNode(place)
                number_of_child = len(numbers)
                numbers[number_of_child] = child
                node.children.append((number_of_child, child))
            else:
                log_n = math.log(node.visits)
                number_of_child, child = max(
                    reversed(node.children),
                    key=lambda pair: pair[1].wins / pair[1].visits + C * math.sqrt(log_n / pair[1].visits),
                )
            color = game.to_move
            game = game.play((child.place >> 5) * size + (child.place & 31))
            random_kernels.lines_place(work, child.place, int(color))
            path.append(child)
            node, number = child, number_of_child
            if fresh:
                break
        if game.outcome is None:
            taken = {int(p) for p in np.flatnonzero(game.cells)}
            free = [p for p in base["free"][: base["num_free"]] if (p >> 5) * size + (p & 31) not in taken]
            work["free"][: len(free)] = free
            work["num_free"] = len(free)
            result = int(random_kernels.random_game(work, int(game.to_move)))
        else:
            result = 3 if game.outcome.winner is None else int(game.outcome.winner)
        mover = int(position.to_move.opponent)
        for step in path:
            step.visits += 1
            step.wins += 0.5 if result == 3 else float(result == mover)
            mover = 3 - mover
    return {(c.place >> 5) * size + (c.place & 31): c.visits for _, c in numbers[0].children}


@pytest.mark.parametrize("moves", ["", "c3c4d3", "c3c4d3d4e3e4"])
def test_tree_equals_the_twin(moves: str) -> None:
    position = Game.from_moves(Rules(size=6), parse_moves(moves, 6)).position
    state = position.state()
    root, work = np.zeros(1, LINES)[0], np.zeros(1, LINES)[0]
    work["rng"] = 99
    nodes = np.zeros(4000, NODE)
    ctl = np.zeros(8, np.int64)
    args = (state, np.zeros(1, PATTERNS)[0], np.zeros(1, TABLES)[0], root)
    mcts_setup(*args, nodes, ctl, PLAIN)
    mcts_run(*args, work, nodes, np.zeros(64, np.int64), ctl, 700, round(C * 1000), PLAIN)
    visits = {}
    child = int(nodes[0]["first_child"])
    while child:
        place = int(nodes[child]["place"])
        visits[(place >> 5) * 6 + (place & 31)] = int(nodes[child]["visits"])
        child = int(nodes[child]["next_sibling"])
    assert visits == twin_search(position, 700, 99)
    assert sum(visits.values()) == nodes[0]["visits"] == ctl[NODES] == 700
    assert ctl[MAX_NODES] == np.count_nonzero(nodes["visits"])
    assert ctl[DEEPEST] >= 2
    assert state["result"] == UNDECIDED and state["ply"] == position.ply


@pytest.mark.parametrize("rollouts", list(Rollouts))
@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju", "caro"])
def test_wins_in_one_are_played_and_fours_are_stopped(rule: str, rollouts: Rollouts) -> None:
    options = MctsOptions(8000, rollouts=rollouts)
    rules = Rules(size=9, rule=rule)
    four = Game.from_moves(rules, parse_moves("c5a1d5a2e5a4f5a6", 9)).position
    best = MctsSearch(four, options).run().lines[0]
    assert best.move in parse_moves("b5g5", 9)
    blocked = Game.from_moves(rules, parse_moves("c5b5d5a1e5a3f5", 9)).position
    best = MctsSearch(blocked, options).run().lines[0]
    assert best.move == parse_moves("g5", 9)[0]


def test_same_seed_same_search_and_other_seed_another() -> None:
    position = Game.from_moves(Rules(size=9), parse_moves("e5e6", 9)).position

    def visits(seed: int) -> list[tuple[int, int]]:
        info = MctsSearch(position, MctsOptions(3000, seed=seed)).run(multipv=100)
        return [(line.move, line.visits) for line in info.lines]

    assert visits(1) == visits(1)
    assert visits(1) != visits(2)


def test_values_are_from_the_side_to_move_and_winrate_is_blacks() -> None:
    for moves, black_wins in (("c5a1d5a2e5a4f5a6", True), ("a1c5a2d5a4e5a6f5i9", False)):
        position = Game.from_moves(Rules(size=9), parse_moves(moves, 9)).position
        line = MctsSearch(position, MctsOptions(3000)).run().lines[0]
        assert line.value is not None and line.value > 0.5
        assert line.winrate is not None and (line.winrate > 0.75) == black_wins


def test_a_full_tree_goes_on_without_new_nodes() -> None:
    position = Position(Rules(size=9))
    info = MctsSearch(position, MctsOptions(2000, max_nodes=300)).run()
    assert info.simulations == 2000
    assert info.nodes == 300


def test_renju_never_tries_a_forbidden_point_for_black() -> None:
    rules = Rules(size=15, rule="renju")
    position = Game.from_moves(rules, parse_moves("h8a1h9a3g10a5f10a7", 15)).position
    foul = {int(cell) for cell in np.flatnonzero(position.forbidden_mask())}
    assert foul
    info = MctsSearch(position, MctsOptions(2000)).run(multipv=300)
    assert foul.isdisjoint(line.move for line in info.lines)
    assert len(info.lines) == len(position.legal_moves) - len(foul)


def test_limits_and_reports() -> None:
    position = Position(Rules(size=15))
    seen: list[SearchInfo] = []
    info = MctsSearch(position, MctsOptions(1000)).run(Limit(simulations=123), on_info=seen.append)
    assert info.simulations == 123
    assert seen[-1] == info
    timed = MctsSearch(position, MctsOptions(10)).run(Limit(time_s=0.02))
    assert timed.simulations > 10


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju", "caro", "caro_overline"])
def test_tactical_search_leaves_no_trace_on_the_board(rule: str) -> None:
    position = Game.from_moves(Rules(size=9, rule=rule), parse_moves("e5e6d5", 9)).position
    search = MctsSearch(position, MctsOptions(500, rollouts=Rollouts.TACTICAL))
    info = search.run(multipv=100)
    assert sum(line.visits for line in info.lines) == info.simulations == 500


@pytest.mark.parametrize("rollouts", list(Rollouts))
def test_a_stop_before_the_first_simulation_still_tries_each_move(rollouts: Rollouts) -> None:
    position = Game.from_moves(Rules(size=9), ["e5"]).position
    stop = Stop()
    stop.set()
    info = MctsSearch(position, MctsOptions(1000, rollouts=rollouts)).run(multipv=100, stop=stop)
    assert info.simulations == 80
    assert min(line.visits for line in info.lines) >= 1 and info.lines[0].winrate is not None
