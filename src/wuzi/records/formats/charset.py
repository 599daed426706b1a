"""From the bytes of a game file to text.

UTF-8 is tried first, with or without a byte order mark. Files of older programs say their character set
(``CA[GB2312]`` in SGF) or say nothing: then GB18030 is tried, because such files are mostly Chinese, and
Latin-1 last, which never fails. Every guess is told in a warning.
"""

from __future__ import annotations

import codecs
import re

_NAMED = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_.:-]{1,40})\s*\]")
_GUESS = "gb18030"
_LAST_RESORT = "latin-1"
_KNOWN = frozenset(
    codecs.lookup(name).name
    for name in (
        *("ascii", "utf-8", "gb2312", "gbk", "gb18030", "big5", "big5hkscs", "hz"),
        *("shift_jis", "euc_jp", "iso2022_jp", "euc_kr", "cp949", "koi8-r", "koi8-u"),
        *(f"iso8859-{n}" for n in (1, 2, 3, 4, 5, 7, 9, 13, 15)),
        *(f"cp{n}" for n in (437, 850, 852, 866, 932, 936, 950, 1250, 1251, 1252, 1253, 1254, 1257)),
    )
)


def decode(data: bytes) -> tuple[str, str | None]:
    """The text of a file, and a warning if its character set was not plain UTF-8.

    >>> decode("五子棋".encode("gbk"))[0]
    '五子棋'
    """
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8"
    named = _named(data)
    for name in (named, _GUESS):
        if name is not None:
            try:
                return data.decode(name), f"{reason}: read as {name}"
            except UnicodeDecodeError:
                continue
    return data.decode(_LAST_RESORT), f"{reason}: read as {_LAST_RESORT}, some text may be wrong"


def _named(data: bytes) -> str | None:
    """The character set that an SGF file names, if it is one we read."""
    found = _NAMED.search(data)
    if not found:
        return None
    try:
        name = codecs.lookup(found[1].decode("ascii")).name
    except LookupError:
        return None
    return name if name in _KNOWN else None
