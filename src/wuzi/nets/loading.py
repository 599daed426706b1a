"""Reading nets: from a name or file to a net, and from ``net=`` of a player spec to an evaluator."""

from __future__ import annotations

from collections.abc import Callable

from wuzi.base import plugins
from wuzi.core.rules import Rules
from wuzi.errors import UnsupportedError
from wuzi.nets.codebook import NAME as CODEBOOK
from wuzi.nets.codebook import SUFFIX, CodebookEvaluator
from wuzi.nets.evaluator import Evaluator, UniformEvaluator
from wuzi.nets.file import Backend, NetFile, load_net, open_net
from wuzi.nets.legacy import read_legacy
from wuzi.nets.shelf import WEIGHTS_SUFFIX, boards, default_net, find_net, list_nets

NAMED: dict[str, Callable[[], Evaluator]] = {"uniform": UniformEvaluator, CODEBOOK: CodebookEvaluator}
"""Evaluators without a file of their own; tests add theirs by name, plug-ins by entry point."""


def read_net(
    text: str, *, allow_path: bool = True, check: bool = True, rules: Rules | None = None
) -> NetFile:
    """The net of that name or file, checked.

    Args:
        text: a name, or a path where those are allowed; see :func:`wuzi.nets.shelf.find_net`.
        allow_path: whether paths are taken at all; not from a network.
        check: compute the positions of its card and compare.
        rules: what a file that does not say so itself was trained for.

    Raises:
        ConfigError: there is none.
        RecordError: the file is not what it claims to be.
    """
    path = find_net(text, allow_path=allow_path).path
    return load_net(path, check=check) if path.suffix == WEIGHTS_SUFFIX else read_legacy(path, rules)


def load_evaluator(net: str, backend: Backend = Backend.AUTO) -> Evaluator:
    """The evaluator of a net, given by name or file.

    ``codebook`` is the engine's own net, a file ``.npz`` another of its kind.
    ``PLUGIN`` or ``PLUGIN:ARGUMENT`` is a plug-in's evaluator (entry point ``wuzi.evaluators``: a function of
    the argument, empty without one). A ConfigError if there is no such net or it cannot be computed so, a
    RecordError if the file is not what it claims to be.
    """
    if net in NAMED:
        return NAMED[net]()
    name, colon, argument = net.partition(":")
    of_plugin = name in plugins.installed(plugins.EVALUATORS)
    if of_plugin and (colon or net not in {entry.name for entry in list_nets()}):
        evaluator: Evaluator = plugins.load(plugins.EVALUATORS, name, _why_no_factory)(argument)
        return evaluator
    if net.endswith(SUFFIX):
        path = find_net(net).path
        return CodebookEvaluator(path.read_bytes(), path.name)
    return open_net(read_net(net), backend)


def default_evaluator(rules: Rules, where: str, backend: Backend = Backend.AUTO) -> Evaluator:
    """The evaluator of the net made for this board; an UnsupportedError to ``where`` if there is none."""
    entry = default_net(rules)
    if entry is None:
        raise UnsupportedError(f"{where} {why_no_default(rules)}")
    return load_evaluator(entry.name, backend)


def why_no_default(rules: Rules) -> str | None:
    """None if there is a net for this board, else the reason in one sentence."""
    if default_net(rules) is not None:
        return None
    names = [*NAMED, *plugins.installed(plugins.EVALUATORS), *(entry.name for entry in list_nets())]
    made = ", ".join(f"{rule} {size}x{size}, {length} in a row" for size, length, rule in boards())
    return (
        f"needs a net: there is none for {rules.label} (there are: {made or 'none'}); "
        f"expected net=NAME ({', '.join(names)}) or net=FILE"
    )


def _why_no_factory(found: object) -> str | None:
    return None if callable(found) else f"{found!r} cannot be called with the argument after the colon"
