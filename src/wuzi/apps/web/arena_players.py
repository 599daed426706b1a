"""The players that a form for arenas offers: the server's engines, and external ones by their names."""

from __future__ import annotations

import logging
import re

from wuzi.apps.web.engines import limit_out
from wuzi.apps.web.schemas import LocalText
from wuzi.apps.web.schemas_arena import ArenaPlayerOut
from wuzi.errors import ConfigError
from wuzi.players.engines_file import load_engines
from wuzi.players.opponents import ENGINES

logger = logging.getLogger(__name__)

_PLAIN = re.compile(r"[^,=\s]+")


def players_of() -> list[ArenaPlayerOut]:
    """All of them; an ``engines.toml`` that cannot be read brings none, and says so in the log."""
    found = [
        ArenaPlayerOut(
            spec=level.spec,
            name=LocalText(en=f"{entry.en} · {level.en}", zh=f"{entry.zh} · {level.zh}")
            if len(entry.levels) > 1
            else LocalText(en=entry.en, zh=entry.zh),
            limit=limit_out(level.limit),
        )
        for entry in ENGINES.values()
        for level in entry.levels
    ]
    try:
        names = sorted(load_engines())
    except ConfigError as error:
        logger.warning("%s", error)
        names = []
    return found + [
        ArenaPlayerOut(spec=f"external:name={name}", name=LocalText(en=name, zh=name), limit={})
        for name in names
        if _PLAIN.fullmatch(name)
    ]
