"""``wuzi convert``: records and results of matches in other formats, and boards as text or pictures."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeVar

import typer

import wuzi
from wuzi.apps.cli.inputs import STREAM, read_games
from wuzi.apps.cli.options import Board, Positive
from wuzi.errors import ConfigError, RecordError

Game = TypeVar("Game")


def convert(
    source: Annotated[str, typer.Argument()],
    target: Annotated[str, typer.Argument()] = STREAM,
    from_format: Annotated[str | None, typer.Option("--from", metavar="FORMAT")] = None,
    to_format: Annotated[str | None, typer.Option("--to", metavar="FORMAT")] = None,
    game: Positive | None = None,
    every: Annotated[bool, typer.Option("--all")] = False,
    board: Board = Board(),
) -> None:
    """Convert a game record: sgf, psq, rec, pos (position code), lib (RenLib), json, txt, svg.

    pos-top is the position code of c-gomoku-cli, whose rows are counted from the top.

    What the target format cannot hold is left out and listed on standard error.
    --size, --win-length and --rule apply where the source does not give them.
    For example: echo h8h9i7 | wuzi convert - board.svg

    The games of a match (its folder, games.jsonl, csv or parquet) can become a collection (games.sgf),
    a table (games.csv, games.parquet), or names and results for rating programs such as BayesElo (games.pgn).
    For example: wuzi convert games.jsonl games.pgn

    Options:
        source: File to read, - for standard input, or moves such as 'h8 i9'.
        target: File to write; - is standard output.
        from_format: Format of the source; default: recognised from its content.
        to_format: Format of the target; default: given by the file's extension.
        game: Number of the game to convert, in a file of several.
        every: Convert all games of a file of several (to sgf, pos or json).
    """
    from wuzi.arena.export import results_file

    if source != STREAM and from_format is None and (results := results_file(Path(source))) is not None:
        _convert_results(results, target, to_format, game)
        return
    rules = board.rules()
    if every:
        if game is not None:
            raise ConfigError("--all and --game: expected one of them")
        _write_all(read_games(source, rules, from_format), target, _target_format(target, to_format))
        return
    chosen, number = _target_format(target, to_format), game or 1
    records = read_games(source, rules, from_format)
    record = _chosen(records, number, source)
    if len(records) > 1:
        record.warnings = (*record.warnings, f"{source}: game {number} of {len(records)}; see --game")
    with _noted([record], chosen):
        if target != STREAM:
            wuzi.save(record, target, chosen.name)
            return
        text = wuzi.records.dumps(record, chosen.name)
        if chosen.encoding != "utf-8":
            sys.stdout.buffer.write(text.encode(chosen.encoding))
        else:
            sys.stdout.write(text if text.endswith("\n") else text + "\n")


def _target_format(target: str, name: str | None) -> wuzi.records.Format:
    from wuzi.records.registry import format_of_extension

    chosen = wuzi.records.find_format(name) if name else format_of_extension(Path(target).suffix)
    if chosen is not None:
        return chosen
    what = "standard output" if target == STREAM else target
    raise ConfigError(
        f"the format of {what} is unknown: say --to with one of {', '.join(wuzi.records.list_formats())}"
    )


def _chosen(games: Sequence[Game], number: int, source: str | Path) -> Game:
    if number > len(games):
        raise RecordError(f"{source}: game {number} of {len(games)}: expected 1 to {len(games)}")
    return games[number - 1]


def _convert_results(source: Path, target: str, to_format: str | None, number: int | None) -> None:
    """Write the games of a match as a table (csv, parquet), as PGN for rating programs, or as game files."""
    from wuzi.arena.export import PGN, TABLES

    results = wuzi.arena.read_results(source)
    if number is not None:
        results = [_chosen(results, number, source)]
    if target != STREAM and to_format is None and Path(target).suffix in (*TABLES, PGN):
        wuzi.arena.write_results(results, Path(target))
        return
    records = [wuzi.arena.file_record(result) for result in results]
    _write_all(records, target, _target_format(target, to_format))


def _write_all(records: list[wuzi.records.GameRecord], target: str, chosen: wuzi.records.Format) -> None:
    """Write all games to one file, with a note on what the format cannot hold."""
    from wuzi.base.atomic import write_atomic

    with _noted(records, chosen):
        data = wuzi.records.dumps_all(records, chosen.name).encode(chosen.encoding)
        if target == STREAM:
            sys.stdout.buffer.write(data)
            sys.stdout.flush()
        else:
            write_atomic(target, data)


@contextmanager
def _noted(records: list[wuzi.records.GameRecord], chosen: wuzi.records.Format) -> Iterator[None]:
    """Remarks on standard error: warnings before records are written, and afterwards what was left out."""
    for record in records:
        for warning in record.warnings:
            _note(warning)
    yield
    if losses := dict.fromkeys(loss for record in records for loss in chosen.losses(record)):
        _note(f"{chosen.name} cannot hold {', '.join(losses)}: left out")


def _note(text: str) -> None:
    print(f"wuzi: note: {text}", file=sys.stderr)
