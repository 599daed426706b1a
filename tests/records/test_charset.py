"""Charsets of game files: what is named, what is guessed, and that no move is ever lost to either."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wuzi.core import format_moves
from wuzi.errors import ConfigError
from wuzi.records import GameRecord, load, loads
from wuzi.records.formats.charset import decode
from wuzi.records.formats.charset_guess import guess
from wuzi.records.formats.charsets import CHARSETS, find_charset

HEAD = "(;FF[4]GM[4]SZ[15]RU[freestyle]"
TEXTS: dict[str, list[str]] = {
    "gb18030": [
        "张三 李四",
        "黑棋胜",
        "第三届五子棋公开赛",
        "直指开局,疏星局",
        "曹冬 吴镝",
        "白棋必胜",
        "双三禁手",
        "玩家 电脑",
    ],
    "big5": [
        "張三 李四",
        "林書玄 陳科翰",
        "第三屆五子棋公開賽",
        "黑棋勝",
        "這步棋是敗著",
        "許功蓋 王大明",
        "白棋必勝，沒有辦法",
    ],
    "shift_jis": [
        "山田太郎 鈴木",
        "中村茂",
        "黒の勝ち",
        "この手は悪い",
        "浦月定石の新手",
        "コンピュータ あなた",
        "追い詰め",
    ],
    "euc-jp": ["この手は悪い", "黒の勝ち", "コンピュータ あなた", "次の一手は四三です"],
    "euc-kr": [
        "김철수 이영희",
        "이 수는 좋은 수입니다",
        "박정호 최은지",
        "전국 오목 대회",
        "백이 이겼다",
        "렌주 룰, 삼삼 금수",
    ],
    "windows-1252": [
        *("René", "un coup forcé", "Müller Jürgen", "François Hélène", "José Muñoz", "Göran Åke", "voilà"),
        *("È una mossa forte, perché no", "Mário João", "Weiß greift an", "«bon» coup", "Hämäläinen"),
    ],
    "windows-1250": [
        *("Jiří Novák", "černý vyhrává", "Łukasz Wójcik", "białe się bronią", "Štěpán Kučera"),
        *("jó lépés, győztes állás", "bílý prohrál", "Piotr Małowiejski, Michał Żukowski"),
    ],
    "windows-1251": [
        "Иван Петр",
        "чёрные выигрывают",
        "Сушков Никонов",
        "Чемпионат Москвы",
        "тройка, четвёрка",
    ],
    "koi8-r": ["Иван Петр", "чёрные выигрывают", "Чемпионат Москвы"],
}


def code(record: GameRecord) -> str:
    return format_moves(record.moves, record.rules.size)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in TEXTS.items() for text in texts])
def test_short_texts_of_many_languages_are_told_by_their_looks(name: str, text: str) -> None:
    data = f"{HEAD};B[hh]C[{text}];W[hi];B[ii])".encode(CHARSETS[name][0])
    record = loads(data)
    assert (record.root.children[0].comment, code(record)) == (text, "h8h7i7")
    assert f"read as {guess(data)} by its looks" in record.warnings[0]


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        *(
            ("Windows-31J", "shift_jis"),
            ("x-sjis", "shift_jis"),
            ("MS932", "shift_jis"),
            ("EUC-JP", "euc-jp"),
        ),
        *(("GB2312", "gb18030"), ("cp936", "gb18030"), ("GBK", "gb18030"), ("gb_2312-80", "gb18030")),
        *(("KS_C_5601-1987", "euc-kr"), ("cp949", "euc-kr"), ("uhc", "euc-kr"), ("Big5-HKSCS", "big5")),
        *(("ISO-8859-1", "windows-1252"), ("latin1", "windows-1252"), ("CP1251", "windows-1251")),
        *(("UTF8", "utf-8"), ("utf-8", "utf-8"), ("ISO_8859-2", "iso-8859-2"), ("klingon", None), ("", None)),
    ],
)
def test_names_of_charsets(alias: str, name: str | None) -> None:
    assert find_charset(alias) == name


@pytest.mark.parametrize("name", CHARSETS)
def test_every_charset_is_ascii_where_bytes_are(name: str) -> None:
    assert bytes(range(0x20, 0x7F)).decode(CHARSETS[name][0]).isascii()


def test_an_unknown_charset_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="unknown charset 'klingon': expected one of utf-8, gb18030"):
        loads("h8", charset="klingon")


@given(
    comments=st.lists(
        st.binary(max_size=12).map(lambda raw: raw.translate(None, b"]\\\0")), min_size=3, max_size=3
    ),
    named=st.sampled_from(
        ["", "CA[GBK]", "CA[Big5]", "CA[Shift_JIS]", "CA[UTF-8]", "CA[ISO-8859-1]", "CA[x]"]
    ),
)
def test_no_byte_of_a_comment_swallows_a_move(comments: list[bytes], named: str) -> None:
    first, second, third = comments
    data = f"{HEAD}{named}PB[".encode() + first + b"];B[hh]C[" + second + b"];W[hi]C[" + third + b"];B[ii])"
    assert code(loads(data, "sgf")) == "h8h7i7"


WIDE = ["gb18030", "big5", "shift_jis", "euc-kr", "euc-jp"]


@st.composite
def wide_texts(draw: st.DrawFn) -> tuple[str, str]:
    """A charset and a text of its characters, many of which end in the byte of a bracket or a backslash."""
    name = draw(st.sampled_from(WIDE))
    codec = CHARSETS[name][0]
    odd = []
    for lead in range(0x81, 0xFF):
        for trail in (0x5B, 0x5C, 0x5D, 0xA1):
            char = bytes((lead, trail)).decode(codec, "ignore")
            if len(char) == 1 and char.isprintable() and char.encode(codec) == bytes((lead, trail)):
                odd.append(char)
    return name, "".join(draw(st.lists(st.sampled_from(odd), min_size=1, max_size=9)))


@given(case=wide_texts())
def test_characters_that_hold_the_byte_of_a_bracket_are_read(case: tuple[str, str]) -> None:
    name, text = case
    try:
        text.encode(CHARSETS[name][0]).decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return  # what is valid UTF-8 is UTF-8
    content = f"{HEAD}CA[{name}]PB[{text}];B[hh]C[{text}];W[hi]C[{text}])".encode(CHARSETS[name][0])
    record = loads(content)
    assert (record.black, code(record)) == (text, "h8h7")
    assert [node.comment for node in record.root.main_line()] == ["", text, text]
    given_one = loads(content.replace(f"CA[{name}]".encode(), b""), charset=name)
    assert (given_one.black, given_one.warnings) == (text, ())


def test_a_charset_counts_for_comments_of_libraries(tmp_path: object) -> None:
    from pathlib import Path

    library = Path(str(tmp_path), "a.lib")
    text = "Žák".encode("cp1250")
    library.write_bytes(b"\xffRenLib\xff\x03\x04" + b"\xff" * 10 + b"\0\0x\x48" + text + b"\0")
    assert load(library, charset="windows-1250").root.children[0].comment == "Žák"
    assert any("comments: byte" in warning for warning in load(library).warnings)


def test_bytes_that_cannot_be_read_are_counted() -> None:
    text, warnings = decode(f"{HEAD}CA[UTF-8]PB[".encode() + b"a\xffb\xff];B[hh])")
    assert "PB[a�b�];B[hh]" in text
    assert warnings == ["2 character(s) cannot be read as utf-8: replaced by �"]
