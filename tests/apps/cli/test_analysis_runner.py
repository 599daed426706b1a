"""The analysis engine: with fakes in this process, then the real command in a process of its own."""

from __future__ import annotations

import io
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.fakes import FirstMovePlayer, PatientPlayer, ScriptedPlayer
from wuzi.analysis.service import MAX_QUEUE, AnalysisRunner, read_lines
from wuzi.contract import Player
from wuzi.core import Move, Place
from wuzi.errors import ConfigError, PlayerCrashed

WAIT_S = 60


class Engine:
    """A runner in a thread, fed and read line by line."""

    def __init__(self, create: Callable[[str], Player], **options: Any) -> None:
        self.lines: queue.Queue[bytes | None] = queue.Queue()
        self.replies: queue.Queue[dict[str, Any]] = queue.Queue()
        self.runner = AnalysisRunner(lambda line: self.replies.put(json.loads(line)), create, **options)
        self.thread = threading.Thread(
            target=self.runner.serve, args=(iter(self.lines.get, None),), daemon=True
        )
        self.thread.start()
        assert self.read()["type"] == "ready"

    def send(self, kind: str, id: str | None = None, **more: Any) -> None:
        message = {"type": kind, "id": id, **more}
        self.lines.put(json.dumps(message).encode())

    def start(self, id: str, **more: Any) -> None:
        self.send("start", id, **({"player": "fake", "position": {"size": 9}} | more))

    def read(self) -> dict[str, Any]:
        return self.replies.get(timeout=WAIT_S)

    def read_until(self, kind: str) -> dict[str, Any]:
        while (reply := self.read())["type"] != kind:
            pass
        return reply

    def end(self) -> None:
        self.lines.put(None)
        self.thread.join(WAIT_S)
        assert not self.thread.is_alive()


@pytest.fixture
def patient() -> Iterator[Engine]:
    engine = Engine(lambda _: PatientPlayer())
    yield engine
    engine.send("quit")
    engine.end()


def test_a_search_reports_and_answers() -> None:
    engine = Engine(lambda _: FirstMovePlayer())
    engine.start("a", multipv=3)
    info, done = engine.read(), engine.read()
    assert (info["type"], done["type"]) == ("info", "done")
    assert (info["seq"], done["seq"]) == (1, 2)
    assert [line["move"] for line in done["moveInfos"]] == ["a9", "b9", "c9"]
    assert done["action"] == {"type": "place", "moves": ["a9"]}
    engine.end()


def test_swap_phases_have_actions() -> None:
    engine = Engine(lambda _: FirstMovePlayer())
    engine.start("a", position={"size": 9, "opening": "swap2"})
    assert engine.read_until("done")["action"] == {"type": "place", "moves": ["a9", "b9", "c9"]}
    three = {"type": "place", "moves": ["a9", "b9", "c9"]}
    engine.start("b", position={"size": 9, "opening": "swap2", "actions": [three]})
    assert engine.read_until("done")["action"] == {"type": "keep"}
    engine.end()


def test_stop_means_answer_now(patient: Engine) -> None:
    patient.start("a")
    patient.read_until("info")
    patient.send("stop", "a")
    assert patient.read_until("done")["id"] == "a"


def test_ping_is_answered_during_a_search(patient: Engine) -> None:
    patient.start("a")
    patient.read_until("info")
    patient.send("ping", "p")
    assert patient.read() == {"type": "pong", "id": "p"}


def test_waiting_searches_say_so_and_a_stopped_one_answers_when_its_turn_comes(patient: Engine) -> None:
    patient.start("a")
    patient.read_until("info")
    patient.start("b")
    patient.start("c")
    assert patient.read() == {"type": "queued", "id": "b", "ahead": 1}
    assert patient.read() == {"type": "queued", "id": "c", "ahead": 2}
    patient.send("stop", "b")
    patient.send("stop", "a")
    assert [patient.read_until("done")["id"] for _ in range(2)] == ["a", "b"]
    patient.send("stop", "unknown")
    patient.send("stop", "c")
    assert patient.read_until("done")["id"] == "c"


