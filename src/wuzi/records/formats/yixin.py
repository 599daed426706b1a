"""``.sav``, what Yixin-Board saves: the size, the rule (or the width), the number of moves, and the moves.

::

    15          rows
    0           rule: 0 freestyle, 1 standard, 2 renju; newer programs write the columns here
    2           number of moves
    7 7         row from the top and column, from 0
    6 8
"""

from __future__ import annotations

import re

from wuzi.core import MAX_SIZE, MIN_SIZE, Color, Move, Rule, Rules
from wuzi.errors import ConfigError, RecordError
from wuzi.records.formats.piskvork import plain_moves
from wuzi.records.model import GameRecord, add_moves
from wuzi.records.replay import corrected

_RULES = {0: Rule.FREESTYLE, 1: Rule.STANDARD, 2: Rule.RENJU}
_NUMBERS = {rule: number for number, rule in _RULES.items()}


def parse(text: str, rules: Rules | None = None) -> GameRecord:
    """The record of a text; ``rules`` are assumed where it says none. A RecordError says what is missing."""
    words = text.split()
    if len(words) < 3 or not all(re.fullmatch(r"\d{1,3}", word, re.ASCII) for word in words):
        raise RecordError("a saved game of Yixin-Board is whole numbers: size, rule, number of moves, moves")
    size, second, count, *cells = map(int, words)
    if not MIN_SIZE <= size <= MAX_SIZE or (second not in _RULES and second != size):
        raise RecordError(
            f"a {size}x{second} board: expected a square of {MIN_SIZE} to {MAX_SIZE}, or a rule from 0 to 2"
        )
    if len(cells) < 2 * count:
        raise RecordError(f"{len(cells) // 2} moves: expected {count}, as line 3 says")
    base = rules or Rules()
    rule = _RULES.get(second, base.rule)
    try:
        record = GameRecord(Rules(size, rule.win_length or min(base.win_length, size), rule))
    except ConfigError as error:
        raise RecordError(str(error)) from error
    if second not in _RULES:
        record.warnings = (f"the file names no rule: read as {base.rule.label}",)
    moves = []
    for number in range(count):
        row, col = cells[2 * number : 2 * number + 2]
        if row >= size or col >= size:
            raise RecordError(f"move {number + 1}: {row} {col} is off the {size}x{size} board")
        moves.append(Move(row * size + col, size))
    add_moves(record.root, moves, Color.BLACK)
    return corrected(record)


def format_record(record: GameRecord) -> str:
    """The text of a main line; a RecordError for set-up stones, and for rules that Yixin-Board lacks."""
    size = record.rules.size
    if record.rules.rule not in _NUMBERS or record.rules.win_length != 5:
        raise RecordError(
            f"sav holds freestyle, standard and renju with five in a row, not {record.rules.label}"
        )
    moves = [int(node.move or 0) for node in plain_moves(record, "sav")]
    lines = [
        str(size),
        str(_NUMBERS[record.rules.rule]),
        str(len(moves)),
        *(f"{cell // size} {cell % size}" for cell in moves),
    ]
    return "\n".join(lines) + "\n"
