"""The long tests of research/hardening notice what they look for; the runs themselves take hours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from serving import Tick

from research.hardening.attack import is_failure, site_file
from research.hardening.clients import milliseconds
from research.hardening.games import growth
from research.hardening.ledger import Ledger
from research.hardening.works import Saved, SolverWork


def test_results_of_several_runs_add_up(tmp_path: Path) -> None:
    for games in (100, 50):
        Ledger(tmp_path, "games").add(games=games)
    ledger = Ledger(tmp_path, "games")
    assert ledger.total("games") == 150
    assert all(row["commit"] and row["machine"] for row in ledger.rows())


def test_what_is_lost_changed_or_doubled_is_named() -> None:
    before = Saved.of([("a", "1"), ("b", "2")])
    assert before.lost_in(Saved.of([("a", "1"), ("b", "2"), ("c", "3")])) == []
    assert before.lost_in(Saved.of([("a", "1")])) == ["1 lost: b"]
    assert before.lost_in(Saved.of([("a", "1"), ("b", "3")])) == ["1 changed: b"]
    assert before.lost_in(Saved.of([("a", "1"), ("b", "2"), ("b", "2")])) == ["1 doubled: b"]


def test_the_end_is_compared_with_a_quiet_run(tmp_path: Path) -> None:
    class Ended:
        returncode = 1

    work = SolverWork(1)
    work.quiet = Saved.of([("a", "win []"), ("b", "none []")])
    (tmp_path / "answers.jsonl").write_text(
        '{"id":"a","result":"loss","moves":[]}\n{"id":"c","result":"win","moves":[]}\n'
    )
    found: Any = Ended()
    assert work.unlike_quiet(found, tmp_path) == [
        "exit code 1 at the end",
        "1 lacking: ['b']",
        "1 too many: ['c']",
        "1 unlike the quiet run: ['a']",
    ]


@pytest.mark.parametrize(("last", "factor"), [(100.0, 1.0), (150.0, 1.5)])
def test_growing_memory_is_seen(last: float, factor: float) -> None:
    sizes = [40.0, 70.0, 100.0, 100.0, last]
    rows = [{"run": "r", "games": 1000, "players_mb": size} for size in sizes]
    rows = [row | {"played": 1000 * number} for number, row in enumerate(rows, 1)]
    assert growth(rows, "players_mb") == [("r", 5000, pytest.approx(factor))]
    assert growth(rows[:2], "players_mb") == []


def test_only_the_limits_may_answer_with_5xx() -> None:
    answers = ("200", "422", "429", "503", "500", "502", "closed or silent", "5 of something")
    assert [answer for answer in answers if is_failure(answer)] == ["500", "502"]


def test_the_attacked_site_is_that_of_deploy(tmp_path: Path) -> None:
    text = site_file(tmp_path, "127.0.0.1:1", "127.0.0.1:2").read_text()
    assert "server 127.0.0.1:1;" in text and "listen 127.0.0.1:2;" in text
    assert "${" not in text and "limit_req_zone" in text


def test_waiting_for_a_core_is_told_from_own_work() -> None:
    waited, worked = Tick(1.0, 0.2, 1, 0.003, 0.01), Tick(2.0, 0.1, 1, 0.104, 0.11)
    assert [tick.blocked_s for tick in (waited, worked)] == [0.003, 0.1]
    late = [0.001] * 98 + [0.2, -0.01]
    assert milliseconds(late) == {"median": 1.0, "99 %": 200.0, "worst": 200.0}
