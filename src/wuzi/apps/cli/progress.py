"""While a command works: bars and a line on standard error, where that is a terminal, and Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from wuzi.contract import Stop

if TYPE_CHECKING:
    from rich.progress import Progress


class Update(Protocol):
    """Moves a bar."""

    def __call__(self, done: int, total: int | None = None, text: str | None = None) -> None:
        """Show that so much is done; the total and the text stay as they were where none is given."""


@contextmanager
def progress_bar(text: str, total: int | None = None, *, quiet: bool) -> Iterator[Update]:
    """A bar with the time left; gives the function that moves it.

    Args:
        text: what is counted, until an update says otherwise.
        total: how much there is to do, if that is known.
        quiet: show nothing.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    bar: Progress
    with Progress(
        *columns, TimeRemainingColumn(), console=console, disable=quiet or not console.is_terminal
    ) as bar:
        task = bar.add_task(text, total=total)

        def update(done: int, total: int | None = None, text: str | None = None) -> None:
            bar.update(task, completed=done, total=total, description=text)

        yield update


def warm_up(quiet: bool) -> None:
    """Compile the kernels once, here, rather than in every player's process."""
    from wuzi.core import jit

    if jit.is_warm():
        return
    with progress_bar("compiling kernels", quiet=quiet) as update:
        jit.warm(lambda done, total, name: update(done, total))


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
