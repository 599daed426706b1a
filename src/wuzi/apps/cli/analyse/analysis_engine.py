"""``wuzi analysis-engine``: the JSON-lines engine that other programs and the web server's workers use."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import wuzi
from wuzi.apps.cli.progress import warm_up
from wuzi.workers.line_process import take_stdout


def analysis_engine(
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

    warm_up()
    create = partial(wuzi.players.create_player, allow_command=allow_command, files_below=files_below)
    runner = AnalysisRunner(take_stdout(), create, default_player=player, searches=searches)
    runner.serve(read_lines(sys.stdin.buffer))
