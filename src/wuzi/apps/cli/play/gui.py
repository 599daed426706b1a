"""``wuzi gui``: the desktop window."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def gui(
    file: Annotated[
        Path | None, typer.Argument(help="A game record to open: SGF, psq, rec, JSON.", show_default=False)
    ] = None,
) -> None:
    """Play in a window: against the engine, against each other, or watch two engines.

    Needs the extra "desktop" (pygame-ce) and a screen; F1 in the window lists the keys.
    """
    from wuzi.apps.desktop import run

    run(file)
