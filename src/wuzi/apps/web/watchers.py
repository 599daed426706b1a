"""Who looks at a stored game or review: each page gets every new value, and all hear each other.

One of them leads: the page that has looked longest. It lets the engines of the game think; when it leaves,
the next one leads.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas import StoredOut
from wuzi.apps.web.schemas_sockets import SaidMessage, StoredMessage, WatchMessage
from wuzi.apps.web.settings import Settings
from wuzi.apps.web.sockets import Viewer
from wuzi.apps.web.store import StoredEntry

_Key = tuple[str, str]


class Watchers:
    """The pages behind the sockets, by kind and id of what they look at."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._all: dict[_Key, list[Viewer]] = {}

    @property
    def num_sockets(self) -> int:
        """Open WebSockets."""
        return sum(map(len, self._all.values()))

    @contextlib.contextmanager
    def watching(self, kind: str, value: StoredEntry, viewer: Viewer) -> Iterator[None]:
        """Tell a viewer of a value meanwhile; ProblemError over the limits."""
        key = (kind, value.id)
        if self.num_sockets >= self._settings.max_sockets:
            raise ProblemError(429, "limit_exceeded", f"{self.num_sockets} sockets are open")
        if len(self._all.get(key, ())) >= self._settings.max_sockets_per_game:
            raise ProblemError(429, "limit_exceeded", f"{len(self._all[key])} sockets watch this")
        here = self._all.setdefault(key, [])
        here.append(viewer)
        viewer.on_message = lambda message: self._relay(here, viewer, message)
        viewer.send(StoredMessage(value=StoredOut.of(value)))
        self._seat(here)
        try:
            yield
        finally:
            here.remove(viewer)
            self._seat(here)
            if not here and self._all.get(key) is here:
                del self._all[key]

    def changed(self, kind: str, value: StoredEntry) -> None:
        """Send a new value to all who look at it."""
        if here := self._all.get((kind, value.id)):
            told = StoredMessage(value=StoredOut.of(value))
            for viewer in here:
                viewer.send(told)

    async def removed(self, kind: str, name: str) -> None:
        """Tell all who look at it that it is gone."""
        for viewer in list(self._all.get((kind, name), ())):
            await viewer.close(4404)

    def _seat(self, here: list[Viewer]) -> None:
        for place, viewer in enumerate(here):
            viewer.send(WatchMessage(leads=place == 0, watchers=len(here)))

    def _relay(self, here: list[Viewer], sender: Viewer, message: dict[str, Any]) -> None:
        if message.get("type") == "say":
            for viewer in here:
                if viewer is not sender:
                    viewer.send(SaidMessage(said=message.get("said")))
