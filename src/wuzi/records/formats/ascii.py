"""Boards as text: drawn for people, and read from diagrams in tests and documents.

::

    5 . . . . .
    4 . O . . .
    3 . .[X]. .
    2 . . . . .
    1 . . . . .
      a b c d e
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from wuzi.core import MAX_SIZE, MIN_SIZE, Color, Move, Position, Rules, Style
from wuzi.errors import RecordError, WuziError
from wuzi.records.model import GameRecord, SetUp
from wuzi.records.replay import corrected

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SYMBOLS = ".XO"
"""Empty, Black, White."""

_MEANING = {**dict.fromkeys(".+-_*·┼", 0), **dict.fromkeys("Xx@●", 1), **dict.fromkeys("Oo○", 2)}
_BRACKETS = "[]()"


@dataclass(frozen=True, slots=True)
class Diagram:
    """What a diagram shows.

    Attributes:
        size: rows and columns.
        cells: values of Stone, row 0 at the top.
        last_move: the stone in brackets, or None.
        marked: the cells drawn as ``*`` (they are empty).
    """

    size: int
    cells: tuple[int, ...]
    last_move: Move | None = None
    marked: tuple[Move, ...] = ()

    def position(self, rules: Rules | None = None, to_move: Color | None = None) -> Position:
        """The diagram as a position; by default freestyle, Black to move when both have equally many stones.

        A RecordError says that the rules are for another size or that the position is impossible.
        """
        rules = rules or Rules(self.size, min(5, self.size))
        if rules.size != self.size:
            raise RecordError(f"a {self.size}x{self.size} diagram: expected {rules.size}x{rules.size}")
        try:
            return Position.from_cells(rules, self.cells, to_move, self.last_move)
        except WuziError as error:
            raise RecordError(f"diagram: {error}") from error


def format_board(
    position: Position, *, style: Style | None = Style.RENJU, symbols: str = SYMBOLS, mark_last: bool = True
) -> str:
    """The board as lines of text, row 0 on top, without a line break at the end.

    Args:
        position: what to draw.
        style: coordinates along the edges: renju letters and numbers from the bottom, Gomocup numbers,
            the matrix style's letters down and numbers across, or None for a bare board.
        symbols: three characters for empty, Black and White.
        mark_last: put the last move in brackets.
    """
    size = position.rules.size
    width = 1 if style in (None, Style.RENJU) else 2
    lines = []
    for row in range(size):
        cells = [symbols[int(cell)].rjust(width) for cell in position.cells[row * size : (row + 1) * size]]
        text = " " + " ".join(cells) + " "
        if mark_last and position.last_move is not None and position.last_move // size == row:
            at = (position.last_move % size) * (width + 1) + width
            text = f"{text[: at - 1]}[{text[at]}]{text[at + 2 :]}"
        name = "" if style is None else edge_names(row, size, style)[0].rjust(2)
        lines.append((name + text).rstrip())
    if style is not None:
        names = (edge_names(col, size, style)[1].rjust(width) for col in range(size))
        lines.append("   " + " ".join(names))
    return "\n".join(lines)


def parse_board(text: str) -> Diagram:
    r"""The board in a text.

    Empty cells are ``.`` ``+`` ``-`` ``_`` or ``*`` (a marked cell), black stones ``X`` ``x`` ``@``
    ``●``, white ones ``O`` ``o`` ``○``; a stone in brackets is the last move. Blanks may be left out. Row
    numbers, column letters, empty lines and lines that begin with ``#`` are skipped.

    Raises:
        RecordError: no board, unequal rows, or a character that means nothing; says which line.

    >>> parse_board("X.O\n.[X].\n..*").last_move
    Move('b2', size=3)
    """
    bodies = [(number, _row_of(line)) for number, line in enumerate(text.splitlines(), 1)]
    rows = [(number, body) for number, body in bodies if body is not None]
    size = len(rows)
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise RecordError(f"{size} rows: expected a board of {MIN_SIZE} to {MAX_SIZE} rows of . X O")
    cells: list[int] = []
    last: list[int] = []
    marked: list[int] = []
    for row, (number, body) in enumerate(rows):
        # The matrix style begins each row with its letter.
        lettered = body[0].lower() == LETTERS[row] and sum(c not in _BRACKETS for c in body) == size + 1
        stones = body[1:] if lettered else body
        for i, char in enumerate(stones):
            if char in _BRACKETS:
                continue
            if char not in _MEANING:
                raise RecordError(f"line {number}: {char!r} is no cell, expected . X or O")
            if char == "*":
                marked.append(len(cells))
            if i and stones[i - 1] in "[(" and _MEANING[char]:
                last.append(len(cells))
            cells.append(_MEANING[char])
        if len(cells) != (row + 1) * size:
            found = len(cells) - row * size
            raise RecordError(f"line {number}: {found} cells, expected {size} for {size} rows")
    if len(last) > 1:
        raise RecordError(f"{len(last)} stones in brackets: expected one last move")
    return Diagram(
        size, tuple(cells), Move(last[0], size) if last else None, tuple(Move(cell, size) for cell in marked)
    )


def parse(text: str, rules: Rules | None = None) -> GameRecord:
    """A record that starts with the position of a diagram, under these rules on a board of its size."""
    shown = parse_board(text)
    if rules is not None and rules.size != shown.size:
        rules = replace(rules, size=shown.size, win_length=min(rules.win_length, shown.size))
    position = shown.position(rules)
    record = GameRecord(position.rules)
    if position.ply:
        record.root.setup = SetUp.of(position)
    return corrected(record)


def format_record(record: GameRecord) -> str:
    """A line about the game, then the board at the end of the main line."""
    game = record.game()
    names = f", {record.black or '?'} - {record.white or '?'}" if record.black or record.white else ""
    if game.outcome is not None:
        state = f"{game.outcome.result} ({game.outcome.reason.label})"
    else:
        state = f"{game.to_move.name.lower()} to move"
    header = f"# {game.rules.label}{names}, {len(game.moves)} moves, {state}"
    return f"{header}\n{format_board(game.position)}\n"


def edge_names(i: int, size: int, style: Style) -> tuple[str, str]:
    """The names of row ``i`` (from the top) and column ``i``."""
    if style is Style.RENJU:
        return str(size - i), LETTERS[i]
    return (str(i), str(i)) if style is Style.GOMOCUP else (LETTERS[i].upper(), str(i + 1))


def _row_of(line: str) -> str | None:
    """The cells of a line, without blanks and row numbers; None for lines that are no row."""
    if not line.strip() or line.lstrip().startswith("#"):
        return None
    plain = re.sub(r"[\s|]+", "", re.sub(r"^\s*\d+(?=[\s|\[(])|(?<=[\s|\])])\d+\s*$", "", line))
    if not plain or plain.isdigit() or (len(plain) >= MIN_SIZE and LETTERS.startswith(plain.lower())):
        return None
    return plain
