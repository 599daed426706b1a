"""Books made by a search: reproducible, resumable, distinct; and those that come with wuzi."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from wuzi.apps.cli import main
from wuzi.arena.books import BookProgress, BookRecipe, make_book, read_judged
from wuzi.arena.openings import as_offsets, default_openings, load_shipped, shipped_openings, shipped_text
from wuzi.arena.schedule import Entry, TournamentConfig, book_of
from wuzi.contract import Limit
from wuzi.core import Rules, parse_rule
from wuzi.core.symmetry import canonical_stones
from wuzi.errors import ConfigError, RecordError
from wuzi.players import create_player

RECIPE = BookRecipe(rules=Rules(9), nodes=500, margin=0.1)


def made(path: Path, recipe: BookRecipe, count: int, **options: Callable[[BookProgress], None]) -> str:
    with create_player(recipe.player) as player:
        make_book(recipe, count, path, player, **options)
    return path.read_text(encoding="utf-8")


class Killed(Exception):
    """Stands for kill -9 between two tries."""


def test_a_book_is_the_same_whole_in_pieces_and_after_a_broken_line(tmp_path: Path) -> None:
    whole = made(tmp_path / "whole.txt", RECIPE, 6)
    pieces = tmp_path / "pieces.txt"

    def kill(progress: BookProgress) -> None:
        if progress.found == 3:
            raise Killed

    with pytest.raises(Killed):
        made(pieces, RECIPE, 6, on_progress=kill)
    pieces.write_text(pieces.read_text(encoding="utf-8") + "n99: 0,0, 1,", encoding="utf-8")
    assert made(pieces, RECIPE, 6) == whole
    assert made(tmp_path / "short.txt", RECIPE, 2) == whole[: len((tmp_path / "short.txt").read_text())]
    found = list(read_judged(whole, RECIPE.rules, "book"))
    assert len({canonical_stones(one.opening.moves, 9) for one in found}) == 6
    with create_player(RECIPE.player) as player:
        for one in found:
            lines = player.think(one.opening.game(RECIPE.rules), Limit(nodes=500)).info.lines
            assert lines[0].winrate == pytest.approx(one.winrate, abs=6e-4)
            assert RECIPE.accepts(one.winrate, 1e-3)


def test_another_recipe_does_not_go_on_with_a_book(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    made(path, RECIPE, 1)
    with pytest.raises(RecordError, match="not a book of this recipe"):
        made(path, BookRecipe(rules=Rules(9), nodes=500, margin=0.1, seed=2), 2)


def test_uneven_books_favour_one_side(tmp_path: Path) -> None:
    text = made(tmp_path / "b.txt", BookRecipe(rules=Rules(9), nodes=500, advantage=0.3, margin=0.1), 4)
    assert all(0.2 <= abs(one.winrate - 0.5) <= 0.4 for one in read_judged(text, Rules(9), "b"))


def test_impossible_books_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"advantage 0\.5"):
        BookRecipe(advantage=0.5)
    with pytest.raises(ConfigError, match="margin 0"):
        BookRecipe(margin=0)
    with pytest.raises(ConfigError, match="gives no win rate"):
        made(tmp_path / "r.txt", BookRecipe(rules=Rules(9), player="random"), 1)
    with pytest.raises(RecordError, match="line 1: 'hello'"):
        list(read_judged("hello", Rules(9), "b"))


def made_books() -> list[str]:
    return [name for name in shipped_openings() if name != "renju26"]


@pytest.mark.parametrize("name", made_books())
def test_shipped_books_are_what_their_header_says(name: str) -> None:
    rule, size, *more = name.split("-")
    rules = Rules(int(size), 5, parse_rule(rule))
    text = shipped_text(name)
    uneven = {"advantage": 0.3, "margin": 0.05} if name.startswith("freestyle-9") else {}
    seed, nodes = {"b": (2, 200_000), "c": (3, 60_000)}["".join(more)] if more else (1, 200_000)
    recipe = BookRecipe(rules=rules, seed=seed, nodes=nodes, **uneven)  # type: ignore[arg-type]
    assert text.startswith(recipe.header())
    openings = load_shipped(name, rules)
    judged = list(read_judged(text, rules, name))
    assert [one.opening for one in judged] == openings
    assert len(openings) >= (60 if more else 100)
    assert len({canonical_stones(one.moves, rules.size) for one in openings}) == len(openings)
    assert all(recipe.accepts(one.winrate, 6e-4) for one in judged)
    assert more or default_openings(rules) == name
    for one in openings[:5]:
        assert as_offsets(one, rules.size) in text


def test_books_of_one_board_share_no_opening() -> None:
    """What was tuned on one book is judged on another."""
    books = [load_shipped(name, Rules(9)) for name in made_books() if name.startswith("freestyle-9")]
    stones = [canonical_stones(one.moves, 9) for book in books for one in book]
    assert len(books) == 3
    assert len(set(stones)) == len(stones)


def test_matches_use_the_book_of_their_rules_unless_told_otherwise() -> None:
    entries = (Entry("random"), Entry("weight"))
    named = TournamentConfig(entries, Rules(15), openings="freestyle-15")
    assert book_of(named)[0].id == load_shipped("freestyle-15", Rules(15))[0].id
    assert TournamentConfig(entries, Rules(15)).openings == "auto"
    assert default_openings(Rules(15, opening="swap2")) == "auto"  # type: ignore[arg-type]


def test_openings_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["openings", "list"]) == 0
    assert "freestyle-15" in capsys.readouterr().out
    assert main(["openings", "show", "freestyle-15", "--first", "2", "-n", "1"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 18 and "n" in out.split(":")[0]
    assert main(["openings", "show", "freestyle-15", "--first", "9999"]) == 2
    assert "--first 9999: freestyle-15 has" in capsys.readouterr().err
    book = tmp_path / "b.txt"
    arguments = ["openings", "make", str(book), "-n", "2", "--size", "9", "--nodes", "500", "--margin", "0.1"]
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["openings"] == 2
    assert book.read_text(encoding="utf-8") == made(tmp_path / "c.txt", RECIPE, 2)
    assert main([*arguments, "--plies", "x"]) == 2
    assert main([*arguments, "--seed", "5"]) == 2
    assert "not a book of this recipe" in capsys.readouterr().err
