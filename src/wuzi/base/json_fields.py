"""Typed access to parsed JSON objects, with messages that say where."""

from __future__ import annotations

from dataclasses import dataclass, field

from wuzi.errors import RecordError

_LIMIT = 10**12
"""Larger numbers make no sense in a game record."""

MALFORMED = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError)
"""What taking damaged data apart raises; OverflowError comes from the integer of a number such as 1e999."""


@dataclass(slots=True)
class Fields:
    """A JSON object whose keys are read one by one; keys never read are warned about.

    ``where`` is its path, for messages; the list of warnings is shared with the objects inside it.
    """

    where: str
    data: dict[str, object]
    warnings: list[str]
    _read: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, data: object, where: str, warnings: list[str] | None = None) -> Fields:
        """The fields of a parsed JSON value; RecordError if it is no object."""
        if not isinstance(data, dict):
            raise RecordError(f"{where}: {_kind(data)}, expected an object")
        return cls(where, data, [] if warnings is None else warnings)

    def has(self, key: str) -> bool:
        """Whether the key is there and not null."""
        return self.data.get(key) is not None

    def text(self, key: str) -> str:
        """A text; empty when it is absent."""
        return self._text(key, self._get(key, ""))

    def number(self, key: str, default: int = 0) -> int:
        """A whole number."""
        value = self._get(key)
        return default if value is None else self._whole(key, value)

    def texts(self, key: str) -> list[str]:
        """A list of texts; empty when it is absent."""
        return [self._text(f"{key}[{i}]", value) for i, value in enumerate(self._list(key))]

    def numbers_or_null(self, key: str) -> list[int | None]:
        """A list of whole numbers and nulls; empty when it is absent."""
        found = enumerate(self._list(key))
        return [None if value is None else self._whole(f"{key}[{i}]", value) for i, value in found]

    def fields(self, key: str) -> Fields:
        """An object; without fields when it is absent."""
        return Fields.of(self._get(key, {}), self._path(key), self.warnings)

    def items(self, key: str) -> list[Fields]:
        """A list of objects; empty when it is absent."""
        path = self._path(key)
        return [Fields.of(value, f"{path}[{i}]", self.warnings) for i, value in enumerate(self._list(key))]

    def all_texts(self) -> dict[str, str]:
        """Every field, each a text."""
        return {key: self.text(key) for key in self.data}

    def all_text_lists(self) -> dict[str, tuple[str, ...]]:
        """Every field, each a list of texts."""
        return {key: tuple(self.texts(key)) for key in self.data}

    def close(self) -> None:
        """Warn about the keys that nobody read."""
        for key in self.data.keys() - self._read:
            self.warnings.append(f"unknown key {self._path(key)!r} was ignored")

    def _get(self, key: str, default: object = None) -> object:
        self._read.add(key)
        value = self.data.get(key)
        return default if value is None else value

    def _list(self, key: str) -> list[object]:
        value = self._get(key, [])
        if not isinstance(value, list):
            raise self._wrong(key, value, "a list")
        return value

    def _whole(self, key: str, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _LIMIT:
            raise self._wrong(key, value, "a whole number from 0")
        return value

    def _text(self, key: str, value: object) -> str:
        """The text, if it is one and can be written to files: JSON escapes may hold half characters."""
        if not isinstance(value, str):
            raise self._wrong(key, value, "a text")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise RecordError(f"{self._path(key)}: character {error.start + 1} is half of one") from error
        return value

    def _path(self, key: str) -> str:
        return key if self.where == "record" else f"{self.where}.{key}"

    def _wrong(self, key: str, value: object, expected: str) -> RecordError:
        return RecordError(f"{self._path(key)}: {_kind(value)}, expected {expected}")


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
