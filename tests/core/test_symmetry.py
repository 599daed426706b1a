"""The eight symmetries form a group, and mean the same for cells, moves and planes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wuzi.core.symmetry import (
    NUM_SYMMETRIES,
    canonical_moves,
    canonical_stones,
    cell_maps,
    inverse,
    transform_moves,
    transform_planes,
)

SYMMETRIES = range(NUM_SYMMETRIES)


def image(row: int, col: int, size: int, symmetry: int) -> tuple[int, int]:
    """First the mirror, then the quarter turns counter-clockwise, by coordinates."""
    if symmetry >= 4:
        col = size - 1 - col
    for _ in range(symmetry % 4):
        row, col = size - 1 - col, row
    return row, col


@pytest.mark.parametrize("size", [3, 4, 9, 15, 26])
def test_cell_maps_are_the_turns_and_mirrors_they_say(size: int) -> None:
    maps = cell_maps(size)
    for symmetry, cell in itertools.product(SYMMETRIES, range(size * size)):
        row, col = image(*divmod(cell, size), size, symmetry)
        assert maps[symmetry, cell] == row * size + col
    assert len({tuple(row) for row in maps.tolist()}) == NUM_SYMMETRIES
    with pytest.raises(ValueError, match="read-only"):
        maps[0, 0] = 1


@pytest.mark.parametrize("size", [3, 8])
def test_inverses_and_closure(size: int) -> None:
    maps = cell_maps(size)
    everything = {tuple(row) for row in maps.tolist()}
    for one, other in itertools.product(SYMMETRIES, repeat=2):
        assert tuple(maps[other][maps[one]].tolist()) in everything
    for symmetry in SYMMETRIES:
        assert maps[inverse(symmetry)][maps[symmetry]].tolist() == list(range(size * size))
        assert inverse(inverse(symmetry)) == symmetry


@given(st.integers(3, 26), st.sampled_from(SYMMETRIES), st.data())
def test_planes_go_where_cells_go(size: int, symmetry: int, data: st.DataObject) -> None:
    cell = data.draw(st.integers(0, size * size - 1))
    planes = np.zeros((2, size, size), np.float32)
    planes[1].reshape(-1)[cell] = 1
    (moved,) = transform_moves([cell], size, symmetry)
    turned = transform_planes(planes, symmetry)
    assert turned.shape == planes.shape
    assert np.flatnonzero(turned[1]).tolist() == [moved]
    assert not turned[0].any()


@settings(max_examples=50)
@given(st.integers(3, 19), st.sampled_from(SYMMETRIES), st.data())
def test_canonical_forms_do_not_depend_on_the_symmetry(size: int, symmetry: int, data: st.DataObject) -> None:
    cells = st.lists(st.integers(0, size * size - 1), max_size=6, unique=True)
    moves = data.draw(cells)
    moved = transform_moves(moves, size, symmetry)
    assert canonical_moves(moved, size) == canonical_moves(moves, size)
    assert canonical_stones(moved, size) == canonical_stones(moves, size)
    black, white = moves[::2], moves[1::2]
    moves[::2], moves[1::2] = black[::-1], white[::-1]
    assert canonical_stones(moves, size) == canonical_stones(moved, size), "order does not matter"
    images = [transform_moves(moves, size, s) for s in SYMMETRIES]
    assert canonical_moves(moves, size) in images


def test_canonical_forms_tell_different_openings_apart() -> None:
    centre, corner, beside = 40, 0, 41
    assert canonical_moves([centre, corner], 9) != canonical_moves([centre, beside], 9)
    assert canonical_moves([corner, centre], 9) != canonical_moves([centre, corner], 9)
    assert canonical_stones([corner, centre], 9) != canonical_stones([centre, corner], 9)
