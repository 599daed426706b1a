"""Configuration files: TOML to dataclasses and back, and ``--set section.key=value``.

Fields follow :mod:`wuzi.base.schema`. A training method describes its parameters in sections, a frozen
dataclass of frozen dataclasses; ladders and studies read lists of tables with :func:`read_table`::

    @dataclass(frozen=True)
    class DistillSettings:
        game: GameSection = GameSection()
        teacher: TeacherSection = TeacherSection()
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
import typing
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from wuzi.base.schema import build_config, options_of
from wuzi.errors import ConfigError

Tables = Mapping[str, Mapping[str, object]]
"""Values by section and key, typed or as text."""

T = TypeVar("T")


def build_settings(kind: type[T], tables: Tables, where: str) -> T:
    """Settings, whose fields are sections, from values by section; what is not given has its default.

    ``where`` is what errors name, such as the file.

    Raises:
        ConfigError: unknown section or key, wrong type, out of range, or an impossible combination.
    """
    sections = _sections(kind)
    for name, table in tables.items():
        if name not in sections:
            raise ConfigError(f"{where}: unknown section [{name}]: expected one of {', '.join(sections)}")
        if not isinstance(table, Mapping):
            raise ConfigError(f"{where}: {name} = {table!r}: expected a section [{name}] of keys")
    made = {
        name: build_config(section, {}, tables.get(name, {}), f"{where} [{name}]")
        for name, section in sections.items()
    }
    return kind(**made)


def merged(*layers: Tables) -> dict[str, dict[str, object]]:
    """One set of values from several, the later ones winning key by key."""
    found: dict[str, dict[str, object]] = {}
    for tables in layers:
        for name, table in tables.items():
            if not isinstance(table, Mapping):
                raise ConfigError(f"{name} = {table!r}: expected a section [{name}] of keys")
            found.setdefault(name, {}).update(table)
    return found


def parse_assignments(texts: Sequence[str]) -> dict[str, dict[str, object]]:
    """Values by section from texts such as ``selfplay.simulations=100``; ConfigError for another form.

    >>> parse_assignments(["learn.batch=256"])
    {'learn': {'batch': '256'}}
    """
    found: dict[str, dict[str, object]] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        section, dot, name = key.strip().partition(".")
        if not (equals and dot and section and name):
            raise ConfigError(f"--set {text!r}: expected section.key=value, such as learn.batch=256")
        found.setdefault(section, {})[name] = value.strip()
    return found


def read_toml(path: Path, known: Sequence[str] | None = None) -> dict[str, Any]:
    """The content of a TOML file, in which only the ``known`` tables may stand at the top (None for any).

    Raises:
        ConfigError: it cannot be read, is no TOML, or has another table.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    if known is not None and (unknown := sorted(set(data) - set(known))):
        raise ConfigError(f"{path}: unknown table {unknown[0]!r}: expected one of {', '.join(known)}")
    return data


def dict_of(data: Mapping[str, Any], key: str, path: Path) -> dict[str, Any]:
    """The table ``[key]``, empty if it is not there; ConfigError if it is no table."""
    table = data.get(key, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: {key} is {table!r:.40}: expected a table [{key}]")
    return table


def tables_of(data: Mapping[str, Any], key: str, path: Path) -> list[Any]:
    """The tables ``[[key]]``, none if they are not there; ConfigError if they are no tables."""
    tables = data.get(key, [])
    if not isinstance(tables, list):
        raise ConfigError(f"{path}: {key} is {tables!r:.40}: expected tables [[{key}]]")
    return tables


def read_table(kind: type[T], table: Any, where: str) -> T:
    """A dataclass from a TOML table whose keys are the fields; ConfigError for wrong keys or values."""
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: expected a table")
    made: T = build_config(kind, {}, table, where, typed=True)
    return made


def section_values(section: object) -> dict[str, object]:
    """The values of one section, as plain data; what is None is left out."""
    kind: type = type(section)
    plain = {name: _plain(getattr(section, name)) for name in options_of(kind)}
    return {name: value for name, value in plain.items() if value is not None}


def settings_tables(settings: object) -> dict[str, dict[str, object]]:
    """All values by section and key, as plain data."""
    return {
        name: {key: _plain(getattr(getattr(settings, name), key)) for key in options_of(section)}
        for name, section in _sections(type(settings)).items()
    }


def to_toml(settings: object, head: Mapping[str, object] | None = None) -> str:
    """A TOML file that makes these settings again, each key with its help."""
    lines = [f"{key} = {_toml(value)}" for key, value in (head or {}).items()]
    for section in _sections(type(settings)):
        values = getattr(settings, section)
        kind: type = type(values)
        lines += ["", f"[{section}]"] if lines else [f"[{section}]"]
        for name, option in options_of(kind).items():
            text = f"{name} = {_toml(_plain(getattr(values, name)))}"
            lines.append(f"{text}  # {option.help}" if option.help else text)
    return "\n".join(lines) + "\n"


def _sections(kind: type) -> dict[str, type]:
    hints = typing.get_type_hints(kind)
    return {item.name: hints[item.name] for item in dataclasses.fields(kind)}


def _plain(value: object) -> object:
    return value.name.lower() if isinstance(value, Enum) else value


def _toml(value: object) -> str:
    if value is None:
        return '"none"'  # said, not left out: the preset may have another value
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
