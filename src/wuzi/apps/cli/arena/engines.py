"""``wuzi engines``: the external engines of this machine, which specs and the server call by name."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import wuzi
from wuzi.apps.cli.options import RULE_NAMES, Commands, Json, Positive, attributes, output
from wuzi.errors import ConfigError, WuziError

if TYPE_CHECKING:
    from wuzi.players.engines_file import Engine

app = Commands("Manage external Gomocup engines; spec strings call them external:name=NAME.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the engine in wuzi.")]


@app.add("add")
def add(
    name: Name,
    cmd: str,
    folder: Annotated[Path | None, typer.Option("--dir")] = None,
    rule: Annotated[list[str] | None, typer.Option(metavar="|".join(RULE_NAMES))] = None,
    min_size: int = 5,
    max_size: int = 20,
    memory: Positive = 350,
    swap2: bool = False,
    replace: bool = False,
    as_json: Json = False,
) -> None:
    """Add an engine to engines.toml; check afterwards with `wuzi engines probe NAME` that it answers.

    Options:
        cmd: Command that starts the engine, as typed in a shell.
        folder: Working directory of the engine.
        rule: Rule that the engine plays; default: all. Repeatable.
        min_size: Smallest board size that the engine plays.
        max_size: Largest board size that the engine plays.
        memory: Memory that the engine may use, in megabytes.
        swap2: The engine understands SWAP2BOARD.
        replace: Replace an engine of the same name.
    """
    from wuzi.players.engines_file import add_engine, engines_path, parse_command, resolve_program

    command = resolve_program(parse_command(cmd), Path.cwd())
    if shutil.which(command[0], path=None) is None:
        raise ConfigError(f"--cmd {cmd[:60]!r}: {command[0]} is no program that can be run")
    values: dict[str, tuple[Any, Any]] = {
        "command": (list(command), None),
        "dir": (str(folder.absolute()) if folder is not None else None, None),
        "rules": (list(rule or ()), []),
        "min_size": (min_size, 5),
        "max_size": (max_size, 20),
        "memory_mb": (memory, 350),
        "swap2": (swap2, False),
    }
    settings = {key: value for key, (value, default) in values.items() if value != default}
    engine = add_engine(name, settings, replace=replace)
    output(as_json, _described(engine), [f"{name} is in {engines_path()}; try it: wuzi engines probe {name}"])


@app.add("remove")
def remove(name: Name) -> None:
    """Remove an engine from engines.toml; the program itself is not touched."""
    from wuzi.players.engines_file import engines_path, remove_engine

    remove_engine(name)
    print(f"{name} is no longer in {engines_path()}")


@app.add("list")
def show(as_json: Json = False) -> None:
    """List the engines in engines.toml."""
    from wuzi.players.engines_file import engines_path, load_engines

    engines = load_engines()
    lines = []
    for engine in engines.values():
        rules = ", ".join(sorted(rule.label for rule in engine.rules))
        sizes = f"{engine.min_size}x{engine.min_size} to {engine.max_size}x{engine.max_size}"
        lines.append(f"{engine.name}\t{' '.join(engine.command)}\t{rules}\t{sizes}")
    none = f"no engines in {engines_path()}; add one: wuzi engines add NAME --cmd ./pbrain-other"
    output(as_json, [_described(engine) for engine in engines.values()], lines or [none])


@app.add("probe")
def probe(
    name: Name,
    seconds: Annotated[float, typer.Option("--time", min=0.05, max=60.0)] = 1.0,
    start: Annotated[float, typer.Option(min=0.1, max=600.0)] = 10.0,
    as_json: Json = False,
) -> None:
    """Start an engine, ask for its name and let it play one move; exit code 1 if it fails.

    Options:
        seconds: Thinking time for the test move, in seconds.
        start: Maximum time for starting, in seconds.
    """
    from wuzi.players.engines_file import find_engine

    found = _probed(find_engine(name), seconds, start)
    output(as_json, found, _probe_lines(found))
    if found["error"] is not None:
        raise typer.Exit(1)


def _described(engine: Engine) -> dict[str, Any]:
    return {
        "name": engine.name,
        "spec": f"external:name={engine.name}",
        "command": list(engine.command),
        "dir": None if engine.dir is None else str(engine.dir),
        "rules": sorted(rule.label for rule in engine.rules),
        **attributes(engine, "min_size", "max_size", "memory_mb", "swap2"),
    }


def _probed(engine: Engine, seconds: float, start_s: float) -> dict[str, Any]:
    """What an engine answers to ABOUT, START and one question."""
    from wuzi.players.external import ExternalConfig, ExternalPlayer

    rules = wuzi.Rules(max(engine.min_size, min(15, engine.max_size)), 5, min(engine.rules))
    game = wuzi.Game(rules).play(rules.size // 2 * (rules.size + 1))
    found: dict[str, Any] = {
        "name": engine.name,
        "command": list(engine.command),
        "size": rules.size,
        "rule": rules.rule.label,
        **dict.fromkeys(("about", "start_s", "move", "move_s", "error")),
        "log": [],
    }
    with ExternalPlayer(ExternalConfig(name=engine.name, start_s=start_s)) as player:
        try:
            begun = time.perf_counter()
            player.prepare(game)
            found["start_s"] = round(time.perf_counter() - begun, 3)
            found["about"] = player.about
            result = player.think(game, wuzi.Limit(time_s=seconds))
            action = result.action
            found["move"] = str(action.move if isinstance(action, wuzi.Place) else action)
            found["move_s"] = round(player.think_time_s or 0.0, 3)
        except WuziError as error:
            found["error"] = str(error)
            found["log"] = "\n".join(getattr(error, "__notes__", ())).splitlines()[-20:]
    return found


def _probe_lines(found: dict[str, Any]) -> Iterator[str]:
    yield f"{found['name']}: {' '.join(found['command'])}"
    if found["start_s"] is not None:
        about = ", ".join(f"{key} {value}" for key, value in (found["about"] or {}).items())
        yield f"ABOUT  {about or 'no answer that names it'}"
        yield f"START  {found['size']}x{found['size']} {found['rule']}: ready after {found['start_s']:.3f} s"
    if found["move"] is not None:
        yield f"move   {found['move']} after {found['move_s']:.3f} s"
    if found["error"] is not None:
        yield f"failed: {found['error']}"
        yield from (f"  {line}" for line in found["log"])
