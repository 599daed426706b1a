"""The list of formats, and telling them apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any

from wuzi.base import plugins
from wuzi.core import Opening, Rule, Rules, narrow
from wuzi.errors import ConfigError, RecordError
from wuzi.records.model import GameRecord


@dataclass(frozen=True, slots=True)
class GivenRules:
    """Rules of which only some are known: None is what a file says, or else the usual.

    Attributes:
        size: rows and columns of the board.
        win_length: stones in a row that win.
        rule: what counts as a win.
    """

    size: int | None = None
    win_length: int | None = None
    rule: Rule | None = None

    def filled(self, usual_size: int = 15) -> Rules | None:
        """All rules, those that are not known as usual; None if none is known."""
        if self == GivenRules():
            return None
        size = usual_size if self.size is None else self.size
        length = min(5, size) if self.win_length is None else self.win_length
        return Rules(size, length, Rule.FREESTYLE if self.rule is None else self.rule)


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of game file.

    Attributes:
        name: its short name, which is also its usual extension.
        extensions: file name endings, with the dot.
        title: what it is, in a few words.
        title_zh: the same in Chinese.
        media_type: for downloads.
        read: all records of a text, under the rules that are assumed where it says none (or None), with an
            error in the place of a record that cannot be read; None when the format can only be written. A
            binary format also takes the ``charset`` of its texts.
        write: the text of a record.
        holds: what it keeps beyond the moves of the main line, among ``tree`` (comments, variations,
            marks), ``setup``, ``times``, ``names``, ``date``, ``headers``, ``rules``, ``size``,
            ``opening``, ``result``.
        encoding: of its files; ``latin-1`` means a binary format, whose text has one character a byte.
        several: whether a file may hold several games, one text after the other.
        usual_size: of the board where neither the file nor the caller says it.
    """

    name: str
    extensions: tuple[str, ...]
    title: str
    title_zh: str
    media_type: str
    read: Callable[..., Sequence[GameRecord | RecordError]] | None
    write: Callable[..., str]
    holds: frozenset[str]
    encoding: str = "utf-8"
    several: bool = False
    usual_size: int = 15

    def losses(self, record: GameRecord) -> list[str]:
        """What of this record the format cannot hold, in words."""
        rules = record.rules
        usual = (rules.rule, rules.win_length) == (Rules().rule, Rules().win_length)
        usual = usual and (rules.size == 15 or "size" in self.holds)
        present = {
            "comments, variations or marks": ("tree", record.has_extras),
            "names": ("names", bool(record.black or record.white)),
            "date": ("date", bool(record.date)),
            "headers": ("headers", bool(record.headers)),
            "thinking times": ("times", any(n.time_ms is not None for n in record.root.main_line())),
            "rules": ("rules", not usual),
            "swap opening": ("opening", rules.opening is not Opening.FREE),
            "result": ("result", record.outcome is not None),
        }
        return [text for text, (key, there) in present.items() if there and key not in self.holds]


LIBRARY = "\xffRenLib\xff"
"""How a RenLib file begins, as Latin-1 text."""

_CODE = r"(?:(?:\d{1,3}(?:\.+|[)、])[ \t]*)?(?:[a-zA-Z][1-9]\d?|\d{1,2},[ \t]*\d{1,2}(?!\d))[ \t;,、]*)+"
_SAVED = r"\d{1,2}\s*\n\s*\d{1,2}\s*\n\s*\d{1,3}\s*(?:\n\s*\d{1,2}[ \t]+\d{1,2}\s*)*(?:\n[\d \t]*)?"
_CELLS = frozenset(".+-_*XxOo@●○·┼")
_ROW = _CELLS | frozenset("0123456789 \t|[]()")
_ALL = frozenset({"tree", "setup", "times", "names", "date", "headers", "rules", "size", "opening", "result"})
_PISKVORK = frozenset({"times", "names", "rules", "size", "result"})
_BOARD = frozenset({"setup", "size"})


@cache
def list_formats() -> dict[str, Format]:
    """All formats by name, those of plug-ins last."""
    known = {name: Format(name, (f".{name}",), *rest) for name, *rest in _formats()}
    for name, found in plugins.load_all(plugins.FORMATS, _why_no_format, known):
        known[name] = found
    return known


