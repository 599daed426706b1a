"""``live-*.json``: the board of the game that a worker plays, for whoever watches a tournament's folder.

Each worker replaces its own file as a whole, at most a few times a second, and removes it at the end. That
of a game which was stopped, or whose worker was killed, stays until the next start, which plays that game
anew. The tournament reads nothing back from it.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import threading
from pathlib import Path
from typing import Any

from wuzi.core import Color, Game, format_moves

logger = logging.getLogger(__name__)

LIVE_FILES = "live-*.json"
SCHEMA = 1
PERIOD_S = 0.5


class LiveBoard:
    """Writes a worker's file (none for no folder), in its own thread so that no game waits for a disk."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / f"live-{secrets.token_hex(4)}.json"
        self._board: dict[str, Any] | None = None
        self._changed = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="arena-live", daemon=True)
        if self._path is not None:
            self._thread.start()

    def show(self, game_id: str, labels: tuple[str, str], game: Game) -> None:
        """A game as it stands."""
        self._board = {
            "game_id": game_id,
            "black": labels[game.seat_of(Color.BLACK)],
            "white": labels[game.seat_of(Color.WHITE)],
            "size": game.rules.size,
            "moves": format_moves(game.moves, game.rules.size),
        }
        self._changed.set()

    def drop(self) -> None:
        """The game is over, or was left."""
        self._board = None
        self._changed.set()

    def close(self) -> None:
        """Remove the file, unless it shows a game that was stopped."""
        if self._path is None:
            return
        self._closing.set()
        self._changed.set()
        self._thread.join()
        with contextlib.suppress(OSError):
            if self._board is None:
                self._path.unlink(missing_ok=True)
            else:
                self._write()

    def _work(self) -> None:
        while not self._closing.is_set():
            self._changed.wait()
            self._changed.clear()
            try:
                self._write()
            except OSError as error:  # a full disk ends the show, not the tournament: its record says so
                logger.warning("%s cannot be written: %s", self._path, error)
            self._closing.wait(PERIOD_S)

    def _write(self) -> None:
        assert self._path is not None
        board = self._board
        data = {"v": SCHEMA, "games": [] if board is None else [board]}
        # Not flushed to the disk: a file that is lost in a power cut was only of the moment.
        part = self._path.with_name(f".{self._path.name}.tmp")
        part.write_text(json.dumps(data, ensure_ascii=False), "utf-8")
        os.replace(part, self._path)


def clear_live(folder: Path) -> None:
    """Remove what workers that were killed have left."""
    for path in folder.glob(LIVE_FILES):
        path.unlink(missing_ok=True)


def read_live(folder: Path) -> list[dict[str, Any]]:
    """The boards in a tournament's folder; files that cannot be read show none."""
    return [game for path in sorted(folder.glob(LIVE_FILES)) for game in _games(path)]


def _games(path: Path) -> list[dict[str, Any]]:
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return []
    if not isinstance(data, dict) or data.get("v") != SCHEMA or not isinstance(data.get("games"), list):
        return []
    texts = ("game_id", "black", "white", "moves")
    return [
        game
        for game in data["games"]
        if isinstance(game, dict)
        and all(isinstance(game.get(key), str) for key in texts)
        and isinstance(game.get("size"), int)
    ]
