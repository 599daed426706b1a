"""What the loop asks of a training method: iterations, a state, nets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from wuzi.training.run.checkpoint import Checkpoint
from wuzi.training.run.health import HealthFinding


@runtime_checkable
class TrainingMethod(Protocol):
    """A training method at work in a folder; self-play, distillation and PPO are such.

    ``state`` after any ``advance`` is complete: ``restore`` of it into a method that was made with the
    same settings continues as if nothing had happened.

    Attributes:
        worth_saving: whether the state after the latest ``advance`` should be saved whatever the time.
    """

    worth_saving: bool

    @property
    def iteration(self) -> int:
        """How many iterations are done."""
        ...

    @property
    def iterations(self) -> int:
        """How many there are in all."""
        ...

    def advance(self) -> Mapping[str, Any] | None:
        """A piece of work: the next iteration, or a part of it.

        Returns:
            The iteration's row of metrics, JSON-compatible, with its ``iteration``, when it is done; None
            when there is more to do, or where time was over in the middle of it.

        Raises:
            TrainingError: it cannot continue; what was saved before is intact.
        """
        ...

    def state(self) -> Checkpoint:
        """Everything needed to continue."""
        ...

    def restore(self, state: Checkpoint) -> None:
        """Continue where :meth:`state` was taken.

        Raises:
            ConfigError: it was taken with other settings.
            RecordError: it is incomplete.
        """
        ...

    def publish(self) -> None:
        """Write the nets of the state that was just saved, and let the pointers name them."""
        ...

    def line(self, row: Mapping[str, Any]) -> str:
        """A row of metrics in one line, for people."""
        ...

    def findings(self, rows: Sequence[Mapping[str, Any]]) -> list[HealthFinding]:
        """What is wrong with the run, from all its rows."""
        ...

    def close(self) -> None:
        """End the workers, if there are any."""
        ...
