"""The engine's search parameters, in one place so that they can be tuned by matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from wuzi.errors import ConfigError
from wuzi.search import layout

PARAMETERS: Mapping[str, int] = {
    "futility": 50,
    "futility_cut": 12,
    "razor": 51,
    "razor_step": 77,
    "razor_depth": 182,
    "count_base": 894,
    "count_step": 273,
    "count_power": 133,
    "lmr_base": -28,
    "lmr_scale": 79,
    "lmr_cut": 59,
    "lmr_pv": 100,
    "lmr_stale": 132,
    "lmr_threat": -63,
    "lmr_start": 200,
    "history_divisor": 574,
    "history_order": 98,
    "counter_bonus": 91,
    "singular_depth": 882,
    "singular_step": 62,
    "singular_minus": 127,
    "singular_double": 23,
    "five_extension": 70,
    "first_extension": 25,
    "first_pv": 16,
    "fail_high": 22,
    "fail_high_step": 16,
    "fail_high_threat": 87,
    "raised": 59,
    "again": 12,
    "deeper": 56,
    "deeper_step": 11,
    "more_deeper": 349,
    "more_deeper_step": 26,
    "idle_depth": 247,
    "prune_kind": 6,
    "prune_other": 9,
    "lmr_policy": 31,
    "lmr_policy_free": 100,
    "lmr_policy_max": 300,
}
"""Margins are in evaluation points, depths, extensions and reductions in hundredths of a ply, counts of
candidates in hundredths; ``prune_kind`` and ``prune_other`` are the cell classes from which a candidate of
one's own, or a point of the enemy's, is never left out. Found by simultaneous perturbation (SPSA) in
self-play at 6,000 positions a move, except for those two, which games against other engines showed."""


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
    plies = np.arange(64.0)
    logs = np.log(np.maximum(1, plies))
    work["reductions"][:] = np.round(values["lmr_base"] + np.outer(logs, logs) * values["lmr_scale"])
    room = values["count_base"] + values["count_step"] * plies ** (values["count_power"] / 100)
    work["tries"][:] = np.minimum(room / 100, 10_000)
