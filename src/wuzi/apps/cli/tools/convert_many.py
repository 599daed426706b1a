"""``wuzi convert`` of many games: collections, and the results of matches."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wuzi.errors import ConfigError, RecordError

if TYPE_CHECKING:
    from wuzi.records import Format, GameRecord

STREAM = "-"


def results_of(source: str) -> Path | None:
    """The file of a match's results that ``source`` means, None for anything else."""
    from wuzi.arena.export import results_file

    return results_file(Path(source))


def convert_results(source: Path, target: str, to_format: str | None, number: int | None) -> None:
    """Write the games of a match as a table (csv, parquet), as PGN for rating programs, or as game files.

    Args:
        source: the results.
        target: the file to write, ``-`` for standard output.
        to_format: its format, by default by the ending.
        number: the one game to write, from 1; None for all.

    Raises:
        ConfigError: the target's format is unknown.
        RecordError: the results cannot be read, or hold no such game.
    """
    from wuzi.arena.export import PGN, TABLES, file_record, read_results, write_results
    from wuzi.records.registry import find_format, format_of_extension

    results = read_results(source)
    if number is not None:
        if number > len(results):
            raise RecordError(f"{source}: game {number} of {len(results)}: expected 1 to {len(results)}")
        results = results[number - 1 : number]
    if target != STREAM and to_format is None and Path(target).suffix in (*TABLES, PGN):
        write_results(results, Path(target))
        return
    chosen = find_format(to_format) if to_format else format_of_extension(Path(target).suffix)
    if chosen is None:
        raise ConfigError(
            f"the format of {target} is unknown: say --to, or a name ending with sgf or parquet"
        )
    write_all([file_record(result) for result in results], target, chosen)


def write_all(records: list[GameRecord], target: str, chosen: Format) -> None:
    """Write all games to one file, with a note on what the format cannot hold."""
    from wuzi.base.atomic import write_atomic
    from wuzi.records import dumps_all

    for record in records:
        for warning in record.warnings:
            note(warning)
    data = dumps_all(records, chosen.name).encode(chosen.encoding)
    if target == STREAM:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        write_atomic(target, data)
    losses = dict.fromkeys(loss for record in records for loss in chosen.losses(record))
    if losses:
        note(f"{chosen.name} cannot hold {', '.join(losses)}: left out")


def note(text: str) -> None:
    """A remark on standard error."""
    print(f"wuzi: note: {text}", file=sys.stderr)
