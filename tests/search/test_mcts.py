"""Pure Monte Carlo tree search against a twin with a plain Python tree."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wuzi.contract import Limit, SearchInfo, Stop
from wuzi.core import Game, Position, Rules, parse_moves, random_kernels
from wuzi.core.layout import DEEPEST, LINES, MAX_NODES, NODES, UNDECIDED
from wuzi.search.layout import NODE
from wuzi.search.montecarlo.kernels import (
    PLAIN,
    PUCT,
    UCB1,
    MctsRun,
    mcts_run,
    mcts_setup,
    next_child_place,
)
from wuzi.search.montecarlo.searcher import MctsOptions, MctsSearch, Rollouts, TreeFormula
from wuzi.tactics.layout import PATTERNS, TABLES

pytestmark = pytest.mark.kernels

C = 1.414
C_PUCT = 5.0


class TwinNode:
    def __init__(self, place: int) -> None:
        self.place, self.visits, self.wins = place, 0, 0.0
        self.children: list[tuple[int, TwinNode]] = []
        self.exhausted = False


def twin_rollout(base: np.ndarray, work: np.ndarray, game: Position) -> int:
    """The result of a game, after random moves of the kernels if it is not over."""
    if game.outcome is not None:
        return 3 if game.outcome.winner is None else int(game.outcome.winner)
    size = game.rules.size
    taken = {int(p) for p in np.flatnonzero(game.cells)}
    free = [p for p in base["free"][: base["num_free"]] if (p >> 5) * size + (p & 31) not in taken]
    work["free"][: len(free)] = free
    work["num_free"] = len(free)
    return int(random_kernels.random_game(work, int(game.to_move)))


class DocumentNode:
    """SearchNode of document 003; its mean is kept as a sum, so that equal means are equal."""

    def __init__(self, prior: float) -> None:
        self.prior, self.visits, self.total = prior, 0, 0.0
        self.children: dict[int, DocumentNode] = {}

    def score(self, parent_visits: int) -> float:
        q = self.total / self.visits if self.visits else 0.0
        return q + C_PUCT * self.prior * math.sqrt(parent_visits) / (1 + self.visits)


def document_search(position: Position, simulations: int, rng: int) -> dict[int, int]:
    """Visits by root move of document 003's random_search.py; the random games are the kernels'."""
    size = position.rules.size
    base, work = np.zeros(1, LINES)[0], np.zeros(1, LINES)[0]
    random_kernels.lines_from_state(position.state(), base)
    work["rng"] = rng
    root = DocumentNode(1.0)
    for _ in range(simulations):
        random_kernels.copy_lines(base, work)
        node, path, game = root, [root], position
        while node.children:
            parent = node.visits
            cell, node = max(node.children.items(), key=lambda item: item[1].score(parent))
            random_kernels.lines_place(work, cell // size * 32 + cell % size, int(game.to_move))
            game = game.play(cell)
            path.append(node)
        if game.outcome is None:
            legal = game.legal_moves
            node.children = {int(cell): DocumentNode(1 / len(legal)) for cell in legal}
        leaf_player = int(game.to_move)
        result = twin_rollout(base, work, game)
        value = 0.0 if result == 3 else 1.0 if result == leaf_player else -1.0
        for step in reversed(path):
            value = -value
            step.visits += 1
            step.total += value
    return {cell: child.visits for cell, child in root.children.items() if child.visits}


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
                next_child_place(
                    state, no_patterns, work, cursor, number, PLAIN, UCB1, np.uint64(base["rng"])
                )
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
        result = twin_rollout(base, work, game)
        mover = int(position.to_move.opponent)
        for step in path:
            step.visits += 1
            step.wins += 0.5 if result == 3 else float(result == mover)
            mover = 3 - mover
    return {(c.place >> 5) * size + (c.place & 31): c.visits for _, c in numbers[0].children}


@pytest.mark.parametrize("formula", [UCB1, PUCT])
@pytest.mark.parametrize("moves", ["", "c3c4d3", "c3c4d3d4e3e4", "a1a2b1b2c1c2d1d2f1f2"])
def test_tree_equals_the_twin(moves: str, formula: int) -> None:
    position = Game.from_moves(Rules(size=6), parse_moves(moves, 6)).position
    state = position.state()
    root, work = np.zeros(1, LINES)[0], np.zeros(1, LINES)[0]
    work["rng"] = 99
    nodes = np.zeros(4000, NODE)
    ctl = np.zeros(8, np.int64)
    args = (state, np.zeros(1, PATTERNS)[0], np.zeros(1, TABLES)[0], root)
    c = C if formula == UCB1 else C_PUCT
    mcts_setup(*args, nodes, ctl, PLAIN)
    mcts_run(MctsRun(*args, work, nodes, np.zeros(64, np.int64), ctl), 700, round(c * 1000), PLAIN, formula)
    visits = {}
    child = int(nodes[0]["first_child"])
    while child:
        place = int(nodes[child]["place"])
        visits[(place >> 5) * 6 + (place & 31)] = int(nodes[child]["visits"])
        child = int(nodes[child]["next_sibling"])
    twin = twin_search if formula == UCB1 else document_search
    assert visits == twin(position, 700, 99)
    assert nodes[0]["visits"] == ctl[NODES] == 700
    assert sum(visits.values()) == 700 - (formula == PUCT), "the first of PUCT is a game from the root"
    assert ctl[MAX_NODES] == np.count_nonzero(nodes["visits"])
    assert ctl[DEEPEST] >= 2
    assert state["result"] == UNDECIDED and state["ply"] == position.ply


FORMS = [
    MctsOptions(8000),
    MctsOptions(8000, rollouts=Rollouts.TACTICAL),
    MctsOptions(8000, formula=TreeFormula.PUCT),
    MctsOptions(8000, rollouts=Rollouts.TACTICAL, formula=TreeFormula.PUCT),
]


@pytest.mark.parametrize("options", FORMS)
@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju", "caro"])
def test_wins_in_one_are_played_and_fours_are_stopped(rule: str, options: MctsOptions) -> None:
    rules = Rules(size=9, rule=rule)
    four = Game.from_moves(rules, parse_moves("c5a1d5a2e5a4f5a6", 9)).position
    best = MctsSearch(four, options).run().lines[0]
    assert best.move in parse_moves("b5g5", 9)
    blocked = Game.from_moves(rules, parse_moves("c5b5d5a1e5a3f5", 9)).position
    best = MctsSearch(blocked, options).run().lines[0]
    # In caro a stone at h5 stops the five too: a row that is closed at both ends does not win.
    assert best.move in parse_moves("g5h5" if rule == "caro" else "g5", 9)


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


@pytest.mark.parametrize("formula", list(TreeFormula))
def test_a_full_tree_goes_on_without_new_nodes(formula: TreeFormula) -> None:
    position = Position(Rules(size=9))
    info = MctsSearch(position, MctsOptions(2000, max_nodes=300, formula=formula)).run()
    assert info.simulations == 2000
    assert info.nodes == 300


@pytest.mark.parametrize("formula", list(TreeFormula))
def test_renju_never_tries_a_forbidden_point_for_black(formula: TreeFormula) -> None:
    rules = Rules(size=15, rule="renju")
    position = Game.from_moves(rules, parse_moves("h8a1h9a3g10a5f10a7", 15)).position
    foul = {int(cell) for cell in np.flatnonzero(position.forbidden_mask())}
    assert foul
    info = MctsSearch(position, MctsOptions(2000, formula=formula)).run(multipv=300)
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
