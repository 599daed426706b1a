"""Sentences in both languages of the faces."""

from __future__ import annotations

from enum import Enum


class Bilingual(Enum):
    """A word of the program whose value is a pair of sentences: English, Simplified Chinese."""

    @property
    def en(self) -> str:
        """In English, with its places if it has any."""
        return str(self.value[0])

    @property
    def zh(self) -> str:
        """In Simplified Chinese, with its places if it has any."""
        return str(self.value[1])
