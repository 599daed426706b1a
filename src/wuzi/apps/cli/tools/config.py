"""``wuzi config``: the file of defaults for the other commands.

Each table of ``config.toml`` is named after a command, each key after one of its options::

    [play]
    player = "engine"
    size = 15
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from wuzi.apps.cli.options import Commands, Json, output
from wuzi.base.machine import config_file, data_dir
from wuzi.base.settings import read_toml
from wuzi.errors import ConfigError

app = Commands("Show, find or create the configuration file.", bare=False)


def read() -> dict[str, dict[str, Any]]:
    """The tables of the configuration file; empty when there is no file."""
    path = config_file()
    tables = read_toml(path) if path.exists() else {}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: {name} = {table!r}: expected a table such as [play]")
    return tables


@app.add()
def show(as_json: Json = False) -> None:
    """Show the settings that differ from the built-in defaults."""
    tables = read()
    lines = [f"# {config_file()}" + ("" if config_file().exists() else " (does not exist)")]
    for name, table in tables.items():
        lines += [f"[{name}]", *(f"{key} = {value!r}" for key, value in table.items())]
    output(as_json, tables, lines)


@app.add()
def path(as_json: Json = False) -> None:
    """Print the folders of the configuration, the games and the compiled kernels."""
    from wuzi.core import kernel_cache
    from wuzi.players.engines_file import engines_path

    places = {
        "config": str(config_file()),
        "engines": str(engines_path()),
        "data": str(data_dir()),
        "kernels": str(kernel_cache.cache_dir()),
    }
    output(as_json, places, (f"{name:8} {place}" for name, place in places.items()))


@app.add()
def init(force: bool = False) -> None:
    """Create a configuration file in which every line is commented out.

    Options:
        force: Replace an existing file.
    """
    from wuzi.base.atomic import write_atomic

    target = config_file()
    if target.exists() and not force:
        raise ConfigError(f"{target} exists already: edit it, or replace it with --force")
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(target, (files("wuzi") / "data" / "config.toml").read_bytes())
    print(target)
