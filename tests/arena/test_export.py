"""The results of a match as game files and tables."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arena.games import games_of
from tests.records.strategies import games, play_random
from wuzi.apps.cli import main
from wuzi.arena.export import file_record, read_results, results_file, write_results
from wuzi.arena.results import GameResult, record_to_json
from wuzi.base.store import pack, packed_path
from wuzi.core import Game, Rules, format_moves
from wuzi.errors import MissingExtraError, RecordError
from wuzi.records import load_all

numbers = st.one_of(st.none(), st.floats(0, 1e6))
words = st.text(max_size=8)


@st.composite
def results(draw: st.DrawFn) -> GameResult:
    game = draw(games(openings=False, setups=False))
    outcome = game.outcome
    return GameResult(
        game_id=draw(st.uuids()).hex,
        black=draw(words),
        white=draw(words),
        winner="draw" if outcome is None else outcome.result,
        reason="agreement" if outcome is None else outcome.reason.label,
        plies=game.ply,
        duration_s=draw(numbers),
        black_time_s=draw(numbers),
        size=game.rules.size,
        win_length=game.rules.win_length,
        rule=game.rules.rule.label,
        seed=draw(st.one_of(st.none(), st.integers(0, 2**62))),
        moves=format_moves(game.moves, game.rules.size),
        black_late=draw(st.one_of(st.none(), st.integers(0, 9))),
    )


@pytest.mark.slow
@given(st.lists(results(), max_size=4))
def test_parquet_keeps_everything(tmp_path_factory: pytest.TempPathFactory, played: list[GameResult]) -> None:
    path = tmp_path_factory.mktemp("results") / "games.parquet"
    write_results(played, path)
    assert read_results(path) == played


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_tables_hlegacy_games_of_every_board(tmp_path: Path, ending: str) -> None:
    played = []
    for size in range(3, 27):
        game = play_random(Game(Rules(size, min(5, size))), size, max_plies=30)
        moves = format_moves(game.moves, size)
        played.append(
            GameResult(
                f"g{size}",
                "a,b",
                'c "d"',
                "draw",
                "agreement",
                game.ply,
                size=size,
                win_length=min(5, size),
                rule="freestyle",
                moves=moves,
            )
        )
    write_results(played, tmp_path / f"games.{ending}")
    again = read_results(tmp_path / f"games.{ending}")
    assert [(game.size, game.moves, game.black, game.white) for game in again] == [
        (game.size, game.moves, game.black, game.white) for game in played
    ]
    for game in again:
        assert format_moves(file_record(game).game().moves, game.size or 0) == game.moves


@pytest.mark.slow
@given(results())
def test_a_result_becomes_its_game_on_every_board(result: GameResult) -> None:
    if not result.moves:
        with pytest.raises(RecordError, match="holds no moves"):
            file_record(result)
        return
    record = file_record(result)
    game = record.game()
    assert format_moves(game.moves, game.rules.size) == result.moves
    assert (game.rules.size, game.rules.win_length) == (result.size, result.win_length)
    assert game.rules.rule.label == result.rule
    assert game.outcome is not None and game.outcome.result == result.winner
    assert record.warnings == ()


@pytest.fixture
def match(tmp_path: Path) -> Path:
    path = tmp_path / "games.jsonl"
    codes = ("a1b1a2b2a3b3a4b4a5", "e5e6", "c3")
    lines = []
    for number, code in enumerate(codes):
        won = number == 0
        record = GameResult(
            f"g{number}",
            "A",
            "B",
            "black" if won else "draw",
            reason="line" if won else "agreement",
            size=9,
            win_length=5,
            rule="freestyle",
            moves=code,
            started_at="2026-11-21T10:00:00+00:00",
        )
        lines.append(json.dumps(record_to_json(record)) + "\n")
    path.write_text("".join(lines))
    return path


def test_the_command_makes_collections_and_tables(match: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = match.parent
    for source in (match, folder):
        assert main(["convert", str(source), str(folder / "games.sgf")]) == 0
        records = load_all(folder / "games.sgf")
        assert [len(record.moves) for record in records] == [9, 2, 1]
        assert (records[0].black, records[0].date, records[0].headers["round"]) == ("A", "2026-11-21", "g0")
    assert main(["convert", str(match), str(folder / "games.parquet")]) == 0
    assert main(["convert", str(folder / "games.parquet"), str(folder / "games.csv")]) == 0
    assert [game.moves for game in read_results(folder / "games.csv")][1:] == ["e5e6", "c3"]
    assert main(["convert", str(folder / "games.csv"), "--to", "pos"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["e5e6", "c3"]
    assert main(["convert", str(match), str(folder / "games.pgn")]) == 0
    pgn = (folder / "games.pgn").read_text("utf-8")
    assert re.findall(r'\[Result "(.+)"\]', pgn) == ["1-0", "1/2-1/2", "1/2-1/2"]
    assert '[Site "9x9 freestyle"]\n[Date "2026.11.21"]\n[Round "g0"]\n[White "A"]\n[Black "B"]\n' in pgn
    assert main(["convert", str(match), str(folder / "one.psq"), "--game", "2"]) == 0
    assert [len(record.moves) for record in load_all(folder / "one.psq")] == [2]
    assert main(["convert", str(folder / "games.sgf"), str(folder / "all.json"), "--all"]) == 0
    assert len(load_all(folder / "all.json")) == 3


@pytest.mark.parametrize(
    ("target", "options", "text"),
    [
        ("x.psq", [], "3 games: psq holds one"),
        ("x.what", [], "the format of .* is unknown"),
        ("x.sgf", ["--game", "4"], "game 4 of 3: expected 1 to 3"),
    ],
)
def test_what_cannot_be_converted(
    match: Path, capsys: pytest.CaptureFixture[str], target: str, options: list[str], text: str
) -> None:
    assert main(["convert", str(match), str(match.parent / target), *options]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (match.parent / target).exists()


def test_other_files_are_no_results(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"format": "wuzi-record"}\n')
    assert results_file(tmp_path / "x.jsonl") is None
    assert results_file(tmp_path) is None
    assert results_file(tmp_path / "x.sgf") is None
    (tmp_path / "x.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(RecordError, match=r"x\.parquet: "):
        read_results(tmp_path / "x.parquet")
    with pytest.raises(RecordError, match="cannot be read"):
        read_results(tmp_path / "missing.parquet")
    with pytest.raises(RecordError, match="expected a name ending"):
        write_results([], tmp_path / "x.txt")


def test_foreign_tables_are_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    with pytest.raises(RecordError, match="expected a table of version 1"):
        read_results(tmp_path / "a.parquet")


def test_without_pyarrow_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"wuzi\[parquet\]"):
        write_results(games_of({("a", "b"): (1, 0, 0)}), tmp_path / "x.parquet")


def test_packed_games_are_read_like_plain_ones(tmp_path: Path, match: Path) -> None:
    played = read_results(match)
    pack(match)
    for name in (match.parent, match, packed_path(match)):
        assert results_file(name) == match and read_results(match) == played
        assert main(["convert", str(name), str(tmp_path / "table.csv")]) == 0
        assert [game.game_id for game in read_results(tmp_path / "table.csv")] == ["g0", "g1", "g2"]
