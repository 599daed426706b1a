"""The desktop face: ``wuzi gui``, a window made with pygame-ce (extra ``desktop``)."""

from __future__ import annotations

from pathlib import Path


def run(path: Path | None = None) -> None:
    """Show the window until it is closed.

    Args:
        path: a game record to open at once.

    Raises:
        MissingExtraError: pygame-ce is not installed.
        ConfigError: there is no screen.
        RecordError, OSError: the file cannot be read.
    """
    from wuzi.apps.desktop.start import show

    show(path)


__all__ = ["run"]
