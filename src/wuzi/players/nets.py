"""From ``net=`` of a player spec to an evaluator."""

from __future__ import annotations

from collections.abc import Callable

from wuzi.errors import ConfigError
from wuzi.evaluators.catalogue import list_nets, read_net
from wuzi.evaluators.evaluator import Evaluator
from wuzi.evaluators.net_file import Backend, open_net
from wuzi.evaluators.uniform import UniformEvaluator

NAMED: dict[str, Callable[[], Evaluator]] = {"uniform": UniformEvaluator}
"""Evaluators without a file; plug-ins and tests add theirs by name."""


def load_evaluator(net: str | None, where: str, backend: Backend = Backend.AUTO) -> Evaluator:
    """The evaluator that a net's name or file stands for.

    Args:
        net: a name, or the path of a file.
        where: who asks, for errors.
        backend: what computes it.

    Raises:
        ConfigError: no such net, or it cannot be computed so.
        RecordError: the file is not what it claims to be.
    """
    if net is None:
        known = ", ".join([*NAMED, *(entry.name for entry in list_nets())])
        raise ConfigError(f"{where} needs a net: expected net=NAME ({known}) or net=FILE")
    if net in NAMED:
        return NAMED[net]()
    return open_net(read_net(net), backend)
