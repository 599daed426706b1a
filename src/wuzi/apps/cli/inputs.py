"""The one reader of what commands take as games: a file, standard input, or moves in any usual notation."""

from __future__ import annotations

import sys
from pathlib import Path

import wuzi
from wuzi.apps.cli.options import played
from wuzi.errors import NotationError, RecordError
from wuzi.records import GameRecord

STREAM = "-"


def read_games(given: str, rules: wuzi.Rules, format: str | None = None) -> list[GameRecord]:
    """All games of a file, of standard input (``-``), or the one whose moves stand there themselves.

    ``rules`` apply where the source does not give them; messages name what was given.
    """
    if given == STREAM:
        return wuzi.records.loads_all(sys.stdin.buffer.read(), format, rules=rules)
    try:
        return wuzi.records.load_all(given, format, rules=rules)
    except OSError as error:
        reason = error.strerror
    try:
        moves = wuzi.core.parse_moves(given, rules.size)
    except NotationError:
        moves = ()
    if not moves or Path(given).exists():
        raise RecordError(f"{given}: cannot be read: {reason} (and these are no moves such as 'h8 i9')")
    return [GameRecord.from_game(played(given, rules, "moves"))]
