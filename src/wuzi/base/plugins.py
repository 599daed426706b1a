"""Plug-ins: players, nets, evaluators and formats that other packages bring (entry points).

A package names them in its ``pyproject.toml``::

    [project.entry-points."wuzi.players"]
    mine = "my_package.player:MyPlayer"

Nothing of a plug-in is imported before it is asked for. One that cannot be imported is one line of warning
and missing from the lists; asking for it by name is a :class:`~wuzi.errors.ConfigError` that says why. Names
of wuzi's own always win.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from wuzi.errors import ConfigError

PLAYERS, NETS, EVALUATORS, FORMATS = "wuzi.players", "wuzi.nets", "wuzi.evaluators", "wuzi.formats"
GROUPS = (PLAYERS, NETS, EVALUATORS, FORMATS)

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
