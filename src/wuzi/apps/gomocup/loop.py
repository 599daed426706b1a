"""``pbrain-wuzi``: wuzi as an engine for Gomocup managers (Piskvork, c-gomoku-cli, the Gomocup judge).

Three threads: one reads, one thinks, and the main thread owns the conversation, so that STOP and END
are heard while thinking. The player is loaded in the background. From a warm kernel cache that takes
half a second, for which the first START waits; kernels that have to be compiled are not waited for.

The engine's table takes what ``max_memory`` leaves beside the base footprint (interpreter, libraries and
compiled kernels). A limit below that footprint is accepted and played on with.
"""

from __future__ import annotations

import argparse
import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from wuzi import __version__
from wuzi.apps.gomocup.jobs import WIN_LENGTH, ThinkAnswer, ThinkProgress, fallback_answer
from wuzi.apps.gomocup.thinker import Thinker
from wuzi.base.machine import processors
from wuzi.core.rules import Rule, Rules
from wuzi.errors import ConfigError
from wuzi.players.spec import STRONGEST
from wuzi.protocols.gomocup.reports import REALTIME, current_lines, depth_of, final_line, progress_lines
from wuzi.protocols.gomocup.requests import (
    About,
    Event,
    Exit,
    Forget,
    GomocupReply,
    GomocupTask,
    Ponder,
    Request,
    StopThinking,
    Think,
)
from wuzi.protocols.gomocup.session import Session
from wuzi.protocols.gomocup.wire import format_about, split_word
from wuzi.workers.line_process import LineSplitter

PLAYER_VARIABLE = "WUZI_PBRAIN_PLAYER"
_ABOUT = {"name": "wuzi", "version": __version__, "author": "wuzi contributors", "country": "International"}
ABOUT = About(line=format_about(_ABOUT), title=f"wuzi {__version__}", max_threads=processors())

_LOADING_S = 1.7
"""Seconds after the start of the process until which the answer to START may wait for the player."""

_ABOUT_S = 10.0
"""Seconds that ABOUT waits for a player that was named, whose net it tells."""

_TALK_AFTER_S = 0.1
"""A search is reported after so many seconds, unless a person asked for details."""

_MARK_AFTER_S = 0.2
"""The same for marks of the move being looked at."""

_LAST_WORD_S = 0.4
"""Seconds that an answer may still take after the end of the input."""

logger = logging.getLogger("wuzi.apps.gomocup.loop")


@dataclass(frozen=True, slots=True)
class _Line:
    text: str | None  # None: the end of the input
    arrived: float


_Message = _Line | ThinkAnswer | ThinkProgress | Exception


