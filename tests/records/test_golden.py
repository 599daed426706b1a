"""Files written by hand, or by an earlier wuzi, still read as the same games. Their texts are ours.

The psq and rec files follow what the Piskvork manager writes: see psq and rec in wuzi.records.formats.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wuzi.core import Color, Move, Opening, Outcome, Reason, Rule, Rules, format_moves
from wuzi.records import GameRecord, Mark, MarkKind, SetUp, dumps, load

GOLDEN = Path(__file__).parent / "golden"


def cells(record: GameRecord, text: str) -> tuple[Move, ...]:
    from wuzi.core import parse_moves

    return parse_moves(text, record.rules.size)


@pytest.mark.parametrize(
    "name",
    ["variations.sgf", "setup.sgf", "swap2.sgf", "v1_bare.json", "v1_tree.json"],
)
def test_files_are_written_as_they_were_read(name: str) -> None:
    record = load(GOLDEN / name)
    assert record.warnings == ()
    assert dumps(record, name.partition(".")[2]) == (GOLDEN / name).read_text(encoding="utf-8")


def test_sgf_with_variations() -> None:
    record = load(GOLDEN / "variations.sgf")
    assert record.rules == Rules(15, 5, Rule.RENJU)
    assert (record.black, record.white, record.date) == ("张三", "李四", "2026-11-21")
    assert record.headers == {"event": "测试杯", "round": "1"}
    assert record.root.comment == "谱例：黑方走出活三。\n第二行 ] 与 \\"
    assert record.root.properties == {"HA": ("0",), "KM": ("0",)}
    assert format_moves(record.moves, 15) == "h8i9h9h10g7g9f6"
    assert record.game().outcome == Outcome(Color.WHITE, Reason.RESIGNATION)
    line = list(record.root.main_line())
    assert line[3].comment == "直指开局"
    assert line[3].marks == (
        Mark(MarkKind.TRIANGLE, cells(record, "h8")[0]),
        Mark(MarkKind.LABEL, cells(record, "h10")[0], "A"),
        Mark(MarkKind.LABEL, cells(record, "h11")[0], "甲"),
    )
    assert line[6].time_ms == 1234
    assert len(line[3].children) == 3
    assert line[3].children[1].comment == "变化一"
    assert [node.properties for node in line[3].children[2].children] == [{}, {"BM": ("1",)}]


def test_sgf_with_a_set_up_position() -> None:
    record = load(GOLDEN / "setup.sgf")
    assert record.rules == Rules(9, 4, Rule.STANDARD)
    assert record.root.setup == SetUp(cells(record, "e5f5g5"), cells(record, "e6f6"), (), Color.WHITE)
    game = record.game()
    assert (game.start.ply, game.start.to_move) == (5, Color.WHITE)
    assert game.outcome == Outcome(None, Reason.ADJUDICATION)
    assert record.headers == {"engine": "test : set-up"}


def test_sgf_with_a_swap_opening() -> None:
    game = load(GOLDEN / "swap2.sgf").game()
    assert game.rules.opening is Opening.SWAP2
    assert [type(action).__name__ for action in game.actions] == [
        *("PlaceSeveral", "PlaceSeveral", "Swap", "Place", "Place"),
    ]
    assert game.seat_of(Color.BLACK) == 0


def test_psq_of_a_tournament() -> None:
    record = load(GOLDEN / "tournament.psq")
    assert record.rules == Rules(20)
    assert (record.black, record.white) == ("AlphaGomoku", "Embryo")
    assert format_moves(record.moves, 20) == "k10l10j11l9i12m8h13n7g14"
    assert [node.time_ms for node in list(record.root.main_line())[1:4]] == [None, None, 131]
    assert record.outcome == Outcome(Color.BLACK, Reason.LINE)
    assert record.warnings == ()


def test_psq_where_the_second_player_starts_and_times_out() -> None:
    record = load(GOLDEN / "second_starts.psq")
    assert (record.black, record.white) == ("", "Pela")
    assert record.outcome == Outcome(Color.BLACK, Reason.TIME)
    assert record.warnings == ("the file names no rule: read as freestyle",)


def test_psq_saved_by_hand_has_no_names() -> None:
    record = load(GOLDEN / "interactive.psq", rules=Rules(15, 5, Rule.RENJU))
    assert (record.black, record.white, record.outcome) == ("", "", None)
    assert record.rules.rule is Rule.RENJU


def test_rec_counts_from_zero_and_names_come_first() -> None:
    record = load(GOLDEN / "gomotur.rec")
    assert record.rules == Rules(20)
    assert (record.black, record.white) == ("Pecuchet", "Zetor")
    assert format_moves(record.moves, 20) == "k10l10k9"
    assert load(GOLDEN / "gomotur.rec", rules=Rules(15)).rules.size == 15


def test_json_of_version_1() -> None:
    bare, tree = load(GOLDEN / "v1_bare.json"), load(GOLDEN / "v1_tree.json")
    assert bare.game().outcome == Outcome(Color.WHITE, Reason.TIME)
    assert [node.time_ms for node in bare.root.main_line()] == [None, 120, None, 95]
    assert tree.game().rules.opening is Opening.SWAP1
    assert tree.game().seat_of(Color.BLACK) == 1
    variation = tree.root.children[0].children[0].children[1]
    assert variation.setup == SetUp(cells(tree, "a1"), (), cells(tree, "h8"), Color.WHITE)
