"""Results in other forms: tables (CSV, Parquet), PGN for rating programs, and game files with their moves."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wuzi.arena.journal import GAMES_FILE, load_games
from wuzi.arena.results import SCHEMA, GameResult, read_csv, record_from_json, write_csv
from wuzi.base.atomic import write_atomic
from wuzi.base.imports import need
from wuzi.base.store import LineFile
from wuzi.core import Color, Outcome, Reason, Rules, parse_moves, parse_rule
from wuzi.errors import RecordError
from wuzi.records import GameRecord, add_moves
from wuzi.records.replay import corrected

TABLES = (".csv", ".parquet")
"""Endings of files that hold results as a table."""

PGN = ".pgn"
"""Ending of a file for rating programs, which is only written."""


def results_file(path: Path) -> Path | None:
    """The file of results that a path means: a table, a ``games.jsonl``, or a tournament's folder.

    A packed ``games.jsonl.gz`` is meant by both names and returned by the plain one; None for something else.
    """
    if path.is_dir():
        return path / GAMES_FILE if LineFile(path / GAMES_FILE).exists() else None
    if path.suffix in TABLES:
        return path
    lines = LineFile(path)
    if lines.path.suffix == ".jsonl" and lines.exists() and not path.is_dir():
        return lines.path if b'"game_id"' in lines.begin(1 << 20) else None
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
    opening = f"{result.opening_id} {result.opening}".strip()
    headers = {"round": result.game_id, "opening_name": opening, "source": result.version}
    record = GameRecord(
        rules=rules,
        black=result.black,
        white=result.white,
        date=result.started_at[:10],
        outcome=_outcome(result),
        headers=headers,
    )
    add_moves(record.root, moves)
    return corrected(record)


def _outcome(result: GameResult) -> Outcome:
    winner = {"black": Color.BLACK, "white": Color.WHITE}.get(result.winner)
    reasons = {reason.label: reason for reason in Reason}
    return Outcome(winner, reasons.get(result.reason, Reason.ADJUDICATION))


_VERSION_KEY = b"wuzi_results"
_TYPES = {"str": "string", "int": "int64", "float": "float64"}


def write_parquet(records: Iterable[GameResult], path: Path) -> None:
    """Write all fields of the games as columns, and their result, atomically."""
    arrow, parquet = _pyarrow()
    games = list(records)
    columns = {
        item.name: arrow.array(
            [getattr(game, item.name) for game in games],
            arrow.type_for_alias(_TYPES[str(item.type).split(" ")[0]]),
        )
        for item in dataclasses.fields(GameResult)
    }
    columns["result"] = arrow.array([game.result for game in games], arrow.string())
    table = arrow.table(columns).replace_schema_metadata({_VERSION_KEY: str(SCHEMA).encode()})
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, buffer.getvalue())


def read_parquet(path: Path) -> list[GameResult]:
    """Read what :func:`write_parquet` wrote."""
    arrow, parquet = _pyarrow()
    try:
        table = parquet.ParquetFile(io.BytesIO(path.read_bytes())).read()
        rows: list[dict[str, Any]] = table.to_pylist()
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror or error}") from None
    except arrow.ArrowException as error:
        raise RecordError(f"{path}: {str(error).splitlines()[0]}") from None
    version = (table.schema.metadata or {}).get(_VERSION_KEY, b"").decode("ascii", "replace")
    if version != str(SCHEMA):
        raise RecordError(f"{path}: results of version {version!r}: expected a table of version {SCHEMA}")
    return [
        record_from_json({"v": SCHEMA, **row}, f"{path}: row {number}") for number, row in enumerate(rows, 1)
    ]


def _pyarrow() -> tuple[Any, Any]:
    return need("parquet", "pyarrow"), need("parquet", "pyarrow.parquet")


def pgn_text(records: Iterable[GameResult]) -> str:
    r"""The games as a PGN file.

    >>> print(pgn_text([GameResult("g1", "minimax", 'my "bot"', "white", size=9, rule="renju")]))
    [Event "wuzi"]
    [Site "9x9 renju"]
    [Date "????.??.??"]
    [Round "g1"]
    [White "minimax"]
    [Black "my \"bot\""]
    [Result "0-1"]
    <BLANKLINE>
    0-1
    <BLANKLINE>
    """
    return "".join(_game(record) for record in records)


def _game(record: GameResult) -> str:
    board = "?" if record.size is None else f"{record.size}x{record.size} {record.rule}".strip()
    tags = {
        "Event": "wuzi",
        "Site": board,
        "Date": record.started_at[:10].replace("-", ".") or "????.??.??",
        "Round": record.game_id,
        "White": record.black,
        "Black": record.white,
        "Result": record.result,
    }
    quoted = {name: text.replace("\\", "\\\\").replace('"', '\\"') for name, text in tags.items()}
    lines = (f'[{name} "{" ".join(text.split())}"]\n' for name, text in quoted.items())
    return f"{''.join(lines)}\n{record.result}\n\n"
