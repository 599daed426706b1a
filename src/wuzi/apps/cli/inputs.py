"""The one reader of what commands take as games: a file, standard input, or moves in any usual notation."""

from __future__ import annotations

import sys
from pathlib import Path

import wuzi
from wuzi.apps.cli.options import FileBoard, played
from wuzi.errors import NotationError, RecordError
from wuzi.records import GameRecord

STREAM = "-"


def read_games(given: str, board: FileBoard, format: str | None = None) -> list[GameRecord | RecordError]:
    """All games of a file, of standard input (``-``), or the one whose moves stand there themselves.

    A game that cannot be read is an error in its place. ``board`` applies where the source does not give its
    rules and charset; messages name what was given.
    """
    rules, charset = board.given(), board.charset
    if given == STREAM:
        return wuzi.records.loads_each(sys.stdin.buffer.read(), format, rules=rules, charset=charset)
    try:
        return wuzi.records.load_each(given, format, rules=rules, charset=charset)
    except OSError as error:
        reason = error.strerror
    try:
        moves = wuzi.core.parse_moves(given, board.rules().size)
    except NotationError:
        moves = ()
    if not moves or Path(given).exists():
        raise RecordError(f"{given}: cannot be read: {reason} (and these are no moves such as 'h8 i9')")
    return [GameRecord.from_game(played(given, board.rules(), "moves"))]


def read_game(given: str, board: FileBoard, format: str | None = None, number: int = 1) -> GameRecord:
    """One game of what :func:`read_games` reads, with its remarks on standard error."""
    games = read_games(given, board, format)
    if number > len(games):
        raise RecordError(f"{given}: game {number} of {len(games)}: expected 1 to {len(games)}")
    chosen = games[number - 1]
    if isinstance(chosen, RecordError):
        raise RecordError(f"{given}: {chosen}")
    note(*chosen.warnings)
    if len(games) > 1:
        note(f"{given}: game {number} of {len(games)}")
    return chosen


def readable(games: list[GameRecord | RecordError], given: str) -> list[GameRecord]:
    """The games that could be read; the others are named on standard error. A RecordError if none could."""
    found = [game for game in games if isinstance(game, GameRecord)]
    broken = [game for game in games if isinstance(game, RecordError)]
    if not found:
        raise RecordError(f"{given}: {broken[0]}")
    note(*(f"{given}: {error}; this game was left out" for error in broken))
    return found


def note(*texts: str) -> None:
    """Remarks on standard error."""
    for text in texts:
        print(f"wuzi: note: {text}", file=sys.stderr)
