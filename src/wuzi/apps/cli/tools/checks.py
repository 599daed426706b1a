"""``wuzi doctor``, ``warm`` and ``perft``: checks of the installation, the kernels and the rules."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

import typer

import wuzi
from wuzi.apps.cli.options import Board, Json, Positive, output
from wuzi.base.machine import config_dir, data_dir, lower_priority
from wuzi.errors import ConfigError

State = Literal["ok", "note", "problem"]
_SIGNS: dict[State, str] = {"ok": "ok  ", "note": "--  ", "problem": "!!  "}
_REQUIRED = ("numpy", "numba", "onnxruntime", "fastapi", "uvicorn", "safetensors")
_OPTIONAL = {
    "matplotlib": ("report", "charts of `wuzi report`"),
    "pygame": ("desktop", "the desktop window"),
    "torch": ("train", "training larger nets"),
    "ray": ("cluster", "many machines"),
    "gymnasium": ("envs", "environments for training programs of one's own"),
    "pyarrow": ("parquet", "results as Parquet tables"),
}
_PACKAGES = {"pygame": "pygame-ce"}
"""Packages that are not called like their module; a look at all that is installed takes seconds."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at and what was found; ``note`` is for something optional that is absent."""

    name: str
    state: State
    text: str


def doctor(port: int = 8000, as_json: Json = False) -> None:
    """Check the installation and print one line per finding; exit code 1 if there is a problem.

    Options:
        port: Port that `wuzi serve` will use.
    """
    findings = list(_examine(port))
    problems = [finding for finding in findings if finding.state == "problem"]
    lines = [f"{_SIGNS[finding.state]}{finding.name}: {finding.text}" for finding in findings]
    lines.append(f"{len(problems)} problem{'s' * (len(problems) != 1)}")
    output(as_json, {"problems": len(problems), "findings": list(map(asdict, findings))}, lines)
    if problems:
        raise typer.Exit(1)


def _examine(port: int) -> Iterator[Finding]:
    from wuzi import __version__

    yield Finding("wuzi", "ok", f"{__version__} in {Path(__file__).resolve().parents[3]}")
    supported = sys.version_info >= (3, 11)
    machine = f"{platform.python_version()} on {platform.platform(terse=True)} {platform.machine()}"
    yield Finding("python", "ok" if supported else "problem", machine)
    for module in _REQUIRED:
        yield _package(module)
    for module, (extra, purpose) in _OPTIONAL.items():
        if importlib.util.find_spec(module) is None:
            yield Finding(module, "note", f'not installed; for {purpose}: pip install "wuzi[{extra}]"')
        else:
            yield _package(module)
    yield from _plugins()
    yield _kernels()
    page = files("wuzi") / "data" / "web" / "index.html"
    unbuilt = "not built: run `python scripts/dev.py page` in the repository"
    yield Finding("web page", "ok", "built") if page.is_file() else Finding("web page", "problem", unbuilt)
    yield _port(port)
    for name, folder in (("data folder", data_dir()), ("config folder", config_dir())):
        yield _writable(name, folder)
    yield _encoding()


def _package(module: str) -> Finding:
    if importlib.util.find_spec(module) is None:
        return Finding(module, "problem", f"not installed: pip install {module}")
    try:
        return Finding(module, "ok", importlib.metadata.version(_PACKAGES.get(module, module)))
    except importlib.metadata.PackageNotFoundError:  # such as pygame in place of pygame-ce
        return Finding(module, "ok", "of another package")


def _plugins() -> Iterator[Finding]:
    """One line a plug-in of another package."""
    from wuzi.base import plugins

    for group in plugins.GROUPS:
        for name, plugin in plugins.installed(group).items():
            try:
                plugins.load(group, name, lambda _: None)
            except ConfigError as error:
                yield Finding(group, "problem", str(error))
            else:
                yield Finding(group, "ok", plugin.label)


def _kernels() -> Finding:
    if importlib.util.find_spec("numba") is None:
        return Finding("kernels", "problem", "cannot be compiled without numba")
    from wuzi.core import kernel_cache

    folder, wanted = kernel_cache.cache_dir(), kernel_cache.wanted_dir()
    can_be_kept = kernel_cache.can_be_made(folder)
    if kernel_cache.is_warm() and folder == wanted:
        return Finding("kernels", "ok", f"compiled, in {folder}{'' if can_be_kept else ' (read only)'}")
    if not can_be_kept:
        text = f"{folder} cannot be written, nor a temporary folder: every process compiles them for itself"
        return Finding("kernels", "problem", f"{text}; name a folder as WUZI_CACHE_DIR")
    state = "compiled" if kernel_cache.is_warm() else "not compiled yet"
    if folder != wanted:
        return Finding("kernels", "note", f"{wanted} cannot be written: {state} in {folder}")
    return Finding("kernels", "note", f"{state}; the first move will wait for it: run `wuzi warm`")


def _port(port: int) -> Finding:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            text = f"{port} cannot be used ({error.strerror}): choose another, `wuzi serve --port {port + 1}`"
            return Finding("port", "note", text)
    return Finding("port", "ok", f"{port} is free")


def _writable(name: str, folder: Path) -> Finding:
    """Whether the folder, or the nearest existing parent of it, can be written to."""
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        return Finding(name, "ok", str(folder))
    return Finding(name, "problem", f"{folder}: cannot write in {existing}")


def _encoding() -> Finding:
    encoding = (sys.stdout.encoding or "ascii").lower()
    if encoding.replace("-", "") == "utf8":
        return Finding("terminal", "ok", "UTF-8")
    return Finding("terminal", "note", f"{encoding}: Chinese shows as ?; set PYTHONUTF8=1")


def warm(as_json: Json = False, background: bool = False) -> None:
    """Compile all kernels into the cache, so that the first move does not wait for it.

    This is needed once per version of wuzi and machine; a warm cache is only loaded and checked.

    Options:
        background: Let other programs of this machine go first, and compile only what no other process does.
    """
    from wuzi.core import jit

    was_warm = jit.is_warm()
    begun = time.monotonic()
    if background:
        lower_priority()
        jit.warm_once()
    else:
        jit.warm(every=True)
    count, seconds = jit.num_kernels(), time.monotonic() - begun
    cache = str(jit.cache_dir())
    data = {"kernels": count, "seconds": round(seconds, 3), "was_warm": was_warm, "cache": cache}
    output(as_json, data, [f"{count} kernels {'loaded' if was_warm else 'compiled'} in {seconds:.1f} s"])


def perft(depth: Positive, board: Board = Board(), as_json: Json = False) -> None:
    """Count all move sequences of each length, and the games that end within them.

    Equal counts from two programs mean that they agree on the rules.

    Options:
        depth: Number of plies to count.
    """
    rules = board.rules()
    result = wuzi.core.perft(rules, depth)
    counted = {"depth": depth, "nodes": list(result.nodes), "finished": result.finished}
    counts = [f"{ply:4d} {nodes:20,d}" for ply, nodes in enumerate(result.nodes, start=1)]
    output(
        as_json,
        {**rules.to_json(), **counted},
        [rules.label, *counts, f"finished games: {result.finished:,d}"],
    )
