"""The options of a configuration dataclass: types, defaults, limits, help, and reading them from text.

One schema serves the spec string, TOML, the command line and the web's forms. A field is an ``int``,
``float``, ``str``, ``bool`` or ``Enum``, each perhaps ``| None``; in files also a table or a list of these::

    @dataclass(frozen=True)
    class MinimaxConfig:
        depth: int = option(4, "plies searched full-width", "完整搜索的层数", minimum=1, maximum=20)
        seed: int = 0

Help comes from :func:`option`, or from the ``Attributes:`` section of the class docstring.
"""

from __future__ import annotations

import dataclasses
import math
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from wuzi.errors import ConfigError

Value = bool | int | float | str | Enum | None
"""What an option may hold."""

_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "text", dict: "a table"}
_MANY = {int: "a list of whole numbers", float: "a list of numbers", str: "a list of names", dict: "tables"}


def option(
    default: Any,
    help: str = "",
    help_zh: str = "",
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    local: bool = False,
    file: bool = False,
) -> Any:
    """A dataclass field with help in two languages; see :class:`Option` for the rest."""
    metadata = {"help": help, "help_zh": help_zh, "minimum": minimum, "maximum": maximum}
    metadata |= {"local": local, "file": file}
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a configuration.

    Attributes:
        name: the key.
        kind: ``bool``, ``int``, ``float``, ``str``, ``dict`` or an ``Enum`` class.
        default: the value when it is not given.
        optional: whether ``none`` is a value.
        many: whether the value is a list of that kind.
        required: whether it must be given.
        help, help_zh: one line each for people.
        minimum, maximum: limits of numbers, inclusive.
        local: a command or path: taken from this machine's command line only, never from a network.
        file: a plain name or a path: a name may come from anywhere, a path as if ``local``.
    """

    name: str
    kind: type
    default: Value
    optional: bool = False
    many: bool = False
    required: bool = False
    help: str = ""
    help_zh: str = ""
    minimum: float | None = None
    maximum: float | None = None
    local: bool = False
    file: bool = False

    def is_local(self, value: object) -> bool:
        """Whether this value may come from this machine's command line only."""
        return self.local or (self.file and _PLAIN_NAME.fullmatch(str(value).strip()) is None)

    @property
    def type_name(self) -> str:
        """``bool``, ``int``, ``float``, ``str`` or ``enum``."""
        return "enum" if issubclass(self.kind, Enum) else self.kind.__name__

    @property
    def choices(self) -> tuple[str, ...] | None:
        """The names an enumeration accepts, None for other types."""
        return tuple(_enum_names(self.kind)) if issubclass(self.kind, Enum) else None

    def parse(self, text: str) -> Value:
        """The value that ``text`` means; ConfigError for a wrong type or a value out of range."""
        stripped = text.strip()
        if self.optional and stripped.lower() == "none":
            return None
        if self.kind is str:
            return stripped
        if self.kind is bool and stripped.lower() in _TRUE | _FALSE:
            return stripped.lower() in _TRUE
        try:
            if self.kind is int:
                return self.check(int(stripped))
            if self.kind is float:
                return self.check(float(stripped))
        except ValueError as error:
            if isinstance(error, ConfigError):
                raise
        member = _enum_names(self.kind).get(stripped.lower().replace("-", "_"))
        if member is not None:
            return member
        raise self._wrong(stripped)

    def check(self, value: object) -> Value:
        """``value`` itself (whole numbers also for ``float``); ConfigError for a wrong type or range."""
        if value is None and self.optional:
            return None
        if self.many:
            if not isinstance(value, list) or any(type(item) is not self.kind for item in value):
                raise self._wrong(value)
            return typing.cast(Value, value)
        if self.kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, self.kind) or (isinstance(value, bool) and self.kind is not bool):
            raise self._wrong(value)
        if isinstance(value, int | float) and not isinstance(value, Enum):
            low = -math.inf if self.minimum is None else self.minimum
            high = math.inf if self.maximum is None else self.maximum
            if not low <= value <= high or value in (math.inf, -math.inf):
                raise self._wrong(value)
        return typing.cast(Value, value)

    def coerce(self, value: object) -> Value:
        """As :meth:`check`, but text is parsed where the option itself is not text."""
        if isinstance(value, str) and (self.kind is not str or self.optional) and not isinstance(value, Enum):
            return self.parse(value)
        return self.check(value)

    def format(self, value: Value) -> str:
        """The text that :meth:`parse` reads back as ``value``."""
        if value is None:
            return "none"
        if isinstance(value, Enum):
            return value.name.lower()
        if isinstance(value, bool):
            return "true" if value else "false"
        return repr(value) if isinstance(value, float) else str(value)

    def describe(self) -> dict[str, Any]:
        """The option as JSON-compatible data, for forms."""
        default = self.format(self.default) if isinstance(self.default, Enum) else self.default
        return {
            "name": self.name,
            "type": self.type_name,
            "default": default,
            "optional": self.optional,
            "choices": self.choices,
            "minimum": self.minimum,
            "maximum": self.maximum,
            "help": {"en": self.help, "zh": self.help_zh or self.help},
        }

    def _wrong(self, value: object) -> ConfigError:
        expected = ", ".join(self.choices) if self.choices else (_MANY if self.many else _NAMES)[self.kind]
        if self.minimum is not None or self.maximum is not None:
            low = "" if self.minimum is None else f" from {self.minimum:g}"
            high = "" if self.maximum is None else f" up to {self.maximum:g}"
            expected += low + high
        if self.optional:
            expected += " or none"
        return ConfigError(f"{self.name}={str(value)[:60]}: expected {expected}")


