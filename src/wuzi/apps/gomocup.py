"""``pbrain-wuzi``: wuzi as an engine for Gomocup managers (Piskvork, c-gomoku-cli, the Gomocup judge).

Three threads: one reads, one thinks, and the main thread owns the conversation, so that STOP and END
are heard while thinking. The player is loaded in the background; START is answered at once.

The base footprint, interpreter and compiled kernels included, is about 160 MB of resident memory (100 MB
of it not shared with other processes); the default player adds no tables to it. A lower ``max_memory``
is accepted and played on with.
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
from dataclasses import dataclass

from wuzi import __version__
from wuzi.apps.gomocup_thinker import Answer, Thinker, stand_in
from wuzi.errors import ConfigError
from wuzi.jobs.line_splitter import LineSplitter
from wuzi.protocols.gomocup import format_about
from wuzi.protocols.gomocup_session import Event, Exit, Reply, Request, Session, StopThinking, Think

DEFAULT_PLAYER = "minimax:preset=s1"
PLAYER_VARIABLE = "WUZI_PBRAIN_PLAYER"
ABOUT = format_about(
    {
        "name": "wuzi",
        "version": __version__,
        "author": "wuzi contributors",
        "country": "International",
        "www": "",
    }
)

_LAST_WORD_S = 0.4
"""Seconds that an answer may still take after the end of the input."""

logger = logging.getLogger("wuzi.apps.gomocup")


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    arrived: float


@dataclass(frozen=True, slots=True)
class _EndOfInput:
    pass


_Message = _Line | _EndOfInput | Answer | Exception


class Brain:
    """The conversation with one manager.

    Args:
        player: spec string of the player that answers.
        read: gives the next bytes of the input, none at its end.
        write: sends one line.
    """

    def __init__(self, player: str, read: Callable[[], bytes], write: Callable[[str], None]) -> None:
        self._read = read
        self._write = write
        self._inbox: queue.Queue[_Message] = queue.Queue(1000)
        self._thinker = Thinker(player, self._inbox.put, self._inbox.put)
        self._session = Session(ABOUT)
        self._request: Request | None = None
        self._arrived = 0.0
        self._exit_at: float | None = None

    def run(self) -> int:
        """Talk until END or the end of the input; the exit status."""
        threading.Thread(target=self._read_lines, name="pbrain_read", daemon=True).start()
        self._thinker.start()
        try:
            while True:
                try:
                    message = self._inbox.get(timeout=self._patience())
                except queue.Empty:
                    message = None
                status = self._watch_clock() if message is None else self._handle(message)
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
        self._inbox.put(_EndOfInput())

    def _handle(self, message: _Message) -> int | None:
        """Deal with one message; an exit status ends the conversation."""
        if isinstance(message, _Line):
            logger.debug("< %s", message.text)
            return self._obey(self._session.receive(message.text), message.arrived)
        if isinstance(message, Answer):
            return self._take(message) if message.request is self._request else None
        if isinstance(message, _EndOfInput):
            self._exit_at = time.monotonic() + _LAST_WORD_S
            self._thinker.stop()
            return None if self._session.thinking else 0
        if isinstance(message, ConfigError):
            raise message
        self._say(f"MESSAGE the player cannot be loaded, moves come from a score table: {message!r:.200}")
        return None

    def _obey(self, events: Sequence[Event], arrived: float) -> int | None:
        for event in events:
            if isinstance(event, Reply):
                self._say(event.text)
            elif isinstance(event, Think):
                self._request, self._arrived = event.request, arrived
                if not event.request.stones and event.request.opening is None:
                    return self._take(Answer(event.request, stand_in(event.request)))
                self._thinker.think(event.request, arrived)
            elif isinstance(event, StopThinking):
                self._thinker.stop()
            else:
                assert isinstance(event, Exit)
                return 0
        return None

    def _take(self, answer: Answer) -> int | None:
        """Give an answer to the manager, and run the commands that waited for it."""
        if answer.trouble is not None:
            self._say(f"MESSAGE this move comes from a score table: {answer.trouble}")
        self._request = None
        now = time.monotonic()
        try:
            events = self._session.answer(answer.cells, now - self._arrived)
        except ValueError as error:
            logger.error("the player's answer was refused: %s", error)
            self._say(f"MESSAGE this move comes from a score table: {error}")
            events = self._session.answer(stand_in(answer.request), now - self._arrived)
        status = self._obey(events, now)
        if status is None and self._exit_at is not None:
            return 0
        return status

    def _patience(self) -> float | None:
        """Seconds until the clock has to be looked at, None for ever."""
        times = [] if self._exit_at is None else [self._exit_at]
        if self._request is not None:
            times.append(self._arrived + self._request.budget.hard_s)
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _watch_clock(self) -> int | None:
        """Time is up: answer from the score table instead of losing the game, or leave."""
        now = time.monotonic()
        if self._exit_at is not None and now >= self._exit_at:
            return 0
        request = self._request
        if request is not None and now >= self._arrived + request.budget.hard_s:
            logger.warning(
                "no answer within %.3f s: this one comes from the score table", request.budget.hard_s
            )
            self._thinker.stop()
            return self._take(Answer(request, stand_in(request)))
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
    brain = Brain(options.player, lambda: os.read(0, 65536), lambda line: _write_all(out, line))
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
        default=os.environ.get(PLAYER_VARIABLE) or DEFAULT_PLAYER,
        help=f"who answers (default: ${PLAYER_VARIABLE}, else {DEFAULT_PLAYER})",
    )
    parser.add_argument("--verbose", action="store_true", help="write a log to standard error")
    parser.add_argument("--version", action="version", version=f"wuzi {__version__}")
    return parser.parse_args(argv)


def _write_all(handle: int, line: str) -> None:
    data = line.encode("ascii", "replace") + b"\n"
    while data:
        data = data[os.write(handle, data) :]


if __name__ == "__main__":
    main()
