"""Who looks at a stored game or review: each page gets every new value, and all hear each other.

One of them leads: the page that has looked longest. It lets the engines of the game think; when it leaves,
the next one leads.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas import StoredOut
from wuzi.apps.web.schemas_sockets import SaidMessage, StoredMessage, WatchMessage
from wuzi.apps.web.seats import Digests, seat_of
from wuzi.apps.web.settings import Settings
from wuzi.apps.web.sockets import Viewer
from wuzi.apps.web.store import StoredEntry

_Key = tuple[str, str]


@dataclass(slots=True)
class _Room:
    """The pages that look at one value, the longest first, and which of them sit where."""

    seats: Digests | None
    viewers: list[Viewer] = field(default_factory=list)
    sitting: dict[Viewer, int] = field(default_factory=dict)

    def seat(self) -> None:
        """Tell each page who leads and who is here."""
        here = sorted(set(self.sitting.values()))
        for place, viewer in enumerate(self.viewers):
            viewer.send(WatchMessage(leads=place == 0, watchers=len(self.viewers), here=here))


class Watchers:
    """The pages behind the sockets, by kind and id of what they look at."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._all: dict[_Key, _Room] = {}

    @property
    def num_sockets(self) -> int:
        """Open WebSockets."""
        return sum(len(room.viewers) for room in self._all.values())

    @contextlib.contextmanager
    def watching(self, kind: str, value: StoredEntry, viewer: Viewer) -> Iterator[None]:
        """Tell a viewer of a value meanwhile; ProblemError over the limits."""
        key = (kind, value.id)
        room = self._all.get(key) or _Room(value.seats)
        if self.num_sockets >= self._settings.max_sockets:
            raise ProblemError(429, "limit_exceeded", f"{self.num_sockets} sockets are open")
        if len(room.viewers) >= self._settings.max_sockets_per_game:
            raise ProblemError(429, "limit_exceeded", f"{len(room.viewers)} sockets watch this")
        self._all[key] = room
        room.viewers.append(viewer)
        viewer.on_message = lambda message: self._receive(room, viewer, message)
        viewer.send(StoredMessage(value=StoredOut.of(value)))
        room.seat()
        try:
            yield
        finally:
            room.viewers.remove(viewer)
            room.sitting.pop(viewer, None)
            room.seat()
            if not room.viewers and self._all.get(key) is room:
                del self._all[key]

    def changed(self, kind: str, value: StoredEntry) -> None:
        """Send a new value to all who look at it."""
        if room := self._all.get((kind, value.id)):
            room.seats = value.seats
            told = StoredMessage(value=StoredOut.of(value))
            for viewer in room.viewers:
                viewer.send(told)

    async def removed(self, kind: str, name: str) -> None:
        """Tell all who look at it that it is gone."""
        if room := self._all.get((kind, name)):
            for viewer in list(room.viewers):
                await viewer.close(4404)

    def _receive(self, room: _Room, sender: Viewer, message: dict[str, Any]) -> None:
        if message.get("type") == "say":
            for viewer in room.viewers:
                if viewer is not sender:
                    viewer.send(SaidMessage(said=message.get("said")))
        elif message.get("type") == "sit":
            seat = seat_of(room.seats, str(message.get("key")))
            if seat is not None and room.sitting.get(sender) != seat:
                room.sitting[sender] = seat
                room.seat()
