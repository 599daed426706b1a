"""What a training method is to whatever runs it: iterations, a state, a net."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from wuzi.evaluators.net_file import NetFile
from wuzi.training.checkpoint import Checkpoint


@runtime_checkable
class Method(Protocol):
    """A trainer that a run directory can drive: PPO and distillation are such.

    ``state`` after any ``run_iteration`` is complete: ``restore`` of it into a trainer that was made with the
    same arguments goes on as if nothing had happened.

    Attributes:
        iteration: how many are done.
    """

    iteration: int

    def run_iteration(self) -> Mapping[str, Any] | None:
        """One iteration; its row of metrics, JSON-compatible, with its ``iteration``.

        None where time was over in the middle of it: its state is that before the iteration, and what was
        written to disk meanwhile is found again.

        Raises:
            TrainingError: it cannot go on; what was saved before is intact.
        """
        ...

    def state(self) -> Checkpoint:
        """Everything needed to go on."""
        ...

    def restore(self, state: Checkpoint) -> None:
        """Go on where :meth:`state` was taken.

        Raises:
            ConfigError: it was taken with other arguments.
            RecordError: it is incomplete.
        """
        ...

    def export(self, name: str) -> NetFile:
        """The net as it is now, ready to be saved."""
        ...
