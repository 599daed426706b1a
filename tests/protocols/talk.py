"""A session whose requests are answered without a player."""

from __future__ import annotations

from dataclasses import dataclass, field

from wuzi.protocols.gomocup.requests import (
    About,
    Event,
    Exit,
    GomocupReply,
    GomocupTask,
    Ponder,
    Request,
    StopThinking,
    Think,
)
from wuzi.protocols.gomocup.session import Session


@dataclass
class Talk:
    """A session whose requests are answered with the first free cell unless ``held``."""

    session: Session = field(default_factory=lambda: Session(About('name="test"', "test 1")))
    requests: list[Request] = field(default_factory=list)
    held: bool = False
    ended: bool = False
    stops: int = 0
    ponders: list[Request] = field(default_factory=list)

    def say(self, *lines: str) -> list[str]:
        replies: list[str] = []
        for line in lines:
            replies += self.handle(self.session.receive(line))
        return replies

    def handle(self, events: list[Event]) -> list[str]:
        replies = []
        for event in events:
            if isinstance(event, GomocupReply):
                replies.append(event.text)
            elif isinstance(event, Think):
                self.requests.append(event.request)
                if not self.held:
                    replies += self.handle(self.session.answer(first_answer(event.request)))
            elif isinstance(event, StopThinking):
                self.stops += 1
            elif isinstance(event, Ponder):
                self.ponders.append(event.request)
            elif isinstance(event, Exit):
                self.ended = True
        return replies

    @property
    def last(self) -> Request:
        return self.requests[-1]


def first_answer(request: Request) -> tuple[int, ...]:
    free = [cell for cell in range(request.size**2) if cell not in request.taken()]
    if request.task is GomocupTask.FORBIDDEN:
        return tuple(free[:2])
    if request.task is GomocupTask.PICK:
        return request.choices[-1:]
    return (
        tuple(free[: max(request.cells_asked())]) if request.opening is None else tuple(free[: _few(request)])
    )


def _few(request: Request) -> int:
    return min(request.cells_asked())
