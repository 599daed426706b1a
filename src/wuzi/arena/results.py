"""What is kept of a game: the record, and the ``batch_results_*.csv`` made from records."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wuzi.base.atomic import write_atomic
from wuzi.base.machine import packaged_table
from wuzi.base.store import read_text
from wuzi.errors import RecordError

SCHEMA = 1
"""Version of a line of ``games.jsonl``."""

CSV_COLUMNS = tuple(
    (
        "game_id started_at black white winner result reason plies duration_s black_time_s white_time_s "
        "first_player size win_length rule opening_id seed moves black_hash white_hash version"
    ).split()
)
"""The columns of ``batch_results_*.csv``, in order."""

RESULTS = {"black": "1-0", "white": "0-1", "draw": "1/2-1/2"}
"""The score as Black sees it, by the word for the winner."""

FORFEITS = frozenset({"time", "crash", "illegal"})
"""Reasons that say nothing about the position: the loser broke down."""

_ALIASES = packaged_table("report/column_aliases.toml")
"""Other names of columns, in the order in which they are looked for."""
_DRAWS = frozenset({"draw", "tie", "drawn", "none", "1/2-1/2", "0.5-0.5", "平局", "和棋", "-1"})
_CELLS = re.compile(r"[a-z]\d+")
_PAIRED = re.compile(r"(.+)-[12]")


@dataclass(frozen=True, slots=True)
class GameResult:
    """One finished game. A CSV row holds what :data:`CSV_COLUMNS` names.

    Attributes:
        game_id: unique in its tournament. Games of one opening pair share all but ``-1`` or ``-2``.
        started_at: ISO 8601 time, UTC.
        black, white: labels of the players who had these colours at the end.
        winner: ``black``, ``white`` or ``draw``.
        reason: a label of :class:`wuzi.core.Reason`.
        plies: stones on the board at the end, opening included.
        duration_s, black_time_s, white_time_s: wall seconds of the game and of each side's thinking;
            None when an older file does not tell.
        first_player: label of the player who had the first turn (before any swap);
            Black when not given.
        opening_id: name of the opening, empty for the empty board.
        seed: seed of the game.
        moves: position code, such as ``h8h9i7``.
        black_hash, white_hash: hash of the player's settings, so that ratings bind to one version.
        version: wuzi's version.
        opening: position code of the stones placed before the players were asked.
        detail: what went wrong, when a player forfeited.
        black_slowest_s, white_slowest_s: wall seconds of each side's slowest answer.
        black_late, white_late: answers of each side that took longer than its limit; None in older records.
    """

    game_id: str
    black: str
    white: str
    winner: str
    reason: str = ""
    plies: int | None = None
    duration_s: float | None = None
    black_time_s: float | None = None
    white_time_s: float | None = None
    first_player: str = ""
    size: int | None = None
    win_length: int | None = None
    rule: str = ""
    opening_id: str = ""
    seed: int | None = None
    moves: str = ""
    started_at: str = ""
    black_hash: str = ""
    white_hash: str = ""
    version: str = ""
    opening: str = ""
    detail: str = ""
    black_slowest_s: float | None = None
    white_slowest_s: float | None = None
    black_late: int | None = None
    white_late: int | None = None

    def __post_init__(self) -> None:
        if self.winner not in RESULTS:
            raise RecordError(f"game {self.game_id}: winner {self.winner!r}: expected black, white or draw")
        if not self.first_player:
            object.__setattr__(self, "first_player", self.black)

    @property
    def result(self) -> str:
        """``1-0``, ``0-1`` or ``1/2-1/2``, as Black sees it."""
        return RESULTS[self.winner]

    @property
    def winner_name(self) -> str | None:
        """The label of the winner, None for a draw."""
        return {"black": self.black, "white": self.white}.get(self.winner)

    @property
    def forfeit_by(self) -> str | None:
        """The label of the player who lost on time, crashed or played an illegal move."""
        if self.reason not in FORFEITS or self.winner == "draw":
            return None
        return self.white if self.winner == "black" else self.black

    @property
    def unit(self) -> str:
        """What dependent games share: their opening, else the pair of games, else the game's own id.

        >>> one = GameResult("3fa0-2", "a", "b", "draw")
        >>> one.unit, dataclasses.replace(one, opening_id="n9").unit
        ('3fa0', 'n9')
        """
        return self.opening_id or self.pair

    @property
    def pair(self) -> str:
        """What the two games of a pair share: their id without ``-1`` or ``-2``, else their opening."""
        found = _PAIRED.fullmatch(self.game_id)
        return found[1] if found else self.opening_id or self.game_id

    def score(self, label: str) -> float:
        """1, 0.5 or 0: the result of the player with that label."""
        if self.winner == "draw":
            return 0.5
        return 1.0 if self.winner_name == label else 0.0

    def of(self, label: str, what: str) -> Any:
        """What is noted of the player with that label: ``hash``, ``time_s``, ``slowest_s`` or ``late``."""
        return getattr(self, f"{'black' if label == self.black else 'white'}_{what}")

    def answers_of(self, label: str) -> int | None:
        """Stones placed by the player with that label, those of the opening left out."""
        if self.plies is None:
            return None
        placed = len(_CELLS.findall(self.opening))
        black = (self.plies + 1) // 2 - (placed + 1) // 2
        return black if label == self.black else self.plies - placed - black


def record_to_json(record: GameResult) -> dict[str, Any]:
    """A line of ``games.jsonl`` as a dict."""
    return {"v": SCHEMA, **dataclasses.asdict(record), "result": record.result}


def record_from_json(data: object, where: str) -> GameResult:
    """Read what :func:`record_to_json` wrote."""
    if not isinstance(data, dict) or data.get("v") != SCHEMA:
        found = data.get("v") if isinstance(data, dict) else data
        raise RecordError(f"{where}: schema version {found!r}: expected {SCHEMA}")
    kinds = {item.name: str(item.type) for item in dataclasses.fields(GameResult)}
    values = {key: value for key, value in data.items() if key in kinds}
    for key, value in values.items():
        if not _is_of_kind(value, kinds[key]):
            raise RecordError(f"{where}: {key} is {value!r}: expected {kinds[key]}")
    try:
        return GameResult(**values)
    except TypeError as error:
        raise RecordError(f"{where}: {error}") from None


def _is_of_kind(value: object, kind: str) -> bool:
    if value is None:
        return "None" in kind
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return "int" in kind or "float" in kind
    return (isinstance(value, float) and "float" in kind) or (isinstance(value, str) and "str" in kind)


def write_csv(records: Iterable[GameResult], path: Path, *, bom: bool = False) -> None:
    """Write ``batch_results_*.csv`` atomically, with the byte order mark of spreadsheets if wanted."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, csv_text(records).encode("utf-8-sig" if bom else "utf-8"))