class Brain:
    """The conversation with one manager: ``read`` gives bytes, none at the end; ``write`` sends a line.

    Of the players, given as spec strings, the first that plays the rules in force answers.
    """

    def __init__(
        self, players: Sequence[str], read: Callable[[], bytes], write: Callable[[str], None]
    ) -> None:
        self._read = read
        self._write = write
        self._inbox: queue.Queue[_Message] = queue.Queue(1000)
        self._is_named = len(players) == 1
        self._thinker = Thinker(players, self._inbox.put)
        self._session = Session(ABOUT)
        self._request: Request | None = None
        self._arrived = 0.0
        self._exit_at: float | None = None
        self._wait_until: float | None = time.monotonic() + _LOADING_S
        self._current: int | None = None
        self._depth = 0

    def run(self) -> int:
        """Talk until END or the end of the input; the exit status."""
        threading.Thread(target=self._read_lines, name="pbrain_read", daemon=True).start()
        self._thinker.start()
        try:
            while True:
                try:
                    status = self._handle(self._inbox.get(timeout=self._patience()))
                except queue.Empty:
                    status = self._watch_clock()
                if status is not None:
                    return status
        except BrokenPipeError:
            return 0
        finally:
            self._thinker.stop()

    def close(self) -> None:
        """Release the player."""
        self._thinker.close()

    def _read_lines(self) -> None:
        splitter = LineSplitter(64 << 10)
        while chunk := self._read():
            now = time.monotonic()
            for line in splitter.feed(chunk):
                self._inbox.put(_Line(line, now))
        for line in splitter.finish():
            self._inbox.put(_Line(line, time.monotonic()))
        self._inbox.put(_Line(None, time.monotonic()))

    def _handle(self, message: _Message) -> int | None:
        """Deal with one message; an exit status ends the conversation."""
        if isinstance(message, _Line):
            if message.text is not None:
                return self._hear(message.text, message.arrived)
            self._exit_at = time.monotonic() + _LAST_WORD_S
            self._thinker.stop()
            return None if self._session.thinking else 0
        if isinstance(message, ThinkProgress):
            if message.request is self._request:
                self._report(message)
            return None
        if isinstance(message, ThinkAnswer):
            return self._take(message) if message.request is self._request else None
        if isinstance(message, ConfigError):
            raise message
        self._say(f"MESSAGE the player cannot be loaded, moves come from a score table: {message!r:.200}")
        return None

    def _hear(self, line: str, arrived: float) -> int | None:
        logger.debug("< %s", line)
        word = split_word(line)[0].upper()
        if word == "START" and self._wait_until is not None:
            # Loading from a warm cache is charged to nobody now; in the first move it would be.
            self._thinker.wait_until_ready(self._wait_until)
            self._wait_until = None
        if word == "ABOUT":
            if self._is_named:
                self._thinker.wait_until_ready(time.monotonic() + _ABOUT_S, to_think=False)
            self._session.about = replace(ABOUT, line=self._about_line())
        if self._thinker.pondering and word not in ("", "INFO", "ABOUT"):
            self._thinker.stop()
        return self._obey(self._session.receive(line), arrived)

    def _about_line(self) -> str:
        """The answer to ABOUT, with the player's net on the present board where it has one."""
        session = self._session
        rule = session.limits.rule_in_force() or Rule.FREESTYLE
        rules = Rules(session.size or 15, WIN_LENGTH, rule)
        net = self._thinker.net_name(rules)
        said = {} if net is None else {"player": self._thinker.spec, "net": f"{net} ({rules.label})"}
        return format_about({key: value.replace('"', "'") for key, value in {**_ABOUT, **said}.items()})

    def _obey(self, events: Sequence[Event], arrived: float) -> int | None:
        for event in events:
            if isinstance(event, GomocupReply):
                self._say(event.text)
            elif isinstance(event, Think):
                status = self._think(event.request, arrived)
                if status is not None:
                    return status
            elif isinstance(event, Ponder):
                self._thinker.think(event.request, time.monotonic(), ponder=True)
            elif isinstance(event, StopThinking):
                self._thinker.stop()
            elif isinstance(event, Forget):
                self._thinker.forget()
            else:
                assert isinstance(event, Exit)
                return 0
        return None

    def _think(self, request: Request, arrived: float) -> int | None:
        self._request, self._arrived = request, arrived
        self._current, self._depth = None, 0
        plain = request.task is GomocupTask.MOVE and request.multipv == 1 and not request.blocked
        if plain and not request.stones:
            return self._take(ThinkAnswer(request, fallback_answer(request)))
        self._thinker.think(request, arrived)
        return None

    def _report(self, progress: ThinkProgress) -> None:
        """Say what the search found, a depth once, and which move it looks at."""
        limits, info = self._session.limits, progress.info
        size, detail = progress.request.size, limits.show_detail
        current = info.extra.get("current")
        if detail & REALTIME and info.time_s >= _MARK_AFTER_S:
            for line in current_lines(current, self._current, size):
                self._say(line)
            self._current = current
        asked = detail > 0 or limits.graphical or progress.request.multipv > 1
        if depth_of(info) > self._depth and (asked or info.time_s >= _TALK_AFTER_S):
            self._depth = depth_of(info)
            for line in progress_lines(info, size, detail):
                self._say(line)

    def _take(self, answer: ThinkAnswer) -> int | None:
        """Give an answer to the manager, and run the commands that waited for it."""
        if answer.trouble is not None:
            self._say(f"MESSAGE this move comes from a score table: {answer.trouble}")
        if answer.info is not None:
            self._say(final_line(answer.info))
        self._request = None
        now = time.monotonic()
        try:
            events = self._session.answer(answer.cells, now - self._arrived)
        except ValueError as error:
            logger.error("the player's answer was refused: %s", error)
            self._say(f"MESSAGE this move comes from a score table: {error}")
            events = self._session.answer(fallback_answer(answer.request), now - self._arrived)
        status = self._obey(events, now)
        return 0 if status is None and self._exit_at is not None else status

    def _patience(self) -> float | None:
        """Seconds until the clock has to be looked at, None for ever."""
        times = [] if self._exit_at is None else [self._exit_at]
        if self._request is not None and self._request.task is not GomocupTask.FORBIDDEN:
            times.append(self._arrived + self._request.budget.hard_s)
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _watch_clock(self) -> int | None:
        """Time is up: answer from the score table instead of losing the game, or leave."""
        now = time.monotonic()
        if self._exit_at is not None and now >= self._exit_at:
            return 0
        request = self._request
        if request is None or request.task is GomocupTask.FORBIDDEN:
            return None
        if now >= self._arrived + request.budget.hard_s:
            logger.warning("no answer within %.3f s: this is the best so far", request.budget.hard_s)
            self._thinker.stop()
            return self._take(self._thinker.best_so_far(request))
        return None

    def _say(self, text: str) -> None:
        logger.debug("> %s", text)
        self._write(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the engine on standard input and output, and end the process."""
    options = _parse(argv)
    # Whatever else prints in this process must not reach the manager.
    out = os.dup(1)
    os.dup2(2 if options.verbose else os.open(os.devnull, os.O_WRONLY), 1)
    logging.basicConfig(level=logging.CRITICAL, stream=sys.stderr, format="%(asctime)s %(message)s")
    if options.verbose:
        logging.getLogger("wuzi").setLevel(logging.DEBUG)
    players = (options.player,) if options.player else STRONGEST
    brain = Brain(players, lambda: os.read(0, 65536), lambda line: _write_all(out, line))
    try:
        status = brain.run()
        brain.close()
    except ConfigError as error:
        print(f"pbrain-wuzi: {error}", file=sys.stderr)
        status = 2
    except KeyboardInterrupt:
        status = 130
    sys.stderr.flush()
    # A search may still be leaving its kernel; there is no time to wait for it.
    os._exit(status)


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="pbrain-wuzi",
        description="wuzi as a Gomocup engine: speaks the Gomocup protocol on standard input and output.",
    )
    parser.add_argument(
        "--player",
        metavar="SPEC",
        default=os.environ.get(PLAYER_VARIABLE),
        help=f"spec string of the player (default: ${PLAYER_VARIABLE}; without it, the first of "
        f"{', '.join(STRONGEST)} that plays the rules)",
    )
    parser.add_argument("--verbose", action="store_true", help="write a log to standard error")
    parser.add_argument("--version", action="version", version=f"wuzi {__version__}")
    return parser.parse_args(argv)


def _write_all(handle: int, line: str) -> None:
    data = line.encode("ascii", "replace") + b"\n"
    while data:
        data = data[os.write(handle, data) :]
