"""A server that is killed while people play: every stone that it answered for is there afterwards."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import AbstractContextManager, closing, suppress
from pathlib import Path
from typing import IO, Any

import httpx

from research.hardening.works import LOOK_S, Saved
from wuzi.apps.web.store import FILE_NAME
from wuzi.workers.local import worker_environment

SIZE = 9
SHARE_OF_NEW_GAMES = 0.1
LAST_S = 1.0
"""How long people play before the server is ended in order."""


class ServerWork:
    """``wuzi serve``, with games of two people by HTTP, killed at most ``life_s`` after an answer.

    What was answered has to be in the database after a kill, and of what was asked when the server died at
    most one stone or game more.
    """

    kind = "server"
    life_s = 2.0

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._folder = Path()
        self._forget(Path())

    def start(self, folder: Path) -> AbstractContextManager[subprocess.Popen[bytes]]:
        """A server on the data of the folder."""
        if folder != self._folder:
            self._forget(folder)
        command = [
            sys.executable,
            "-m",
            "wuzi",
            "serve",
            "--port",
            "0",
            "--workers",
            "1",
            "--max-arenas",
            "0",
        ]
        env = {**os.environ, **worker_environment(), "WUZI_DATA_DIR": str(folder / "data")}
        env |= {"PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._lives += 1
        self._client = threading.Thread(target=self._play, args=(process,), daemon=True)
        self._client.start()
        return process

    def await_result(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        """Until the server has answered for something new, or the process has ended."""
        before = len(self._answered)
        while process.poll() is None and len(self._answered) == before:
            time.sleep(LOOK_S)

    def run(self, process: subprocess.Popen[bytes], seconds: float) -> bool:
        """Let people play for so long; longer than a life, it is ended in order soon after it answers."""
        if seconds <= self.life_s:
            time.sleep(seconds)
            return True
        if not self._answers.wait(seconds):
            return True
        time.sleep(LAST_S)
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(60)
        return process.returncode is None

    def saved(self, folder: Path) -> Saved:
        """Each stone of each game in the database; what was answered for and is not there is a doubt."""
        self._client.join(60)
        self._answers.clear()
        stones = self._stones(folder / "data" / FILE_NAME)
        lacking = {name: cell for name, cell in self._answered.items() if stones.get(name) != cell}
        if lacking:
            self._doubts.append(
                f"life {self._lives}: {len(lacking)} answered, not saved: {[*lacking.items()][:3]}"
            )
        if len(stones) - len(self._answered) > self._lives:
            more = len(stones) - len(self._answered)
            self._doubts.append(f"life {self._lives}: {more} stones and games that nobody asked for")
        return Saved.of(stones.items())

    def unlike_quiet(self, process: subprocess.Popen[bytes], _folder: Path) -> list[str]:
        """What is wrong at the end."""
        wrong = [] if process.returncode in (0, 130) else [f"exit code {process.returncode} at the end"]
        return wrong + self._doubts

    def _forget(self, folder: Path) -> None:
        self._folder, self._lives = folder, 0
        self._answered: dict[str, str] = {}
        self._games: dict[str, tuple[int, dict[str, Any]]] = {}
        self._doubts: list[str] = []
        self._client = threading.Thread()
        self._answers = threading.Event()

    @staticmethod
    def _stones(path: Path) -> dict[str, str]:
        if not path.exists():
            return {}
        with closing(sqlite3.connect(path)) as base:
            found = base.execute("SELECT id, data FROM games").fetchall()
        stones = dict[str, str]()
        for game, data in found:
            stones |= _named(game, [action["moves"][0] for action in json.loads(data)["actions"]])
        return stones

    def _play(self, process: subprocess.Popen[bytes]) -> None:
        """Play until the server is gone."""
        assert process.stderr is not None
        url = next(
            (found[1] for line in process.stderr if (found := re.search(rb"wuzi is at (\S+)", line))), None
        )
        threading.Thread(target=_drain, args=(process.stderr,), daemon=True).start()
        if url is None:
            return
        self._answers.set()
        with suppress(httpx.TransportError), httpx.Client(base_url=f"{url.decode()}/api/v1") as client:
            while True:
                self._one(client)

    def _one(self, client: httpx.Client) -> None:
        """Begin a game or place a stone, each a new version of a stored value."""
        if not self._games or self._rng.random() < SHARE_OF_NEW_GAMES:
            name, version, data = f"game{self._rng.getrandbits(48):x}", 0, dict[str, Any](actions=[])
        else:
            name = self._rng.choice(sorted(self._games))
            version, data = self._games[name]
            taken = {action["moves"][0] for action in data["actions"]}
            cell = self._rng.choice([at for at in range(SIZE * SIZE) if at not in taken])
            data = {"actions": [*data["actions"], {"type": "place", "moves": [cell]}]}
        body = {"version": version, "summary": {}, "data": data}
        answer = client.put(f"/store/games/{name}", json=body)
        if answer.status_code == httpx.codes.CONFLICT:  # the one write that was saved and not answered for
            answer = client.get(f"/store/games/{name}")
        stored = answer.raise_for_status().json()
        cells = [action["moves"][0] for action in stored["data"]["actions"]]
        self._answered |= _named(name, cells)
        self._games[name] = (stored["version"], stored["data"])
        if len(cells) == SIZE * SIZE:
            del self._games[name]


def _named(game: str, cells: list[int]) -> dict[str, str]:
    return {game: "begun"} | {f"{game} {ply}": str(cell) for ply, cell in enumerate(cells, 1)}


def _drain(stream: IO[bytes]) -> None:
    """Read until the end, or until somebody closes it."""
    with suppress(ValueError):
        stream.read()
