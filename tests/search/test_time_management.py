"""How long an answer takes: never over its limit, shorter when calm, longer in trouble; by a false clock."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wuzi.contract import Limit
from wuzi.search.time_management import LEAST_S, Allotment, TimeKeeper, allot

CLOCK = Allotment(target_s=1.0, limit_s=4.0, saves=True)
FIXED = Allotment(target_s=1.0, limit_s=1.0, saves=False)


@dataclass
class FakeClock:
    at: float = 100.0

    def __call__(self) -> float:
        return self.at


def run(
    allotment: Allotment | None, depths: list[tuple[float, int, float]], *, forced: bool = False
) -> tuple[float, int]:
    """Seconds and depths of a search whose depths take so long and give such a (move, value)."""
    clock = FakeClock()
    keeper = TimeKeeper(allotment, now=clock)
    if forced:
        keeper.set_forced()
    done = 0
    for seconds, move, value in depths:
        until = keeper.deadline_s()
        if until is not None and keeper.elapsed_s + seconds >= until:
            return until, done
        clock.at += seconds
        done += 1
        keeper.note(done, move, value)
        if keeper.enough():
            break
    return keeper.elapsed_s, done


def calm(depths: int, first: float = 0.01, growth: float = 1.5) -> list[tuple[float, int, float]]:
    return [(first * growth**i, 5, 0.1) for i in range(depths)]


def test_allotments() -> None:
    assert allot(Limit()) is None
    assert allot(Limit(nodes=5, depth=3)) is None
    assert allot(Limit(time_s=2.0)) == Allotment(2.0, 2.0, saves=False)
    clock = allot(Limit(clock_s=100.0))
    assert clock is not None
    assert clock.saves
    assert 1 < clock.target_s < clock.limit_s <= 20
    both = allot(Limit(time_s=5.0, clock_s=100.0))
    assert both is not None
    assert both.limit_s == 5.0
    richer = allot(Limit(clock_s=100.0, increment_s=3.0))
    assert richer is not None
    assert richer.target_s > clock.target_s + 2


@given(st.none() | st.floats(0, 1e6), st.none() | st.floats(-100, 1e6), st.floats(0, 100))
def test_allotments_never_exceed_what_there_is(
    time_s: float | None, clock_s: float | None, increment_s: float
) -> None:
    allotment = allot(Limit(time_s=time_s, clock_s=clock_s, increment_s=increment_s))
    if time_s is None and clock_s is None:
        assert allotment is None
        return
    assert allotment is not None
    assert 0 <= allotment.target_s <= allotment.limit_s
    if time_s is not None:
        assert allotment.limit_s <= time_s
    if clock_s is not None:
        assert allotment.limit_s <= max(LEAST_S, 0.8 * clock_s)


def test_a_clock_is_never_used_up() -> None:
    left = 60.0
    for _ in range(200):
        allotment = allot(Limit(clock_s=left))
        assert allotment is not None
        left -= allotment.limit_s if left > 1 else 0.0
    assert left > 0


def test_time_for_one_answer_is_spent_whole() -> None:
    seconds, _ = run(FIXED, calm(40))
    assert seconds == pytest.approx(1.0)


def test_a_calm_search_saves_time_and_a_restless_one_takes_more() -> None:
    calm_s, _ = run(CLOCK, calm(40))
    restless_s, _ = run(CLOCK, [(s, i, v) for i, (s, _, v) in enumerate(calm(40))])
    falling_s, _ = run(CLOCK, [(s, m, 0.8 - 0.15 * i) for i, (s, m, _) in enumerate(calm(40))])
    assert calm_s < 0.7
    assert calm_s < restless_s < falling_s
    assert restless_s > 1.0
    assert falling_s <= 4.0


def test_a_sudden_drop_is_looked_into() -> None:
    keeper = TimeKeeper(CLOCK, now=FakeClock())
    for depth, value in enumerate((0.3, 0.3, 0.3, 0.3), 1):
        keeper.note(depth, 5, value)
    before = keeper.deadline_s()
    keeper.note(5, 5, -0.2)
    after = keeper.deadline_s()
    assert before is not None
    assert after is not None
    assert before < after <= 4.0


@given(
    st.lists(st.tuples(st.floats(0.001, 2.0), st.integers(0, 3), st.floats(-1, 1)), min_size=1, max_size=40),
    st.floats(0.02, 10),
    st.floats(1, 6),
)
def test_the_limit_holds_whatever_the_search_does(
    depths: list[tuple[float, int, float]], target: float, stretch: float
) -> None:
    seconds, _ = run(Allotment(target, target * stretch, saves=True), depths)
    assert seconds <= target * stretch


@pytest.mark.parametrize("allotment", [FIXED, CLOCK])
def test_a_forced_reply_comes_at_once(allotment: Allotment) -> None:
    seconds, depth = run(allotment, calm(40), forced=True)
    assert depth == 4
    assert seconds < 0.1


def test_several_candidates_are_no_forced_reply() -> None:
    keeper = TimeKeeper(FIXED, single=False, now=FakeClock())
    keeper.set_forced()
    keeper.note(9, 1, 0.0)
    assert not keeper.enough()


def test_without_a_limit_nothing_ends() -> None:
    keeper = TimeKeeper(None, now=FakeClock())
    keeper.set_forced()
    keeper.note(50, 1, 1.0)
    assert keeper.deadline_s() is None
    assert not keeper.enough()


def test_the_margin_is_kept() -> None:
    keeper = TimeKeeper(FIXED, margin_s=0.25, now=FakeClock())
    assert keeper.deadline_s() == 0.75
    assert TimeKeeper(Allotment(0.1, 0.1, saves=False), margin_s=0.25).deadline_s() == 0.001
