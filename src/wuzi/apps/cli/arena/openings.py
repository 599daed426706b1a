"""``wuzi openings``: the books that come with wuzi, and making others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import wuzi
from wuzi.apps.cli.options import (
    Board,
    Commands,
    Json,
    Natural,
    Positive,
    RuleName,
    output,
    parse_range,
    rules_of,
)
from wuzi.apps.cli.progress import progress_bar
from wuzi.errors import ConfigError
from wuzi.players.spec import REPRODUCIBLE

app = Commands("List, show and make opening books.")


@app.add("list")
def list_books(as_json: Json = False) -> None:
    """List the books that come with wuzi; the option --openings of match and tournament takes their names."""
    from wuzi.arena.openings import shipped_text

    books = []
    for name in wuzi.arena.shipped_openings():
        lines = shipped_text(name).splitlines()
        count = sum(bool(line.split("#")[0].strip()) for line in lines)
        books.append({"name": name, "openings": count, "about": lines[0].lstrip("# ").rstrip(".")})
    output(as_json, books, (f"{b['name']:14} {b['openings']:4}  {b['about']}" for b in books))


@app.add()
def show(
    book: Annotated[str, typer.Argument()],
    first: Positive = 1,
    count: Annotated[int, typer.Option("--count", "-n", min=1)] = 3,
    size: int | None = None,
    rule: RuleName | None = None,
    as_json: Json = False,
) -> None:
    """Draw the openings of a book.

    Options:
        book: Name or file of a book.
        first: Number of the first opening to show.
        count: Number of openings to show.
        size: Board size; default: the one in the book's name, else 15.
        rule: Rule; default: the one in the book's name, else freestyle.
    """
    named_rule, named_size = _in_name(book)
    rules = rules_of(size or named_size or 15, None, rule or named_rule or "freestyle")
    path = Path(book)
    openings = (
        wuzi.arena.load_openings(path, rules)
        if path.suffix or path.exists()
        else wuzi.arena.load_shipped(book, rules)
    )
    if first > len(openings):
        raise ConfigError(f"--first {first}: {book} has {len(openings)} openings")
    chosen = openings[first - 1 : first - 1 + count]
    cells = [[str(move) for move in opening.moves] for opening in chosen]
    both = list(zip(chosen, cells, strict=True))
    output(
        as_json,
        [{"id": o.id, "moves": moves} for o, moves in both],
        (
            f"{o.id}: {' '.join(moves)}\n{wuzi.records.format_board(o.game(rules).position)}\n"
            for o, moves in both
        ),
    )


@app.add()
def make(
    file: Annotated[Path, typer.Argument()],
    lines: Annotated[int, typer.Option("--lines", "-n", min=1)] = 100,
    board: Board = Board(),
    seed: Natural = 1,
    plies: str = "3-7",
    advantage: float = 0.0,
    margin: float = 0.04,
    nodes: Positive = 200_000,
    player: str = REPRODUCIBLE,
    as_json: Json = False,
) -> None:
    """Make a book of balanced openings, no two of which are the same up to symmetry.

    The same options give the same book. Safe to interrupt: rerun the command to resume, or with more
    --lines to extend the book. With --advantage 0.3 the search gives one side a win rate of about 80 %.
    This is for small boards, on which balanced openings end in draws.

    Options:
        file: Book to write, or to extend.
        lines: Target number of openings in the book.
        seed: Random seed of the stones.
        plies: Number of stones in an opening, such as 3-7.
        advantage: Wanted distance of the win rate from 0.5, in favour of either side.
        margin: Largest accepted difference from the wanted win rate.
        nodes: Number of positions searched to judge an opening.
        player: Spec string of the player that judges the openings.
    """
    from wuzi.arena.books import BookRecipe, make_book

    recipe = BookRecipe(
        rules=board.rules(),
        seed=seed,
        plies=parse_range(plies, "--plies"),
        advantage=advantage,
        margin=margin,
        nodes=nodes,
        player=player,
    )
    with (
        wuzi.players.create_player(player, allow_command=True) as judge,
        progress_bar("openings", lines, quiet=as_json) as update,
    ):
        found = make_book(
            recipe,
            lines,
            file,
            judge,
            on_progress=lambda now: update(now.found, text=f"openings, {now.tries} tries"),
        )
    data = {"file": str(file), "openings": len(found), "tries": found[-1].number}
    output(as_json, data, [f"{file}: {len(found)} openings of {found[-1].number} tries"])


def _in_name(book: str) -> tuple[str | None, int | None]:
    """Rule and board size in a name such as ``renju-15``."""
    rule, _, size = Path(book).stem.rpartition("-")
    known = rule in {member.label for member in wuzi.Rule} and size.isdecimal()
    return (rule, int(size)) if known else (None, None)
