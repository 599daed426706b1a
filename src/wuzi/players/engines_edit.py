"""Changing ``engines.toml``: comments and order stay, and the file is the old one or the new one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from wuzi.base.atomic import write_atomic
from wuzi.errors import ConfigError
from wuzi.players.engines_file import Engine, engines_path, parse_engines

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")


def add_engine(
    name: str, settings: Mapping[str, Any], *, replace: bool = False, path: Path | None = None
) -> Engine:
    """Write an engine into the file, which is made where it is missing.

    Args:
        name: how people will call it.
        settings: the keys of its table, see :mod:`wuzi.players.engines_file`.
        replace: whether an engine of that name may be there already.
        path: another file.

    Raises:
        ConfigError: a name that spec strings cannot hold or that is taken, or a wrong setting; the file
            is left as it was.
    """
    path = path or engines_path()
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"engine name {name[:60]!r}: expected up to 40 letters, digits, '-', '_' and '.', no blanks"
        )
    document = _read(path)
    engines = document.setdefault("engines", tomlkit.table(is_super_table=True))
    if name in engines and not replace:
        raise ConfigError(
            f"{path}: there is an engine {name!r} already; --replace puts this one in its place"
        )
    table = tomlkit.table()
    for key, value in settings.items():
        table.add(key, value)
    engines[name] = table
    return _write(path, document)[name]


def remove_engine(name: str, *, path: Path | None = None) -> None:
    """Take an engine out of the file.

    Raises:
        ConfigError: there is none of that name.
    """
    path = path or engines_path()
    document = _read(path)
    engines = document.get("engines", {})
    if name not in engines:
        known = f"expected one of {', '.join(engines)}" if engines else "no engine is defined"
        raise ConfigError(f"unknown engine {name!r}: {known} in {path}")
    del engines[name]
    _write(path, document)


def _read(path: Path) -> tomlkit.TOMLDocument:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return tomlkit.document()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    parse_engines(text, path)  # a file that is wrong already is not made worse
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise ConfigError(f"{path}: {error}") from None


def _write(path: Path, document: tomlkit.TOMLDocument) -> dict[str, Engine]:
    text = tomlkit.dumps(document)
    engines = parse_engines(text, path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, text.encode())
    return engines
