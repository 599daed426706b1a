r"""From the bytes of a game file to text.

A byte order mark decides first, then the charset that the caller names. What is valid UTF-8 is UTF-8; else an
SGF file may name its charset (``CA[GB2312]``), each game of a collection its own; else
:mod:`wuzi.records.formats.charset_guess` tells it by its looks. Every guess and every byte that cannot be
read is told in a warning.

In GB18030, Big5 and Shift-JIS the second byte of a character may be that of ``]`` or ``\``. So a text is cut
at the brackets that close a value, and every piece is decoded for itself: whatever stands in a comment, and
whichever charset was meant, the moves behind it are there.
"""

from __future__ import annotations

import re
from itertools import pairwise

from wuzi.errors import ConfigError

CHARSETS: dict[str, tuple[str, str]] = {
    "utf-8": ("utf_8", "utf8 unicode"),
    "gb18030": (
        "gb18030",
        "gb gbk xgbk gb2312 gb23121980 gb231280 csgb2312 euccn hzgb2312 chinese cp936 936 ms936 windows936",
    ),
    "big5": ("big5hkscs", "big5hkscs xxbig5 cnbig5 csbig5 big5eten cp950 950 ms950 windows950"),
    "shift_jis": (
        "cp932",
        "shiftjis xsjis sjis mskanji csshiftjis cp932 932 ms932 windows932 windows31j cswindows31j",
    ),
    "euc-jp": ("euc_jp", "eucjp xeucjp ujis"),
    "euc-kr": (
        "cp949",
        "euckr korean ksc5601 ksc56011987 ksx1001 cseuckr cp949 949 ms949 windows949 xwindows949 uhc",
    ),
    "windows-1250": ("cp1250", "cp1250 1250"),
    "windows-1251": ("cp1251", "cp1251 1251"),
    "windows-1252": ("cp1252", "cp1252 1252 iso88591 iso885911987 latin1 l1 ibm819 cp819 ansi"),
    "windows-1253": ("cp1253", "cp1253 1253"),
    "windows-1254": ("cp1254", "cp1254 1254 iso88599 latin5"),
    "windows-1257": ("cp1257", "cp1257 1257"),
    "windows-1258": ("cp1258", "cp1258 1258"),
    "iso-8859-2": ("iso8859_2", "latin2 l2"),
    "iso-8859-5": ("iso8859_5", "cyrillic"),
    "iso-8859-7": ("iso8859_7", "greek"),
    "iso-8859-15": ("iso8859_15", "latin9"),
    "koi8-r": ("koi8_r", "koi8"),
    "koi8-u": ("koi8_u", ""),
    "ibm866": ("cp866", "cp866 866"),
    "macintosh": ("mac_roman", "macroman mac"),
    "windows-874": ("cp874", "cp874 tis620 iso885911"),
}
"""The charsets by the names that browsers give them, each with Python's codec and further names."""

_PLAIN = re.compile(r"[^a-z0-9]+")
_LOOKUP = {
    _PLAIN.sub("", alias): name for name, (_, more) in CHARSETS.items() for alias in (name, *more.split())
}
_SECOND = {
    "gb18030": rb"[\x81-\xfe](?:[\x30-\x39][\x81-\xfe][\x30-\x39]|[\x40-\x7e\x80-\xfe])",
    "big5": rb"[\x81-\xfe][\x40-\x7e\xa1-\xfe]",
    "shift_jis": rb"[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]",
}
"""Characters of two bytes, where the second may be a bracket; in all other charsets ASCII bytes are ASCII."""
_CLOSES = re.compile(rb"\s*(?:[A-Za-z]+\s*\[|\[|[;(]\s*(?:[A-Za-z]+\s*\[|[;()])|\)\s*(?:[;()]|\Z))")
"""What follows the bracket that closes a value."""
_ROOT_END = re.compile(rb"\]\s*(?:[;()]|\Z)")
_NAMED = re.compile(rb"[;\]\s]CA\s*\[\s*([^\]\s]{1,40})\s*\]")
_GAME = re.compile(rb"\(\s*;(?=\s*[A-Za-z]+\s*\[)")


def find_charset(name: str) -> str | None:
    """The charset that a name means, or None.

    >>> find_charset("Windows-31J"), find_charset("KS_C_5601-1987"), find_charset("Klingon")
    ('shift_jis', 'euc-kr', None)
    """
    return _LOOKUP.get(_PLAIN.sub("", name.lower()))


def charset_named(name: str) -> str:
    """The charset that a name means; a ConfigError lists those that there are."""
    found = find_charset(name)
    if found is None:
        raise ConfigError(f"unknown charset {name[:40]!r}: expected one of {', '.join(CHARSETS)}")
    return found


