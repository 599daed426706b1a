"""The spec string that names a player everywhere: ``name`` or ``name:key=value,key=value``.

The keys are the fields of the player's configuration, and ``preset``, which is applied first. A value
holds no comma, except that of ``cmd`` and ``own``, which takes the rest of the string as it stands::

    minimax:preset=s0,seed=1
    external:name=pela
    external:cmd=./pbrain-x --threads 1,2
    external:own=minimax:preset=s1,depth=6
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from wuzi.errors import ConfigError

REST_KEYS = frozenset({"cmd", "own"})
"""The keys whose value is a command line or another spec: it takes the rest of the spec."""

STRONGEST = ("engine", "minimax:preset=s1")
"""Who plays where nobody was asked for: the first of them that can play the rule and board."""

REPRODUCIBLE = "engine:table_mb=8,fresh=true"
"""The engine that gives the same answer to the same position at the same number of nodes."""

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_MAX_LENGTH = 2000


@dataclass(frozen=True)
class PlayerSpec:
    """A player's registered name and its options as text, in their order, not yet checked by any player."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)


def parse_spec(text: str) -> PlayerSpec:
    """Read a spec string.

    Raises:
        ConfigError: it is not of the form ``name:key=value,...``, or names a key twice.

    >>> parse_spec("minimax:preset=s0,seed=1")
    PlayerSpec(name='minimax', options={'preset': 's0', 'seed': '1'})
    """
    if len(text) > _MAX_LENGTH:
        raise ConfigError(f"player spec of {len(text)} characters: expected at most {_MAX_LENGTH}")
    name, colon, rest = text.strip().partition(":")
    if not _NAME.fullmatch(name):
        raise ConfigError(f"player spec {text[:60]!r}: expected a name such as 'minimax:preset=s0'")
    options: dict[str, str] = {}
    while colon:
        key, equals, after = rest.partition("=")
        key = key.strip()
        if not equals or not _KEY.fullmatch(key):
            raise ConfigError(f"player spec {text[:60]!r}: expected key=value at {rest[:30]!r}")
        if key in options:
            raise ConfigError(f"player spec {text[:60]!r}: {key} is given twice")
        value, colon, rest = (after, "", "") if key in REST_KEYS else after.partition(",")
        options[key] = value.strip()
    return PlayerSpec(name, options)


def format_spec(spec: PlayerSpec) -> str:
    """The text that :func:`parse_spec` reads back as ``spec`` (``cmd`` or ``own`` goes last).

    Raises:
        ConfigError: a value that a spec string cannot hold.

    >>> format_spec(PlayerSpec("mcts", {"simulations": "400"}))
    'mcts:simulations=400'
    """
    keys = sorted(spec.options, key=lambda key: key in REST_KEYS)
    for key in keys:
        value = spec.options[key]
        if value != value.strip() or "\n" in value or ("," in value and key not in REST_KEYS):
            raise ConfigError(f"{spec.name}: {key}={value!r} cannot be written in a player spec")
    pairs = ",".join(f"{key}={spec.options[key]}" for key in keys)
    return f"{spec.name}:{pairs}" if pairs else spec.name
