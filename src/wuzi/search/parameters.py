"""The engine's search parameters, in one place so that they can be tuned by matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from wuzi.errors import ConfigError
from wuzi.search import layout

PARAMETERS: Mapping[str, int] = {
    "futility": 50,
    "futility_depth": 4,
    "razor": 100,
    "razor_step": 110,
    "razor_depth": 3,
    "count_base": 4,
    "count_step": 1,
    "count_depth": 12,
    "child_futility": 70,
    "child_step": 90,
    "child_depth": 4,
    "lmr_base": 40,
    "lmr_divisor": 190,
    "lmr_cut": 100,
    "lmr_pv": 100,
    "lmr_stale": 100,
    "lmr_threat": 100,
    "history_divisor": 1200,
    "history_order": 64,
    "counter_bonus": 60,
    "singular_depth": 6,
    "singular_step": 8,
    "lmr_start": 3,
    "lmr_floor": 1,
    "three_extension": 250,
}
"""Margins are in evaluation points, reductions in hundredths of a ply;
``three_extension`` is how deep, in percent of the iteration, an answer to an open three costs no depth."""


def set_parameters(work: Any, changes: Mapping[str, int] = {}) -> None:
    """Write the parameters, with ``changes``, into the search's record.

    Raises:
        ConfigError: no such parameter.
    """
    unknown = set(changes) - set(PARAMETERS)
    if unknown:
        raise ConfigError(f"search parameter {sorted(unknown)[0]!r}: expected one of {', '.join(PARAMETERS)}")
    values = {**PARAMETERS, **changes}
    for name, value in values.items():
        work["params"][getattr(layout, name.upper())] = value
    depths = np.log(np.maximum(1, np.arange(64)))
    percent = values["lmr_base"] + np.outer(depths, depths) * 10_000 / values["lmr_divisor"]
    work["reductions"][:] = np.round(percent)