def csv_text(records: Iterable[GameResult]) -> str:
    """The content of a ``batch_results_*.csv``."""
    text = io.StringIO()
    writer = csv.DictWriter(text, CSV_COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for record in records:
        row = record_to_json(record)
        writer.writerow({name: _cell(row[name]) for name in CSV_COLUMNS})
    return text.getvalue()


def read_csv(path: Path) -> list[GameResult]:
    """Read a result file: ours, or an older layout with other column names.

    Raises:
        RecordError: the file is missing, has no header, lacks a needed column, or holds a bad value;
            the message names the line and the column.
    """
    reader = csv.reader(io.StringIO(read_text(path)))
    try:
        header = next(reader, None)
        if not header:
            raise RecordError(f"{path}: empty file: expected a header line with {', '.join(CSV_COLUMNS[:5])}")
        columns = _columns(header, path)
        return [_row(columns, cells, path, reader.line_num) for cells in reader if any(map(str.strip, cells))]
    except csv.Error as error:
        raise RecordError(f"{path}: line {reader.line_num}: {error}") from None


def _cell(value: object) -> object:
    return "" if value is None else round(value, 4) if isinstance(value, float) else value


def _columns(header: Sequence[str], path: Path) -> dict[str, int]:
    """Our column names, each with its index in the file."""
    names = [re.sub(r"[^a-z0-9]+", "_", cell.strip().lower()).strip("_") for cell in header]
    found = {name: names.index(name) for name in CSV_COLUMNS if name in names}
    for name, aliases in _ALIASES.items():
        for alias in aliases.split():
            if name not in found and alias in names and alias not in CSV_COLUMNS:
                found[name] = names.index(alias)
    missing = [name for name in ("black", "white") if name not in found]
    if "winner" not in found and "result" not in found:
        missing.append("winner")
    if missing:
        raise RecordError(
            f"{path}: no column {' or '.join(missing)} in {', '.join(header)[:200]!r}: "
            f"expected {', '.join(CSV_COLUMNS)}"
        )
    return found


def _row(columns: Mapping[str, int], cells: Sequence[str], path: Path, line: int) -> GameResult:
    def text(name: str) -> str:
        index = columns.get(name, len(cells))
        return cells[index].strip() if index < len(cells) else ""

    def bad(name: str, expected: str) -> RecordError:
        wanted = " ".join(expected.split())[:200]  # names of players may hold anything
        return RecordError(f"{path}: line {line}, column {name}: {text(name)[:60]!r}: expected {wanted}")

    def number(name: str) -> float | None:
        try:
            value = float(text(name)) if text(name) else None
        except ValueError:
            raise bad(name, "a number") from None
        if value is not None and not 0 <= value < 1e9:
            raise bad(name, "a number from 0")
        return value

    def whole(name: str) -> int | None:
        value = number(name)
        if value is not None and value != int(value):
            raise bad(name, "a whole number")
        return None if value is None else int(value)

    for name in ("black", "white"):
        if not text(name):
            raise bad(name, "the name of a player")
    moves, plies = text("moves"), whole("plies")
    if moves.isdigit():  # older layouts call the number of stones "moves"
        moves, plies = "", plies if plies is not None else int(moves)
    seed = text("seed")
    if seed and not seed.lstrip("-").isdigit():
        raise bad("seed", "a whole number")
    readers = {"str": text, "int | None": whole, "float | None": number}
    kinds = {item.name: str(item.type) for item in dataclasses.fields(GameResult)}
    values: dict[str, Any] = {
        name: readers[kinds[name]](name) for name in CSV_COLUMNS if name in kinds.keys() - {"seed"}
    }
    values |= {"game_id": text("game_id") or f"line{line}", "winner": _winner(text, bad)}
    values |= {"first_player": _first(text), "moves": moves, "plies": plies}
    return GameResult(**values | {"seed": int(seed) if seed else None})


def _winner(text: Any, bad: Any) -> str:
    """``black``, ``white`` or ``draw`` from a colour, a name or a score."""
    black, white = text("black"), text("white")
    for name in ("winner", "result"):
        word = text(name)
        if not word:
            continue
        if word.lower() in RESULTS:
            return str(word.lower())
        if word == black != white:
            return "black"
        if word == white != black:
            return "white"
        if word.lower() in _DRAWS:
            return "draw"
        for winner, score in RESULTS.items():
            if word.replace("½", "1/2") == score:
                return winner
        raise bad(name, f"black, white, draw, {black} or {white}")
    raise bad("winner", f"black, white, draw, {black} or {white}")


def _first(text: Any) -> str:
    word = text("first_player")
    return str({"": text("black"), "black": text("black"), "white": text("white")}.get(word.lower(), word))
