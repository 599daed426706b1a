"""``wuzi serve``: the web page and its API, from one process."""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from wuzi.errors import ConfigError

_TOKEN = "WUZI_TRAINING_TOKEN"
_SHORTEST_TOKEN = 16


def serve(
    host: str = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
    open_browser: Annotated[bool, typer.Option("--open/--no-open")] = False,
    read_only: bool = False,
    workers: Annotated[int | None, typer.Option(min=1, max=64, show_default="cores - 1, at most 4")] = None,
    max_move: Annotated[float, typer.Option(min=0.1, max=3600)] = 60.0,
    max_games: Annotated[int, typer.Option(min=1, max=10_000_000)] = 2000,
    max_sockets: Annotated[int, typer.Option(min=1, max=100_000)] = 1000,
    runs: Path = Path("runs"),
    allow_training: bool = False,
    max_arenas: Annotated[int, typer.Option(min=0, max=64)] = 2,
    reload: bool = False,
    root_path: Annotated[str, typer.Option(metavar="PATH")] = "",
    forwarded_allow_ips: Annotated[
        str, typer.Option(metavar="ADDRESSES", envvar="FORWARDED_ALLOW_IPS")
    ] = "127.0.0.1",
) -> None:
    """Serve the game page and the API under /api/v1; /openapi.json describes it.

    Everyone who can reach the address can play and use this machine's processor. The default address can
    be reached from this machine only.

    Options:
        host: Network address to listen on.
        port: Port to listen on; 0 chooses a free one.
        open_browser: Open the page in a browser if there is one.
        read_only: Serve a demo that shows stored games but plays, changes and searches nothing.
        workers: Number of searches at once; each has a process.
        max_move: Maximum thinking time per move, in seconds.
        max_games: Maximum number of stored games; the oldest are deleted first.
        max_sockets: Maximum number of open connections that follow games.
        runs: Folder of the training runs to show.
        allow_training: Let the page start and stop training runs; it asks for the token that is printed.
        max_arenas: Maximum number of tournaments at once; 0 allows none.
        reload: Start again when a file of wuzi's code changes, for work on the server.
        root_path: Path below which a proxy serves the page, such as /wuzi.
        forwarded_allow_ips: Proxies whose X-Forwarded headers are trusted: addresses, networks, or * for all.
    """
    if reload:
        from wuzi.apps.web.reload import serve_again

        serve_again([argument for argument in sys.argv[2:] if argument != "--reload"])
        return
    from wuzi.apps.web import Settings
    from wuzi.apps.web import serve as run

    settings = Settings(
        read_only=read_only,
        max_move_s=max_move,
        max_analysis_s=10 * max_move,
        max_games=max_games,
        max_sockets=max_sockets,
        runs_dir=runs.absolute(),
        training_token=_token(read_only) if allow_training else None,
        max_arenas=max_arenas,
        root_path=root_path.rstrip("/"),
        forwarded_allow_ips=forwarded_allow_ips,
    )
    if workers is not None:
        settings = replace(settings, workers=workers)
    run(host=host, port=port, open_browser=open_browser, settings=settings)


def _token(read_only: bool) -> str:
    """The token of this server: what the environment says, or a new one."""
    if read_only:
        raise ConfigError("--allow-training with --read-only: a demo trains nothing; leave one of them out")
    found = os.environ.get(_TOKEN) or secrets.token_urlsafe(18)
    if len(found) < _SHORTEST_TOKEN:
        raise ConfigError(f"{_TOKEN}: {len(found)} characters: expected at least {_SHORTEST_TOKEN}")
    return found
