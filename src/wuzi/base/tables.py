"""Settings files of the arena: TOML tables as dataclasses, every mistake named with its place."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from wuzi.errors import ConfigError

_T = TypeVar("_T")


def read_toml_tables(path: Path, known: Sequence[str]) -> dict[str, Any]:
    """The content of a TOML file that has only these tables at its top.

    Raises:
        ConfigError: the file cannot be read, is no TOML, or has another table.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    if unknown := sorted(set(data) - set(known)):
        raise ConfigError(f"{path}: unknown table {unknown[0]!r}: expected one of {', '.join(known)}")
    return data


def dict_of(data: Mapping[str, Any], key: str, path: Path) -> dict[str, Any]:
    """The table ``[key]``, empty if it is not there.

    Raises:
        ConfigError: it is no table.
    """
    table = data.get(key, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: {key} is {table!r:.40}: expected a table [{key}]")
    return table


def tables_of(data: Mapping[str, Any], key: str, path: Path) -> list[Any]:
    """The tables ``[[key]]``, none if they are not there.

    Raises:
        ConfigError: they are no tables.
    """
    tables = data.get(key, [])
    if not isinstance(tables, list):
        raise ConfigError(f"{path}: {key} is {tables!r:.40}: expected tables [[{key}]]")
    return tables


_KINDS: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "str": (str, "text"),
    "int": (int, "a whole number"),
    "float": ((int, float), "a number"),
    "bool": (bool, "true or false"),
    "list[str]": (list, "a list of names"),
    "list[int]": (list, "a list of whole numbers"),
    "list[dict[str, Any]]": (list, "tables"),
}


_ITEMS: Mapping[str, type] = {"a list of names": str, "a list of whole numbers": int}
"""What the items of a list are."""


def read_table(kind: type[_T], table: Any, where: str) -> _T:
    """A dataclass from a table; its keys are the fields, which are plain values or lists of names.

    Raises:
        ConfigError: unknown or missing keys, or values of another type.
    """
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: expected a table")
    fields = {item.name: item for item in dataclasses.fields(kind)}  # type: ignore[arg-type]
    for key, value in table.items():
        if key not in fields:
            raise ConfigError(f"{where}: unknown key {key!r}: expected one of {', '.join(fields)}")
        types, expected = _KINDS[str(fields[key].type).removesuffix(" | None")]
        wrong = isinstance(value, bool) and types is not bool
        item = _ITEMS.get(expected)
        odd = item is not None and isinstance(value, list) and any(type(one) is not item for one in value)
        if wrong or not isinstance(value, types) or odd:
            raise ConfigError(f"{where}: {key} is {value!r:.40}: expected {expected}")
    try:
        return kind(**table)
    except TypeError:
        missing = [
            name
            for name, item in fields.items()
            if name not in table
            and item.default is dataclasses.MISSING
            and item.default_factory is dataclasses.MISSING
        ]
        raise ConfigError(f"{where}: no {missing[0]}: expected {', '.join(fields)}") from None