def test_the_highest_priority_goes_first_and_equals_in_order(patient: Engine) -> None:
    patient.start("a")
    patient.read_until("info")
    for name, priority in (("b", 0), ("c", 5), ("d", 5), ("e", -1), ("f", 9)):
        patient.start(name, priority=priority)
    assert [patient.read()["ahead"] for _ in range(5)] == [1, 1, 2, 4, 1]
    order = []
    for _ in range(6):
        patient.send("stop", "abcdef"[0] if not order else order[-1])
        for name in "abcdef":
            patient.send("stop", name)
        order.append(patient.read_until("done")["id"])
    assert order == ["a", "f", "c", "d", "b", "e"]


def test_a_cancelled_search_gives_no_answer(patient: Engine) -> None:
    patient.start("a")
    patient.read_until("info")
    patient.start("b")
    patient.start("c")
    patient.send("cancel", "b")
    assert patient.read_until("cancelled") == {"type": "cancelled", "id": "b"}, "waiting: at once"
    patient.send("cancel", "a")
    assert patient.read() == {"type": "cancelled", "id": "a"}, "running: instead of its answer"
    assert patient.read_until("info")["id"] == "c"
    patient.send("cancel", "nobody")
    patient.start("b")  # the id is free again
    patient.send("ping")
    patient.read_until("pong")
    patient.send("cancel")
    assert {patient.read_until("cancelled")["id"] for _ in range(2)} == {"b", "c"}
    patient.start("a")
    assert patient.read_until("info")["id"] == "a"


def test_several_searches_at_once_have_players_of_their_own() -> None:
    made: list[int] = []

    def create(_: str) -> Player:
        made.append(threading.get_ident())
        return PatientPlayer()

    engine = Engine(create, searches=3)
    for name in "abcd":
        engine.start(name)
    replies = [engine.read() for _ in range(4)]
    assert {reply["id"] for reply in replies if reply["type"] == "info"} == {"a", "b", "c"}
    assert [reply for reply in replies if reply["type"] == "queued"] == [
        {"type": "queued", "id": "d", "ahead": 3}
    ]
    assert len(set(made)) == 3
    engine.send("stop", "b")
    assert engine.read_until("done")["id"] == "b"
    assert engine.read_until("info")["id"] == "d"
    engine.send("quit")
    engine.end()


def test_real_searches_at_once_answer_as_one_after_the_other() -> None:
    from wuzi.players import create_player

    answers = []
    for searches in (1, 3):
        engine = Engine(create_player, searches=searches)
        for name in ("h8", "h8h9", "h8h9i9"):
            engine.start(name, player="engine:table_mb=1", position={"moves": name}, limit={"nodes": 2000})
        done = [engine.read_until("done") for _ in range(3)]
        answers.append({reply["id"]: (reply["action"], reply["rootInfo"]["nodes"]) for reply in done})
        engine.end()
    assert answers[0].keys() == answers[1].keys()
    assert all(nodes >= 2000 for _, nodes in answers[1].values())


def test_an_id_in_use_is_refused(patient: Engine) -> None:
    patient.start("a")
    patient.read_until("info")
    patient.start("a")
    assert patient.read()["code"] == "duplicate_id"
    patient.send("stop", "a")
    patient.read_until("done")
    patient.start("a")
    assert patient.read_until("info")["id"] == "a"


def test_the_queue_is_bounded(patient: Engine) -> None:
    for index in range(MAX_QUEUE + 1):
        patient.start(f"q{index}")
    error = patient.read_until("error")
    assert (error["id"], error["code"]) == (f"q{MAX_QUEUE}", "engine_busy")


def test_quit_stops_a_running_search() -> None:
    engine = Engine(lambda _: PatientPlayer())
    engine.start("a")
    engine.read_until("info")
    engine.send("quit")
    engine.thread.join(WAIT_S)
    assert not engine.thread.is_alive()


