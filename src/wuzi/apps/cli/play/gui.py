"""``wuzi gui``: the desktop window."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def gui(
    file: Annotated[Path | None, typer.Argument(show_default=False)] = None,
) -> None:
    """Play in a desktop window: against the engine, against another person, or watch two engines.

    Needs the extra "desktop" (pygame-ce) and a screen; F1 in the window lists the keys.

    Options:
        file: Game record to open (SGF, psq, rec or JSON).
    """
    from wuzi.apps.desktop import run

    run(file)
