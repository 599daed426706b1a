"""Games with labels on disk: one JSON line a game, moves and labels, never feature planes.

A folder holds ``data.json`` (the recipe) and ``games-00000.jsonl``, ``games-00001.jsonl``, ... of
:data:`SHARD_GAMES` games each, in the order of their numbers. A line::

    {"n": 7, "moves": "e5d5...", "random": [0, 1], "winner": 1,
     "features": [[0, 0, 0, 0, 0, 1], ...], "labels": [[[40, 120.0, 0, null], ...], ...]}

``random`` are the plies that were not the player's choice; ``winner`` 1 is Black, 2 White, 0 a draw;
``features`` are the six counts before each ply (:func:`wuzi.nets.planes.run_counts`); ``labels``
the teacher's candidates before each ply, best first: cell, score, visits, proven distance.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wuzi.base.json_fields import MALFORMED
from wuzi.base.store import LineFile, read_object, write_object
from wuzi.core import Rules, format_moves, parse_moves
from wuzi.core.notation import Move
from wuzi.errors import ConfigError, RecordError

SCHEMA = 1
SHARD_GAMES = 256
SETTINGS_FILE = "data.json"


@dataclass(frozen=True, slots=True)
class LabelledMove:
    """What the teacher thinks of one move."""

    cell: int
    score: float | None  # in the teacher's points, for the side to move; None where only visits are known
    visits: int = 0  # simulations, where the teacher searches a tree
    win_in: int | None = None  # plies to a proven win, negative to a proven loss; None if nothing is proven


@dataclass(frozen=True, slots=True)
class LabelledGame:
    """One game; see the module for the meaning of its parts. Its labels are empty when the data have none."""

    number: int
    moves: tuple[Move, ...]
    random: tuple[int, ...]
    winner: int
    features: tuple[tuple[int, ...], ...]
    labels: tuple[tuple[LabelledMove, ...], ...] = ()

    def to_line(self, size: int) -> str:
        """The game as a line of JSON, without its end."""
        data = {
            "n": self.number,
            "moves": format_moves(self.moves, size),
            "random": self.random,
            "winner": self.winner,
            "features": self.features,
            "labels": [[(c.cell, c.score, c.visits, c.win_in) for c in ply] for ply in self.labels],
        }
        return json.dumps(data, separators=(",", ":"), allow_nan=False)


def parse_line(line: str | bytes, size: int, where: str) -> LabelledGame:
    """Read what :meth:`LabelledGame.to_line` wrote; a RecordError that names ``where`` for another line."""
    try:
        data = json.loads(line)
        moves = parse_moves(data["moves"], size)
        game = LabelledGame(
            number=int(data["n"]),
            moves=moves,
            random=tuple(map(int, data["random"])),
            winner=int(data["winner"]),
            features=tuple(tuple(map(int, counts)) for counts in data["features"]),
            labels=tuple(tuple(map(_candidate, ply)) for ply in data["labels"]),
        )
    except MALFORMED as error:
        raise RecordError(f"{where}: not a game with labels ({error})") from None
    if len(game.features) != len(moves) or len(game.labels) not in (0, len(moves)):
        raise RecordError(f"{where}: {len(moves)} moves with {len(game.features)} features")
    return game


def _candidate(item: Any) -> LabelledMove:
    cell, score, visits, win_in = item
    points, proven = None if score is None else float(score), None if win_in is None else int(win_in)
    return LabelledMove(int(cell), points, int(visits), proven)


def shard_path(folder: Path, number: int) -> Path:
    """The file that game ``number`` is in."""
    return folder / f"games-{number // SHARD_GAMES:05d}.jsonl"


def write_settings(folder: Path, recipe: dict[str, Any]) -> None:
    """Begin a folder, or check that it was begun with the same recipe; a ConfigError names a difference."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / SETTINGS_FILE
    if not path.exists():
        write_object(path, {"schema": SCHEMA, **recipe}, indent=1)
        return
    known = read_settings(folder)
    for key in sorted({*known, *recipe} - {"schema"}):
        if known.get(key) != recipe.get(key):
            raise ConfigError(f"{folder}: was begun with {key}={known.get(key)}, not {recipe.get(key)}")


def read_settings(folder: Path) -> dict[str, Any]:
    """The recipe of a folder; a RecordError where there is none."""
    path = folder / SETTINGS_FILE
    data = read_object(path)
    if data.get("schema") != SCHEMA:
        raise RecordError(f"{path}: expected games with labels, schema {SCHEMA}")
    return data


def rules_of_settings(settings: dict[str, Any]) -> Rules:
    """The rules in a recipe."""
    return Rules(size=settings["size"], win_length=settings["win_length"], rule=settings["rule"])


def read_games(folder: Path, size: int) -> Iterator[LabelledGame]:
    """The games of a folder in order; a RecordError for a game out of order or a broken line but the last."""
    number = 0
    for path in sorted(folder.glob("games-*.jsonl")):
        for where, line in LineFile(path).lines():
            game = parse_line(line, size, where)
            if game.number != number:
                raise RecordError(f"{where}: game {game.number}, expected {number}")
            yield game
            number += 1
