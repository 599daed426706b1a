"""``.rec``, the file format of the Gomotur manager, which Piskvork reads and writes too.

::

    AlphaGomoku                     the player who moved first
    Embryo
    7,7,120                         column and row from 0, from the upper left; milliseconds
    8,7,95
    0                               end code: see wuzi.records.formats.piskvork
    1,Freestyle,size=15             winner, rule, size (wuzi's files only)

The board is 20x20 unless wuzi's last line or the caller says otherwise. The format holds what psq holds.
"""

from __future__ import annotations

import re

from wuzi.core import Rules
from wuzi.errors import RecordError
from wuzi.records.formats import piskvork
from wuzi.records.model import GameRecord
from wuzi.records.replay import settle

USUAL_SIZE = 20
_CODE = re.compile(r"-?\d{1,6}", re.ASCII)


def parse(text: str, rules: Rules | None = None) -> GameRecord:
    """The record of a rec text.

    Args:
        text: the file's text.
        rules: assumed where the file does not say (size, rule, win length).

    Raises:
        RecordError: not a rec text, or a game that cannot be played; says which line.
    """
    lines = piskvork.Lines.of(text)
    names = [lines.next("a player's name"), lines.next("a player's name")]
    if any(map(piskvork.is_move_line, names)):
        raise RecordError("lines 1 and 2: moves, expected the names of the two players")
    stones = piskvork.read_stones(lines)
    rest = lines.rest()
    trailer = piskvork.read_trailer(rest)
    told = trailer.values.get("size") if trailer else None
    size = piskvork.number(told, "size") if told else rules.size if rules and not trailer else USUAL_SIZE
    found, warnings = piskvork.make_rules(trailer, size, rules)
    if trailer is None and rules is None:
        warnings.append(f"rec files do not say the board size: read as {size}x{size}")
    code = int(rest.pop(0)) if rest and _CODE.fullmatch(rest[0]) else None
    if not stones and code is None:
        raise RecordError(f"line {lines.index + 1}: expected a move such as '7,7,120'")
    if rest:
        warnings.append(f"ignored after the moves: {rest[0][:40]!r}")
    names = ["" if name == human else name for name, human in zip(names, piskvork.HUMANS, strict=True)]
    record = GameRecord(found, black=names[0], white=names[1], warnings=tuple(warnings))
    record.outcome = piskvork.read_outcome(code, trailer, len(stones), size)
    piskvork.add_stones(record.root, stones, size, origin=0)
    return settle(record)


def format_record(record: GameRecord) -> str:
    """The rec text of a record's main line.

    Raises:
        RecordError: it has set-up stones, or a name that would be read as a move.
    """
    names = [record.black or piskvork.HUMANS[0], record.white or piskvork.HUMANS[1]]
    for name in names:
        if piskvork.is_move_line(name):
            raise RecordError(f"player name {name!r}: rec would read it as a move")
    lines = [*names, *piskvork.format_stones(record, "rec", origin=0)]
    lines += [str(piskvork.end_code(record.outcome)), piskvork.format_trailer(record, USUAL_SIZE)]
    return "\n".join(lines) + "\n"
