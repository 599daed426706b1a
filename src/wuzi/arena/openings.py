"""Openings: stones placed before the players are asked, so that games differ."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from wuzi.base.store import read_text
from wuzi.core import Game, Move, Opening, Position, Rules, format_moves, parse_moves
from wuzi.core.symmetry import NUM_SYMMETRIES, canonical_stones, transform_moves
from wuzi.errors import ConfigError, RecordError, WuziError
from wuzi.records import GameRecord

logger = logging.getLogger(__name__)

_CELL = re.compile(r"[a-z][1-9]\d?")
_CODE = re.compile(rf"(?:{_CELL.pattern})+")
_NUMBERS = re.compile(r"[\s,\d+-]+")
_NAMED = re.compile(r"(?:([A-Za-z][\w.-]*)\s*:\s*(?=.))?(.+)")
_REACH = 2
"""How far a random stone may be from the centre or from another stone."""

_TRIES_PER_OPENING = 200


@dataclass(frozen=True, slots=True)
class BookOpening:
    """The first stones of a game, black and white in turn.

    Attributes:
        id: its name in records; empty for the empty board.
        moves: the cells in order.
    """

    id: str = ""
    moves: tuple[Move, ...] = ()

    def transformed(self, size: int, symmetry: int) -> BookOpening:
        """The same opening turned or mirrored (see :mod:`wuzi.core.symmetry`)."""
        return replace(self, moves=transform_moves(self.moves, size, symmetry))

    def game(self, rules: Rules) -> Game:
        """The game after the opening."""
        return Game.from_moves(rules, self.moves)


EMPTY = BookOpening()
"""No stones."""


def load_openings(path: Path, rules: Rules) -> list[BookOpening]:
    """Read a book, one opening a line.

    A line is a position code (``h8h9i7``), cells as ``x,y x,y`` (column and row from the upper left
    corner, from 0), or Gomocup's offsets from the centre (``-1,2, 0,0, 3,-1``). Numbers are offsets if
    the file has a negative one or writes a comma between two cells. ``name: moves`` names an opening;
    ``#`` starts a comment.

    Raises:
        RecordError: the file cannot be read, is empty, or a line is no opening of these rules; the
            message names the line.
    """
    return parse_openings(read_text(path), rules, str(path), path.stem)


@cache
def shipped_openings() -> tuple[str, ...]:
    """Names of the books that come with wuzi."""
    folder = files("wuzi") / "data" / "openings"
    return tuple(sorted(entry.name[:-4] for entry in folder.iterdir() if entry.name.endswith(".txt")))


def load_shipped(name: str, rules: Rules) -> list[BookOpening]:
    """Read a book that comes with wuzi.

    Raises:
        ConfigError: there is none of that name.
        RecordError: it does not fit these rules.
    """
    return parse_openings(shipped_text(name), rules, name, name)


def default_openings(rules: Rules) -> str:
    """What a match uses by default: the shipped book of the rule and board, else ``auto``.

    >>> default_openings(Rules(15)), default_openings(Rules(11)), default_openings(Rules(15, 4))
    ('freestyle-15', 'auto', 'auto')
    """
    name = f"{rules.rule.label}-{rules.size}"
    usable = rules.win_length == 5 and rules.opening is Opening.FREE
    return name if usable and name in shipped_openings() else "auto"


def shipped_text(name: str) -> str:
    """The text of a book that comes with wuzi."""
    if name not in shipped_openings():
        known = ", ".join(("auto", "none", *shipped_openings()))
        raise ConfigError(f"openings {name!r}: no such file, and not one of {known}")
    return (files("wuzi") / "data" / "openings" / f"{name}.txt").read_text(encoding="utf-8")


def parse_openings(text: str, rules: Rules, where: str, prefix: str) -> list[BookOpening]:
    """The openings in the text of a book; see :func:`load_openings`."""
    found: list[BookOpening] = []
    for number, name, line, offsets in _named(text):
        try:
            moves = parse_cells(line, rules.size, offsets=offsets)
            game = Game.from_moves(rules, moves)
        except WuziError as error:
            raise RecordError(f"{where}: line {number}: {error}") from None
        if game.outcome is not None:
            raise RecordError(f"{where}: line {number}: {line[:60]!r} ends the game")
        found.append(BookOpening(name or f"{prefix}-{len(found) + 1}", moves))
    if not found:
        raise RecordError(f"{where}: no openings: expected a line such as 'h8h9i7'")
    ids = [opening.id for opening in found]
    for name in ids:
        if ids.count(name) > 1:
            raise RecordError(f"{where}: opening {name!r} is given twice")
    return found


def shipped_moves(name: str, size: int) -> list[tuple[Move, ...]]:
    """The moves of a book that comes with wuzi, which a test has checked: no rules are asked."""
    return [parse_cells(line, size, offsets=offsets) for _, _, line, offsets in _named(shipped_text(name))]


def _named(text: str) -> list[tuple[int, str, str, bool]]:
    """The lines of a book: number, name or "", cells, and whether numbers count from the centre."""
    lines = [(number, line.split("#")[0].strip()) for number, line in enumerate(text.splitlines(), 1)]
    matches = [(number, _NAMED.fullmatch(line)) for number, line in lines if line]
    named = [(number, found[1] or "", found[2].strip()) for number, found in matches if found]
    numeric = [line for _, _, line in named if _NUMBERS.fullmatch(line)]
    offsets = any("-" in line or re.search(r"\d\s*,\s*\d+\s*,", line) for line in numeric)
    return [(number, name, line, offsets) for number, name, line in named]


def book_stones(record: GameRecord) -> int:
    """How many stones of a record its opening gave, by its header ``opening_name``; 0 if that says nothing.

    It says an id with the stones behind it (``n13 h8h9i7``) or, as matches wrote it earlier, the id alone of
    an opening in a shipped book.
    """
    name, _, code = record.headers.get("opening_name", "").partition(" ")
    rules, moves = replace(record.rules, opening=Opening.FREE), record.game().moves
    if _CODE.fullmatch(code):
        given = len(_CELL.findall(code))
        return given if format_moves(moves[:given], rules.size) == code else 0
    sized = re.compile(rf"[a-z]+-{rules.size}(-\w+)?")
    books = [load_shipped(book, rules) for book in shipped_openings() if name and sized.fullmatch(book)]
    for opening in (one for book in books for one in book if one.id == name):
        size = len(opening.moves)
        if any(opening.transformed(rules.size, turn).moves == moves[:size] for turn in range(NUM_SYMMETRIES)):
            return size
    return 0


def generate_openings(
    rules: Rules, count: int, *, seed: int = 0, plies: tuple[int, int] = (2, 6)
) -> list[BookOpening]:
    """Random openings near the centre, no two of them alike under turning and mirroring.

    No opening ends the game or leaves anybody one stone short of winning. The first openings do not
    depend on ``count``. Tiny boards have only so many: then the list is shorter. ``plies`` are the least and
    most stones; ConfigError if the board cannot hold them.
    """
    check_plies(rules, plies)
    rng = np.random.default_rng(seed)
    seen: set[tuple[tuple[Move, ...], ...]] = set()
    found: list[BookOpening] = []
    failures = 0
    while len(found) < count and failures < _TRIES_PER_OPENING:
        moves = random_stones(rules, plies, rng)
        key = canonical_stones(moves, rules.size)
        if key in seen or not is_quiet(rules, moves):
            failures += 1
            continue
        seen.add(key)
        failures = 0
        found.append(BookOpening(f"g{seed}-{len(found) + 1}", moves))
    if len(found) < count:
        logger.warning("only %d different openings found on %s, %d wanted", len(found), rules.label, count)
    return found


def check_plies(rules: Rules, plies: tuple[int, int]) -> None:
    """Refuse a range of stones that the board cannot hold."""
    least, most = plies
    if not 1 <= least <= most <= rules.num_cells:
        raise ConfigError(f"openings of {least} to {most} stones: expected 1 to {rules.num_cells}")


def random_symmetry(opening: BookOpening, size: int, rng: np.random.Generator) -> BookOpening:
    """The opening, turned or mirrored at random."""
    return opening.transformed(size, int(rng.integers(NUM_SYMMETRIES)))


def parse_cells(line: str, size: int, *, offsets: bool) -> tuple[Move, ...]:
    """The cells of one line of a book; ``offsets`` says that numbers count from the centre."""
    if not (offsets and _NUMBERS.fullmatch(line)):
        return parse_moves(line, size)
    words = re.split(r"[\s,]+", line.strip(" ,\t"))
    if not all(re.fullmatch(r"[+-]?\d{1,9}", word, re.ASCII) for word in words):
        raise RecordError(f"{line[:60]!r}: expected pairs of numbers")
    numbers = [int(word) for word in words]
    if len(numbers) % 2:
        raise RecordError(f"{line[:60]!r}: expected pairs of numbers")
    moves = []
    for x, y in zip(numbers[::2], numbers[1::2], strict=True):
        column, row = x + size // 2, y + size // 2
        if not (0 <= column < size and 0 <= row < size):
            raise RecordError(f"offset {x},{y} is off the {size}x{size} board")
        moves.append(Move(row * size + column, size))
    return tuple(moves)


def random_stones(rules: Rules, plies: tuple[int, int], rng: np.random.Generator) -> tuple[Move, ...]:
    """From ``plies[0]`` to ``plies[1]`` stones that cluster around the centre, black and white in turn."""
    size, count = rules.size, int(rng.integers(plies[0], plies[1] + 1))
    taken = np.zeros((size, size), dtype=bool)
    near = np.zeros((size, size), dtype=bool)
    middle = size // 2
    near[max(0, middle - _REACH) : middle + _REACH + 1, max(0, middle - _REACH) : middle + _REACH + 1] = True
    moves = []
    for _ in range(count):
        free = np.flatnonzero(near & ~taken)
        if not len(free):
            free = np.flatnonzero(~taken)
        row, column = divmod(int(rng.choice(free)), size)
        moves.append(Move(row * size + column, size))
        taken[row, column] = True
        near[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2] = True
    return tuple(moves)


def is_quiet(rules: Rules, moves: Sequence[Move]) -> bool:
    """Whether the game has not ended and no stone of either side would win at once."""
    position = Position(rules)
    for move in moves:
        position = position.play(move)
        if position.outcome is not None:
            return False
    if (len(moves) + 1) // 2 < rules.win_length - 1:
        return True
    for color in (position.to_move, position.to_move.opponent):
        turned = Position.from_cells(rules, position.cells, color)
        for move in turned.legal_moves:
            outcome = turned.play(move).outcome
            if outcome is not None and outcome.winner is color:
                return False
    return True


def as_offsets(opening: BookOpening, size: int) -> str:
    """The cells as Gomocup's offsets from the centre, column and row, which fit larger boards too.

    >>> as_offsets(BookOpening("", (Move(112, 15), Move(98, 15))), 15)
    '0,0, 1,-1'
    """
    cells = (divmod(move, size) for move in opening.moves)
    return ", ".join(f"{column - size // 2},{row - size // 2}" for row, column in cells)
