"""The boards in progress: written while games are played, gone afterwards."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.web_server import until
from wuzi.arena.live import LiveBoard, clear_live, read_live
from wuzi.arena.schedule import Entry, TournamentConfig
from wuzi.arena.tournament import prepare_folder, run_tournament
from wuzi.core import Color, Game, PlaceSeveral, Rules, Swap, parse_moves
from wuzi.games.referee import Standing


def until_shown(folder: Path, games: int) -> list[dict[str, object]]:
    deadline = time.monotonic() + 60
    while len(found := read_live(folder)) != games:
        assert time.monotonic() < deadline, found
        time.sleep(0.02)
    return found


def test_boards_come_and_go(tmp_path: Path) -> None:
    game = Game(Rules(9)).play("e5").play("f5")
    one, other = LiveBoard(tmp_path), LiveBoard(tmp_path)
    one.show("g1", ("A", "B"), Standing(game, (1.5, 0.25), (8.5, None), (0.75, None)))
    (found,) = until_shown(tmp_path, 1)
    assert time.time() - 60 < found.pop("asked_at") <= time.time()
    assert found == {
        "game_id": "g1",
        "black": {"name": "A", "time_s": 1.5, "clock_s": 8.5, "winrate": 0.75},
        "white": {"name": "B", "time_s": 0.25, "clock_s": None, "winrate": None},
        "size": 9,
        "moves": "e5f5",
        "to_move": "B",
        "winner": None,
        "reason": None,
    }
    other.show("g2", ("B", "A"), Standing(Game(Rules(9))))
    boards = {board["game_id"]: board for board in until_shown(tmp_path, 2)}
    assert (boards["g2"]["black"]["name"], boards["g2"]["moves"]) == ("B", "")
    one.show("g1", ("A", "B"), Standing(game.resign(Color.BLACK)))
    until(lambda: any(board["winner"] for board in read_live(tmp_path)), "the end is shown")
    (ended,) = (board for board in read_live(tmp_path) if board["winner"])
    assert (ended["winner"], ended["reason"], ended["asked_at"]) == ("white", "resignation", None)
    one.close()
    assert read_live(tmp_path) == [boards["g2"]], "a game that is over has gone with its worker"
    other.close()
    assert read_live(tmp_path) == [boards["g2"]], "a game that was stopped stays to be seen"
    clear_live(tmp_path)
    assert list(tmp_path.iterdir()) == []
    LiveBoard(None).show("g3", ("A", "B"), Standing(game))


def test_the_end_of_a_game_is_to_be_seen_though_the_next_has_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wuzi.arena.live.END_S", 600)
    live = LiveBoard(tmp_path)
    live.show("g1", ("A", "B"), Standing(Game(Rules(9)).play("e5").resign(Color.WHITE)))
    live.show("g2", ("B", "A"), Standing(Game(Rules(9))))
    (found,) = until_shown(tmp_path, 1)
    assert (found["game_id"], found["winner"]) == ("g1", "black")
    live.close()
    assert [board["game_id"] for board in read_live(tmp_path)] == ["g2"]


def test_after_a_swap_the_players_are_named_by_their_colours(tmp_path: Path) -> None:
    game = Game(Rules(15, opening="swap1")).act(PlaceSeveral(parse_moves("h8h9i7", 15))).act(Swap())
    live = LiveBoard(tmp_path)
    live.show("g1", ("A", "B"), Standing(game, (1.0, 2.0), (None, None), (0.25, None)))
    (found,) = until_shown(tmp_path, 1)
    live.close()
    assert found["black"] == {"name": "B", "time_s": 2.0, "clock_s": None, "winrate": None}
    assert (found["white"]["name"], found["white"]["winrate"], found["to_move"]) == ("A", 0.25, "W")


@pytest.mark.parametrize(
    "text", ["", "[]", '{"v": 1, "games": []}', '{"v": 2, "games": [{"moves": 3}, 4]}', "\xff"]
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
