"""What the look at the best move works on: see :mod:`wuzi.search.alphabeta.deepen_kernels`."""

from __future__ import annotations

from typing import Any

import numpy as np

from wuzi.core.layout import STATE
from wuzi.tactics import vct_kernels
from wuzi.tactics.layout import PATTERNS, VCF, VCF_ENTRY, VCT, VCT_ENTRY
from wuzi.tactics.vct import LEAF_NODES, TABLE_BITS, VCF_TABLE_BITS


class RootGuard:
    """The records of a search for threats after the moves of a root position; its tables survive."""

    def __init__(self, tables: Any) -> None:
        work = np.zeros(1, VCT)[0]
        work["leaf_nodes"] = LEAF_NODES
        state, patterns, vcf = (np.zeros(1, layout)[0] for layout in (STATE, PATTERNS, VCF))
        self.records = vct_kernels.VctRecords(state, patterns, tables, work, vcf)
        self.arrays = vct_kernels.VctArrays(
            np.zeros(1 << VCF_TABLE_BITS, VCF_ENTRY),
            np.zeros(1 << TABLE_BITS, VCT_ENTRY),
            np.zeros(8, np.int64),
            np.zeros(8, np.int64),
        )

    def clear(self) -> None:
        """Forget earlier positions, so that the next answers do not depend on how many there were."""
        if self.records.work["solved"]:
            self.records.work["solved"] = self.records.work["used"] = 0
            for array in self.arrays:
                array.view(np.uint8).fill(0)  # eight times as fast as record by record
