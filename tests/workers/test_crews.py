"""Crews of threads and processes, and tasks given to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wuzi.errors import ConfigError, JobError
from wuzi.workers.crew import Crew, WorkerKind, perform
from wuzi.workers.local import Local, make_executor

ROOT = Path(__file__).resolve().parents[2]
TOY = "tests.workers.toy:Toy"


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def crew_of(workers: int, *, waits: bool = False, silence_s: float = 60.0) -> Crew:
    return Local().crew(WorkerKind(TOY, {}, waits=waits, silence_s=silence_s), workers)


def results(crew: Crew, tasks: Any, **options: Any) -> list[tuple[int, int]]:
    try:
        return [(key, answer["twice"]) for key, answer in perform(crew, tasks, **options)]
    finally:
        crew.close()


@pytest.mark.parametrize("waits", [True, False])
def test_each_task_is_done_once_and_in_order_where_asked(waits: bool) -> None:
    tasks = [(n, {"n": n}) for n in range(40)]
    expected = [(n, 2 * n) for n in range(40)]
    assert sorted(results(crew_of(3, waits=waits), tasks)) == expected
    assert results(crew_of(3, waits=waits), tasks, ahead=2, in_order=True) == expected
    assert results(crew_of(2, waits=waits), []) == []


def test_tasks_are_taken_when_there_is_room() -> None:
    taken: list[int] = []

    def tasks() -> Iterator[tuple[int, dict[str, int]]]:
        for n in range(60):
            taken.append(n)
            yield n, {"n": n}

    crew = crew_of(2, waits=True)
    try:
        for done, (n, _) in enumerate(perform(crew, tasks(), ahead=2, in_order=True)):
            assert n == done
            assert len(taken) <= done + 4 * 2 * 2
    finally:
        crew.close()


def test_a_task_whose_worker_ends_is_done_by_another(tmp_path: Path) -> None:
    tasks = [(n, {"n": n, **({"once": str(tmp_path / str(n))} if n % 7 == 3 else {})}) for n in range(24)]
    found = results(crew_of(2), tasks, ahead=2)
    assert sorted(found) == [(n, 2 * n) for n in range(24)]
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.slow
def test_a_worker_that_hangs_is_lost(tmp_path: Path) -> None:
    tasks = [(n, {"n": n, "hang": str(tmp_path / "hung") if n == 2 else ""}) for n in range(6)]
    assert sorted(results(crew_of(2, silence_s=10.0), tasks)) == [(n, 2 * n) for n in range(6)]
    assert (tmp_path / "hung").exists()


def test_a_task_that_ends_every_worker_is_an_error() -> None:
    with pytest.raises(
        JobError, match=r"ended (3 workers|one after the other), the last one with exit status 4"
    ):
        results(crew_of(2), [(n, {"n": n, "die": n == 5}) for n in range(10)])


@pytest.mark.parametrize("waits", [True, False])
def test_what_a_worker_raises_is_raised_here(waits: bool) -> None:
    with pytest.raises(ConfigError, match=r"^not this one$"):
        results(crew_of(2, waits=waits), [(0, {"n": 0, "refuse": True})])
    with pytest.raises(JobError, match=r"^ZeroDivisionError: by zero$"):
        results(crew_of(2, waits=waits), [(0, {"n": 0, "break": True})])


@pytest.mark.parametrize("waits", [True, False])
def test_contents_are_shared_with_any_request(waits: bool) -> None:
    crew = crew_of(1, waits=waits)
    try:
        crew.ask(0, {"n": 1}, crew.share(b"one", bytes(100_000)))
        crew.ask(0, {"n": 1})
        for lengths in ([3, 100_000], []):
            while (heard := crew.hear(1.0)) is None:
                pass
            assert heard.answer is not None and heard.answer["shared"] == lengths
    finally:
        crew.close()


def test_what_nobody_will_send_again_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    crew = crew_of(1)
    try:
        for number in range(3):
            crew.ask(0, {"n": number}, crew.share(b"weights"))
        assert len(list(tmp_path.glob("*/*"))) == 3
        for _ in range(3):
            while (heard := crew.hear(1.0)) is None:
                pass
            assert heard.answer is not None and heard.answer["shared"] == [7]
        assert not list(tmp_path.glob("*/*"))
    finally:
        crew.close()


def test_closing_ends_what_is_being_done() -> None:
    for waits in (True, False):
        crew = crew_of(2, waits=waits)
        for worker in crew.workers():
            crew.ask(worker, {"n": 1, "wait": True})
        crew.close()


def test_executors_by_name() -> None:
    assert make_executor().name == "local"
    with pytest.raises(ConfigError, match="unknown executor 'slurm': expected one of local, ray"):
        make_executor("slurm")
    with pytest.raises(ConfigError, match="expected --executor ray"):
        make_executor("local", "127.0.0.1:6379")
