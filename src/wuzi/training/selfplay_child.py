"""A process that plays games for training: requests on its standard input, games on its standard output.

Requests are lines of JSON: ``{"task": ...}`` once, ``{"net": PATH, "iteration": N}``, ``{"play": true}`` or
``false``, ``{"end": true}``. Answers: ``{"game": LINE}`` for each game that ends, and the counts every
second. It ends when its input does.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wuzi.core import Rules, parse_rule
from wuzi.players.schema import build_config
from wuzi.training.config import SelfPlaySection
from wuzi.training.games import SelfPlayGame
from wuzi.training.workers import Here, Task

_COUNTS_S = 1.0
_Requests = queue.Queue[dict[str, Any] | None]


def main() -> None:
    """Answer requests until the input ends."""
    requests: _Requests = queue.Queue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    with contextlib.suppress(BrokenPipeError):
        _Child(requests).run()
    os._exit(0)  # the listening thread may wait for ever


class _Child:
    def __init__(self, requests: _Requests) -> None:
        self._requests = requests
        self._player: Here | None = None
        self._games: Iterator[SelfPlayGame | None] = iter(())
        self._playing = False
        self._said = 0.0

    def run(self) -> None:
        """Until there is nothing to listen to; only who is told to end writes its games down."""
        while True:
            try:
                request = self._requests.get(block=not self._playing)
            except queue.Empty:
                self._play_on()
                continue
            if request is None:
                return
            if "end" in request:
                if self._player is not None:
                    self._player.close()
                return
            self._answer(request)

    def _answer(self, request: dict[str, Any]) -> None:
        if "task" in request:
            self._player = _player(request["task"])
            self._games = self._player.games()
            return
        assert self._player is not None
        if "net" in request:
            self._player.use(Path(request["net"]), request["iteration"])
            _say({"ready": request["iteration"]})
        else:
            self._playing = bool(request["play"])
            if not self._playing:
                for game in self._player.pause():
                    _say({"game": game.to_line()})
                _say({"paused": True, **self._counts()})

    def _play_on(self) -> None:
        assert self._player is not None
        game = next(self._games)
        if game is not None:
            _say({"game": game.to_line()})
        if time.monotonic() - self._said > _COUNTS_S:
            self._said = time.monotonic()
            _say(self._counts())

    def _counts(self) -> dict[str, Any]:
        assert self._player is not None
        return {"evaluations": self._player.counts.evaluations, "moves": self._player.counts.moves}


def _listen(requests: _Requests) -> None:
    for line in sys.stdin:
        requests.put(json.loads(line))
    requests.put(None)


def _player(task: dict[str, Any]) -> Here:
    rules = Rules(task["rules"]["size"], task["rules"]["win_length"], parse_rule(task["rules"]["rule"]))
    options = build_config(SelfPlaySection, {}, task["options"], "selfplay")
    taken = frozenset(range(task["floor"])) | frozenset(task["taken"])
    found = Task(rules, options, task["seed"], Path(task["folder"]), taken, task["device"])
    return Here(found, task["worker"], task["workers"])


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
