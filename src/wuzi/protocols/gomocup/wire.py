"""The Gomocup (Piskvork) protocol as text: commands to an engine, and its answers. No input or output.

Cells are ``x,y`` from zero, x the column and y the row from the top; rules are sums of bits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from wuzi.core.rules import Rule
from wuzi.core.types import Color

UNLIMITED_MS = 2_147_483_647
"""``time_left`` of a game without a clock."""

_LONGEST = 500
"""Characters of a line in which figures and cells are looked for."""

_XY = re.compile(r"([0-9]{1,3})\s*,\s*([0-9]{1,3})")
_ANY_XY = re.compile(r"[0-9]+,[0-9]+")
_NUMBERS = re.compile(r"[0-9]+(,[0-9]+)+")
_STONE = re.compile(r"([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*,\s*([123])")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_ABOUT = re.compile(r'(\w+)\s*=\s*"([^"]*)"')
_COMMENT = re.compile(r"(MESSAGE|DEBUG|ERROR|UNKNOWN|SUGGEST|INFO)\b[ \t]*(.*)", re.IGNORECASE)


class Command(NamedTuple):
    """One line to an engine: its first word in upper case, and the rest."""

    name: str
    args: str = ""


def parse_command(line: str) -> Command | None:
    """The command in a line; None for an empty one.

    >>> parse_command("turn 7,7")
    Command(name='TURN', args='7,7')
    """
    name, args = split_word(line)
    return Command(name.upper(), args) if name else None


def split_word(text: str) -> tuple[str, str]:
    r"""The first word and the rest, without the blanks around them and a byte-order mark before them.

    >>> split_word("\ufeffTURN\t7,7 ")
    ('TURN', '7,7')
    """
    word, *rest = text.strip().lstrip("\ufeff").split(None, 1) or [""]
    return word, rest[0].rstrip() if rest else ""


def parse_cell(text: str, size: int) -> int | None:
    """The cell ``x,y`` names, None if it names none of this board."""
    found = _XY.fullmatch(text.strip())
    return _cell(found[1], found[2], size) if found else None


def is_cell_line(text: str) -> bool:
    """Whether a line between a command and DONE looks like a cell or a stone, on whatever board."""
    return bool(_NUMBERS.fullmatch(text))


def parse_cells(text: str, size: int) -> tuple[int, ...] | None:
    """One or more cells separated by blanks, None if anything else is in the text."""
    cells = [parse_cell(part, size) for part in _split_cells(text)]
    found = tuple(cell for cell in cells if cell is not None)
    return found if found and len(found) == len(cells) else None


def parse_stone(text: str, size: int) -> tuple[int, int] | None:
    """A line ``x,y,who`` of BOARD as (cell, who), None if it is none.

    ``who`` is 1 for a stone of the engine, 2 for one of its opponent, 3 for a cell of neither.
    """
    found = _STONE.fullmatch(text.strip())
    cell = _cell(found[1], found[2], size) if found else None
    return (cell, int(found[3])) if found and cell is not None else None


def parse_whole(text: str) -> int | None:
    """A whole number of at most 18 digits, else None."""
    # int() by itself knows fewer kinds of space than strip() does.
    found = _WHOLE.fullmatch(text.strip())
    return int(found[0]) if found else None


def format_cell(cell: int, size: int) -> str:
    """The text of a cell.

    >>> format_cell(7 * 15 + 8, 15)
    '8,7'
    """
    return f"{cell % size},{cell // size}"


def format_cells(cells: Iterable[int], size: int) -> str:
    """Cells separated by blanks."""
    return " ".join(format_cell(cell, size) for cell in cells)


def format_forbidden(cells: Iterable[int], size: int) -> str:
    """The answer to YXSHOWFORBID: two digits for each x and y.

    >>> format_forbidden((12 * 15 + 9, 11 * 15 + 10), 15)
    'FORBID 09121011.'
    """
    return "FORBID " + "".join(f"{cell % size:02d}{cell // size:02d}" for cell in cells) + "."


def rule_from_code(code: int) -> Rule | None:
    """The rule of an ``INFO rule`` bit sum, None for one that is not played here (2, continuous game)."""
    known = {0: Rule.FREESTYLE, 1: Rule.STANDARD, 8: Rule.CARO_OVERLINE, 9: Rule.CARO}
    return Rule.RENJU if code & ~0b1001 == 4 else known.get(code)


def format_board(stones: Sequence[tuple[int, Color]], size: int, engine: Color) -> list[str]:
    """The lines of BOARD, ``DONE`` included, for an engine that plays ``engine``."""
    lines = [f"{format_cell(cell, size)},{1 if color == engine else 2}" for cell, color in stones]
    return ["BOARD", *lines, "DONE"]


def format_about(fields: Mapping[str, str]) -> str:
    """The answer to ABOUT.

    >>> format_about({"name": "wuzi", "version": "1.0"})
    'name="wuzi", version="1.0"'
    """
    return ", ".join(f'{key}="{value}"' for key, value in fields.items())


def parse_about(line: str) -> dict[str, str]:
    """The fields of an answer to ABOUT; empty if the line is none."""
    return dict(_ABOUT.findall(line[:_LONGEST]))


class AnswerKind(Enum):
    """What a line from an engine is."""

    CELLS = "cells"
    """One or more cells: a move, or stones of a swap opening."""
    SUGGEST = "suggest"
    """A move that the engine would like to play; PLAY gives it leave."""
    SWAP = "swap"
    OK = "ok"
    ERROR = "error"
    UNKNOWN = "unknown"
    COMMENT = "comment"
    """MESSAGE, DEBUG and the like: for people."""
    OTHER = "other"
    """Nothing the protocol knows."""


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """One line from an engine.

    Attributes:
        kind: what it is.
        cells: the cells of CELLS and of SUGGEST; empty when they are not on the board.
        text: the words of a comment or error, else the whole line.
    """

    kind: AnswerKind
    cells: tuple[int, ...] = ()
    text: str = ""


def parse_answer(line: str, size: int) -> EngineAnswer:
    """What an engine's line means on a board of this size.

    >>> parse_answer("8,7", 15).cells
    (113,)
    """
    text = line.strip()
    if (parts := _split_cells(text)) and all(_ANY_XY.fullmatch(part) for part in parts):
        return EngineAnswer(AnswerKind.CELLS, parse_cells(text, size) or (), text)
    if found := _COMMENT.fullmatch(text):
        word = found[1].upper()
        if word == "SUGGEST":
            return EngineAnswer(AnswerKind.SUGGEST, parse_cells(found[2], size) or (), found[2])
        return EngineAnswer(AnswerKind[word if word in ("ERROR", "UNKNOWN") else "COMMENT"], (), found[2])
    if text.upper() == "SWAP":
        return EngineAnswer(AnswerKind.SWAP, (), text)
    return EngineAnswer(AnswerKind["OK" if text.partition(" ")[0].upper() == "OK" else "OTHER"], (), text)


@dataclass(frozen=True, slots=True)
class EngineReport:
    """What an engine's comment says about its search; None where it says nothing.

    Attributes:
        depth, max_depth: plies.
        nodes: positions searched.
        score: its evaluation, from its own side.
        winrate: its expected score, 0 to 1, from its own side.
        win_in: plies to a win (positive) or loss (negative) of its side.
    """

    depth: int | None = None
    max_depth: int | None = None
    nodes: int | None = None
    score: float | None = None
    winrate: float | None = None
    win_in: int | None = None


_DEPTH = re.compile(r"\bdepth[ :=]+(\d{1,4})(?:-(\d{1,4}))?", re.IGNORECASE)
_NODES = re.compile(r"\bnodes?[ :=]+(\d{1,15}(?:\.\d+)?)([KMG]?)", re.IGNORECASE)
_EVAL = re.compile(r"\beval[ :=]+([+-]?)(M?)(\d{1,9})\b", re.IGNORECASE)
_WINRATE = re.compile(r"\bwinrate[ :=]+(\d{1,3}(?:\.\d+)?)(%?)", re.IGNORECASE)
_SCALE = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}


def parse_report(text: str) -> EngineReport | None:
    """Search figures in a comment in the manner of Yixin and Rapfi, None if there are none.

    >>> parse_report("Depth 17-31 | Eval 103 | Node 379K | Time 270ms").nodes
    379000
    """
    text = text[:_LONGEST]
    depth, nodes, score = _DEPTH.search(text), _NODES.search(text), _EVAL.search(text)
    winrate = _WINRATE.search(text)
    if not (depth or nodes or score or winrate):
        return None
    signed = (-1 if score[1] == "-" else 1) * int(score[3]) if score else None
    mate = bool(score and score[2])
    share = float(winrate[1]) / (100 if winrate[2] else 1) if winrate else None
    return EngineReport(
        depth=int(depth[1]) if depth else None,
        max_depth=int(depth[2]) if depth and depth[2] else None,
        nodes=int(float(nodes[1]) * _SCALE[nodes[2].upper()]) if nodes else None,
        score=None if mate or signed is None else float(signed),
        winrate=share if share is not None and share <= 1 else None,
        win_in=signed if mate else None,
    )


def _split_cells(text: str) -> list[str]:
    return re.sub(r"\s*,\s*", ",", text).split() if len(text) <= _LONGEST else []


def _cell(x: str, y: str, size: int) -> int | None:
    column, row = int(x), int(y)
    return row * size + column if column < size and row < size else None


def printable(text: str) -> str:
    """At most 40 printable ASCII characters of a text, to be repeated in an answer."""
    cut = "".join(char if " " <= char <= "~" else "?" for char in text[:40])
    return cut + "..." if len(text) > 40 else cut
