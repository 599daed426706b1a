"""Words for people, in English and Simplified Chinese: a JSON catalogue for each package and language.

``PACKAGE/catalogue/en.json`` and ``zh.json`` hold templates by key, the same keys and places in both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from wuzi.errors import ConfigError

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


@dataclass(frozen=True)
class Catalogue:
    """The texts (templates by key) of one package in one language."""

    language: str
    texts: Mapping[str, str]

    def __call__(self, key: str, **values: Any) -> str:
        """The text with its places filled."""
        return self.texts[key].format(**values)


@cache
def load_catalogue(package: str, language: str) -> Catalogue:
    """The catalogue of a package, such as ``wuzi.arena``; ConfigError for an unknown language."""
    if language not in LANGUAGES:
        raise ConfigError(f"language {language!r}: expected {' or '.join(LANGUAGES)}")
    source = files(package) / "catalogue" / f"{language}.json"
    return Catalogue(language, json.loads(source.read_text(encoding="utf-8")))


class Bilingual(Enum):
    """Words of the program: each member's text stands in its package's catalogue under ``class.member``."""

    def text(self, language: str) -> str:
        """The template in a language."""
        key = f"{type(self).__name__}.{self.name}".lower()
        return load_catalogue(type(self).__module__.rpartition(".")[0], language).texts[key]

    @property
    def en(self) -> str:
        """In English, with its places if it has any."""
        return self.text("en")

    @property
    def zh(self) -> str:
        """In Simplified Chinese, with its places if it has any."""
        return self.text("zh")