def _formats() -> Iterator[tuple[Any, ...]]:
    """Our own: the fields of :class:`Format` but for the extension, which is the name."""
    text, none, sgf = "text/plain; charset=utf-8", frozenset[str](), "application/x-go-sgf"
    read, write = _read("sgf_reader", "parse_collection"), _write("sgf_writer")
    yield "sgf", "SGF, smart game format", "SGF 棋谱", sgf, read, write, _ALL, "utf-8", True
    read, write = _read("json_record", "parse_all"), _write("json_record")
    yield "json", "wuzi game record", "五子棋谱 JSON", "application/json", read, write, _ALL
    read, write = _read("piskvork", "parse_psq"), _write("piskvork", "format_psq")
    yield "psq", "Piskvork, Gomocup archives", "Piskvork 棋谱", text, read, write, _PISKVORK
    read, write = _read("piskvork", "parse_rec"), _write("piskvork", "format_rec")
    yield "rec", "Gomotur", "Gomotur 棋谱", text, read, write, _PISKVORK, "utf-8", False, 20
    for name, origin, title, title_zh in (
        ("pos", "bottom", "position code (h8h9i7)", "局面代码"),
        ("pos-top", "top", "position code with rows from the top (c-gomoku-cli)", "局面代码（行号自上而下）"),
    ):
        read = _read("pos", "parse_all", origin=origin)
        yield name, title, title_zh, text, read, partial(_write("pos"), origin=origin), none, "utf-8", True
    lib, tree = "application/octet-stream", frozenset({"tree"})
    yield "lib", "RenLib library", "RenLib 棋谱库", lib, _read("renlib"), _write("renlib"), tree, "latin-1"
    read = _read("yixin")
    yield (
        "sav",
        "Yixin-Board, saved game",
        "弈心保存的棋局",
        text,
        read,
        _write("yixin"),
        frozenset({"size", "rules"}),
    )
    yield "txt", "board diagram", "文本棋盘", text, _read("ascii"), _write("ascii"), _BOARD
    yield "svg", "picture of the board", "棋盘图片", "image/svg+xml", None, _write("svg"), _BOARD


def _why_no_format(found: object) -> str | None:
    return None if isinstance(found, Format) else f"{found!r} is no wuzi.records.Format"


def find_format(name: str) -> Format:
    """The format of that name; a ConfigError if there is none."""
    known = list_formats()
    if name.lower() not in known:
        raise ConfigError(f"unknown game format {name!r}: expected one of {', '.join(known)}")
    return known[name.lower()]


def format_of_extension(extension: str) -> Format | None:
    """The format that uses a file name ending such as ``.sgf``."""
    return next((f for f in list_formats().values() if extension.lower() in f.extensions), None)


def sniff(text: str) -> Format:
    """The format of a text, by its looks; a RecordError if it looks like none of them.

    >>> sniff("h8h9i7").name, sniff("(;GM[4];B[hh])").name, sniff("Piskvorky 15x15, 0:0, 0").name
    ('pos', 'sgf', 'psq')
    """
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith(LIBRARY):
        return find_format("lib")
    lines = [line.strip() for line in start.splitlines()[:5]]
    if start.startswith("{"):
        return find_format("json")
    if start[:9].lower() == "piskvorky":
        return find_format("psq")
    if re.match(r"\(\s*;", start):
        return find_format("sgf")
    from wuzi.records.formats.pos import without_link

    if lines and re.fullmatch(_CODE, narrow(without_link(lines[0])), re.ASCII):
        return find_format("pos")
    if re.fullmatch(_SAVED, start[:400], re.ASCII):
        return find_format("sav")
    if len(lines) > 2 and re.fullmatch(r"\d{1,2}\s*,\s*\d{1,2}(\s*,\s*-?[\d.]+)?", lines[2], re.ASCII):
        return find_format("rec")
    if re.search(r"\(\s*;\s*[A-Za-z]+\s*\[", start):
        return find_format("sgf")
    if any(map(_is_row, start.splitlines())):
        return find_format("txt")
    names = ", ".join(f.name for f in list_formats().values() if f.read)
    raise RecordError(f"unknown kind of game file, it begins {start[:30]!r}: expected one of {names}")


def _is_row(line: str) -> bool:
    """Whether a line may be a row of a board diagram."""
    body = line.strip()
    body = body[1:] if body[:1].isalpha() and body[1:2].isspace() else body
    return sum(char in _CELLS for char in body) >= 3 and all(char in _ROW for char in body)


def _read(
    module: str, function: str = "parse", **options: str
) -> Callable[..., Sequence[GameRecord | RecordError]]:
    """The reader of a format, of one record or several; its module is loaded when it is used."""

    def read(text: str, rules: Rules | None, **more: Any) -> Sequence[GameRecord | RecordError]:
        reader = getattr(import_module(f"wuzi.records.formats.{module}"), function)
        found: GameRecord | Sequence[GameRecord | RecordError] = reader(text, rules, **options, **more)
        return [found] if isinstance(found, GameRecord) else found

    return read


def _write(module: str, function: str = "format_record") -> Callable[..., str]:
    """The writer of a format; its module is loaded when it is used."""

    def write(record: GameRecord, **options: Any) -> str:
        return str(getattr(import_module(f"wuzi.records.formats.{module}"), function)(record, **options))

    return write
