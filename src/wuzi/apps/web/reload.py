"""``wuzi serve --reload``: the server in its own process, started again when a file of its code changes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import wuzi

LOOK_S = 0.5
"""Seconds between two looks at the files."""


def stamps(folder: Path) -> dict[Path, int]:
    """When each Python, TOML and JSON file below a folder was written."""
    found = {}
    for path in folder.rglob("*"):
        if path.suffix in (".py", ".toml", ".json"):
            try:
                found[path] = path.stat().st_mtime_ns
            except OSError:  # it has gone meanwhile
                continue
    return found


def serve_again(
    arguments: Sequence[str],
    folder: Path = Path(wuzi.__file__).parent,
    command: Sequence[str] = (sys.executable, "-m", "wuzi", "serve"),
    say: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True),
) -> None:
    """Run the command with these arguments, and again after each change below ``folder``, until interrupted.

    A server that ended by itself, as with an error in its code, is started again by the next change.
    """
    seen, process = stamps(folder), subprocess.Popen([*command, *arguments])
    try:
        while True:
            time.sleep(LOOK_S)
            now = stamps(folder)
            if now == seen:
                continue
            changed = sorted(path for path in {*now, *seen} if now.get(path) != seen.get(path))
            say(f"wuzi: {changed[0].relative_to(folder)} has changed: starting again")
            seen = now
            _end(process)
            process = subprocess.Popen([*command, *arguments])
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
