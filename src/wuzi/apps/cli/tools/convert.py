"""``wuzi convert``: records and results of matches in other formats, and boards as text or pictures."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

import wuzi
from wuzi.apps.cli.inputs import STREAM, note, read_game, read_games, readable
from wuzi.apps.cli.options import FileBoard, Positive
from wuzi.errors import ConfigError, RecordError

Game = TypeVar("Game")


def convert(
    source: Annotated[str, typer.Argument()],
    target: Annotated[str, typer.Argument()] = STREAM,
    from_format: Annotated[str | None, typer.Option("--from", metavar="FORMAT")] = None,
    to_format: Annotated[str | None, typer.Option("--to", metavar="FORMAT")] = None,
    game: Positive | None = None,
    every: Annotated[bool, typer.Option("--all")] = False,
    show: Annotated[bool, typer.Option("--list")] = False,
    board: FileBoard = FileBoard(),
) -> None:
    """Convert a game record: sgf, psq, rec, pos (position code), lib (RenLib), sav (Yixin), json, txt, svg.

    pos-top is the position code of c-gomoku-cli, whose rows are counted from the top.

    What the target format cannot hold is left out and listed on standard error.
    --size, --win-length and --rule apply where the source does not give them. A file of a Go editor (GM[1])
    is read as gomoku when --rule says which. Files are written in UTF-8.
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
        show: List the games of the source, and why one cannot be read, instead of converting.
    """
    from wuzi.arena.export import results_file

    if source != STREAM and from_format is None and (results := results_file(Path(source))) is not None:
        _convert_results(results, target, to_format, game)
        return
    if every and game is not None:
        raise ConfigError("--all and --game: expected one of them")
    if show:
        _list(read_games(source, board, from_format))
        return
    chosen = _target_format(target, to_format)
    if every:
        _write_all(readable(read_games(source, board, from_format), source), target, chosen)
    else:
        _write_all([read_game(source, board, from_format, game or 1)], target, chosen, noted=True)


def _list(games: Sequence[wuzi.records.GameRecord | RecordError]) -> None:
    """A line for each game: its number, players, rules, length and end, or why it cannot be read."""
    for number, game in enumerate(games, 1):
        if isinstance(game, RecordError):
            print(f"{number}: cannot be read: {str(game).removeprefix(f'game {number}: ')}")
            continue
        end = f"{game.outcome.result} ({game.outcome.reason.label})" if game.outcome else "unfinished"
        names = f"{game.black or '?'} - {game.white or '?'}"
        date = f", {game.date}" if game.date else ""
        print(f"{number}: {names}{date}, {game.rules.label}, {len(game.moves)} moves, {end}")


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


def _write_all(
    records: list[wuzi.records.GameRecord], target: str, chosen: wuzi.records.Format, *, noted: bool = False
) -> None:
    """Write games to one file, with notes on what was unusual, if not ``noted``, and what it cannot hold.

    Files are bytes in their own charset, whatever that of the console is.
    """
    from wuzi.base.atomic import write_atomic

    note(*(warning for record in records if not noted for warning in record.warnings))
    data = wuzi.records.dumps_all(records, chosen.name).encode(chosen.encoding)
    if target != STREAM:
        write_atomic(target, data)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data if data.endswith(b"\n") or chosen.encoding != "utf-8" else data + b"\n")
        sys.stdout.buffer.flush()
    if losses := dict.fromkeys(loss for record in records for loss in chosen.losses(record)):
        note(f"{chosen.name} cannot hold {', '.join(losses)}: left out")