@cache
def options_of(config_type: type) -> Mapping[str, Option]:
    """The options of a configuration dataclass by name, in its order."""
    hints = typing.get_type_hints(config_type)
    documented = section_of(config_type.__doc__ or "", "Attributes:")
    found = {}
    for item in dataclasses.fields(config_type):
        hint, optional = split_optional(hints[item.name])
        many = typing.get_origin(hint) is list
        hint = typing.get_args(hint)[0] if many else hint
        kind = typing.get_origin(hint) or hint
        if not isinstance(kind, type) or not (kind in _NAMES or issubclass(kind, Enum)):
            raise TypeError(f"{config_type.__name__}.{item.name}: {kind!r} cannot be an option")
        meta = dict(item.metadata)
        meta["help"] = meta.get("help") or documented.get(item.name, "")
        missing = item.default is dataclasses.MISSING
        required = missing and item.default_factory is dataclasses.MISSING
        default = None if missing else item.default
        found[item.name] = Option(item.name, kind, default, optional, many, required, **meta)
    return types.MappingProxyType(found)


def build_config(
    config_type: type,
    presets: Mapping[str, Mapping[str, object]],
    values: Mapping[str, object],
    where: str,
    *,
    typed: bool = False,
) -> Any:
    """A configuration dataclass from typed values or text; the key ``preset`` is applied first.

    ``where`` is what errors name, such as the player. ``typed`` takes no text where the option is not text,
    as in a file that has types of its own.

    Raises:
        ConfigError: unknown key or preset, wrong type, out of range.
    """
    options = options_of(config_type)
    rest = dict(values)
    merged: dict[str, object] = {}
    preset = None if "preset" in options else rest.pop("preset", None)
    if preset is not None:
        if str(preset) not in presets:
            raise ConfigError(f"{where}: unknown preset {preset!r}: {_one_of(presets)}")
        merged.update(presets[str(preset)])
    merged.update(rest)
    result = {}
    for key, value in merged.items():
        if key not in options:
            known = [*options, "preset"] if presets else list(options)
            raise ConfigError(f"{where}: unknown key {key!r}: {_one_of(known)}")
        try:
            made = options[key].check(value) if typed else options[key].coerce(value)
            result[key] = value if typed else made  # a file's 1 stays 1, also for a float
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
    if lacking := [key for key, item in options.items() if item.required and key not in result]:
        raise ConfigError(f"{where}: no {lacking[0]}: expected {', '.join(options)}")
    return config_type(**result)


def minimal_values(config: Any, presets: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """The fewest keys, as text, from which :func:`build_config` makes ``config`` again."""
    config_type: type = type(config)
    options = options_of(config_type)
    best: dict[str, str] | None = None
    for preset in (None, *presets):
        base = {key: item.default for key, item in options.items()}
        if preset is not None:
            base |= {key: options[key].coerce(value) for key, value in presets[preset].items()}
        keys: dict[str, str] = {} if preset is None else {"preset": preset}
        for key, item in options.items():
            if (value := getattr(config, key)) != base[key]:
                keys[key] = item.format(value)
        if best is None or len(keys) < len(best):
            best = keys
    assert best is not None
    return best


def _one_of(names: typing.Iterable[str]) -> str:
    known = ", ".join(names)
    return f"expected one of {known}" if known else "there are none"


def _enum_names(kind: type) -> dict[str, Enum]:
    return {m.name.lower(): m for m in kind} if issubclass(kind, Enum) else {}


def split_optional(hint: Any) -> tuple[Any, bool]:
    """The type without ``None``, and whether ``None`` was in it."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        args = [arg for arg in typing.get_args(hint) if arg is not types.NoneType]
        if len(args) == 1:
            return args[0], True
    return hint, False


def section_of(docstring: str, title: str) -> dict[str, str]:
    """The texts of a section of a Google-style docstring, such as ``Attributes:``, by name."""
    found: dict[str, str] = {}
    section, indent, name = False, 0, ""
    for line in docstring.expandtabs().splitlines():
        text = line.strip()
        depth = len(line) - len(line.lstrip())
        if text == title:
            section, indent = True, depth
        elif section and text:
            if depth <= indent:
                break
            head, colon, rest = text.partition(":")
            if depth == indent + 4 and colon and head.replace(",", "").replace(" ", "").isidentifier():
                for name in head.replace(" ", "").split(","):
                    found[name] = rest.strip()
            elif name:
                found[name] += " " + text
    return found