def test_the_end_of_input_still_answers_what_was_asked() -> None:
    engine = Engine(lambda _: FirstMovePlayer())
    for name in "abc":
        engine.start(name)
    engine.lines.put(None)
    assert [engine.read_until("done")["id"] for _ in range(3)] == ["a", "b", "c"]
    engine.thread.join(WAIT_S)
    assert not engine.thread.is_alive()


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (PlayerCrashed("it ended"), "engine_failed"),
        (RuntimeError("a bug\nin two lines"), "engine_failed"),
        (MemoryError(), "engine_failed"),
    ],
)
def test_a_player_that_fails_is_an_error_and_the_process_lives_on(failure: Exception, code: str) -> None:
    engine = Engine(lambda _: ScriptedPlayer([failure, Place(Move(3, 15))]))
    engine.start("a", reportEvery=None)
    error = engine.read()
    assert (error["type"], error["id"], error["code"]) == ("error", "a", code)
    engine.send("ping")
    assert engine.read()["type"] == "pong"
    engine.end()


def test_a_player_that_broke_is_made_anew() -> None:
    made: list[str] = []

    def create(spec: str) -> Player:
        made.append(spec)
        return ScriptedPlayer([RuntimeError("once")]) if len(made) == 1 else FirstMovePlayer()

    engine = Engine(create)
    engine.start("a")
    engine.read_until("error")
    engine.start("b")
    assert engine.read_until("done")["id"] == "b"
    engine.end()
    assert made == ["fake", "fake"]


def test_players_are_kept_and_the_oldest_closed() -> None:
    made: list[str] = []
    closed: list[str] = []

    class Kept(FirstMovePlayer):
        def __init__(self, spec: str) -> None:
            self.spec = spec
            made.append(spec)

        def close(self) -> None:
            closed.append(self.spec)

    engine = Engine(Kept, max_players=2)
    for index, spec in enumerate(["a", "b", "a", "c", "a", "b"]):
        engine.start(str(index), player=spec)
        engine.read_until("done")
    assert made == ["a", "b", "c", "b"]
    assert closed == ["b", "c"]
    engine.end()
    assert sorted(closed) == ["a", "b", "b", "c"]


def test_unknown_players_and_default_player() -> None:
    def create(spec: str) -> Player:
        if spec != "known":
            raise ConfigError(f"unknown player {spec!r}: expected known")
        return FirstMovePlayer()

    engine = Engine(create, default_player="known")
    engine.start("a", player="nobody")
    assert engine.read()["code"] == "bad_config"
    engine.start("b", player=None)
    assert engine.read_until("done")["id"] == "b"
    engine.send("describe", "d")
    described = engine.read()
    assert described["name"] == "first-move"
    assert described["capabilities"]["maxSize"] == 26
    engine.end()


def test_a_reader_that_left_ends_the_engine() -> None:
    def broken(line: str) -> None:
        raise BrokenPipeError

    runner = AnalysisRunner(broken, lambda _: PatientPlayer())
    runner.serve(iter([b'{"type":"start","id":"a","player":"x","position":{}}']))


def test_overlong_lines_are_cut_and_the_next_one_is_whole() -> None:
    stream = io.BytesIO(b"x" * 100 + b"\nshort\n" + b"y" * 30)
    assert list(read_lines(stream, max_line=10)) == [b"x" * 11, b"short\n", b"y" * 11]


def test_the_command_as_a_process_survives_garbage() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "wuzi", "analysis-engine", "--player", "random:seed=1"],
        input=b'\xff\x00garbage\n\n{"type":"start"}\n'
        + b"z" * (2 << 20)
        + b'\n{"type":"start","id":"x","player":"external:cmd=true","position":{}}\n'
        + b'{"type":"start","id":"a","position":{"size":9,"moves":"e5"},"limit":{"time":0.1}}\n',
        capture_output=True,
        timeout=WAIT_S * 2,
        check=True,
    )
    replies = [json.loads(line) for line in process.stdout.splitlines()]
    codes = [reply["code"] for reply in replies if reply["type"] == "error"]
    assert codes == ["bad_json", "bad_request", "too_long", "bad_config"]
    done = replies[-1]
    assert (done["type"], done["id"], done["turnNumber"]) == ("done", "a", 1)
