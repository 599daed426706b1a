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
from wuzi.records.formats.charsets import charset_named
from wuzi.records.model import GameRecord
from wuzi.records.registry import (
    LIBRARY,
    Format,
    GivenRules,
    find_format,
    format_of_extension,
    list_formats,
    sniff,
)

_log = logging.getLogger(__name__)
_LIBRARY = LIBRARY.encode("latin-1")


def loads(
    content: str | bytes,
    format: str | None = None,
    *,
    rules: Rules | GivenRules | None = None,
    charset: str | None = None,
) -> GameRecord:
    """The first game of a text.

    Args:
        content: text, or the bytes of a file.
        format: a name such as ``"sgf"``; None to tell by the looks.
        rules: assumed where the text does not say (a position code says nothing), all of them or some.
        charset: of the bytes, such as ``"big5"``; None to take what the file says, else to guess.

    Returns:
        The record; its ``warnings`` tell what was unusual.

    Raises:
        RecordError: not a game record, or a game that cannot be played; says where.
        ConfigError: an unknown format or charset.
    """
    first, *others = loads_each(content, format, rules=rules, charset=charset)
    if isinstance(first, RecordError):
        raise first
    if others:
        first.warnings += (f"{len(others) + 1} games in this file: the first was read",)
    return first


def loads_all(
    content: str | bytes,
    format: str | None = None,
    *,
    rules: Rules | GivenRules | None = None,
    charset: str | None = None,
) -> list[GameRecord]:
    """All games of a text that can be read, at least one. Arguments and errors as :func:`loads`.

    The first record's warnings name the games that cannot be read, with their reasons.
    """
    found = loads_each(content, format, rules=rules, charset=charset)
    records = [game for game in found if isinstance(game, GameRecord)]
    broken = [game for game in found if isinstance(game, RecordError)]
    if not records:
        raise broken[0]
    records[0].warnings += tuple(f"{error}; this game was left out" for error in broken)
    return records


def loads_each(
    content: str | bytes,
    format: str | None = None,
    *,
    rules: Rules | GivenRules | None = None,
    charset: str | None = None,
) -> list[GameRecord | RecordError]:
    """Every game of a text, or in its place the error that it cannot be read. As :func:`loads`."""
    text, warnings = _decoded(content, format, charset)
    text = text.removeprefix("\ufeff")
    chosen = find_format(format) if format else sniff(text)
    if chosen.read is None:
        raise RecordError(f"{chosen.name} files can be written only: a picture holds no game")
    given = rules.filled(chosen.usual_size) if isinstance(rules, GivenRules) else rules
    binary = {"charset": charset} if chosen.encoding == "latin-1" else {}
    found = list(chosen.read(text, given, **binary))
    if not found:
        raise RecordError(f"no game in this {chosen.name} text")
    for number, game in enumerate(found, 1):
        if isinstance(game, GameRecord):
            game.warnings = (*warnings, *game.warnings)
        elif len(found) > 1:
            found[number - 1] = RecordError(f"game {number}: {game}")
    return found


def tell_format(content: str | bytes) -> Format:
    """The format of a text or of the bytes of a file, by its looks; a RecordError if we know none such."""
    return sniff(_decoded(content, None, None)[0].removeprefix("\ufeff"))


def load(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    rules: Rules | GivenRules | None = None,
    charset: str | None = None,
) -> GameRecord:
    """The first game of a file, by its extension or content; messages name the file. As :func:`loads`."""
    with _naming(path):
        return loads(Path(path).read_bytes(), format or _read_format(path), rules=rules, charset=charset)


def load_all(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    rules: Rules | GivenRules | None = None,
    charset: str | None = None,
) -> list[GameRecord]:
    """All games of a file (SGF collections, JSON lines, lists of position codes); as :func:`loads_all`."""
    with _naming(path):
        return loads_all(Path(path).read_bytes(), format or _read_format(path), rules=rules, charset=charset)


def load_each(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    rules: Rules | GivenRules | None = None,
    charset: str | None = None,
) -> list[GameRecord | RecordError]:
    """Every game of a file, or in its place the error; as :func:`loads_each`."""
    with _naming(path):
        return loads_each(Path(path).read_bytes(), format or _read_format(path), rules=rules, charset=charset)


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


def _decoded(content: str | bytes, format: str | None, charset: str | None) -> tuple[str, list[str]]:
    """The text of a file, and warnings where its characters had to be guessed."""
    if charset is not None:
        charset_named(charset)
    if isinstance(content, str):
        return content, []
    binary = find_format(format).encoding == "latin-1" if format else content.startswith(_LIBRARY)
    return (content.decode("latin-1"), []) if binary else decode(content, charset)


@contextmanager
def _naming(path: str | PathLike[str]) -> Iterator[None]:
    """Puts the file's name in front of the messages of record errors."""
    try:
        yield
    except RecordError as error:
        raise RecordError(f"{fspath(path)}: {error}") from error
