"""Batches that are drawn while the net learns from the one before."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

B = TypeVar("B")


class Prefetcher(Generic[B]):
    """What a function gives for a number, and the next number's in a thread.

    It must follow from the number alone until :meth:`forget` is called.
    """

    def __init__(self, draw: Callable[[int], B]) -> None:
        self._draw = draw
        self._thread = ThreadPoolExecutor(1, "ahead")
        self._next: tuple[int, Future[B]] | None = None

    def take(self, number: int, count: int) -> B:
        """That of ``number``; the next one is drawn in the background, if it is below ``count``."""
        if self._next is not None and self._next[0] == number:
            found = self._next[1].result()
        else:
            self.forget()
            found = self._draw(number)
        self._next = None
        if number + 1 < count:
            self._next = number + 1, self._thread.submit(self._draw, number + 1)
        return found

    def forget(self) -> None:
        """Wait for what is being drawn, and drop it."""
        if self._next is not None:
            self._next[1].exception()
            self._next = None

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(cancel_futures=True)
