"""The window's texts, in English and Chinese."""

from __future__ import annotations

import json
import locale
import os
from functools import cache
from importlib import resources
from typing import Literal, cast

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


@cache
def catalogue(language: Language) -> dict[str, str]:
    """All texts of a language by key."""
    path = resources.files("wuzi.apps.desktop") / "catalogue" / f"{language}.json"
    return cast(dict[str, str], json.loads(path.read_text(encoding="utf-8")))


def say(language: Language, key: str, **values: object) -> str:
    """The text of that key with its places filled."""
    return catalogue(language)[key].format(**values)


def system_language() -> Language:
    """Chinese where the system speaks it, else English."""
    named = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
    return "zh" if (named or locale.getlocale()[0] or "").lower().startswith(("zh", "chinese")) else "en"
