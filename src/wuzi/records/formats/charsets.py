r"""The charsets of game files, and decoding by one of them.

In GB18030, Big5 and Shift-JIS the second byte of a character may be that of ``]`` or ``\``. So a text is cut
at the brackets that close a value, and every piece is decoded for itself: whatever stands in a comment, and
whichever charset was meant, the moves behind it are there.
"""

from __future__ import annotations

import re

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
