"""Ctrl-C while a player thinks asks for its best move so far."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from wuzi.contract import Stop


@contextmanager
def stop_on_interrupt() -> Iterator[Stop]:
    """A stop that Ctrl-C sets; a second Ctrl-C raises KeyboardInterrupt as usual."""
    stop = Stop()

    def interrupt(*_: object) -> None:
        if stop.is_set:
            raise KeyboardInterrupt
        stop.set()

    if threading.current_thread() is not threading.main_thread():  # only that one receives signals
        yield stop
        return
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
