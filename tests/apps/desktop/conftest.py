from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

from tests.apps.desktop.person import Person
from wuzi.apps.desktop.storage import Storage
from wuzi.apps.desktop.window import Window
from wuzi.games.pool import PoolSettings

FAKE = (sys.executable, "-S", str(Path(__file__).with_name("fake_worker.py")))
"""A worker that answers at once: these tests are about the window."""

Open = Callable[..., Person]


@pytest.fixture
def open_window(tmp_path: Path) -> Iterator[Open]:
    """Opens windows on the same files, one after the other, with an instant worker."""
    opened: list[Person] = []

    def open_one(command: tuple[str, ...] = FAKE, **settings: float) -> Person:
        for person in opened:
            person.close()
        chosen = PoolSettings(workers=1, worker_command=command, **settings)  # type: ignore[arg-type]
        window = Window(Storage(tmp_path / "config", tmp_path / "data"), chosen)
        window.preferences.language = "en"
        window.refresh()
        opened.append(Person(window))
        return opened[-1]

    yield open_one
    for person in opened:
        person.close()


@pytest.fixture
def it(open_window: Open) -> Person:
    """A window that shows the menu."""
    return open_window()
