"""``wuzi serve``: the web page and its API, from one process."""

from __future__ import annotations

from typing import Annotated

import typer


def serve(
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="Port to listen on.", min=0, max=65535)] = 8000,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser, when there is one.")
    ] = False,
) -> None:
    """Serve the game page and the API under /api/v1; /openapi.json describes it.

    Everyone who can reach the address can play and use this machine's processor:
    the default address is reachable from this machine only.
    """
    from wuzi.apps.web import serve as run

    run(host=host, port=port, open_browser=open_browser)
