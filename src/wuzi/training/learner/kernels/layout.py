"""How tensors lie in memory for the learner's kernels, and the operations of a net as records.

All tensors of a batch lie in one array of floats, channel by channel: channel ``c`` of a tensor begins ``c``
rows after its first. Every board has a column of zeros at its right and a row of zeros below, the
boards of a batch follow each other, and zeros surround them; so the neighbour of a cell is always a fixed
number of places away, also beyond the border, and a loop over a channel is one long loop over floats side by
side. A vector has one number a position in each channel. Places that belong to no cell are always zero. A
second array of the same form holds the gradients.
"""

from __future__ import annotations

from collections import namedtuple
from enum import IntEnum

import numpy as np
from numba import float32, from_dtype, types

BLOCK = 512
"""Places of a channel that are computed at a time: what is read and written then stays in the fast cache."""

LANES = 16
"""Channels begin, and loops end, at multiples of so many floats."""

GROUP = 4
"""Channels that are computed at a time, and weights that are packed together."""


class LayerKind(IntEnum):
    """The operations; those that only look at a tensor in another way are none."""

    CORRELATE = 1
    """A convolution 3x3 or 1x1, or a dense layer."""
    NORM = 2
    """Batch norm."""
    ADD = 3
    ADD_SPREAD = 4
    """Of a board, and of a number for each channel and position."""
    POOL = 5
    """Mean, mean by board size, maximum."""
    FLATTEN = 6
    TANH = 7
    SIGMOID = 8


OPERATION = np.dtype(
    [
        *((name, np.int64) for name in ("kind", "relu", "x", "x2", "y", "inputs", "outputs")),
        *((name, np.int64) for name in ("row_x", "row_x2", "row_y", "count", "mask", "taps")),
        *((name, np.int64) for name in ("weight", "bias", "packed", "packed_back", "norm", "saved")),
        *((name, np.int64) for name in ("wanted", "fresh", "fresh2")),
        ("eps", np.float64),
    ]
)
"""One operation of a net.

``x``, ``x2`` and ``y`` are the places of the first cell of the tensors read and written, ``row_...`` the
places from one channel to the next, ``inputs`` and ``outputs`` the numbers of channels, ``count`` the
places of a channel that are computed, and ``mask`` where the mask that tells cells from other places
begins. ``relu`` says that negative numbers become 0 at the end. ``taps`` is 9 or 1; ``weight`` and ``bias``
are places among the parameters (-1: no bias), ``packed`` and ``packed_back`` among the packed weights,
``norm`` among the running statistics (means, then variances) and ``saved`` among those of the batch.
``wanted`` says that ``x`` has a gradient, ``fresh`` and ``fresh2`` that those of ``x`` and ``x2`` are
written and not added to what is there.
"""

BOARDS = np.dtype([(name, np.int64) for name in ("batch", "size", "stride", "area")])
"""The boards of a batch: positions, cells in a row, places from a row to the next, places of a board."""

Operation, Boards = from_dtype(OPERATION), from_dtype(BOARDS)
Operations = types.Array(Operation, 1, "C")
Floats = types.Array(float32, 1, "C")
Floats2 = types.Array(float32, 2, "C")

Work = namedtuple("Work", "values gradients parameters weight_gradients running saved packed mask sums")
"""The arrays of a learner, float32: tensors and their gradients, parameters and their gradients, the norms'
running statistics and those of the batch, packed weights, masks, and the sums that are being computed."""

WorkType = types.BaseTuple.from_types((*[Floats] * 9,), Work)  # type: ignore[no-untyped-call]
