"""The desktop face: ``wuzi gui``, a window made with pygame-ce (extra ``desktop``)."""

from __future__ import annotations

import os
from pathlib import Path

from wuzi.base.imports import need
from wuzi.errors import ConfigError


def run(path: Path | None = None) -> None:
    """Show the window until it is closed, with the game record ``path`` if one is given.

    Raises:
        MissingExtraError: pygame-ce is not installed.
        ConfigError: there is no screen.
        RecordError, OSError: the file cannot be read.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault("SDL_WINDOWS_DPI_AWARENESS", "permonitorv2")
    pygame = need("desktop", "pygame", "pygame-ce")
    try:
        pygame.display.init()
        # Without any screen SDL draws into memory, where nobody could see or close the window.
        if pygame.display.get_driver() == "offscreen" and "SDL_VIDEODRIVER" not in os.environ:
            raise pygame.error("there is no screen")
    except pygame.error as error:
        raise ConfigError(f"no window can be opened here ({error}): `wuzi play` needs no screen") from error
    finally:
        pygame.display.quit()
    from wuzi.apps.desktop.storage import Storage
    from wuzi.apps.desktop.window import Window
    from wuzi.core import warming

    warming.fill()  # no window could answer while that lasts
    storage = Storage()
    session = None if path is None else storage.load_game(path)
    window = Window(storage)
    if session is not None:
        window.show_game(session)
    window.run()
