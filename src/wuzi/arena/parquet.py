"""Results as Parquet tables, for data frames and databases. Needs the extra ``parquet``."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wuzi.arena.results import SCHEMA, GameResult, record_from_json
from wuzi.base.atomic import write_atomic
from wuzi.base.imports import need
from wuzi.errors import RecordError

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
