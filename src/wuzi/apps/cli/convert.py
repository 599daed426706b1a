"""``wuzi convert``: game records from one format to another, and boards as text or pictures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wuzi.apps.cli.options import RuleName, Size, WinLength, rules_of
from wuzi.errors import ConfigError, RecordError

if TYPE_CHECKING:
    from wuzi.core import Rules
    from wuzi.records import Format, GameRecord

STREAM = "-"


def convert(
    source: Annotated[str, typer.Argument(help="The file to read; - is standard input.")],
    target: Annotated[str, typer.Argument(help="The file to write; - is standard output.")] = STREAM,
    from_format: Annotated[
        str | None, typer.Option("--from", help="Format of the source; by default told by its looks.")
    ] = None,
    to_format: Annotated[
        str | None, typer.Option("--to", help="Format of the target; by default by the file's ending.")
    ] = None,
    game: Annotated[int, typer.Option("--game", help="Which game of a file with several.", min=1)] = 1,
    size: Size = 15,
    win_length: WinLength = None,
    rule: RuleName = "freestyle",
) -> None:
    """Convert a game record: sgf, psq, rec, pos (position code), json, txt, svg.

    What the target's format cannot hold is left out and named on standard error.
    --size, --win-length and --rule are used where the source does not say.
    For example: echo h8h9i7 | wuzi convert - board.svg
    """
    from wuzi.records import dumps, save

    chosen = _target_format(target, to_format)
    record = _read(source, from_format, game, rules_of(size, win_length, rule))
    for warning in record.warnings:
        _note(warning)
    if target == STREAM:
        text = dumps(record, chosen.name)
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    else:
        save(record, target, chosen.name)
    if losses := chosen.losses(record):
        _note(f"{chosen.name} cannot hold {', '.join(losses)}: left out")


def _target_format(target: str, name: str | None) -> Format:
    from wuzi.records.registry import find_format, format_of_extension, formats

    chosen = find_format(name) if name else format_of_extension(Path(target).suffix)
    if chosen is not None:
        return chosen
    what = "standard output" if target == STREAM else target
    raise ConfigError(f"the format of {what} is unknown: say --to with one of {', '.join(formats())}")


def _read(source: str, format: str | None, number: int, rules: Rules) -> GameRecord:
    from wuzi.records import load_all, loads_all

    if source == STREAM:
        records = loads_all(sys.stdin.buffer.read(), format, rules=rules)
    else:
        records = load_all(source, format, rules=rules)
    if number > len(records):
        raise RecordError(f"{source}: game {number} of {len(records)}: expected 1 to {len(records)}")
    record = records[number - 1]
    if len(records) > 1:
        record.warnings = (*record.warnings, f"{source}: game {number} of {len(records)}; see --game")
    return record


def _note(text: str) -> None:
    print(f"wuzi: note: {text}", file=sys.stderr)