def decode(data: bytes, charset: str | None = None) -> tuple[str, list[str]]:
    """The text of a file, and warnings if its charset was guessed or some bytes could not be read.

    Args:
        data: the file.
        charset: its name, if the caller knows it.

    Raises:
        ConfigError: an unknown charset.

    >>> decode("五子棋".encode("gbk"))[0]
    '五子棋'
    """
    known = None if charset is None else charset_named(charset)
    for mark, codec in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return _replaced(data[len(mark) :].decode(codec, "replace"), codec)
    if known is None and (wide := _utf_16(data)):
        return _replaced(data.decode(wide, "replace"), wide)
    if known is not None:
        return _replaced(decode_as(data, known), known)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8"
    else:
        return (text, []) if _means_utf_8(data, text) else _by_games(data, "")
    return _by_games(data, f"{reason}: ")


def decode_as(data: bytes, charset: str) -> str:
    """The text in that charset, with replacement characters; no bracket that closes a value is swallowed."""
    codec = CHARSETS[charset][0]
    if charset not in _SECOND:
        return "]".join(_decoded(piece, codec) for piece in data.split(b"]"))
    pattern = rb"(?:" + _SECOND[charset] + rb")|\]"
    pieces, start = [], 0
    for found in re.finditer(pattern, data):
        end = found.end() - 1
        if data[end] == 0x5D and (len(found[0]) == 1 or _CLOSES.match(data, end + 1)):
            pieces.append(_decoded(data[start:end], codec))
            start = end + 1
    return "]".join([*pieces, _decoded(data[start:], codec)])


def _decoded(piece: bytes, codec: str) -> str:
    return piece.decode("ascii") if piece.isascii() else piece.decode(codec, "replace")


def _by_games(data: bytes, reason: str) -> tuple[str, list[str]]:
    """The text of a file that is not UTF-8: by the charset that each game names, else by a guess for all."""
    from wuzi.records.formats.charset_guess import guess

    texts, warnings, guessed = [], [], ""
    for part in _games(data):
        named = _named(part)
        charset = None if named is None else find_charset(named)
        if named is not None and charset is None:
            warnings.append(f"CA[{named}] is no known charset")
        if charset is None and not part.isascii():
            charset = guessed = guessed or guess(data)
            text, lost = _replaced(decode_as(part, charset), charset)
            warnings.append(f"{reason}read as {charset} by its looks; say the charset if texts look wrong")
        else:
            text, lost = _replaced(decode_as(part, charset or "utf-8"), charset or "utf-8")
            if charset not in (None, "utf-8"):
                warnings.append(f"{reason}read as {charset}")
        texts.append(text)
        warnings += lost
    return "".join(texts), list(dict.fromkeys(warnings))


def _games(data: bytes) -> list[bytes]:
    """The parts of a file that may each name a charset: an SGF collection at the games that do."""
    starts = [found.start() for found in _GAME.finditer(data) if _named(data, found.start())]
    bounds = [0, *starts, len(data)]
    return [data[start:end] for start, end in pairwise(bounds) if start < end]


def _named(data: bytes, at: int = 0) -> str | None:
    """The charset that the first node of an SGF game names, as it stands there."""
    start = _GAME.search(data, at)
    if start is None:
        return None
    end = _ROOT_END.search(data, start.end())
    found = _NAMED.search(data, start.end() - 1, end.end() if end else len(data))
    return found[1].decode("ascii", "replace") if found else None


def _means_utf_8(data: bytes, text: str) -> bool:
    """Whether valid UTF-8 is meant so: a few characters of two bytes may be those of another charset."""
    if text.isascii() or max(text) > "\u07ff":
        return True
    charset = find_charset(_named(data) or "")
    if charset not in ("gb18030", "big5", "shift_jis", "euc-jp", "euc-kr"):
        return True
    return "\ufffd" in decode_as(data, charset)


def _utf_16(data: bytes) -> str | None:
    """UTF-16 without a mark: two ASCII characters with zeros between them (RenLib may begin with x and 0)."""
    start = data[:4]
    if len(start) < 4 or len(data) % 2 or start[:2] == b"x\0":
        return None
    for codec, zeros, letters in (
        ("utf-16-le", start[1::2], start[::2]),
        ("utf-16-be", start[::2], start[1::2]),
    ):
        if zeros == b"\0\0" and all(0x20 <= byte < 0x7F for byte in letters):
            return codec
    return None


def _replaced(text: str, charset: str) -> tuple[str, list[str]]:
    """The text, and a warning if bytes of it could not be read."""
    lost = text.count("\ufffd")
    return text, [f"{lost} character(s) cannot be read as {charset}: replaced by \ufffd"] if lost else []
