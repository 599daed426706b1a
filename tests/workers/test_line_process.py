"""Child processes that speak lines, with real children."""

from __future__ import annotations

import os
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from wuzi.workers.line_process import LineProcess

PYTHON = [sys.executable, "-u", "-c"]

WAIT_S = 120.0
"""On a busy machine a process may take long to start, and as long to end."""


def child(code: str, **options: int) -> LineProcess:
    return LineProcess([*PYTHON, textwrap.dedent(code)], max_line=options.get("max_line", 1 << 20))


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] not in "ZX"


def test_conversation_and_log() -> None:
    with child("import sys\nfor line in sys.stdin: print('got', line.strip())") as process:
        process.send("one")
        assert process.read(WAIT_S) == "got one"
        process.send("zwei ä 五")
        assert process.read(WAIT_S) == "got zwei ä 五"
        log = process.log_text()
    assert "> one" in log
    assert "< got zwei ä 五" in log
    assert process.returncode == 0


def test_line_ends_empty_lines_and_bad_bytes() -> None:
    code = r"import sys; sys.stdout.buffer.write(b'a\r\n\r\n\nb\rc\xff\nlast')"
    with child(code) as process:
        assert [process.read(WAIT_S) for _ in range(4)] == ["a", "b", "c�", "last"]
        with pytest.raises(EOFError, match="exit status 0"):
            process.read(WAIT_S)


def test_overlong_line_is_cut_and_the_next_one_is_whole() -> None:
    with child("print('x' * 1_000_000); print('y' * 90); print('z')", max_line=100) as process:
        assert process.read(WAIT_S) == "x" * 100
        assert process.read(WAIT_S) == "y" * 90
        assert process.read(WAIT_S) == "z"


def test_timeout_then_the_line_still_comes() -> None:
    with child("input(); print('at last')") as process:
        with pytest.raises(TimeoutError, match="no line within"):
            process.read(0.01)
        process.send("")
        assert process.read(WAIT_S) == "at last"


def test_crash_is_reported_with_its_last_words() -> None:
    with child("import sys; print('hello'); sys.exit('the engine is on fire')") as process:
        assert process.read(WAIT_S) == "hello"
        with pytest.raises(EOFError, match=r"exit status 1 \(the engine is on fire\)"):
            process.read(WAIT_S)
        with pytest.raises(EOFError):
            deadline = time.monotonic() + WAIT_S
            while time.monotonic() < deadline:
                process.send("anyone?")
                time.sleep(0.01)
    assert "the engine is on fire" in process.log_text()


def test_missing_program_is_an_os_error() -> None:
    with pytest.raises(OSError):
        LineProcess(["/no/such/engine"])


def test_flood_nobody_reads_can_be_closed() -> None:
    process = child("while True: print('noise ' * 20)")
    process.read(WAIT_S)
    process.kill()
    assert process.returncode is not None
    assert len(process.log_text()) < 1_000_000


def test_errors_are_bounded() -> None:
    with child("import sys; sys.stderr.write('e' * 300_000); print('done')") as process:
        assert process.read(WAIT_S) == "done"
        with pytest.raises(EOFError):
            process.read(WAIT_S)
        assert 0 < len(process.errors) <= 64 << 10


@pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX")
def test_close_kills_deaf_children_and_grandchildren() -> None:
    code = """
        import signal, subprocess, sys, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        grandchild = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])
        print(grandchild.pid)
        while True: time.sleep(1)
    """
    process = child(code)
    grandchild = int(process.read(WAIT_S))
    process.close(grace_s=0.05)
    assert process.returncode is not None
    deadline = time.monotonic() + WAIT_S
    while is_running(grandchild) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(grandchild)


def test_close_twice_and_threads_end() -> None:
    before = threading.active_count()
    process = child("input()")
    process.close("bye")
    process.close()
    assert threading.active_count() == before


@pytest.mark.skipif(os.name != "posix", reason="groups and niceness of POSIX")
def test_a_child_stands_back_for_its_parent_in_the_same_session() -> None:
    # Linux shares a core out between sessions first: a session of its own would make niceness vain.
    code = "input(); import os; print(os.getsid(0), os.getpgid(0) == os.getpid(), os.nice(0))"
    for niceness in (0, 3):
        with LineProcess([*PYTHON, code], niceness=niceness) as process:
            process.send("now")
            assert process.read(WAIT_S) == f"{os.getsid(0)} True {min(19, os.nice(0) + niceness)}"
