"""``wuzi openings``: the books that come with wuzi, and making others."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from wuzi.apps.cli.options import Json, RuleName, Size, WinLength, print_json, rules_of
from wuzi.errors import ConfigError

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="List, show and make books of openings.",
)

DEFAULT_PLAYER = "engine:table_mb=8,fresh=true"


@app.command("list")
def list_books(as_json: Json = False) -> None:
    """The books that come with wuzi; `--openings NAME` of match, tournament and compare uses one."""
    from wuzi.arena.openings import shipped_openings, shipped_text

    books = []
    for name in shipped_openings():
        lines = shipped_text(name).splitlines()
        count = sum(bool(line.split("#")[0].strip()) for line in lines)
        books.append({"name": name, "openings": count, "about": lines[0].lstrip("# ").rstrip(".")})
    if as_json:
        print_json(books)
        return
    for book in books:
        print(f"{book['name']:14} {book['openings']:4}  {book['about']}")


@app.command()
def show(
    book: Annotated[str, typer.Argument(help="The name of a book, or a file.")],
    first: Annotated[int, typer.Option("--first", help="Begin with this opening.", min=1)] = 1,
    count: Annotated[int, typer.Option("--count", "-n", help="How many.", min=1)] = 3,
    size: Annotated[
        int | None, typer.Option("--size", help="Board; by default the one in the book's name, else 15.")
    ] = None,
    rule: Annotated[
        str | None, typer.Option("--rule", help="By default the one in the book's name, else freestyle.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Draw the openings of a book."""
    from wuzi.arena.openings import load_openings, load_shipped
    from wuzi.core import format_move
    from wuzi.records.formats.ascii import format_board

    named_rule, named_size = _in_name(book)
    rules = rules_of(size or named_size or 15, None, rule or named_rule or "freestyle")
    path = Path(book)
    openings = load_openings(path, rules) if path.suffix or path.exists() else load_shipped(book, rules)
    if first > len(openings):
        raise ConfigError(f"--first {first}: {book} has {len(openings)} openings")
    chosen = openings[first - 1 : first - 1 + count]
    if as_json:
        cells = [[format_move(move, rules.size) for move in opening.moves] for opening in chosen]
        print_json([{"id": o.id, "moves": moves} for o, moves in zip(chosen, cells, strict=True)])
        return
    for opening in chosen:
        print(f"{opening.id}: {' '.join(format_move(move, rules.size) for move in opening.moves)}")
        print(format_board(opening.game(rules).position))
        print()


@app.command()
def make(
    file: Annotated[Path, typer.Argument(help="The book to write, or to go on with.")],
    lines: Annotated[int, typer.Option("--lines", "-n", help="How many openings.", min=1)] = 100,
    size: Size = 15,
    win_length: WinLength = None,
    rule: RuleName = "freestyle",
    seed: Annotated[int, typer.Option("--seed", help="Of the random stones.", min=0)] = 1,
    plies: Annotated[str, typer.Option("--plies", help="Stones of an opening, as in 3-7.")] = "3-7",
    advantage: Annotated[
        float,
        typer.Option("--advantage", help="How far from 0.5 the win rate shall be, for either side."),
    ] = 0.0,
    margin: Annotated[float, typer.Option("--margin", help="How far the win rate may be from that.")] = 0.04,
    nodes: Annotated[
        int, typer.Option("--nodes", help="Positions of the study of one opening.", min=1)
    ] = 200_000,
    player: Annotated[str, typer.Option("--player", help="Who judges.")] = DEFAULT_PLAYER,
    as_json: Json = False,
) -> None:
    """Make a book of openings that a player finds even, no two alike under turning and mirroring.

    The same options make the same book. Stopped and started again, it goes on where it was; more --lines
    lengthen it. --advantage 0.3 gives openings in which one side has a win rate of 80 %, for small boards
    on which even openings are drawn.
    """
    from wuzi.apps.cli.options import parse_range
    from wuzi.arena.books import BookRecipe, make_book
    from wuzi.players import create_player

    recipe = BookRecipe(
        rules=rules_of(size, win_length, rule),
        seed=seed,
        plies=parse_range(plies, "--plies"),
        advantage=advantage,
        margin=margin,
        nodes=nodes,
        player=player,
    )
    with create_player(player, allow_command=True) as judge, _bar(lines, quiet=as_json) as on_progress:
        found = make_book(recipe, lines, file, judge, on_progress=on_progress)
    if as_json:
        print_json({"file": str(file), "openings": len(found), "tries": found[-1].number})
    else:
        print(f"{file}: {len(found)} openings of {found[-1].number} tries")


def _in_name(book: str) -> tuple[str | None, int | None]:
    """Rule and board size in a name such as ``renju-15``."""
    from wuzi.core import Rule

    rule, _, size = Path(book).stem.rpartition("-")
    known = rule in {member.label for member in Rule} and size.isdecimal()
    return (rule, int(size)) if known else (None, None)


@contextlib.contextmanager
def _bar(total: int, *, quiet: bool) -> Any:
    """A progress bar on standard error, where that is a terminal; gives the function that moves it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task("openings", total=total)
        yield lambda progress: bar.update(
            task, completed=progress.found, description=f"openings, {progress.tries} tries"
        )
