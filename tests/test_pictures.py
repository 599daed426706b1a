"""The pictures of the documentation are what the searches and the code say."""

from __future__ import annotations

import re
from pathlib import Path

import docs_pictures
import pytest
from docs_site import trees

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.kernels


def test_the_trees_are_those_of_the_search() -> None:
    for name, picture in docs_pictures.minimax().items():
        assert (docs_pictures.IMAGES / "algorithms" / name).read_text("utf-8") == picture, (
            f"{name}: run `python scripts/docs_pictures.py minimax`"
        )


def test_alpha_beta_finds_the_value_of_plain_minimax_and_sees_less() -> None:
    game = trees.tree_game()
    full, searched = trees.full_tree(game), trees.searched_tree(game)
    assert searched.value == full.value
    assert trees.count(full) == 2 + 4 + 8 + 16
    assert trees.count(searched, seen_only=True) == 19, "the number on the page"


def test_the_monte_carlo_tree_is_that_of_the_search() -> None:
    name, picture = next(iter(docs_pictures.mcts().items()))
    assert (docs_pictures.IMAGES / "algorithms" / name).read_text("utf-8") == picture


def test_the_architecture_shows_the_layers_and_every_import_points_down() -> None:
    layers = docs_pictures.import_layers()
    picture = (ROOT / "docs" / "images" / "concepts" / "architecture.svg").read_text("utf-8")
    shown = re.findall(r'font-weight="600">(\w+)<', picture)
    assert shown == layers, "run `python scripts/docs_pictures.py architecture`"
    for name in ("architecture.md", "architecture.zh.md"):
        page = (ROOT / "docs" / "concepts" / name).read_text("utf-8")
        assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == layers, name
    places = {name: place for place, name in enumerate(layers)}
    for user, used in docs_pictures.import_edges():
        if user in places and used in places:
            assert places[user] < places[used], f"{user} imports {used}"


def test_pictures_bring_their_own_ground_and_load_nothing() -> None:
    for path in docs_pictures.IMAGES.rglob("*.svg"):
        text = path.read_text("utf-8")
        assert not re.search(r'(?:href|src)="https?:', text), path
        assert text.count("<svg") == 1, path
