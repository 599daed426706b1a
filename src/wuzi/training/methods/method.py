"""What a training method is to whatever runs it: iterations, a state, a net."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from wuzi.nets.file import NetFile
from wuzi.training.run.checkpoint import Checkpoint


@runtime_checkable
class Method(Protocol):
    """A trainer that a run directory can drive: PPO and distillation are such.

    ``state`` after any ``advance`` is complete: ``restore`` of it into a trainer that was made with the
    same arguments goes on as if nothing had happened.

    Attributes:
        iteration: how many are done.
    """

    iteration: int

    @property
    def best_iteration(self) -> int | None:
        """The iteration whose net is the best so far; None: the trainer lets the pointer name it."""
        ...

    def advance(self) -> Mapping[str, Any] | None:
        """A piece of work: the next iteration, or a part of it that takes seconds at most.

        Returns:
            The iteration's row of metrics, JSON-compatible, with its ``iteration``, when it is done; None
            when there is more to do, or where time was over in the middle of it.

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

    def export(self, name: str, *, best: bool = False) -> NetFile:
        """The net after the last whole iteration, or after ``best_iteration``, ready to be saved."""
        ...
