"""``.lib``, the libraries of the program RenLib: trees of variations on a 15x15 board, in bytes.

::

    FF "RenLib" FF 3 4, then FF to 20 bytes   header: versions 3.0 to 3.4; older files have none
    00 flags                                  the root (also missing in older files)
    cell flags                                a node; the tree is written parents first
    FF flags with bit 0: two more bytes       bit 0 of the second says: a text on the board follows
    text 00 [00]                              comment, then text on the board; padded to even length

A cell is ``16 * row + column``, the row from 0 at the top, the column from 1. Flags: 80 a sibling follows
later, 40 no children, 20 an old comment (seven bits a character, the last with the eighth set), 10 marked, 08
a comment (its first line and the rest divided by a byte 08), 04 start of a game, 02 no stone, 01 extended.

The library here has one character a byte (Latin-1), as all text of binary formats; its comments are in the
charset of the computer that wrote them, which the file does not name. The format holds no rule, names, result
or times; marks and texts on the board become marks of the record. A cell of 0 below the root is a pass, which
gomoku does not have: what follows it is left out with a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wuzi.core import Color, Move, Opening, Rules
from wuzi.errors import RecordError
from wuzi.records.formats.charset import decode
from wuzi.records.formats.piskvork import plain_moves
from wuzi.records.model import GameRecord, Mark, MarkKind, RecordNode, one_line
from wuzi.records.registry import LIBRARY
from wuzi.records.replay import corrected

SIZE = 15
MAX_NODES = 1_000_000
"""A file of a few bytes a node could otherwise fill the memory."""

_HEADER = 20
_VERSION = (3, 4)
_CENTRE = 0x78
_SIBLING, _LEAF, _OLD_COMMENT, _MARK, _COMMENT, _NO_STONE, _EXTENDED = 0x80, 0x40, 0x20, 0x10, 8, 2, 1
_BOARD_TEXT = 1
_SWEDISH = str.maketrans("}{|][\\", "åäöÅÄÖ")
"""Old comments use the Swedish seven-bit characters (ISO 646-SE)."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """One node as the file has it."""

    cell: int
    flags: int
    comment: bytes = b""
    text: bytes = b""


def parse(content: str, rules: Rules | None = None, charset: str | None = None) -> GameRecord:
    """The tree of a library from its bytes as Latin-1 text, for 15x15; a RecordError where it is damaged.

    ``charset`` is that of its comments; None to take UTF-8, or else to guess.
    """
    try:
        data = content.encode("latin-1")
    except UnicodeEncodeError as error:
        raise RecordError(f"character {error.start + 1}: expected the bytes of a RenLib file") from None
    board = replace(rules or Rules(), size=SIZE, opening=Opening.FREE)
    record = GameRecord(board)
    entries = [*_entries(data, _start(data))]
    texts, warnings = _decoded(entries, charset)
    left_out = _grow(record.root, entries, texts)
    if left_out:
        warnings.append(f"{left_out} move(s) after a pass were left out: there are no passes in gomoku")
    record.warnings = tuple(warnings)
    return corrected(record)


def format_record(record: GameRecord) -> str:
    """The library of a 15x15 record as Latin-1 text; a RecordError for set-up stones and the like."""
    if record.rules.size != SIZE:
        raise RecordError(f"lib holds 15x15 boards only, not {record.rules.size}x{record.rules.size}")
    plain_moves(record, "lib")
    out = bytearray(LIBRARY.encode("latin-1") + bytes(_VERSION))
    out += b"\xff" * (_HEADER - len(out))
    for node, parent, has_sibling in _in_order(record.root):
        _write(out, node, parent, has_sibling)
    return out.decode("latin-1")


# ---------------------------------------------------------------- reading


def _start(data: bytes) -> int:
    """Where the nodes begin."""
    magic = LIBRARY.encode("latin-1")
    if data.startswith(magic):
        if len(data) < _HEADER:
            raise RecordError(f"a RenLib header of {len(data)} bytes: expected {_HEADER}")
        major, minor = data[8], data[9]
        if (major, minor) > _VERSION:
            raise RecordError(f"RenLib file version {major}.{minor}: expected at most 3.4")
        return _HEADER
    if data[:1] == bytes([_CENTRE]):
        return 0
    raise RecordError(f"a RenLib file beginning with {data[:8]!r}: expected its header, or h8")


def _entries(data: bytes, at: int) -> Iterator[_Entry]:
    """The nodes of a file from byte ``at`` on."""
    reader = _Pairs(data, at)
    for _ in range(MAX_NODES):
        if reader.at >= len(data):
            return
        cell, flags = reader.next()
        extended = reader.next()[1] if flags & _EXTENDED else 0
        comment = b""
        if flags & _OLD_COMMENT:
            comment = reader.old_text().encode()
        elif flags & _COMMENT:
            comment = reader.text()
        yield _Entry(cell, flags, comment, reader.text() if extended & _BOARD_TEXT else b"")
    raise RecordError(f"a library of more than {MAX_NODES:,} moves is too large to read")


class _Pairs:
    """Reads two bytes at a time."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self.at = data, at

    def next(self) -> tuple[int, int]:
        if self.at + 2 > len(self._data):
            raise RecordError(f"byte {len(self._data)}: the RenLib file ends inside a move or a text")
        pair = self._data[self.at], self._data[self.at + 1]
        self.at += 2
        return pair

    def text(self) -> bytes:
        """A text up to its zero byte, which ends a pair."""
        found = bytearray()
        while True:
            for byte in self.next():
                if byte == 0:
                    return bytes(found)
                found.append(byte)

    def old_text(self) -> str:
        """A text of seven-bit characters up to the one with the eighth bit."""
        found = bytearray()
        while True:
            for byte in self.next():
                found.append(byte & 0x7F)
                if byte & 0x80:
                    return found.decode("ascii").translate(_SWEDISH)


