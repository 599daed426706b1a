"""``live-*.json``: the board of the game that a worker plays, for whoever watches a tournament's folder.

Each worker replaces its own file as a whole, at most a few times a second: a game that is over stays in it
until the next one takes its place. At the end the worker removes the file. That of a game which was stopped,
or whose worker was killed, stays until the next start, which plays that game anew. The tournament reads
nothing back from it.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import threading
import time
from pathlib import Path
from typing import Any

from wuzi.core import Color, format_moves
from wuzi.games.referee import Standing

logger = logging.getLogger(__name__)

LIVE_FILES = "live-*.json"
SCHEMA = 2
PERIOD_S = 0.5
END_S = 1.5
"""How long the end of a game is to be seen at least, though the next one has begun."""

_Shown = tuple[str, tuple[str, str], Standing, float]


class LiveBoard:
    """Writes a worker's file (none for no folder), in its own thread so that no game waits for a disk."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / f"live-{secrets.token_hex(4)}.json"
        self._shown: _Shown | None = None
        self._ended: _Shown | None = None
        self._changed = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="arena-live", daemon=True)
        if self._path is not None:
            self._thread.start()

    def show(self, game_id: str, labels: tuple[str, str], standing: Standing) -> None:
        """A game as it stands; the players are named by seat. It costs the game some 5 us a turn."""
        self._shown = game_id, labels, standing, time.time()
        if standing.game.outcome is not None:
            self._ended = self._shown
        self._changed.set()

    def close(self) -> None:
        """Remove the file, unless it shows a game that was stopped."""
        if self._path is None:
            return
        self._closing.set()
        self._changed.set()
        self._thread.join()
        with contextlib.suppress(OSError):
            if self._shown is None or self._shown[2].game.outcome is not None:
                self._path.unlink(missing_ok=True)
            else:
                self._write(self._shown)

    def _work(self) -> None:
        while not self._closing.is_set():
            self._changed.wait()
            self._changed.clear()
            ended, self._ended = self._ended, None
            try:
                self._write(ended or self._shown)
            except OSError as error:  # a full disk ends the show, not the tournament: its record says so
                logger.warning("%s cannot be written: %s", self._path, error)
            self._closing.wait(END_S if ended else PERIOD_S)
            if ended:  # then what has begun meanwhile
                self._changed.set()

    def _write(self, shown: _Shown | None) -> None:
        assert self._path is not None
        data = {"v": SCHEMA, "games": [] if shown is None else [_board(*shown)]}
        # Not flushed to the disk: a file that is lost in a power cut was only of the moment.
        part = self._path.with_name(f".{self._path.name}.tmp")
        part.write_text(json.dumps(data, ensure_ascii=False), "utf-8")
        os.replace(part, self._path)


def _board(game_id: str, labels: tuple[str, str], standing: Standing, at: float) -> dict[str, Any]:
    """A game as data; ``asked_at`` is in Unix time."""
    game = standing.game
    end = game.outcome

    def side(color: Color) -> dict[str, Any]:
        seat = game.seat_of(color)
        return {
            "name": labels[seat],
            "time_s": standing.times_s[seat],
            "clock_s": standing.clocks_s[seat],
            "winrate": standing.winrates[seat],
        }

    return {
        "game_id": game_id,
        "black": side(Color.BLACK),
        "white": side(Color.WHITE),
        "size": game.rules.size,
        "moves": format_moves(game.moves, game.rules.size),
        "to_move": game.color_of(game.seat_to_act).letter,
        "asked_at": None if end else at,
        "winner": end and end.result,
        "reason": end and end.reason.label,
    }


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
    return [game for game in data["games"] if isinstance(game, dict) and isinstance(game.get("moves"), str)]
