"""psq and rec files: ends, names and broken lines."""

from __future__ import annotations

import pytest

from wuzi.core import Color, Game, Outcome, Reason, Rule, Rules
from wuzi.errors import RecordError
from wuzi.records import GameRecord, dumps, loads

HEAD = "Piskvorky 15x15, 0:0, 0\n"


def test_psq_counts_from_one_and_rec_from_zero() -> None:
    game = Game.from_moves(Rules(20), ["0,0", "19,0", "0,19"])
    assert dumps(game, "psq").splitlines()[1:4] == ["1,1,0", "20,1,0", "1,20,0"]
    assert dumps(game, "rec").splitlines()[2:5] == ["0,0,0", "19,0,0", "0,19,0"]


def test_the_text_of_a_psq_file() -> None:
    record = GameRecord.from_game(Game.from_moves(Rules(6, 4), ["a6", "b6"]), black="张三")
    record.outcome = Outcome(Color.BLACK, Reason.RESIGNATION)
    record.root.children[0].time_ms = 120
    assert dumps(record, "psq") == (
        "Piskvorky 6x6, 0:0, 0\n1,1,120\n2,1,0\n张三\nhomo-2\n-1\n"
        "1,Freestyle,win_length=4,reason=resignation\n"
    )


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        ("0", None),
        ("-1", None),
        ("7", Outcome(Color.WHITE, Reason.ILLEGAL)),
        ("9", Outcome(Color.WHITE, Reason.TIME)),
        ("15", Outcome(Color.WHITE, Reason.TIME)),
        ("3", Outcome(Color.WHITE, Reason.CRASH)),
        ("-2", Outcome(Color.WHITE, Reason.CRASH)),
        ("15\n1,Standard", Outcome(Color.BLACK, Reason.TIME)),
        ("-1\n0,Standard", Outcome(None, Reason.AGREEMENT)),
        ("-1\n2,Standard,reason=agreement", Outcome(Color.WHITE, Reason.AGREEMENT)),
        ("-1\n?,Standard", None),
        ("", None),
    ],
)
def test_ends(end: str, outcome: Outcome | None) -> None:
    """White made the last move, so Black, who was to move, is the one who failed."""
    assert loads(f"{HEAD}8,8,1\n9,9,1\nA\nB\n{end}").outcome == outcome


def test_an_almost_full_board_is_a_draw_of_the_referee() -> None:
    # Columns in the order that never makes five: pairs of columns, shifted every second row.
    cells = [(x, y) for y in range(1, 16) for x in range(1, 16)]
    black = [c for c in cells if ((c[0] + 2 * c[1]) // 2) % 2]
    white = [c for c in cells if c not in black]
    stones = [cell for pair in zip(black, white, strict=False) for cell in pair][:202]
    text = HEAD + "".join(f"{x},{y},0\n" for x, y in stones)
    assert loads(text + "0\n").outcome == Outcome(None, Reason.ADJUDICATION)
    assert loads(text + "-1\n").outcome is None


@pytest.mark.parametrize(
    ("tail", "names"),
    [
        ("A\nB\n0\n", ("A", "B")),
        ("A\nB\n", ("A", "B")),
        ("7\n9\n0\n", ("7", "9")),
        ("7\n9\n0\n1,Freestyle\n", ("7", "9")),
        ("homo-1\nB\n0\n", ("", "B")),
        ("homo-2\nB\n0\n", ("homo-2", "B")),
        ("0\n", ("", "")),
        ("", ("", "")),
    ],
)
def test_names(tail: str, names: tuple[str, str]) -> None:
    record = loads(f"{HEAD}8,8,1\n{tail}")
    assert (record.black, record.white) == names


def test_lines_may_end_as_they_like() -> None:
    text = "Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n 9 , 8 \r\n\r\n0\r\n1,Renju\r\n"
    record = loads(text)
    assert (len(record.moves), record.rules.rule) == (2, Rule.RENJU)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the file ends"),
        ("Piskvorky", "line 1: 'Piskvorky', expected a line such as"),
        ("Piskvorky 15x20, 0:0, 0", "a 15x20 board, expected a square of 3 to 26"),
        ("Piskvorky 40x40, 0:0, 0", "a 40x40 board"),
        ("Piskvorky 15x15, 0:0, 2", "expected a line such as"),
        (HEAD + "8,8,0\n0,8,0\n", "line 3: 0,8 is off the 15x15 board: expected 1 to 15"),
        (HEAD + "8,8,0\n\n8,16,0\n", "line 4: 8,16 is off"),
        (HEAD + "8,8,0\n8,8,0\n", "move 2: h8 is occupied"),
        (HEAD + "8,8,0\n0\n1,Freestyle,komi=7\n", "unknown field 'komi=7'"),
        (HEAD + "8,8,0\n0\n1,Freestyle,win_length=x\n", "win_length 'x'"),
        (HEAD + "8,8,0\n0\n1,Freestyle,win_length=99\n", "win length 99"),
        (HEAD + "8,8,0\n0\n1,Freestyle,reason=luck\n", "end reason 'luck'"),
    ],
)
def test_broken_psq(text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        loads(text, "psq")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the file ends, expected a player's name"),
        ("A\n", "line 2: the file ends"),
        ("A\nB\n", "line 3: expected a move"),
        ("7,7\nB\n8,8\n", "expected the names of the two players"),
        ("A\nB\n20,0,0\n", "line 3: 20,0 is off the 20x20 board: expected 0 to 19"),
        ("A\nB\n7,7,0\n0\n1,Freestyle,size=30\n", "board size 30"),
    ],
)
def test_broken_rec(text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        loads(text, "rec")


def test_an_unknown_rule_is_told() -> None:
    record = loads(HEAD + "8,8,0\n0\n1,Chess\n", rules=Rules(15, 5, Rule.STANDARD))
    assert record.rules.rule is Rule.STANDARD
    assert "the file names no rule: read as standard" in record.warnings


def test_moves_after_a_five_are_cut() -> None:
    record = loads(HEAD + "".join(f"{x},{y},0\n" for x in range(1, 8) for y in (1, 2)))
    assert len(record.moves) == 9
    assert any("5 move(s) after the end" in warning for warning in record.warnings)


@pytest.mark.parametrize("name", ["psq", "rec"])
def test_a_name_that_looks_like_a_move_is_refused(name: str) -> None:
    with pytest.raises(RecordError, match="would read it as a move"):
        dumps(GameRecord(black="3,4"), name)
