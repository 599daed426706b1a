"""What the window keeps on disk: preferences, the running game, saved games."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from wuzi.apps.desktop.opponents import engine_seat
from wuzi.apps.desktop.words import system_language
from wuzi.base.atomic import write_atomic
from wuzi.base.machine import config_dir, data_dir
from wuzi.base.words import LANGUAGES, Language
from wuzi.core import Color
from wuzi.errors import ConfigError, RecordError
from wuzi.games import GameSession, Seat, session_from_json, session_to_json
from wuzi.records import GameRecord, load, save

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Preferences:
    """What the window remembers between starts.

    Attributes:
        language: ``en`` or ``zh``.
        theme: ``light`` or ``dark``.
        zoom: the size of everything, 1 for usual.
        width, height: of the window, in pixels; 0 for a part of the screen.
        board: index of the board preset. rule, opening, clock: names of the choices.
        opponent, level: who is played. other, other_level: who plays Black when engines play.
        numbers: show move numbers on the stones.
    """

    language: Language = "en"
    theme: str = "light"
    zoom: float = 1.0
    width: int = 0
    height: int = 0
    board: int = 0
    rule: str = "freestyle"
    opening: str = "free"
    clock: str = "none"
    opponent: str = "levels"
    level: str = ""
    other: str = "engine"
    other_level: str = "quick"
    numbers: bool = False


class Storage:
    """The folders of one user.

    Args:
        config: folder of the preferences; by default the platform's.
        data: folder of the games.
    """

    def __init__(self, config: Path | None = None, data: Path | None = None) -> None:
        self._preferences = (config or config_dir()) / "desktop.json"
        self._running = (data or data_dir()) / "desktop" / "running-game.json"
        self.games = (data or data_dir()) / "desktop" / "games"

    # ------------------------------------------------------------ preferences

    def preferences(self) -> Preferences:
        """The stored preferences; defaults for what is missing or no longer fits."""
        chosen = Preferences(language=system_language())
        try:
            stored = json.loads(self._preferences.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return chosen
        except (OSError, ValueError) as error:
            logger.warning("%s: %s: defaults are used", self._preferences, error)
            return chosen
        if not isinstance(stored, dict):
            return chosen
        for one in fields(chosen):
            value = stored.get(one.name)
            if isinstance(value, type(getattr(chosen, one.name))):
                setattr(chosen, one.name, value)
        if chosen.language not in LANGUAGES:
            chosen.language = system_language()
        return chosen

    def keep_preferences(self, preferences: Preferences) -> None:
        """Store the preferences."""
        self._write(self._preferences, asdict(preferences))

    # ------------------------------------------------------------ the running game

    def running_game(self) -> GameSession | None:
        """The game that was being played when the window closed, or None."""
        try:
            return session_from_json(json.loads(self._running.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecordError) as error:
            logger.warning("%s: %s: the game is not offered", self._running, error)
            return None

    def keep_running_game(self, session: GameSession) -> None:
        """Store the game as it is now."""
        self._write(self._running, session_to_json(session))

    def forget_running_game(self) -> None:
        """There is no game to go on with."""
        self._running.unlink(missing_ok=True)

    # ------------------------------------------------------------ saved games

    def save_game(self, session: GameSession, now: datetime | None = None) -> Path:
        """Write a game as SGF; returns the file."""
        when = now or datetime.now()
        names = {color: _seat_text(session.seats[session.game.seat_of(color)]) for color in Color}
        record = GameRecord.from_game(
            session.game,
            black=names[Color.BLACK],
            white=names[Color.WHITE],
            date=when.strftime("%Y-%m-%d"),
        )
        self.games.mkdir(parents=True, exist_ok=True)
        path = _free(self.games / f"wuzi-{when:%Y%m%d-%H%M%S}.sgf")
        save(record, path)
        return path

    def saved_games(self) -> list[Path]:
        """The saved games, newest first."""
        found = self.games.glob("*.sgf") if self.games.is_dir() else []
        return sorted(found, key=lambda path: (path.stat().st_mtime, path.name), reverse=True)

    @staticmethod
    def load_game(path: Path) -> tuple[GameSession, tuple[str, ...]]:
        """The game of a file, and what was unusual about it; seats are engines again where it names them.

        Raises:
            RecordError: it is no game record.
            OSError: it cannot be read.
        """
        record = load(path)
        game = record.game()
        seats: list[Seat] = [Seat(), Seat()]
        for color, name in ((Color.BLACK, record.black), (Color.WHITE, record.white)):
            seats[game.seat_of(color)] = _parse_seat(name)
        session = GameSession(game.rules, seats, game)
        session.pause()
        return session, record.warnings

    @staticmethod
    def _write(path: Path, data: Any) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, json.dumps(data, ensure_ascii=False).encode("utf-8"))


def _seat_text(seat: Seat) -> str:
    return seat.name if seat.is_human else f"{seat.player}/{seat.level}"


def _parse_seat(text: str) -> Seat:
    opponent, slash, level = text.rpartition("/")
    if slash:
        try:
            return engine_seat(opponent, level)
        except ConfigError:
            logger.info("%r is no opponent here: a person plays", text)
    return Seat(name=text[:60])


def _free(path: Path) -> Path:
    """The path, or one beside it that is not taken yet."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_stem(f"{path.stem}-{number}")
    return free
