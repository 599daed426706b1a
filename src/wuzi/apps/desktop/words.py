"""The window's texts, in English and Chinese."""

from __future__ import annotations

import locale
import os

from wuzi.base.words import Language, load_catalogue


def say(language: Language, key: str, **values: object) -> str:
    """The text of that key with its places filled."""
    return load_catalogue("wuzi.apps.desktop", language)(key, **values)


def system_language() -> Language:
    """Chinese where the system speaks it, else English."""
    named = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
    return "zh" if (named or locale.getlocale()[0] or "").lower().startswith(("zh", "chinese")) else "en"
