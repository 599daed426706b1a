"""``engines.toml``: the external engines a user has installed, by name; reading it and changing it.

::

    [engines]
    carbon = "./pbrain-carbon"          # short for a table with this command

    [engines.pela]
    command = ["./pbrain-pela"]         # program and arguments; relative to this file's folder
    dir = "pela"                        # working directory; relative to this file's folder
    rules = ["freestyle", "renju"]      # default: all
    min_size = 5                        # default 5
    max_size = 20                       # default 20
    swap2 = true                        # understands SWAP2BOARD; default false
    stop = "YXSTOP"                     # the line that makes it answer at once; "" if it knows none
    memory_mb = 350                     # default 350
    env = { OMP_NUM_THREADS = "1" }     # variables for the process
    info = { thread_num = 1 }           # sent as INFO key value
"""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from wuzi.base.atomic import write_atomic
from wuzi.base.machine import config_dir
from wuzi.core.rules import MAX_SIZE, Rule, parse_rule
from wuzi.errors import ConfigError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_TEXT, _NUMBER, _TABLE = (str, "text"), (int, "a whole number"), (dict, "a table")
_KEYS: Mapping[str, tuple[type, str]] = {
    **{"command": _TEXT, "dir": _TEXT, "rules": (list, "a list"), "min_size": _NUMBER, "max_size": _NUMBER},
    **{"swap2": (bool, "true or false"), "stop": _TEXT, "memory_mb": _NUMBER, "env": _TABLE, "info": _TABLE},
}


@dataclass(frozen=True)
class Engine:
    """How to run an external engine, and what it can do."""

    name: str  # how people call it
    command: tuple[str, ...]  # program and arguments
    dir: Path | None = None  # working directory; None for the current one
    rules: frozenset[Rule] = frozenset(Rule)  # the rules it plays
    min_size: int = 5  # min_size, max_size: board sizes, inclusive
    max_size: int = 20
    swap2: bool = False  # whether it understands SWAP2BOARD
    # the line that makes it answer at once; an engine that does not know it says UNKNOWN
    stop: str = "YXSTOP"
    memory_mb: int = 350  # the limit it is told
    env: Mapping[str, str] = field(default_factory=dict)  # variables for its process
    info: Mapping[str, str] = field(default_factory=dict)  # more INFO keys and values to send after START


def engines_path() -> Path:
    """Where ``engines.toml`` is looked for; ``WUZI_CONFIG_DIR`` overrides the platform's folder."""
    return config_dir() / "engines.toml"


def load_engines(path: Path | None = None, *, shared: bool = False) -> dict[str, Engine]:
    """The engines of an ``engines.toml`` by name, none without a file; ``shared`` ones hold other tables.

    A ConfigError if the file is not TOML, or for a wrong key or value.
    """
    path = path or engines_path()
    text = _read(path)
    return {} if text is None else parse_engines(text, path, shared=shared)


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None


def parse_engines(text: str, path: Path, *, shared: bool = False) -> dict[str, Engine]:
    """The engines in the text of an ``engines.toml``; for arguments and errors see :func:`load_engines`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}") from None
    for key in data:
        if key != "engines" and not shared:
            raise ConfigError(f"{path}: unknown table {key!r}: expected [engines.NAME]")
    tables = data.get("engines", {})
    if not isinstance(tables, dict):
        raise ConfigError(f"{path}: engines is {tables!r:.40}: expected tables [engines.NAME]")
    return {
        name: _engine(name, table, f"{path}, engine {name}", path.parent) for name, table in tables.items()
    }


def find_engine(name: str, path: Path | None = None, *, shared: bool = False) -> Engine:
    """The engine of that name, see :func:`load_engines`; a ConfigError lists the names otherwise."""
    engines, path = load_engines(path, shared=shared), path or engines_path()
    if name not in engines:
        raise _unknown(name, engines, path)
    return engines[name]


def _unknown(name: str, engines: Mapping[str, object], path: Path) -> ConfigError:
    known = f"expected one of {', '.join(engines)}" if engines else "no engine is defined"
    return ConfigError(f"unknown engine {name!r}: {known} in {path}")


def parse_command(text: str) -> tuple[str, ...]:
    """Program and arguments of a command line, quoted as in the system's shell; ConfigError if wrong."""
    try:
        parts = shlex.split(text, posix=os.name == "posix")
    except ValueError as error:
        raise ConfigError(f"command {text[:60]!r}: {error}") from None
    if not parts:
        raise ConfigError(f"command {text!r}: expected a program")
    return tuple(part.strip('"') if os.name == "nt" else part for part in parts)


def resolve_program(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """The command with a relative path of its program (one with a separator) taken from ``folder``."""
    program = Path(command[0])
    if program.is_absolute() or (len(program.parts) < 2 and not command[0].startswith(".")):
        return command
    return (str((folder / program).absolute()), *command[1:])


def _engine(name: str, table: object, where: str, folder: Path) -> Engine:
    if isinstance(table, str):
        table = {"command": table}
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: expected a table, or a command line as text")
    if unknown := [key for key in table if key not in _KEYS]:
        raise ConfigError(f"{where}: unknown key {unknown[0]!r}: expected one of {', '.join(_KEYS)}")
    command = table.get("command")
    if isinstance(command, str):
        command = list(parse_command(command))
    if not isinstance(command, list) or not command or not all(isinstance(part, str) for part in command):
        raise ConfigError(f"{where}: command is {command!r:.60}: expected a list of texts")
    given = {key: _typed(key, value, where) for key, value in table.items() if key != "command"}
    if "dir" in given:
        given["dir"] = (folder / given["dir"]).absolute()
    try:
        if "rules" in given:
            given["rules"] = frozenset(parse_rule(str(rule)) for rule in given["rules"])
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
    for key in {"env", "info"} & given.keys():
        given[key] = {name: str(value) for name, value in given[key].items()}
    engine = Engine(name, resolve_program(tuple(command), folder), **given)
    if not 5 <= engine.min_size <= engine.max_size <= MAX_SIZE:
        raise ConfigError(
            f"{where}: sizes {engine.min_size} to {engine.max_size}: "
            f"expected 5 <= min_size <= max_size <= {MAX_SIZE}"
        )
    return engine


def _typed(key: str, value: Any, where: str) -> Any:
    kind, expected = _KEYS[key]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ConfigError(f"{where}: {key} is {value!r:.40}: expected {expected}")
    return value


# ---------------------------------------------------------------------------- changing


def add_engine(
    name: str, settings: Mapping[str, Any], *, replace: bool = False, path: Path | None = None
) -> Engine:
    """Write an engine into the file, made where it is missing; ``settings`` are the keys of its table.

    A ConfigError leaves the file as it was: for a name that specs cannot hold or that is taken, or a setting.
    """
    path = path or engines_path()
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"engine name {name[:60]!r}: expected up to 40 letters, digits, '-', '_' and '.', no blanks"
        )
    document = _document(path)
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
    """Take an engine out of the file; a ConfigError if there is none of that name."""
    path = path or engines_path()
    document = _document(path)
    engines = document.get("engines", {})
    if name not in engines:
        raise _unknown(name, engines, path)
    del engines[name]
    _write(path, document)


def _document(path: Path) -> tomlkit.TOMLDocument:
    text = _read(path)
    if text is None:
        return tomlkit.document()
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
