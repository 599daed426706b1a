"""SGF as other programs write it, and broken SGF."""

from __future__ import annotations

import re

import pytest

from wuzi.core import Color, Move, Outcome, Reason, Rule, Rules, format_moves
from wuzi.errors import RecordError
from wuzi.records import GameRecord, RecordNode, dumps, loads, loads_all, loads_each

HEAD = "(;FF[4]GM[4]SZ[15]RU[freestyle]"


def code(record: GameRecord) -> str:
    return format_moves(record.moves, record.rules.size)


@pytest.mark.parametrize(
    ("text", "moves", "warning"),
    [
        (f"{HEAD};B[hh];W[ii])", "h8i7", None),
        (f"{HEAD};B[HH];W[II])", "h8i7", "capital letters"),
        (f"{HEAD};B[h8];W[i7])", "h8i7", "renju cells"),
        (f"{HEAD};B[H8];W[o15])", "h8o15", "renju cells"),
        (f"{HEAD};Black[hh];White[ii])", "h8i7", None),
        (f"mail header\n{HEAD}\n;B[hh]\n\n;W[ii])\nregards", "h8i7", None),
        ("(;FF[4]SZ[15]RU[0];B[hh])", "h8", "GM is missing"),
        ("(;FF[4]GM[4]RU[free];B[hh])", "h8", "SZ is missing: read as 15x15"),
        ("(;FF[4]GM[4]SZ[15];B[hh])", "h8", "RU is missing: read as freestyle"),
        ("(;FF[4]GM[4]SZ[15]RU[house];B[hh])", "h8", "RU[house] is unknown"),
        ("(;FF[4]GM[1]SZ[15]RU[renju];B[hh])", "h8", "GM[1] (Go) is not gomoku"),
        ("(;GM[4]SZ[15:15]RU[freestyle]B[hh];W[ii])", "h8i7", "first node holds a move"),
        (f"{HEAD}RE[nobody knows];B[hh])", "h8", "RE[nobody knows]"),
        (f"{HEAD};B[hh];W[aa](;B[bb])(;B[hh]))", "h8a15b14", "variation was left out"),
        (f"{HEAD};B[hh]LB[zz:1])", "h8", "LB is kept"),
        (f"{HEAD}RE[W+];B[hh])", "h8", "no row on the board"),
        (f"{HEAD}small[x];B[hh])", "h8", "small letters only"),
    ],
)
def test_unusual_files_are_read(text: str, moves: str, warning: str | None) -> None:
    record = loads(text)
    assert code(record) == moves
    if warning is None:
        assert record.warnings == ()
    else:
        assert any(warning in told for told in record.warnings), record.warnings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no game here (;", "line 1, column 16"),
        (f"{HEAD};B[hh]", "line 1, column .*missing"),
        (f"{HEAD};B[hh]\n;W[ii", "line 2, column 3: .*a ']' is missing"),
        (f"{HEAD};B[hh]\n  5;W[ii])", "line 2, column 3: .*near '5;W"),
        (f"{HEAD};[hh])", "unexpected value"),
        (f"{HEAD};B)", "no values"),
        (f"{HEAD};B[hh]\n;W[zz])", r"line 2, column 1 \(node 3\): \[zz\] is no point .*\[aa\] to \[oo\]"),
        (f"{HEAD};B[h8]\n;W[h16])", r"node 3.*h16"),
        (f"{HEAD};B[hh];W[];B[ii])", r"node 3.*W\[\] is a pass: there are no passes"),
        (f"{HEAD};B[hh];W[tt];B[ii])", r"W\[tt\] is a pass"),
        (f"{HEAD};B[hh];B[ii])", r"move 2 \(i7\) is played by black: expected white"),
        (f"{HEAD};B[hh];W[hh])", "move 2: h8 is occupied by black"),
        (f"{HEAD};B[hh]W[ii])", "a black and a white move in one node"),
        (f"{HEAD};B[hh][ii])", "2 moves in one node"),
        (f"{HEAD};B[hh]AW[ii])", "a move and set-up stones in one node"),
        (f"{HEAD}PL[red])", r"PL\[red\]: expected B or W"),
        (f"{HEAD}AB[cc:aa])", "upper left corner first"),
        (f"{HEAD}AB[aa][ba][ca][da][ea]AW[ab][bb][cb][db][eb])", "both colours have a winning row"),
        ("(;GM[4]SZ[15:13])", r"SZ\[15:13\]: wuzi plays square boards only"),
        ("(;GM[4]SZ[27])", r"SZ\[27\]: expected 3 to 26"),
        ("(;GM[4]SZ[big])", r"SZ\[big\]: expected a board size"),
        ("(;GM[1]SZ[19];B[dd])", r"GM\[1\] \(Go\): expected GM\[4\]"),
        ("(;GM[4]SZ[4]RU[renju])", "renju with win length 4"),
        (f"{HEAD}WUZI[win_length:six])", "win_length 'six'"),
        (f"{HEAD}WUZI[win_length:2])", "win length 2"),
        (f"{HEAD}WUZI[opening:swap9])", "unknown opening 'swap9'"),
        (f"{HEAD}WUZI[opening:swap1][actions:place3 jump];B[hh];W[hi];B[hj])", "opening action 'jump'"),
        (f"{HEAD}WUZI[opening:swap1][actions:place3];B[hh])", "needs 3 stones: 1 are left"),
        (f"{HEAD}WUZI[opening:swap1][actions:swap];B[hh])", "expected three stones"),
        (f"{HEAD}RE[B+]WUZI[reason:luck])", "end reason 'luck'"),
        (f"{HEAD}WUZI[nonsense])", "expected key:value"),
        (f"{HEAD};B[hh]WUZI[time_ms:soon])", "time_ms 'soon'"),
    ],
)
def test_broken_files_are_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message) as caught:
        loads(text, "sgf")
    assert "\n" not in str(caught.value)


