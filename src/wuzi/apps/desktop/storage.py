"""What the window keeps on disk: preferences, the running game, saved games."""

from __future__ import annotations

import itertools
import locale
import logging
import os
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from wuzi.apps.desktop.opponents import engine_seat
from wuzi.base.machine import config_dir, data_dir
from wuzi.base.store import read_object, write_object
from wuzi.base.words import LANGUAGES, Language
from wuzi.core import Color
from wuzi.errors import ConfigError, RecordError
from wuzi.games import GameSession, Seat, session_from_json, session_to_json
from wuzi.records import GameRecord, load, save

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Preferences:
    """What the window remembers between starts: names of choices; 0 pixels are a part of the screen.

    ``opponent`` is who is played, ``other`` plays Black when engines play; ``turned`` is a symmetry;
    ``matrix`` names cells by row and column (``A9``).
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
    matrix: bool = False
    turned: int = 0


def system_language() -> Language:
    """Chinese where the system speaks it, else English."""
    named = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
    return "zh" if (named or locale.getlocale()[0] or "").lower().startswith(("zh", "chinese")) else "en"


class Storage:
    """The files of one user, by default in the platform's folders."""

    def __init__(self, config: Path | None = None, data: Path | None = None) -> None:
        self._preferences = (config or config_dir()) / "desktop.json"
        self._running = (data or data_dir()) / "desktop" / "running-game.json"
        self.games = (data or data_dir()) / "desktop" / "games"

    def preferences(self) -> Preferences:
        """The stored preferences; defaults for what is missing or no longer fits."""
        chosen = Preferences(language=system_language())
        stored = _read(self._preferences) or {}
        for one in fields(chosen):
            value = stored.get(one.name)
            if isinstance(value, type(getattr(chosen, one.name))):
                setattr(chosen, one.name, value)
        if chosen.language not in LANGUAGES:
            chosen.language = system_language()
        return chosen

    def keep_preferences(self, preferences: Preferences) -> None:
        """Store the preferences."""
        _write(self._preferences, asdict(preferences))

    def running_game(self) -> GameSession | None:
        """The game that was being played when the window closed, or None."""
        stored = _read(self._running)
        try:
            return None if stored is None else session_from_json(stored)
        except RecordError as error:
            logger.warning("%s: %s: the game is not offered", self._running, error)
            return None

    def keep_running_game(self, session: GameSession) -> None:
        """Store the game as it is now."""
        _write(self._running, session_to_json(session))

    def forget_running_game(self) -> None:
        """Delete the stored game: none is to be resumed."""
        self._running.unlink(missing_ok=True)

    def save_game(self, session: GameSession, now: datetime | None = None) -> Path:
        """Write a game as SGF; returns the file."""
        when = now or datetime.now()
        game = session.game
        black, white = (_seat_text(session.seats[game.seat_of(color)]) for color in Color)
        record = GameRecord.from_game(game, black=black, white=white, date=when.strftime("%Y-%m-%d"))
        self.games.mkdir(parents=True, exist_ok=True)
        path = _free(self.games / f"wuzi-{when:%Y%m%d-%H%M%S}.sgf")
        save(record, path)
        return path

    def saved_games(self) -> list[Path]:
        """The saved games, newest first."""
        found = self.games.glob("*.sgf") if self.games.is_dir() else []
        return sorted(found, key=lambda path: (path.stat().st_mtime, path.name), reverse=True)

    @staticmethod
    def load_game(path: Path) -> GameSession:
        """The game of a file; seats are engines again where it names them."""
        record = load(path)
        game = record.game()
        seats = [_parse_seat(record.black), _parse_seat(record.white)]
        session = GameSession(game.rules, seats if game.color_of(0) is Color.BLACK else seats[::-1], game)
        if session.engine_to_act is not None:
            session.pause()
        return session


def _read(path: Path) -> dict[str, Any] | None:
    """What a file holds; None where it is missing or broken."""
    try:
        return read_object(path) if path.exists() else None
    except RecordError as error:
        logger.warning("%s: it is ignored", error)
        return None


def _write(path: Path, data: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_object(path, data)


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
    others = (path.with_stem(f"{path.stem}-{number}") for number in itertools.count(2))
    return next(one for one in itertools.chain([path], others) if not one.exists())
