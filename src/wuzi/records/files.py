"""Loading and saving game records."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from wuzi.base.atomic import write_atomic
from wuzi.core import Game, Rules
from wuzi.errors import RecordError
from wuzi.records.formats.charset import decode
from wuzi.records.model import GameRecord
from wuzi.records.registry import LIBRARY, Format, find_format, format_of_extension, list_formats, sniff

_log = logging.getLogger(__name__)
_LIBRARY = LIBRARY.encode("latin-1")


def loads(content: str | bytes, format: str | None = None, *, rules: Rules | None = None) -> GameRecord:
    """The first game of a text.

    Args:
        content: text, or the bytes of a file.
        format: a name such as ``"sgf"``; None to tell by the looks.
        rules: assumed where the text does not say (a position code says nothing).

    Returns:
        The record; its ``warnings`` tell what was unusual.

    Raises:
        RecordError: not a game record, or a game that cannot be played; says where.
        ConfigError: an unknown format name.
    """
    records = loads_all(content, format, rules=rules)
    if len(records) > 1:
        records[0].warnings += (f"{len(records)} games in this file: the first was read",)
    return records[0]


def loads_all(
    content: str | bytes, format: str | None = None, *, rules: Rules | None = None
) -> list[GameRecord]:
    """All games of a text, at least one. Arguments and errors as :func:`loads`."""
    text, warning = _decoded(content, format)
    chosen = find_format(format) if format else sniff(text)
    if chosen.read is None:
        raise RecordError(f"{chosen.name} files can be written only: a picture holds no game")
    records = chosen.read(text.removeprefix("\ufeff"), rules)
    if not records:
        raise RecordError(f"no game in this {chosen.name} text")
    if warning:
        for record in records:
            record.warnings = (warning, *record.warnings)
    return records


def load(path: str | PathLike[str], format: str | None = None, *, rules: Rules | None = None) -> GameRecord:
    """The first game of a file, by its extension or content; messages name the file. As :func:`loads`."""
    with _naming(path):
        return loads(Path(path).read_bytes(), format or _read_format(path), rules=rules)


def load_all(
    path: str | PathLike[str], format: str | None = None, *, rules: Rules | None = None
) -> list[GameRecord]:
    """All games of a file (SGF collections, JSON lines, lists of position codes); as :func:`load`."""
    with _naming(path):
        return loads_all(Path(path).read_bytes(), format or _read_format(path), rules=rules)


def dumps(item: GameRecord | Game, format: str = "sgf", **options: Any) -> str:
    """The text of a record or game.

    Args:
        item: what to write.
        format: a name such as ``"sgf"``.
        options: of the format: ``origin`` for pos, the fields of
            :class:`wuzi.records.formats.svg.SvgOptions` for svg.

    Raises:
        RecordError: the format cannot hold the game (set-up stones in psq). What it merely leaves out
            (comments in psq) is logged.
        ConfigError: an unknown format name.
    """
    chosen = find_format(format)
    record = item if isinstance(item, GameRecord) else GameRecord.from_game(item)
    if chosen.read is not None and (losses := chosen.losses(record)):
        _log.info("%s cannot hold %s: left out", chosen.name, ", ".join(losses))
    return chosen.write(record, **options)


def dumps_all(items: Iterable[GameRecord | Game], format: str = "sgf", **options: Any) -> str:
    """The text of several records or games; a RecordError if the format holds one. As :func:`dumps`."""
    chosen = find_format(format)
    texts = [dumps(item, format, **options) for item in items]
    if chosen.name == "json":
        return "".join(json.dumps(json.loads(text), ensure_ascii=False) + "\n" for text in texts)
    if not chosen.several and len(texts) != 1:
        known = ", ".join(f.name for f in list_formats().values() if f.several)
        raise RecordError(f"{len(texts)} games: {chosen.name} holds one; expected {known} or json")
    return "".join(texts)


def save(
    item: GameRecord | Game, path: str | PathLike[str], format: str | None = None, **options: Any
) -> None:
    """Write a record or game to a file, all of it or nothing; a ``format`` counts more than the extension.

    Raises:
        RecordError: as :func:`dumps`, or the extension is of no known format.
        OSError: the file cannot be written.
    """
    chosen = find_format(format) if format else format_of_extension(Path(path).suffix)
    with _naming(path):
        if chosen is None:
            known = ", ".join(extension for f in list_formats().values() for extension in f.extensions)
            raise RecordError(f"unknown extension {Path(path).suffix!r}: expected one of {known}")
        text = dumps(item, chosen.name, **options)
        try:
            data = text.encode(chosen.encoding)
        except UnicodeEncodeError as error:
            raise RecordError(f"character {error.start + 1} cannot be written") from error
        write_atomic(path, data)


def _read_format(path: str | PathLike[str]) -> str | None:
    """The format that the extension promises; None for an unknown one, and for text that may be anything."""
    found: Format | None = format_of_extension(Path(path).suffix)
    return None if found is None or found.name == "txt" else found.name


def _decoded(content: str | bytes, format: str | None) -> tuple[str, str | None]:
    """The text of a file, and a warning where its characters had to be guessed."""
    if isinstance(content, str):
        return content, None
    binary = find_format(format).encoding == "latin-1" if format else content.startswith(_LIBRARY)
    return (content.decode("latin-1"), None) if binary else decode(content)


@contextmanager
def _naming(path: str | PathLike[str]) -> Iterator[None]:
    """Puts the file's name in front of the messages of record errors."""
    try:
        yield
    except RecordError as error:
        raise RecordError(f"{fspath(path)}: {error}") from error