def test_points_count_columns_from_the_left_and_rows_from_the_top() -> None:
    record = loads("(;GM[4]SZ[15]RU[freestyle];B[aa];W[oa];B[ao])")
    assert record.moves == (0, 14, 14 * 15)
    assert code(record) == "a15o15a1"


def test_tt_is_a_point_on_boards_that_have_it() -> None:
    assert loads("(;GM[4]SZ[20]RU[0];B[tt])").moves == (399,)


def test_set_up_rectangles_and_stones_before_the_first_move() -> None:
    record = loads("(;GM[4]SZ[9]RU[0]AB[aa:ca];AW[ab:cb]AE[ca];B[ee])")
    game = record.game()
    assert game.start.ply == 5
    assert game.to_move is Color.WHITE


def test_white_may_play_first_when_nothing_says_who_moves() -> None:
    game = loads(f"{HEAD};W[hh];B[ii])").game()
    assert (game.start.to_move, game.to_move) == (Color.WHITE, Color.WHITE)
    with pytest.raises(RecordError, match="expected black"):
        loads(f"{HEAD}PL[B];W[hh])")


def test_set_up_stones_after_moves_are_kept_but_make_no_game() -> None:
    record = loads(f"{HEAD};B[hh];AW[ii])")
    with pytest.raises(RecordError, match="set-up stones after move 1"):
        record.game()
    assert loads(dumps(record)) == record


def test_moves_after_the_end_are_cut_with_a_warning() -> None:
    stones = ";B[aa];W[ab];B[ba];W[bb];B[ca];W[cb];B[da];W[db];B[ea]"
    record = loads(f"{HEAD}RE[W+R]{stones};W[eb];B[fa]C[六])")
    assert len(record.moves) == 9
    assert record.game().outcome == Outcome(Color.BLACK, Reason.LINE)
    assert any("2 move(s) after the end of the game at move 9" in text for text in record.warnings)
    assert any("the board counts" in text for text in record.warnings)
    # Under the standard rule, six in a row is no win: nothing is cut.
    six = stones.replace("B[ea]", "B[fa]") + ";W[oo];B[ea];W[on])"
    assert len(loads("(;GM[4]SZ[15]RU[standard]" + six).moves) == 12


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("B+R", Outcome(Color.BLACK, Reason.RESIGNATION)),
        ("W+Resign", Outcome(Color.WHITE, Reason.RESIGNATION)),
        ("White+Time", Outcome(Color.WHITE, Reason.TIME)),
        ("W+1", Outcome(Color.WHITE, Reason.ADJUDICATION)),
        ("B+F", Outcome(Color.BLACK, Reason.ADJUDICATION)),
        ("黑中盘胜", Outcome(Color.BLACK, Reason.RESIGNATION)),
        ("白胜", Outcome(Color.WHITE, Reason.ADJUDICATION)),
        ("0", Outcome(None, Reason.AGREEMENT)),
        ("和棋", Outcome(None, Reason.AGREEMENT)),
        ("?", None),
        ("Void", None),
        ("", None),
    ],
)
def test_results(text: str, outcome: Outcome | None) -> None:
    assert loads(f"{HEAD}RE[{text}];B[hh])").outcome == outcome


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        *[("Freestyle", Rule.FREESTYLE), ("free-style gomoku", Rule.FREESTYLE), ("0", Rule.FREESTYLE)],
        *[("无禁手", Rule.FREESTYLE), ("Standard", Rule.STANDARD), ("长连不赢", Rule.STANDARD)],
        *[("1", Rule.STANDARD), ("Renju (RIF)", Rule.RENJU), ("有禁手", Rule.RENJU), ("4", Rule.RENJU)],
        *[("caro", Rule.CARO), ("8", Rule.CARO_OVERLINE), ("caro_overline", Rule.CARO_OVERLINE)],
    ],
)
def test_rule_names(text: str, rule: Rule) -> None:
    record = loads(f"(;GM[4]SZ[15]RU[{text}];B[hh])")
    assert (record.rules.rule, record.warnings) == (rule, ())


