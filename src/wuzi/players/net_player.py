"""What players with a net share: loading it when first needed, and saying what it can play."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Protocol, TypeVar

from wuzi.contract import Capabilities
from wuzi.evaluators.evaluator import Evaluator
from wuzi.evaluators.net_file import Backend
from wuzi.evaluators.planes import plane_set
from wuzi.players.base import BasePlayer
from wuzi.players.nets import load_evaluator


class HasNet(Protocol):
    """A configuration with a net."""

    @property
    def net(self) -> str | None:
        """A net's name or file."""
        ...

    @property
    def backend(self) -> Backend:
        """What computes it."""
        ...


C = TypeVar("C", bound=HasNet)


class NetPlayer(BasePlayer[C]):
    """A player whose judgement is a net's."""

    @cached_property
    def evaluator(self) -> Evaluator:
        """The net, loaded now if it was not yet.

        Raises:
            ConfigError: there is no such net.
        """
        return load_evaluator(self.config.net, self.registered_name, self.config.backend)

    @property
    def capabilities(self) -> Capabilities:
        """What the net's board size and planes allow; everything while no net is named."""
        if self.config.net is None:
            return self.supports
        size = self.evaluator.size
        lengths = plane_set(self.evaluator.planes).win_lengths
        can = self.supports
        if size is not None:
            can = replace(can, min_size=size, max_size=size)
        return can if lengths is None else replace(can, win_lengths=frozenset(lengths))

    def close(self) -> None:
        """Forget the net."""
        self.__dict__.pop("evaluator", None)
