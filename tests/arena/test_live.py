"""The boards in progress: written while games are played, gone afterwards."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from wuzi.arena.live import LiveBoard, clear_live, read_live
from wuzi.arena.schedule import Entry, TournamentConfig
from wuzi.arena.tournament import prepare_folder, run_tournament
from wuzi.core import Game, Rules


def until_shown(folder: Path, games: int) -> list[dict[str, object]]:
    deadline = time.monotonic() + 60
    while len(found := read_live(folder)) != games:
        assert time.monotonic() < deadline, found
        time.sleep(0.02)
    return found


def test_boards_come_and_go(tmp_path: Path) -> None:
    game = Game(Rules(9)).play("e5").play("f5")
    one, other = LiveBoard(tmp_path), LiveBoard(tmp_path)
    one.show("g1", ("A", "B"), game)
    assert until_shown(tmp_path, 1) == [
        {"game_id": "g1", "black": "A", "white": "B", "size": 9, "moves": "e5f5"}
    ]
    other.show("g2", ("B", "A"), Game(Rules(9)))
    boards = {board["game_id"]: board for board in until_shown(tmp_path, 2)}
    assert (boards["g2"]["black"], boards["g2"]["moves"]) == ("B", "")
    one.drop()
    assert until_shown(tmp_path, 1) == [boards["g2"]]
    one.close()
    other.close()
    assert read_live(tmp_path) == [boards["g2"]], "a game that was stopped stays to be seen"
    clear_live(tmp_path)
    assert list(tmp_path.iterdir()) == []
    LiveBoard(None).show("g3", ("A", "B"), game)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"v": 2, "games": []}', '{"v": 1, "games": [{"game_id": 3}, 4]}', "\xff"]
)
def test_what_is_no_such_file_shows_no_boards(tmp_path: Path, text: str) -> None:
    assert read_live(tmp_path) == []
    (tmp_path / "live-a.json").write_text(text, "latin-1")
    assert read_live(tmp_path) == []
    clear_live(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_tournament_shows_its_boards_and_clears_them(tmp_path: Path) -> None:
    config = TournamentConfig(
        (Entry("random", "A"), Entry("weight", "B")), Rules(5, 4), games=4, openings="none"
    )
    prepare_folder(config, tmp_path)
    seen = []

    def look(_: object) -> None:
        seen.append(bool(list(tmp_path.glob("live-*.json"))))

    result = run_tournament(config, tmp_path, resume=True, concurrency=1, on_progress=look)
    assert len(result.records) == 4
    assert any(seen)
    assert not list(tmp_path.glob("live-*.json"))