def test_rules_to_assume_fill_only_what_is_missing() -> None:
    assumed = Rules(9, 4, Rule.STANDARD)
    assert loads("(;GM[4];B[ee])", rules=assumed).rules == assumed
    assert loads("(;GM[4]SZ[15]RU[caro];B[ee])", rules=assumed).rules == Rules(15, 4, Rule.CARO)


@pytest.mark.parametrize(("charset", "named"), [("gbk", True), ("gb18030", False), ("big5", True)])
def test_files_of_older_programs_are_decoded(charset: str, named: bool) -> None:
    head = f"CA[{charset}]" if named else ""
    # 誠 in Big5 and 塡 in GBK hold bytes that SGF would take for a backslash or a bracket.
    black = "許功蓋" if charset == "big5" else "五子棋誠"
    text = f"{HEAD}{head}PB[{black}];B[hh]C[黑先])"
    record = loads(text.encode(charset))
    assert (record.black, record.root.children[0].comment) == (black, "黑先")
    assert any("is not UTF-8: read as" in warning for warning in record.warnings)


def test_utf_8_with_a_byte_order_mark_is_plain() -> None:
    record = loads(f"{HEAD}PB[五子];B[hh])".encode("utf-8-sig"))
    assert (record.black, record.warnings) == ("五子", ())


def test_collections() -> None:
    text = f"{HEAD}PB[甲];B[hh])\n\n{HEAD}PB[乙];B[ii];W[hh])"
    records = loads_all(text)
    assert [record.black for record in records] == ["甲", "乙"]
    assert any("2 games in this file" in warning for warning in loads(text).warnings)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("(;GM[4]SZ[15];B[ii];W[zz])", r"game 2: line 3, column 20 \(node 3\): \[zz\] is no point"),
        ("(;GM[4]SZ[15];B[ii];W[ii])", "game 2: move 2: i7 is occupied"),
        ("(;GM[4]SZ[15];B[ii]", "game 2: .*broken SGF"),
        ("(;GM[4]SZ[15];B[ii", "game 2: "),
        ("(;GM[4]SZ[99];B[ii])", "game 2: .*SZ"),
    ],
)
def test_one_broken_game_gives_all_the_others(broken: str, reason: str) -> None:
    good = "(;GM[4]SZ[15]RU[freestyle]PB[甲];B[hh](;W[ii])(;W[jj]))"
    text = f"{good}\n\n{broken}\n{good}"
    assert [len(record.moves) for record in loads_all(text)] == [2, 2]
    first, error, last = loads_each(text)
    assert isinstance(first, GameRecord)
    assert first == last
    assert re.match(reason, str(error))
    assert any(re.match(reason, told) for told in loads_all(text)[0].warnings)
    with pytest.raises(RecordError):
        loads(f"{broken}\n{good}")


def test_a_file_of_a_match_runner_is_read() -> None:
    text = (
        "(;FF[4]GM[4]GN[7]EV[a x b]DT[2021.05.01 12:00:00]RO[1.2]RU[1]SZ[15]PB[a]PW[b]RE[B+1]"
        "TE[Black win by five connection]\n;B[hh]C[opening move];W[ii]C[12ms])\n\n"
    )
    record = loads(text)
    assert record.headers == {"name": "7", "event": "a x b", "round": "1.2"}
    assert record.rules.rule is Rule.STANDARD
    assert record.root.properties == {"TE": ("Black win by five connection",)}


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.root.properties.update({"lower": ("x",)}),
        lambda record: record.root.properties.update({"XX": ()}),
        lambda record: record.root.properties.update({"XX": ("open ]",)}),
        lambda record: record.root.properties.update({"SZ": ("19",)}),
        lambda record: record.headers.update({"reason": "x"}),
        lambda record: record.root.add(RecordNode(move=999, color=Color.BLACK)),
        lambda record: record.root.add(RecordNode(move=Move(3, 15))),
        lambda record: setattr(record, "black", "\ud800"),
    ],
)
def test_what_cannot_be_written_is_refused(change: object) -> None:
    record = GameRecord()
    change(record)  # type: ignore[operator]
    with pytest.raises(RecordError):
        dumps(record, "sgf")


def test_deep_trees_need_no_deep_stack() -> None:
    text = HEAD + "(;C[x]" * 20_000 + ")" * 20_001
    record = loads(text)
    assert sum(1 for _ in record.root.walk()) == 20_001
    assert loads(dumps(record)) == record
    assert loads(dumps(record, "json")) == record
