"""A ``wuzi`` command as a server's child: it ends with its standard input, and is alone in its folder.

``python -m wuzi.apps.child FOLDER COMMAND [OPTION]...`` runs ``wuzi COMMAND [OPTION]...``. When its input
ends, because the server closed it or was killed, the command is interrupted as by Ctrl-C, so that it keeps
what it has done; what does not end then is killed. ``FOLDER`` holds the lock that tells whether it runs.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import filelock

from wuzi.workers.line_process import kill_all

LOCK_FILE = ".child.lock"
GRACE_S = 30.0
"""How long an interrupted command may take to end."""

_LOCK_WAIT_S = GRACE_S + 10.0
INTERRUPTED = 130


def is_running(folder: Path) -> bool:
    """Whether some child is at work in the folder."""
    path = folder / LOCK_FILE
    if not path.exists():
        return False
    lock = filelock.FileLock(path)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        return True
    lock.release()
    return False


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code, 130 when it was interrupted."""
    folder, *command = sys.argv[1:] if arguments is None else arguments
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would ignore it
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        # An earlier child may still be ending, when its server was killed and started again.
        with filelock.FileLock(Path(folder) / LOCK_FILE).acquire(timeout=_LOCK_WAIT_S):
            from wuzi.apps.cli import main as run

            return run(command)
    except filelock.Timeout:
        print(f"wuzi: error: {folder}: another program is at work there", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def _end_with_input() -> None:
    # Not sys.stdin: its lock, held here, would make the interpreter's own end fail.
    while os.read(0, 4096):
        pass
    if hasattr(signal, "pthread_kill"):
        # Only a signal to the main thread itself ends what it waits for.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)
    time.sleep(GRACE_S)
    kill_all()
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    raise SystemExit(main())
