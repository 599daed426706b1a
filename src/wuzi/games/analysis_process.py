"""A child process that speaks the analysis protocol; a thread reads its lines, so the loop never waits."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wuzi.errors import PlayerCrashed, PlayerError, PlayerTimeout, ProtocolError
from wuzi.protocols.analysis import queries
from wuzi.protocols.analysis.replies import parse_reply
from wuzi.workers.line_process import LineProcess

logger = logging.getLogger(__name__)

READY, WARM, PING = "ready", "warm", "ping"
UPKEEP = (READY, WARM, PING)
"""Ids of what a worker is asked beside its searches."""
LOG_LINES = 20
LOG_WIDTH = 160
NICENESS = 5
"""Searches take what is left of a processor: the event loop or window that shows them comes first."""
OnReply = Callable[[dict[str, Any]], None]
PoolRequest = queries.Start | queries.Describe | queries.Layers | queries.NamedTask


class WorkerFailed(PlayerError):
    """The worker lives, but its player refused or failed, with the code of its ``error`` reply."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(slots=True)
class _Pending:
    answer: asyncio.Future[dict[str, Any]]
    on_info: OnReply | None
    is_sent: bool = False
    stop_wanted: bool = False


class AnalysisProcess:
    """A running worker process; OSError if the command cannot be started."""

    def __init__(self, command: Sequence[str]) -> None:
        self._loop = asyncio.get_running_loop()
        self._pending: dict[str, _Pending] = {}
        self._ids = itertools.count(1)
        self._end: str | None = None
        self._process = LineProcess(command, niceness=NICENESS)
        self._ready = self._expect(READY)
        self._reader = threading.Thread(target=self._read, name=f"worker-{self.pid}", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._end is None and self._process.returncode is None

    @property
    def is_thinking(self) -> bool:
        """Whether a request for an answer (no ping, no warming) has reached the process."""
        return any(pending.is_sent for key, pending in list(self._pending.items()) if key not in UPKEEP)

    def log_tail(self) -> str:
        """The last lines of the conversation, for error reports."""
        lines = self._process.log_text().splitlines()[-LOG_LINES:]
        return "\n".join(line[:LOG_WIDTH] for line in lines)

    async def start(self, timeout_s: float) -> None:
        """Wait until the kernels are loaded; PlayerCrashed or PlayerTimeout if it does not come up."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._ready
                await self.ask(queries.Warm(WARM))
        except TimeoutError:
            raise PlayerTimeout(f"the engine process was not ready within {timeout_s:g} s") from None

    async def responds(self, timeout_s: float) -> bool:
        """Whether the process answers a ping. One that died a moment ago may still look alive."""
        try:
            async with asyncio.timeout(timeout_s):
                await self.ask(queries.Ping(PING))
        except (TimeoutError, PlayerError):
            return False
        return True

    async def ask(
        self, request: PoolRequest | queries.Warm | queries.Ping, on_info: OnReply | None = None
    ) -> dict[str, Any]:
        """The final reply; PlayerCrashed if the process ended, WorkerFailed if it is an error."""
        if self._end is not None:
            raise PlayerCrashed(self._end)
        request_id = str(request.id)
        answer = self._expect(request_id, on_info)
        try:
            # A full pipe would hold up the loop; the child reads in a thread of its own, but may be stopped.
            await asyncio.to_thread(self._process.send, queries.format_request(request))
            pending = self._pending[request_id]
            pending.is_sent = True
            if pending.stop_wanted:
                self.stop(request_id)
            return await answer
        except EOFError as error:
            raise PlayerCrashed(f"the engine process ended: {error}") from None
        finally:
            self._pending.pop(request_id, None)

    def stop(self, request_id: str) -> None:
        """Ask for the answer to that request now; never overtakes the request itself."""
        pending = self._pending.get(request_id)
        if pending is None:
            return
        pending.stop_wanted = True
        if pending.is_sent:
            with contextlib.suppress(EOFError):
                self._process.send(queries.format_request(queries.StopSearch(request_id)))

    async def kill(self) -> None:
        """End the process now."""
        await asyncio.to_thread(self._process.kill)

    async def close(self) -> None:
        """End the process politely, then by force."""
        await asyncio.to_thread(self._process.close, '{"type":"quit"}', 0.5)

    def _expect(self, key: str, on_info: OnReply | None = None) -> asyncio.Future[dict[str, Any]]:
        answer: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._pending[key] = _Pending(answer, on_info)
        return answer

    def _read(self) -> None:
        """In the reading thread: each line to the loop, and at last how the process ended."""
        while True:
            try:
                line = self._process.read()
            except EOFError as error:
                self._to_loop(self._ended, f"the engine process ended: {error}")
                return
            self._to_loop(self._received, line)

    def _to_loop(self, call: Callable[[str], None], text: str) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants to know
            self._loop.call_soon_threadsafe(call, text)

    def _received(self, line: str) -> None:
        try:
            reply = parse_reply(line)
        except ProtocolError as error:
            logger.warning("worker %d: %s", self.pid, error)
            return
        kind = reply["type"]
        pending = self._pending.get(READY if kind == READY else str(reply.get("id")))
        if pending is None or pending.answer.done():
            return
        if kind == "info":
            if pending.on_info is not None:
                pending.on_info(reply)
        elif kind == "error":
            code, message = str(reply.get("code")), str(reply.get("message"))
            pending.answer.set_exception(WorkerFailed(code, message))
        elif kind in (READY, "done", "described", "layered", "pong", "warmed"):
            pending.answer.set_result(reply)

    def _ended(self, how: str) -> None:
        self._end = how
        for pending in self._pending.values():
            if not pending.answer.done():
                pending.answer.set_exception(PlayerCrashed(how))
        if self._ready.done() and not self._ready.cancelled():
            self._ready.exception()  # retrieved, so that an unawaited one is not reported as forgotten