def _decoded(entries: list[_Entry], charset: str | None) -> tuple[Iterator[str], list[str]]:
    """All comments and texts on the board, in order, and warnings where their charset was guessed."""
    raws = [raw for entry in entries for raw in (entry.comment, entry.text)]
    # Zeros at the beginning are no sign of UTF-16.
    text, warnings = decode(b"\0\0\0\0" + b"\0".join(raws), charset)
    return iter(text.split("\0")[4:]), [warning.replace("byte", "comments: byte", 1) for warning in warnings]


def _lines(text: str) -> str:
    """A comment with its first line and the rest in one."""
    return text.replace("\r\n", "\n").replace("\x08", "\n", 1)


def _grow(root: RecordNode, entries: list[_Entry], texts: Iterator[str]) -> int:
    """Hang the nodes below ``root``; how many moves were left out behind passes."""
    node, color = root, Color.BLACK
    waiting: list[tuple[RecordNode, Color]] = []
    seen_root = False
    passed: list[RecordNode] = []
    for number, entry in enumerate(entries, 1):
        comment, text = _lines(next(texts, "")), next(texts, "")
        if entry.cell == 0 and not seen_root:
            seen_root = True
            root.comment = comment
            continue
        if entry.flags & _SIBLING:
            waiting.append((node, color))
        if entry.cell == 0:
            if comment:
                node.add(RecordNode(comment=comment))
            node = RecordNode()
            passed.append(node)
        else:
            node, color = _hang(node, color, entry, number, comment, text)
        if entry.flags & _LEAF and waiting:
            node, color = waiting.pop()
    return sum(below.move is not None for node in passed for below in node.walk())


def _hang(
    parent: RecordNode, color: Color, entry: _Entry, number: int, comment: str, text: str
) -> tuple[RecordNode, Color]:
    """The node of an entry below its parent, and the colour to move after it."""
    row, column = divmod(entry.cell, 16)
    if not (1 <= column and row < SIZE):
        raise RecordError(f"move {number} of the RenLib file: cell {entry.cell:#04x} is off the board")
    move = Move(row * SIZE + column - 1, SIZE)
    if text:
        parent.marks += (Mark(MarkKind.LABEL, move, one_line(text)),)
    if entry.flags & _NO_STONE:
        bare = RecordNode(comment=comment)
        if not (entry.flags & _LEAF and not comment):
            parent.add(bare)
        return bare, color
    node = parent.add(RecordNode(move=move, color=color, comment=comment))
    if entry.flags & _MARK:
        node.marks += (Mark(MarkKind.CIRCLE, move),)
    return node, color.opponent


# ---------------------------------------------------------------- writing


def _in_order(root: RecordNode) -> Iterator[tuple[RecordNode, RecordNode | None, bool]]:
    """Every node, parents first, with its parent and whether a sibling follows."""
    stack: list[tuple[RecordNode, RecordNode | None, bool]] = [(root, None, False)]
    while stack:
        node, parent, has_sibling = stack.pop()
        yield node, parent, has_sibling
        last = len(node.children) - 1
        below = [(child, node, i < last) for i, child in enumerate(node.children)]
        stack.extend(reversed(below))


def _write(out: bytearray, node: RecordNode, parent: RecordNode | None, has_sibling: bool) -> None:
    if node.setup is not None and (node.setup.black or node.setup.white or node.setup.empty):
        raise RecordError("lib cannot hold set-up stones: use sgf or json")
    flags, cell, label = 0, 0, ""
    if node.move is not None:
        cell = (node.move // SIZE) * 16 + node.move % SIZE + 1
        label = "" if parent is None else _label(parent, node.move)
        flags |= _MARK if Mark(MarkKind.CIRCLE, node.move) in node.marks else 0
    elif parent is not None:
        cell, flags = _CENTRE, _NO_STONE
    comment = node.comment.replace("\0", "").replace("\x08", "")
    flags |= _COMMENT if comment else 0
    flags |= _EXTENDED if label else 0
    flags |= _SIBLING if has_sibling else 0
    flags |= _LEAF if parent is not None and not node.children else 0
    out += bytes((cell, flags))
    if label:
        out += bytes((0, _BOARD_TEXT))
    if comment:
        _write_text(out, comment.replace("\n", "\x08", 1).replace("\n", "\r\n"))
    if label:
        _write_text(out, label)


def _label(parent: RecordNode, move: Move) -> str:
    """The text on the board where a move is going to be played."""
    for mark in parent.marks:
        if mark.kind is MarkKind.LABEL and mark.move == move:
            return mark.text.replace("\0", "")
    return ""


def _write_text(out: bytearray, text: str) -> None:
    raw = text.encode("utf-8", "replace") + b"\0"
    out += raw + b"\0" * (len(raw) % 2)
