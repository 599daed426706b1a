"""Words for people, in English and Simplified Chinese: a JSON catalogue for each package and language.

``PACKAGE/catalogue/en.json`` and ``zh.json`` hold templates by key, the same keys and places in both.
Where a count needs it, ``{n:stone|stones}`` is one of two words.
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


class _Count(int):
    """A number that knows the form of a word beside it."""

    def __format__(self, spec: str) -> str:
        if "|" not in spec:
            return format(int(self), spec)
        one, many = spec.split("|")
        return one if self == 1 else many


def filled(template: str, **values: Any) -> str:
    """A template with its places filled.

    >>> filled("{n} {n:stone|stones}", n=1), filled("{n:,} {n:stone|stones}", n=1000)
    ('1 stone', '1,000 stones')
    """
    counted = {name: _Count(value) if type(value) is int else value for name, value in values.items()}
    return template.format(**counted)


@dataclass(frozen=True)
class Catalogue:
    """The texts (templates by key) of one package in one language."""

    language: str
    texts: Mapping[str, str]

    def __call__(self, key: str, **values: Any) -> str:
        """The text with its places filled."""
        return filled(self.texts[key], **values)


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
