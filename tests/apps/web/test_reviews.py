"""Reviews and puzzles over the API, with real workers."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import wuzi
from tests.web_server import WAIT_S, RunningServer, running_server, seat, until
from wuzi.analysis.review import next_task, restore
from wuzi.analysis.review.model import DEPTHS
from wuzi.analysis.review.output import review_json
from wuzi.apps.web import reviews
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.reviews import MAX_RUNNING, LiveReview, ReviewHub
from wuzi.records import GameRecord, loads
from wuzi.tactics.suite import PuzzleTheme, load_suite

pytestmark = pytest.mark.slow

GAME = Path(__file__).resolve().parents[2] / "analysis" / "review" / "games" / "missed_vcf.sgf"
SHORT_GAME = "(;FF[4]GM[4]SZ[15];B[hh];W[gg];B[hi];W[hf];B[hk];W[hj];B[fh];W[ig];B[gh];W[ih])"


def finished(server: RunningServer, review_id: str) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def done() -> bool:
        found.update(server.get(f"/reviews/{review_id}"))
        return found["status"] != "running"

    until(done, "the review ended")
    return found


def ready(server: RunningServer) -> RunningServer:
    """The server, once its workers have told what they can."""
    until(lambda: server.client.get("/api/v1/engines").is_success, "the engines are ready")
    return server


@pytest.fixture(scope="module")
def review(server: RunningServer) -> dict[str, Any]:
    begun = ready(server).post("/reviews", {"record": GAME.read_text(), "depth": "quick"}, 201)
    assert begun["status"] == "running"
    assert begun["progress"]["fraction"] < 1
    return finished(server, begun["id"])


def test_a_review_finds_the_known_missed_win(server: RunningServer, review: dict[str, Any]) -> None:
    assert review["status"] == "done"
    assert review["progress"]["fraction"] == 1
    assert review["players"] == {"B": "casual", "W": "beginner"}
    move = review["moves"][19]
    assert (move["mark"], move["missed"]["kind"]) == ("blunder", "vcf")
    assert 19 in review["worst"]
    assert review["sides"][1]["missedWins"] >= 1
    assert [one["id"] for one in server.get("/reviews")].count(review["id"]) == 1


def test_a_review_that_must_wait_says_so_and_is_made(tmp_path: Path) -> None:
    with running_server(tmp_path, workers=1) as server:
        first, second = (
            ready(server).post("/reviews", {"record": SHORT_GAME[:end] + ")", "depth": "quick"}, 201)
            for end in (-1, -7)
        )
        until(
            lambda: (
                server.get(f"/reviews/{second['id']}")["progress"]["ahead"] > 0
                or server.get(f"/reviews/{first['id']}")["progress"]["ahead"] > 0
            ),
            "one of them waits for the other",
        )
        assert [finished(server, one["id"])["error"] for one in (first, second)] == [None, None]


def test_a_review_is_followed_over_its_socket(server: RunningServer) -> None:
    begun = ready(server).post("/reviews", {"record": SHORT_GAME, "depth": "quick"}, 201)
    url = f"ws://127.0.0.1:{server.port}/ws/v1/reviews"
    seen = []
    with connect(f"{url}/{begun['id']}") as socket:
        while not seen or seen[-1]["status"] == "running":
            message = json.loads(socket.recv(WAIT_S))
            if message["type"] == "state":
                seen.append(message["review"])
    assert seen[-1] == server.get(f"/reviews/{begun['id']}")
    assert seen[-1]["status"] == "done"
    fractions = [state["progress"]["fraction"] for state in seen]
    assert fractions == sorted(fractions)
    assert len(set(fractions)) > 2
    with connect(f"{url}/nosuchreview") as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(WAIT_S)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


def test_it_can_be_taken_home_and_brought_back_without_work(
    server: RunningServer, review: dict[str, Any]
) -> None:
    path = f"/api/v1/reviews/{review['id']}/export"
    sgf = server.client.get(path, params={"format": "sgf", "lang": "zh"})
    assert sgf.headers["content-type"].startswith("application/x-go-sgf")
    record = loads(sgf.text)
    saved = restore(record)
    assert saved is not None and next_task(saved) is None
    again = server.post("/reviews", {"record": sgf.text}, 201)
    assert again["status"] == "done"
    assert again["moves"] == review["moves"]
    rows = list(csv.reader(io.StringIO(server.client.get(path, params={"format": "csv"}).text)))
    assert len(rows) == len(review["moves"]) + 1
    assert server.client.get(path, params={"format": "html"}).text.startswith("<!doctype html>")
    assert server.client.get(path, params={"format": "json"}).json()["complete"]
    assert again["id"] == review["id"], "there is one review of the same game with the same settings"


def test_the_same_game_gives_the_same_review_at_every_run_and_on_every_face(
    server: RunningServer,
) -> None:
    """Three times on workers that meanwhile look at other things, and once by the library."""
    body = {"record": SHORT_GAME, "depth": "quick"}
    found = []
    for size in (15, 13, 11):
        begun = ready(server).post("/reviews", body, 201)
        assert server.post("/reviews", body, 201)["id"] == begun["id"], "it is not made twice"
        other = f"(;GM[4]SZ[{size}];B[ff];W[gg];B[fg];W[gf])"
        server.post("/reviews", {"record": other, "depth": "quick"}, 201)
        found.append(finished(server, begun["id"]))
        assert server.client.delete(f"/api/v1/reviews/{begun['id']}").status_code == 204
        server.get(f"/reviews/{begun['id']}", 404)
    quick, deep, verify = DEPTHS["quick"]
    budgets = {"quick_nodes": quick, "deep_nodes": deep, "verify_nodes": verify}
    own = json.loads(json.dumps(review_json(wuzi.review(loads(SHORT_GAME).game(), **budgets))))
    for one in found:
        for name in ("moves", "sides", "worst", "resigned"):
            assert one[name] == own[name], name


def test_stones_of_a_book_are_not_judged(server: RunningServer) -> None:
    rules = {"size": 15, "rule": "renju"}
    body = {"rules": rules, "seats": [seat(None), seat(None)], "book": "renju26"}
    game = ready(server).post("/games", body, 201)
    assert game["ply"] == 3
    server.play(game, "a1")
    found = server.post("/reviews", {"gameId": game["id"], "depth": "quick"}, 201)
    assert found["judgedFrom"] == 3
    assert [move["mark"] for move in finished(server, found["id"])["moves"][:3]] == [None] * 3


def test_better_moves_can_be_tried(server: RunningServer, review: dict[str, Any]) -> None:
    path = f"/reviews/{review['id']}/try"
    move = review["moves"][19]
    assert server.post(path, {"ply": 19, "move": move["missed"]["moves"][0]})["verdict"] == "solved"
    wrong = server.post(path, {"ply": 19, "move": move["move"]})
    assert wrong["verdict"] == "fails"
    assert wrong["line"], "the enemy then wins, and how is told"
    assert server.post(path, {"ply": 19, "move": "h8"}, 422)["code"] == "illegal_move"
    assert server.post(path, {"ply": 99, "move": "a1"}, 422)["code"] == "validation"


def test_games_of_the_server_and_unfinished_ones_can_be_reviewed(server: RunningServer) -> None:
    game = server.new_game(None, None, size=9)
    server.play(game, "e5", "e6", "f5")
    body = {"gameId": game["id"], "depth": "quick"}
    found = finished(server, server.post("/reviews", body, 201)["id"])
    assert found["status"] == "done"
    assert [move["move"] for move in found["moves"]] == ["e5", "e6", "f5"]
    assert found["outcome"] is None


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "validation"),
        ({"gameId": "nothing", "record": "h8"}, "validation"),
        ({"record": "(;GM[4]SZ[15]RU[freestyle];B[hh];W[hh])"}, "bad_record"),
        ({"record": "(;GM[4]SZ[15]RU[freestyle])"}, "unsupported_rule"),
        ({"record": "h8", "depth": "endless"}, "validation"),
    ],
)
def test_what_cannot_be_reviewed_is_refused(server: RunningServer, body: Any, code: str) -> None:
    assert server.post("/reviews", body, 422)["code"] == code


def test_strange_ids_lead_nowhere(server: RunningServer) -> None:
    for name in ("..%2F..%2Fgames", "games.sqlite3", "a" * 80):
        server.get(f"/reviews/{name}", 404)


def test_a_review_stops_goes_on_and_outlives_the_server_and_a_worker(tmp_path: Path) -> None:
    with running_server(tmp_path) as one:
        begun = ready(one).post("/reviews", {"record": GAME.read_text(), "depth": "quick"}, 201)
        path = f"/reviews/{begun['id']}"
        until(lambda: one.get(path)["progress"]["done"] > 3, "it has begun")
        stopped = one.post(f"{path}/stop")
        assert stopped["status"] == "stopped"
        results = stopped["seq"]
        time.sleep(0.2)
        assert one.get(path)["seq"] == results, "nothing goes on"
    with running_server(tmp_path) as two:
        kept = two.get(path)
        assert kept["status"] == "stopped"
        assert kept["progress"]["done"] >= stopped["progress"]["done"]
        assert two.post(f"{path}/resume")["status"] == "running"
        until(lambda: len(two.context.pool.pids) > 0 and two.get(path)["seq"] > 8, "it goes on")
        os.kill(two.context.pool.pids[0], signal.SIGKILL)
        failed = finished(two, begun["id"])
        if failed["status"] == "failed":
            assert failed["errorCode"] == "engine_crashed"
            two.post(f"{path}/resume")
        assert finished(two, begun["id"])["status"] == "done"


class Deaf:
    """An engine list and a pool in which every search waits for ever."""

    async def first(self, wanted: Any, rules: Any) -> Any:
        await asyncio.sleep(0)
        return SimpleNamespace(id="engine")

    def submit(self, *_: Any, **__: Any) -> Any:
        answer = asyncio.get_running_loop().create_future()
        return SimpleNamespace(answer=answer, ahead=0, cancel=answer.cancel)


def _named(black: str) -> GameRecord:
    record = loads(SHORT_GAME)
    record.black = black
    return record


def test_no_more_reviews_run_than_may_whenever_they_are_asked_for(tmp_path: Path) -> None:
    async def ask() -> None:
        hub = ReviewHub(tmp_path, Deaf(), Deaf())  # type: ignore[arg-type]
        together = (hub.create(_named(str(number)), "quick") for number in range(12))
        asked = await asyncio.gather(*together, return_exceptions=True)
        begun = [one for one in asked if isinstance(one, LiveReview)]
        assert len(begun) == MAX_RUNNING == len(list(tmp_path.glob("reviews/*.sgf")))
        await hub.stop(begun[0])
        await hub.create(_named("another"), "quick")
        with pytest.raises(ProblemError, match="are running"):
            await hub.resume(begun[0])
        await hub.close()

    asyncio.run(ask())


def test_of_many_reviews_the_oldest_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "MAX_KEPT", 2)
    nobody: Any = SimpleNamespace(send=lambda _: None)

    async def ask() -> None:
        hub = ReviewHub(tmp_path, Deaf(), Deaf())  # type: ignore[arg-type]
        begun: list[LiveReview] = []
        for seconds in range(5):
            begun.append(await hub.create(_named(str(seconds)), "quick"))
            os.utime(tmp_path / "reviews" / f"{begun[-1].id}.sgf", (seconds, seconds))
            if seconds == 1:
                continue  # it runs
            await hub.stop(begun[-1])
            if seconds == 2:
                followed = asyncio.create_task(begun[-1].follow(nobody))
                await asyncio.sleep(0)
        kept = {one.id for one in begun[1:]}
        assert kept == set(hub._live) == {path.stem for path in tmp_path.glob("reviews/*.sgf")}
        assert kept == {path.stem for path in tmp_path.glob("reviews/*.jsonl")}
        followed.cancel()
        await hub.close()

    asyncio.run(ask())


# ---------------------------------------------------------------- puzzles


def test_puzzles_are_listed_easy_ones_first(server: RunningServer) -> None:
    listed = server.get("/puzzles?theme=vcf")
    assert {one["theme"] for one in listed} == {"vcf"}
    lengths = [one["length"] for one in listed]
    assert lengths == sorted(lengths)
    one = server.get(f"/puzzles/{listed[0]['id']}")
    assert one["solution"] is None
    assert len(one["moves"]) == one["ply"]
    server.get("/puzzles/vcf-9999", 404)
    server.get("/puzzles/no_vcf-0001", 404)


def test_a_puzzle_is_played_out_against_the_longest_defence(server: RunningServer) -> None:
    puzzle = next(p for p in load_suite([PuzzleTheme.VCF]) if len(p.line) == 7)
    path = f"/puzzles/{puzzle.id}"
    solution = server.get(f"{path}?solution=true")["solution"]
    moves: list[str] = []
    for _ in range(8):
        position = puzzle.game
        for move in moves:
            position = position.play(move)
        # Any move that keeps the win will do: ask the list of all until one does, as a patient person would.
        wanted = [solution[len(moves)]] if moves == solution[: len(moves)] else []
        move = next(
            cell
            for cell in (*wanted, *_all_cells(position))
            if server.post(f"{path}/try", {"moves": [*moves, cell]})["verdict"] in ("solved", "continues")
        )
        answer = server.post(f"{path}/try", {"moves": [*moves, move]})
        if answer["verdict"] == "solved":
            break
        moves += [move, answer["reply"]]
    assert answer["verdict"] == "solved"


def _all_cells(game: Any) -> list[str]:
    from wuzi.core import format_move

    return [format_move(move, game.rules.size) for move in game.position.legal_moves]


def test_an_only_defence_is_right_and_others_lose_to_a_line(server: RunningServer) -> None:
    puzzle = load_suite([PuzzleTheme.DEFENCE])[0]
    path = f"/puzzles/{puzzle.id}"
    right = server.get(f"{path}?solution=true")["solution"][0]
    assert server.post(f"{path}/try", {"moves": [right]})["verdict"] == "solved"
    other = next(cell for cell in _all_cells(puzzle.game) if cell != right)
    wrong = server.post(f"{path}/try", {"moves": [other]})
    assert wrong["verdict"] == "fails" and wrong["line"]
    assert server.post(f"{path}/try", {"moves": [right, other]}, 422)["code"] == "validation"


# ---------------------------------------------------------------- a warning before a blunder


def test_a_blunder_is_told_before_it_is_played(server: RunningServer) -> None:
    body = {"rules": {"size": 9}, "seats": [seat(None), seat(None)], "moves": ["e5", "a1", "f5", "a2", "g5"]}
    game = server.post("/games", body, 201)
    path = f"/games/{game['id']}/check"
    bad = server.post(path, {"move": "a9", "ply": 5})
    assert bad["isBlunder"] and bad["reason"]["zh"]
    assert set(bad) == {"isBlunder", "reason", "loss"}, "the better move is not told"
    assert server.post(path, {"move": "a9", "ply": 4}, 409)["code"] == "ply_mismatch"
    assert server.post(path, {"move": "e5", "ply": 5}, 422)["code"] == "illegal_move"
    assert server.get(f"/games/{game['id']}")["ply"] == 5, "nothing was played"
