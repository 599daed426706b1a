"""Memory layouts of what the named levels decide by chance."""

from __future__ import annotations

import numpy as np

from wuzi.core.layout import GRID, MAX_CELLS
from wuzi.tactics.layout import NUM_CLASSES

LEVEL = np.dtype(
    [
        *((name, np.float64) for name in ("haste", "sight", "spread", "temperature")),
        *((name, np.int64) for name in ("nodes", "depth", "vcf_nodes")),
        ("rng", np.uint64),
    ]
)
"""A level: fields of :class:`wuzi.players.levels.Level` (``nodes`` 0 for the whole engine); a generator."""

GLANCE = np.dtype(
    [
        ("near", np.uint8, (GRID,)),
        ("seen", np.uint8, (2, NUM_CLASSES)),
        ("count", np.int64),
        ("cells", np.int64, (MAX_CELLS,)),
        ("logits", np.float64, (MAX_CELLS,)),
        ("shapes", np.float64, (MAX_CELLS,)),
        ("ordered", np.float64, (MAX_CELLS,)),
    ]
)
"""What a glance shows: ``count`` candidate ``cells``, and by candidate how likely each is (``logits``).

Scratch: ``near`` marks points near a stone; ``seen[side, class]`` says whether chances of that class are
noticed, row 0 for the side to move; ``shapes`` and, in ascending order, ``ordered`` are the policy of all
cells.
"""
