"""The choice of a colour in swap openings keeps to the limit, as every other answer does."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from wuzi.contract import Limit, Stop
from wuzi.core import Game, Keep, PlaceSeveral, Position, Rules, Swap, parse_moves
from wuzi.core.layout import MAX_NODES, NODES, STOP
from wuzi.players import BasePlayer, create_player
from wuzi.search.balance import balanced_moves
from wuzi.search.control import drive, new_control
from wuzi.search.exact.solver import ExactSolver

pytestmark = pytest.mark.kernels

LONG = Rules(8, rule="caro", opening="swap2")
"""Solving this takes twenty million positions, minutes."""


def choice(rules: Rules, stones: str = "d4 e5 e4") -> Game:
    return Game(rules).act(PlaceSeveral(parse_moves(stones, rules.size)))


@dataclass(frozen=True)
class Nothing:
    """No options."""


class Judge(BasePlayer[Nothing]):
    registered_name = "judge"
    config_type = Nothing

    def evaluate(self, game: Game, limit: Limit = Limit(), stop: Stop | None = None) -> float | None:
        self.asked = limit, stop
        return -0.5


def test_whoever_values_the_position_is_told_of_the_limit() -> None:
    judge, limit, stop = Judge(), Limit(time_s=0.5, nodes=7), Stop()
    assert judge.think(choice(LONG), limit, stop=stop).action == Swap()
    assert judge.asked == (limit, stop)


@pytest.mark.parametrize("spec", ["solver", "mcts:rollouts=tactical", "minimax:depth=4", "engine:table_mb=1"])
def test_a_choice_of_few_positions_is_made(spec: str) -> None:
    rules = Rules(8, opening="swap2") if spec.startswith("engine") else LONG
    with create_player(spec) as player:
        assert isinstance(player.think(choice(rules), Limit(nodes=100, simulations=20)).action, Keep | Swap)


def test_the_solver_has_no_opinion_when_it_is_stopped() -> None:
    stop = Stop()
    stop.set()
    with create_player("solver") as player:
        assert player.think(choice(LONG), stop=stop).action == Keep()
        assert player.think(choice(LONG), Limit(nodes=100)).action == Keep()


def test_a_proof_is_looked_for_until_somebody_stops_it() -> None:
    """The number of positions ends one search and allows the next; a stop from outside ends all."""
    rules = Rules(4, 4)
    solver, position = ExactSolver(rules), Game(rules).position
    attacker = position.to_move
    ctl = new_control(5)
    ctl[NODES], ctl[STOP] = 5, 1  # the number was reached
    assert solver.choose(position, attacker.opponent, ctl) is not None
    ctl[MAX_NODES], ctl[STOP] = ctl[NODES] + 1, 1  # somebody stopped it
    assert ExactSolver(rules).choose(position, attacker.opponent, ctl) is None


def test_a_search_that_has_ended_is_not_stopped_any_more() -> None:
    """A stop that is kept for a whole match would else keep a control of every move."""
    ctl, stop = new_control(), Stop()
    assert drive(lambda: 3, ctl, stop=stop) == 3
    stop.set()
    assert ctl[STOP] == 0


def test_pairs_that_are_weighed_lie_on_all_sides() -> None:
    seen: list[Position] = []

    def value(position: Position, limit: Limit) -> float:
        seen.append(position)
        return 0.0

    position = Game(Rules()).play("h8").position
    balanced_moves(position, 2, value, Limit(nodes=1))
    stones = [divmod(cell, 15) for end in seen for cell in range(225) if end.cells[cell] and cell != 112]
    for axis in (0, 1):
        near, far = (sum(sign * (stone[axis] - 7) > 0 for stone in stones) for sign in (-1, 1))
        assert min(near, far) > len(stones) / 4


def test_a_request_to_stop_outlasts_searches_that_begin_after_it() -> None:
    ctl, seen = new_control(), []

    def work() -> int:
        while len(seen) < 3:
            if ctl[STOP]:
                seen.append(int(ctl[STOP]))
                ctl[STOP] = 0  # the next search with this control
        return len(seen)

    assert drive(work, ctl, budget_s=0.0) == 3
    seen.clear()
    stop = Stop()
    stop.set()
    assert drive(work, ctl, stop=stop) == 3
