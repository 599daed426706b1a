"""A scripted referee for line-speaking engines: send lines, expect replies."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from wuzi.protocols.gomocup.wire import AnswerKind, parse_answer
from wuzi.workers.line_process import LineProcess


class EngineScript:
    """A conversation with a Gomocup engine in a child process; a context manager."""

    def __init__(
        self, command: Sequence[str], *, env: Mapping[str, str] | None = None, patience_s: float = 60.0
    ) -> None:
        self.process = LineProcess(command, env=env)
        self._patience_s = patience_s

    def send(self, *lines: str) -> Self:
        """Send lines."""
        for line in lines:
            self.process.send(line)
        return self

    def reply(self) -> str:
        """The next line that is no comment; an AssertionError with the conversation if none comes in time."""
        deadline = time.monotonic() + self._patience_s
        while True:
            try:
                line = self.process.read(deadline - time.monotonic())
            except (TimeoutError, EOFError) as error:
                raise AssertionError(f"{error}\n{self.process.log_text()}") from None
            if parse_answer(line, 26).kind is not AnswerKind.COMMENT:
                return line

    def expect(self, *lines: str) -> Self:
        """Check that exactly these replies come next, with an AssertionError otherwise."""
        for line in lines:
            reply = self.reply()
            assert reply == line, f"expected {line!r}, got {reply!r}\n{self.process.log_text()}"
        return self

    def cells(self, size: int) -> tuple[int, ...]:
        """The next reply as cells of the board; an AssertionError if it is none."""
        reply = self.reply()
        answer = parse_answer(reply, size)
        assert answer.kind is AnswerKind.CELLS and answer.cells, f"no cells: {reply!r}"
        return answer.cells

    def move(self, size: int) -> int:
        """The next reply as one cell of the board."""
        (cell,) = self.cells(size)
        return cell

    def wait_for_end(self, within_s: float) -> int:
        """Wait until the process has ended by itself; its exit status, or an AssertionError."""
        deadline = time.monotonic() + within_s
        while (status := self.process.returncode) is None:
            assert time.monotonic() < deadline, f"still running after {within_s} s"
            time.sleep(0.005)
        return status

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
