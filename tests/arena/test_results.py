from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arena.games import STUDY, games_of, record
from wuzi.arena.results import (
    CSV_COLUMNS,
    GameResult,
    read_csv,
    record_from_json,
    record_to_json,
    write_csv,
)
from wuzi.errors import RecordError

HERE = Path(__file__).parent


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_are_the_documented_ones(tmp_path: Path) -> None:
    write_csv(games_of(STUDY), tmp_path / "r.csv")
    header = (tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header == (
        "game_id,started_at,black,white,winner,result,reason,plies,duration_s,black_time_s,white_time_s,"
        "first_player,size,win_length,rule,opening_id,seed,moves,black_hash,white_hash,version"
    )


@pytest.mark.parametrize("bom", [False, True])
def test_what_is_written_is_read_back(tmp_path: Path, bom: bool) -> None:
    games = [*games_of(STUDY), record(7, 'a "quoted", name', "五子\u2028棋", "draw")]
    write_csv(games, tmp_path / "r.csv", bom=bom)
    assert read_csv(tmp_path / "r.csv") == games


names = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(str.strip)


@given(
    names.map(str.strip),
    names.map(str.strip),
    st.sampled_from(["black", "white", "draw"]),
    st.one_of(st.none(), st.integers(0, 676)),
    st.one_of(st.none(), st.floats(0, 1e6)),
)
def test_json_lines_round_trip(
    black: str, white: str, winner: str, plies: int | None, time: float | None
) -> None:
    game = GameResult("id-1", black, white, winner, plies=plies, duration_s=time)
    assert record_from_json(json.loads(json.dumps(record_to_json(game))), "here") == game


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"v": 2}, "schema version 2: expected 1"),
        ({"plies": "nine"}, "plies is 'nine'"),
        ({"black": None}, "black is None"),
        ({"winner": "nobody"}, "winner 'nobody'"),
        ({"size": True}, "size is True"),
    ],
)
def test_a_wrong_json_line_says_what_is_wrong(change: dict[str, object], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        record_from_json({**record_to_json(record(0, "a", "b", "black")), **change}, "games.jsonl: line 3")


def test_a_missing_field_is_named() -> None:
    data = record_to_json(record(0, "a", "b", "black"))
    del data["white"]
    with pytest.raises(RecordError, match=r"line 3: .*white"):
        record_from_json(data, "games.jsonl: line 3")


def test_the_golden_line_of_schema_1_still_loads() -> None:
    line = (HERE / "golden" / "game_v1.jsonl").read_text(encoding="utf-8")
    game = record_from_json(json.loads(line), "golden")
    assert (game.black, game.winner_name, game.unit, game.forfeit_by) == ("weight", "weight", "g0-1", "B")
    assert game.moves == "e5e6d5d6c5"


def test_an_older_layout_is_read(tmp_path: Path) -> None:
    path = write(
        tmp_path / "old.csv",
        "Game,Player1,Player2,Winner,Moves,Duration,First Player\n"
        "1,Pure MCTS,Minimax,Minimax,23,12.5,Minimax\n"
        "2,Pure MCTS,Minimax,Draw,81,60,Pure MCTS\n",
    )
    first, second = read_csv(path)
    assert (first.winner, first.plies, first.duration_s, first.moves) == ("white", 23, 12.5, "")
    assert first.first_player == "Minimax"
    assert (second.winner, second.black) == ("draw", "Pure MCTS")


@pytest.mark.parametrize(
    ("result", "winner"), [("1-0", "black"), ("0-1", "white"), ("1/2-1/2", "draw"), ("½-½", "draw")]
)
def test_a_score_says_who_won(tmp_path: Path, result: str, winner: str) -> None:
    path = write(tmp_path / "r.csv", f"black,white,result\na,b,{result}\n")
    assert read_csv(path)[0].winner == winner


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty file"),
        ("a,b\n1,2\n", "no column black or white or winner"),
        ("black,white\n1,2\n", "no column winner"),
        ("black,white,winner\na,b,black\na,b,nobody\n", "line 3, column winner: 'nobody': expected black, w"),
        ("black,white,winner,plies\na,b,black,x\n", "line 2, column plies: 'x': expected a number"),
        ("black,white,winner,plies\na,b,black,1.5\n", "line 2, column plies: '1.5': expected a whole"),
        (
            "black,white,winner,duration_s\na,b,black,-3\n",
            "column duration_s: '-3': expected a number from 0",
        ),
        ("black,white,winner,duration_s\na,b,black,nan\n", "column duration_s: 'nan'"),
        ("black,white,winner\n,b,black\n", "line 2, column black"),
        ("black,white,winner\na,b\n", "line 2, column winner"),
        ("black,white,winner,seed\na,b,black,0x1\n", "column seed"),
    ],
)
def test_a_bad_file_is_refused_with_line_and_column(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read_csv(write(tmp_path / "bad.csv", text))


def test_other_encodings_and_missing_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "gbk.csv"
    path.write_bytes("black,white,winner\n五子,b,black\n".encode("gbk"))
    with pytest.raises(RecordError, match="not UTF-8"):
        read_csv(path)
    with pytest.raises(RecordError, match="cannot be read"):
        read_csv(tmp_path / "none.csv")


def test_the_result_column_agrees_with_the_winner(tmp_path: Path) -> None:
    write_csv(games_of({("a", "b"): (2, 2, 2)}), tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    words = {"black": "1-0", "white": "0-1", "draw": "1/2-1/2"}
    assert {row["winner"] for row in rows} == set(words)
    assert all(row["result"] == words[row["winner"]] for row in rows)
    assert tuple(rows[0]) == CSV_COLUMNS
