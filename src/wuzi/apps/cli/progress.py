"""While a command works: bars and a line on standard error, where that is a terminal, and Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from wuzi.contract import Player, Stop
    from wuzi.core import Rules


class Update(Protocol):
    """Moves a bar."""

    def __call__(self, done: int, total: int | None = None, text: str | None = None) -> None:
        """Show that so much is done; the total and the text stay as they were where none is given."""


@contextmanager
def progress_bar(text: str, total: int | None = None, *, quiet: bool) -> Iterator[Update]:
    """A bar with the time left; gives the function that moves it. No total: only the count is shown."""
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


def warm_up() -> None:
    """Have all kernels compiled, once, here, rather than in every player's process; says so meanwhile."""
    from wuzi.core import warming

    warming.fill()


@contextmanager
def prepared(player: Player, rules: Rules) -> Iterator[None]:
    """Have compiled what a player's first move needs, and meanwhile, with low priority, everything else."""
    from wuzi.core import kernel_cache

    if kernel_cache.is_warm():
        yield
        return
    from wuzi.players.base import BasePlayer

    if isinstance(player, BasePlayer):
        player.compile_kernels(rules)
    null, command = subprocess.DEVNULL, [sys.executable, "-m", "wuzi", "warm", "--background"]
    rest = subprocess.Popen(command, stdin=null, stdout=null, stderr=null)
    try:
        yield
    finally:
        rest.terminate()
        rest.wait()


@contextmanager
def status_line(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A line with a spinner; gives the function that changes it, where an empty text hides it."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=sys.stderr)
    status = console.status("...")

    def update(text: str) -> None:
        if not text or quiet or not console.is_terminal:
            status.stop()
            return
        status.update(Text(text))
        status.start()

    try:
        yield update
    finally:
        status.stop()


def page_console(width: int) -> Console:
    """Standard output for tables; into a file or a pipe they are as wide as given."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = width
    return console


@contextmanager
def resumable(how: str = "rerun the command to resume") -> Iterator[None]:
    """Say on Ctrl-C how the work is continued."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"wuzi: interrupted; {how}", file=sys.stderr)
        raise


@contextmanager
def stop_on_interrupt() -> Iterator[Stop]:
    """A stop that Ctrl-C sets; a second Ctrl-C raises KeyboardInterrupt as usual."""
    from wuzi.contract import Stop

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
