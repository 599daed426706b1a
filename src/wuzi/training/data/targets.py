"""Targets of a user's own: what else, or what instead, a net learns from the positions of a batch.

A target is a function of :class:`TargetRows`; it answers an array whose first axis is the batch. Named in
``replay.targets`` it is there for losses: ``mine`` under its own name, ``value=mine`` in place of the value
of the search (so also ``policy=`` and ``result=``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.base import plugins
from wuzi.core import Rules
from wuzi.errors import TrainingError
from wuzi.nets.evaluator import Floats
from wuzi.nets.planes import Records


@dataclass(frozen=True, slots=True)
class TargetRows:
    """The positions of a batch, each in its orientation, and what is known of them.

    Attributes:
        rules: the game.
        boards: kernel records [B] (:data:`wuzi.core.layout.STATE`), with the moves so far.
        plies: stones on each board [B].
        results: of the games for the side to move [B]: 1, 0, -1.
        policy: the searches' [B, N * N].
        values: the searches' for the side to move [B].
        left: moves to the games' ends [B].
    """

    rules: Rules
    boards: Records
    plies: npt.NDArray[np.int64]
    results: Floats
    policy: Floats
    values: Floats
    left: npt.NDArray[np.int64]


OwnTarget = Callable[[TargetRows], npt.NDArray[Any]]


def _why_no_target(found: object) -> str | None:
    return None if callable(found) else f"{found!r} cannot be called with positions"


TARGETS: plugins.Registry[OwnTarget] = plugins.Registry(plugins.TARGETS, "target", _why_no_target)
"""All further targets by name."""


class OwnTargets:
    """The targets of a text such as ``mine value=other``; a ConfigError for unknown names."""

    def __init__(self, text: str) -> None:
        self._places: dict[str, tuple[str, OwnTarget]] = {}
        for part in text.replace(",", " ").split():
            place, _, name = part.partition("=")
            self._places[place] = name or place, TARGETS.find(name or place)

    def of(self, rows: TargetRows) -> dict[str, npt.NDArray[Any]]:
        """Arrays by the place they take; a TrainingError for one of another shape, or not finite."""
        known = {"policy": rows.policy, "result": rows.results, "value": rows.values}
        found = {}
        for place, (name, target) in self._places.items():
            array = np.asarray(target(rows))
            wanted = known[place].shape if place in known else (len(rows.plies), *array.shape[1:])
            if array.shape != wanted or not np.isfinite(array).all():
                raise TrainingError(f"target {name}: shape {array.shape}: expected {wanted}, finite")
            found[place] = array.astype(np.float32) if array.dtype.kind == "f" or place in known else array
        return found
