"""``.psq``, the file format of the Piskvork manager and of Gomocup's archives.

::

    Piskvorky 15x15, 11:11, 0       board, levels of the two players, who moved first (0 or 1)
    8,8,120                         column and row from 1, from the upper left; milliseconds
    9,8,95
    AlphaGomoku                     both players, the first of them player 0 (in tournaments only)
    Embryo
    0                               end code: see wuzi.records.formats.piskvork
    1,Freestyle                     winner and rule (newer archives, and always in wuzi's files)

The format holds the main line from the empty board, times, names and the end; no comments, no variations,
no date, no swap opening.
"""

from __future__ import annotations

import re

from wuzi.core import MAX_SIZE, MIN_SIZE, Rules
from wuzi.errors import RecordError
from wuzi.records.formats import piskvork
from wuzi.records.model import GameRecord
from wuzi.records.replay import settle

HEADER = re.compile(
    r"Piskvorky\s+(\d{1,4})\s*x\s*(\d{1,4})(?:\s*,\s*-?\d+\s*:\s*-?\d+\s*,\s*([01]))?\s*", re.ASCII
)
_CODE = re.compile(r"-?\d{1,6}", re.ASCII)


def parse(text: str, rules: Rules | None = None) -> GameRecord:
    """The record of a psq text.

    Args:
        text: the file's text.
        rules: assumed where the file does not say (rule, win length).

    Raises:
        RecordError: not a psq text, or a game that cannot be played; says which line.
    """
    lines = piskvork.Lines.of(text)
    first = lines.next("a line such as 'Piskvorky 15x15, 0:0, 0'")
    header = HEADER.fullmatch(first)
    if header is None:
        raise RecordError(f"line 1: {first[:40]!r}, expected a line such as 'Piskvorky 15x15, 0:0, 0'")
    width, height = int(header[1]), int(header[2])
    if width != height or not MIN_SIZE <= width <= MAX_SIZE:
        raise RecordError(f"line 1: a {width}x{height} board, expected a square of {MIN_SIZE} to {MAX_SIZE}")
    stones = piskvork.read_stones(lines)
    rest = lines.rest()
    trailer = piskvork.read_trailer(rest)
    found, warnings = piskvork.make_rules(trailer, width, rules)
    names, code = _names_and_code(rest, warnings)
    if header[3] == "1":
        names.reverse()
    record = GameRecord(found, black=names[0], white=names[1], warnings=tuple(warnings))
    record.outcome = piskvork.read_outcome(code, trailer, len(stones), width)
    piskvork.add_stones(record.root, stones, width, origin=1)
    return settle(record)


def format_record(record: GameRecord) -> str:
    """The psq text of a record's main line.

    Raises:
        RecordError: it has set-up stones, or a name that would be read as a move.
    """
    size = record.rules.size
    lines = [f"Piskvorky {size}x{size}, 0:0, 0", *piskvork.format_stones(record, "psq", origin=1)]
    if record.black or record.white:
        names = [record.black or piskvork.HUMANS[0], record.white or piskvork.HUMANS[1]]
        for name in names:
            if piskvork.is_move_line(name):
                raise RecordError(f"player name {name!r}: psq would read it as a move")
        lines += names
    lines += [str(piskvork.end_code(record.outcome)), piskvork.format_trailer(record)]
    return "\n".join(lines) + "\n"


def _names_and_code(rest: list[str], warnings: list[str]) -> tuple[list[str], int | None]:
    """The two names (player 0 first) and the end code at the end of a file."""
    code = None
    if rest and len(rest) != 2 and _CODE.fullmatch(rest[-1]):
        code = int(rest.pop())
    if len(rest) not in (0, 2):
        warnings.append(f"{len(rest)} lines after the moves: expected two names, or none, and a code")
    names = [*rest[:2], "", ""][:2]
    return ["" if name == human else name for name, human in zip(names, piskvork.HUMANS, strict=True)], code
