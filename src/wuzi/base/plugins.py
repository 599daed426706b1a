"""Plug-ins: what other packages bring (entry points), such as players, nets, losses and formats.

A package names them in its ``pyproject.toml``::

    [project.entry-points."wuzi.players"]
    mine = "my_package.player:MyPlayer"

Nothing of a plug-in is imported before it is asked for. One that cannot be imported is one line of warning
and missing from the lists; asking for it by name is a :class:`~wuzi.errors.ConfigError` that says why. Names
of wuzi's own always win.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from wuzi.errors import ConfigError

PLAYERS, NETS, EVALUATORS, FORMATS = "wuzi.players", "wuzi.nets", "wuzi.evaluators", "wuzi.formats"
LOSSES, TARGETS, SEARCHES, LEARNERS = "wuzi.losses", "wuzi.targets", "wuzi.searches", "wuzi.learners"
GROUPS = (PLAYERS, NETS, EVALUATORS, FORMATS, LOSSES, TARGETS, SEARCHES, LEARNERS)

T = TypeVar("T")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plug-in that is installed, loaded or not, and what is to be imported."""

    point: EntryPoint

    @property
    def label(self) -> str:
        """Where it comes from, for messages: its name and its package."""
        owner = self.point.dist
        package = "an unknown package" if owner is None else f"{owner.name} {owner.version}"
        return f"plug-in {self.point.name!r} of {package} ({self.point.group})"


@cache
def installed(group: str) -> dict[str, Plugin]:
    """The plug-ins of a group by name; the first package wins where two use one name."""
    found: dict[str, Plugin] = {}
    for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)):
        plugin = Plugin(point)
        if point.name in found and found[point.name].point.value != point.value:
            logger.warning("%s is left out: %s has its name", plugin.label, found[point.name].label)
            continue
        found.setdefault(point.name, plugin)
    return found


@cache
def load(group: str, name: str, check: Callable[[Any], str | None]) -> Any:
    """The object of a plug-in that is installed, imported now if it was not yet.

    ``check`` says what is wrong with an object, None if it is what the group needs.

    Raises:
        ConfigError: it cannot be imported, or is something else; one line that names its package.
    """
    plugin = installed(group)[name]
    try:
        found = plugin.point.load()
        wrong = check(found)
    except Exception as error:  # whatever a foreign module does, the other plug-ins still load
        text = " ".join(f"{type(error).__name__}: {error}".split())
        raise ConfigError(f"{plugin.label} cannot be loaded: {text[:300]}") from error
    if wrong is not None:
        raise ConfigError(f"{plugin.label} cannot be used: {wrong}")
    return found


def load_all(
    group: str, check: Callable[[Any], str | None], taken: Collection[str] = ()
) -> Iterator[tuple[str, Any]]:
    """All plug-ins of a group that can be loaded, with a warning for each of the others.

    Those whose names are ``taken`` by wuzi itself are left out; ``check`` is as for :func:`load`.
    """
    for name in installed(group):
        if name in taken:
            _warn(f"{installed(group)[name].label} is left out: wuzi itself has that name")
            continue
        try:
            yield name, load(group, name, check)
        except ConfigError as error:
            _warn(str(error))


@cache
def _warn(text: str) -> None:
    """A warning, once."""
    logger.warning("%s", text)


def forget() -> None:
    """Look for plug-ins again: something was installed since."""
    for remembered in (installed, load, _warn):
        remembered.cache_clear()


class Registry(Generic[T]):
    """Things of one kind by name: wuzi's own, those that this process registered, and a group's plug-ins."""

    def __init__(
        self,
        group: str,
        kind: str,
        check: Callable[[Any], str | None],
        own: Mapping[str, T] | None = None,
        also: str = "",
        entry: Callable[[str, Any], T] | None = None,
    ) -> None:
        """``kind`` is their word in messages, ``also`` what else may be named; ``check``: :func:`load`.

        ``entry`` makes what the registry holds of the name and the object that was registered or loaded.
        """
        self._group, self._kind, self._check, self._also = group, kind, check, also
        self._own, self._here = dict(own or {}), dict[str, T]()
        self._entry = entry or (lambda _, thing: thing)

    def register(self, name: str, thing: Any) -> None:
        """Make a thing known to this process; a plug-in does so for all processes.

        A ConfigError where the name is taken, or this is something else.
        """
        if name in {*self._own, *self._here, *installed(self._group)}:
            raise ConfigError(f"{self._kind} {name!r} is registered already")
        if (reason := self._check(thing)) is not None:
            raise ConfigError(f"{self._kind} {name!r}: {reason}")
        self.lend(name, self._entry(name, thing))

    def lend(self, name: str, entry: T) -> None:
        """Make an entry known to this process without a check, until :meth:`forget`."""
        self._here[name] = entry

    def forget(self, name: str) -> None:
        """Take back what :meth:`register` or :meth:`lend` did."""
        del self._here[name]

    def find(self, name: str) -> T:
        """The thing of that name; a ConfigError if there is none or its plug-in cannot be loaded."""
        for known in (self._own, self._here):
            if name in known:
                return known[name]
        others = installed(self._group)
        if name not in others:
            names = ", ".join([*self._own, *self._here, *others]) or "(none are registered)"
            raise ConfigError(f"unknown {self._kind} {name!r}: expected one of {names}{self._also}")
        return self._entry(name, load(self._group, name, self._check))

    def is_known_here_only(self, name: str) -> bool:
        """Whether no other process finds it."""
        return name in self._here

    def all(self) -> list[T]:
        """Everything, plug-ins last, with a warning for each that cannot be loaded."""
        others = load_all(self._group, self._check, self._own)
        return [*self._own.values(), *self._here.values(), *(self._entry(*found) for found in others)]
