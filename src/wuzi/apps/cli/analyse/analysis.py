"""``wuzi analysis-engine``: the JSON-lines engine that other programs and the web server's workers use."""

from __future__ import annotations

import io
import os
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import wuzi


def analysis(
    player: str = "",
    allow_command: bool = False,
    files_below: Path | None = None,
    searches: Annotated[int, typer.Option(min=1, max=64)] = 1,
) -> None:
    """Answer analysis requests: one JSON object per line on standard input, one per line on standard output.

    For example {"type":"start","id":"q1","player":"minimax","position":{"size":15,"moves":["h8"]}}.
    Only give this command input that you trust: a request chooses the player, its options and its limits.

    Options:
        player: Spec string of the player for requests that name none.
        allow_command: Let requests start external engines by their command (cmd=).
        files_below: Let requests use the net files in this folder (net=FILE).
        searches: Number of requests to work on at once.
    """
    from wuzi.analysis.service import AnalysisRunner, read_lines

    output = _take_stdout()

    def write(line: str) -> None:
        output.write(line + "\n")
        output.flush()

    create = partial(wuzi.players.create_player, allow_command=allow_command, files_below=files_below)
    runner = AnalysisRunner(write, create, default_player=player, searches=searches)
    runner.serve(read_lines(sys.stdin.buffer))


def _take_stdout() -> io.TextIOWrapper:
    """Standard output for the protocol alone; what anything else prints goes to standard error."""
    sys.stdout.flush()
    output = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    assert isinstance(output, io.TextIOWrapper)
    return output
