r"""The grammar of SGF: from a text to nodes with raw property values, and back.

::

    Collection = GameTree+                 GameTree = "(" Node+ GameTree* ")"
    Node = ";" Property*                   Property = Name Value+
    Value = "[" text, in which "\" takes the meaning from the next character "]"

Names lose their small letters, as in old files (``Black`` is ``B``); a property given twice has the values
of both. Nothing here recurses: files may nest as deep as they like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

Properties = dict[str, list[str]]
"""Raw values by property name: the text between the brackets, escapes included."""

_START = re.compile(r"\(\s*;")
_RAW = r"[^\\\]]*(?:\\.[^\\\]]*)*"
_TOKEN = re.compile(rf"\s*(?:\[({_RAW})\]|([A-Za-z]{{1,64}})|([();]))", re.DOTALL)
_VALUE = re.compile(_RAW, re.DOTALL)
_NAME = re.compile(r"[A-Z]{1,64}")
_ROOT = re.compile(r"\(\s*;\s*(?:[A-Z]{1,8}\[[^\]]{0,99}\]\s*){0,9}?(?:GM|FF|SZ|RU|PB|CA)\[")
_ESCAPED = re.compile(r"\\(?:\n|(.))", re.DOTALL)
_COMPOSED = re.compile(r"([^\\:]*(?:\\.[^\\:]*)*):", re.DOTALL)
_LINE_END = re.compile(r"\n\r|\r\n|\n|\r")
_BLANKS = str.maketrans("\t\f\v", "   ")

_MOST_BROKEN = 20
_MOST_BROKEN_TEXT = 1_000_000
"""After so many damaged games, or characters of them, a file is not searched for more."""

Node = TypeVar("Node")


@dataclass(slots=True)
class RawNode:
    """A node of a game tree: where it stands in the text, the index of its parent, and what it holds."""

    at: int
    parent: int | None
    properties: Properties = field(default_factory=dict)


@dataclass(slots=True)
class RawGame:
    """The nodes of a game, parents before children, as far as the grammar could be followed.

    ``end`` is where the next game may begin; ``error`` says what ended this one too early.
    """

    start: int
    nodes: list[RawNode]
    end: int
    error: str = ""


def games(text: str) -> Iterator[RawGame]:
    """The games of a text. A damaged one ends where something that looks like the next begins."""
    position = broken = broken_text = 0
    while broken < _MOST_BROKEN and broken_text < _MOST_BROKEN_TEXT:
        if not (found := _START.search(text, position)):
            return
        game = _game(text, found.start())
        if game.error:
            broken += 1
            broken_text += game.end - game.start
            game.end = next_root(text, found.start(), len(text))
        yield game
        position = game.end


def next_root(text: str, start: int, end: int) -> int:
    """Where the root of another game seems to stand between two places, else ``end``.

    A bracket left open in one game swallows the beginning of the next.
    """
    following = _ROOT.search(text, start + 1, end)
    return following.start() if following else end


def place(text: str, offset: int) -> str:
    """Line and column, for messages."""
    return f"line {text.count(chr(10), 0, offset) + 1}, column {offset - text.rfind(chr(10), 0, offset)}"


def _game(text: str, start: int) -> RawGame:
    """The game at ``start``."""
    nodes: list[RawNode] = []
    branches: list[int | None] = []
    current: int | None = None
    values: list[str] | None = None
    after, at = "", start
    while found := _TOKEN.match(text, at):
        value, name, sign = found.groups()
        if value is not None:
            if values is None:
                return RawGame(start, nodes, at, _broken(text, at, "unexpected value"))
            values.append(value)
            after = "]"
        elif after == "name":
            return RawGame(start, nodes, at, _broken(text, at, "property with no values"))
        elif name is not None:
            if after in ("(", ")"):
                return RawGame(start, nodes, at, _broken(text, at, "property outside a node"))
            name = "".join(letter for letter in name if letter.isupper())
            values, after = nodes[-1].properties.setdefault(name, []), "name"
        else:
            if (after == "(" and sign != ";") or (after == ")" and sign == ";"):
                return RawGame(start, nodes, at, _broken(text, at, "unexpected " + repr(sign)))
            values, after = None, sign
            if sign == "(":
                branches.append(current)
            elif sign == ";":
                nodes.append(RawNode(found.end() - 1, current))
                current = len(nodes) - 1
            else:
                current = branches.pop()
                if not branches:
                    return RawGame(start, nodes, found.end())
        at = found.end()
    return RawGame(start, nodes, at, _broken(text, at, "unexpected end"))


def _broken(text: str, at: int, what: str) -> str:
    """What is wrong at a place, in words."""
    at += len(text[at:]) - len(text[at:].lstrip())
    rest = text[at : at + 20].split("\n", maxsplit=1)[0]
    found = _VALUE.match(text, at + 1)
    if rest.startswith("[") and (found is None or found.end() >= len(text)):
        near = "a ']' is missing"
    else:
        near = f"near {rest!r}" if rest else "the file ends: is a ')' missing?"
    return f"{place(text, at)}: broken SGF ({what}): {near}"


# ---------------------------------------------------------------- values


def unescaped(raw: str) -> str:
    """The meaning of a raw Text value: line breaks as line feeds, other white space as blanks."""
    return _ESCAPED.sub(r"\1", _LINE_END.sub("\n", raw).translate(_BLANKS))


def escaped(text: str) -> str:
    """The raw value that encodes a text."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def split_pair(raw: str) -> tuple[str, str | None]:
    """The raw halves of a composed value; None for the second where there is no colon."""
    found = _COMPOSED.match(raw)
    return (raw, None) if found is None else (found[1], raw[found.end() :])


def is_name(text: str) -> bool:
    """Whether a property may be called so."""
    return _NAME.fullmatch(text) is not None


def is_value(raw: str) -> bool:
    """Whether a text can stand between brackets."""
    return _VALUE.fullmatch(raw) is not None


# ---------------------------------------------------------------- writing


def format_tree(
    root: Node,
    children: Callable[[Node], Sequence[Node]],
    properties: Callable[[Node], Mapping[str, Iterable[str]]],
    width: int,
) -> str:
    """The text of a game, in lines of at most ``width`` bytes where no value is longer; FF comes first."""
    pieces: list[str] = []
    stack: list[Node | str] = [")", root, "("]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            pieces.append(one)
            continue
        pieces.append(";")
        held = properties(one)
        for name in sorted(held, key=lambda name: (name != "FF", name)):
            pieces.append(name + "".join(f"[{value}]" for value in held[name]))
        below = children(one)
        for child in reversed(below):
            stack += [child] if len(below) == 1 else [")", child, "("]
    return _filled([*pieces, "\n"], width)


def _filled(pieces: Iterable[str], width: int) -> str:
    """The pieces, with line breaks between them where a line would become longer than ``width`` bytes."""
    lines, line, used = [], "", 0
    for piece in pieces:
        length = len(piece.encode())
        if used + length > width:
            lines.append(line)
            line, used = "", 0
        line, used = line + piece, used + length
    return "\n".join([*lines, line] if line else lines)
