"""From the record of a match to game files: names, result and moves, for boards and databases."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from wuzi.arena.journal import GAMES_FILE, load_games
from wuzi.arena.parquet import read_parquet, write_parquet
from wuzi.arena.pgn import pgn_text
from wuzi.arena.results import GameResult, read_csv, write_csv
from wuzi.base.atomic import write_atomic
from wuzi.core import Color, Outcome, Reason, Rules, parse_moves, parse_rule
from wuzi.errors import RecordError
from wuzi.records import GameRecord, add_moves
from wuzi.records.replay import settle

TABLES = (".csv", ".parquet")
"""Endings of files that hold results as a table."""

PGN = ".pgn"
"""Ending of a file for rating programs, which is only written."""


def results_file(path: Path) -> Path | None:
    """The file of results that a path means: a table, a ``games.jsonl``, or a tournament's folder.

    None when it is something else.
    """
    if path.is_dir():
        return path / GAMES_FILE if (path / GAMES_FILE).is_file() else None
    if path.suffix in TABLES:
        return path
    if path.suffix == ".jsonl" and path.is_file():
        with open(path, "rb") as file:
            return path if b'"game_id"' in file.readline(1 << 20) else None
    return None


def read_results(path: Path) -> list[GameResult]:
    """The games of a ``games.jsonl``, a ``batch_results_*.csv`` or a ``.parquet`` file.

    Raises:
        RecordError: it cannot be read, or is none of these.
        MissingExtraError: Parquet without pyarrow.
    """
    if path.suffix == ".parquet":
        return read_parquet(path)
    return read_csv(path) if path.suffix == ".csv" else load_games(path)


def write_results(records: Iterable[GameResult], path: Path) -> None:
    """Write a table of results, or PGN for rating programs, atomically; the ending says which.

    Raises:
        RecordError: another ending.
        MissingExtraError: Parquet without pyarrow.
    """
    if path.suffix == ".parquet":
        write_parquet(records, path)
    elif path.suffix == ".csv":
        write_csv(records, path)
    elif path.suffix == PGN:
        write_atomic(path, pgn_text(records).encode())
    else:
        raise RecordError(f"{path}: expected a name ending with {', '.join(TABLES)} or {PGN}")


def file_record(result: GameResult) -> GameRecord:
    """The game of a result, for :func:`wuzi.records.dumps` and :func:`wuzi.records.save`.

    Raises:
        RecordError: the result has no board size, or moves that cannot be played.
    """
    if result.size is None or not result.moves:
        raise RecordError(f"game {result.game_id}: the result holds no moves")
    try:
        rules = Rules(result.size, result.win_length or 5, parse_rule(result.rule or "freestyle"))
        moves = parse_moves(result.moves, rules.size)
    except ValueError as error:
        raise RecordError(f"game {result.game_id}: {error}") from None
    headers = {"round": result.game_id, "opening_name": result.opening_id, "source": result.version}
    record = GameRecord(
        rules=rules,
        black=result.black,
        white=result.white,
        date=result.started_at[:10],
        outcome=_outcome(result),
        headers=headers,
    )
    add_moves(record.root, moves)
    return settle(record)


def _outcome(result: GameResult) -> Outcome:
    winner = {"black": Color.BLACK, "white": Color.WHITE}.get(result.winner)
    reasons = {reason.label: reason for reason in Reason}
    return Outcome(winner, reasons.get(result.reason, Reason.ADJUDICATION))
