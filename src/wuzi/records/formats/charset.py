"""From the bytes of a game file to text.

A byte order mark decides first, then the charset that the caller names. What is valid UTF-8 is UTF-8; else an
SGF file may name its charset (``CA[GB2312]``), each game of a collection its own; else
:mod:`wuzi.records.formats.charset_guess` tells it by its looks. Every guess and every byte that cannot be
read is told in a warning.
"""

from __future__ import annotations

import re
from itertools import pairwise

from wuzi.records.formats.charset_guess import guess
from wuzi.records.formats.charsets import charset_named, decode_as, find_charset

_ROOT_END = re.compile(rb"\]\s*(?:[;()]|\Z)")
_ROOT_BYTES = 1000
"""Of a first node that are looked at."""
_NAMED = re.compile(rb"[;\]\s]CA\s*\[\s*([^\]\s]{1,40})\s*\]")
_GAME = re.compile(rb"\(\s*;(?=\s*[A-Za-z]+\s*\[)")


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


def _by_games(data: bytes, reason: str) -> tuple[str, list[str]]:
    """The text of a file that is not UTF-8: by the charset that each game names, else by a guess for all."""
    texts, warnings, guessed = [], [], ""
    for part in _games(data):
        named = _named(part)
        charset = None if named is None else find_charset(named)
        if named is not None and charset is None:
            warnings.append(f"CA[{named}] is no known charset")
        if charset == "utf-8" and _is_hardly_utf_8(part):
            warnings.append(f"CA[{named}] is wrong")
            charset = None
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


def _is_hardly_utf_8(data: bytes) -> bool:
    """Whether more than a few bytes are no UTF-8, and more than characters are."""
    text = decode_as(data, "utf-8")
    lost = text.count("\ufffd")
    return lost > max(3, sum(not char.isascii() for char in text) - lost)


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
    limit = start.end() + _ROOT_BYTES
    end = _ROOT_END.search(data, start.end(), limit)
    found = _NAMED.search(data, start.end() - 1, end.end() if end else limit)
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
