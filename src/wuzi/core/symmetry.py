"""The eight symmetries of the board, on cells, moves and policies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from wuzi.core.notation import Move

NUM_SYMMETRIES = 8


@cache
def cell_maps(size: int) -> npt.NDArray[np.int64]:
    """int64 [8, size * size], read-only: where each symmetry takes each cell.

    Symmetry s is s % 4 quarter turns counter-clockwise, for s >= 4 after a left-right mirror;
    0 is the identity.

    >>> cell_maps(3)[0].tolist() == list(range(9))
    True
    """
    board = np.arange(size * size).reshape(size, size)
    maps = np.empty((NUM_SYMMETRIES, size * size), np.int64)
    for s in range(NUM_SYMMETRIES):
        source = np.fliplr(board) if s >= 4 else board
        # rot90 tells which cell arrives at each place; its inverse permutation is the map.
        maps[s, np.rot90(source, s % 4).reshape(-1)] = np.arange(size * size)
    maps.flags.writeable = False
    return maps


def inverse(symmetry: int) -> int:
    """The symmetry that undoes ``symmetry``.

    >>> [inverse(s) for s in range(8)]
    [0, 3, 2, 1, 4, 5, 6, 7]
    """
    return symmetry if symmetry >= 4 else -symmetry % 4


def transform_moves(moves: Sequence[int], size: int, symmetry: int) -> tuple[Move, ...]:
    """The moves as the symmetry takes them, in order."""
    where = cell_maps(size)[symmetry]
    return tuple(Move(where[move], size) for move in moves)


def transform_planes(planes: npt.NDArray[np.generic], symmetry: int) -> npt.NDArray[np.generic]:
    """Arrays [..., size, size] (planes, policies) as the symmetry takes them."""
    source = np.flip(planes, -1) if symmetry >= 4 else planes
    return np.rot90(source, symmetry % 4, axes=(-2, -1))


def canonical_moves(moves: Sequence[int], size: int) -> tuple[Move, ...]:
    """The smallest of the eight images of a move sequence: equal for sequences that are mirror images."""
    return min(transform_moves(moves, size, s) for s in range(NUM_SYMMETRIES))


def canonical_stones(moves: Sequence[int], size: int) -> tuple[tuple[Move, ...], tuple[Move, ...]]:
    """Sorted black and white cells of alternating moves, in the smallest of the eight images.

    Equal for openings that reach the same position up to symmetry, in whatever order.
    """
    images = (transform_moves(moves, size, s) for s in range(NUM_SYMMETRIES))
    return min((tuple(sorted(image[::2])), tuple(sorted(image[1::2]))) for image in images)
