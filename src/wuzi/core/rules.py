"""Rules as values: which board, how many in a row, which rule, which opening."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any, TypeVar

from wuzi.errors import ConfigError

MIN_SIZE = 3
MAX_SIZE = 26
MIN_WIN_LENGTH = 3
MIN_OPENING_SIZE = 5
"""Of the board, where an opening lets seats swap."""


_BLACK, _WHITE = 1, 2
"""Bits of :attr:`Rule.exact`: the values of :class:`wuzi.core.types.Color`."""


class Rule(IntEnum):
    """What counts as a win. The values are Gomocup's rule numbers, below 64.

    What sets a rule apart are its properties, which everything else asks: a new rule is a line here.

    Attributes:
        exact: bits of the colours for which rows longer than ``win_length`` count for nothing.
        blockable: whether a row of ``win_length`` does not win between two stones of the opponent, so that an
            open four can be stopped.
        forbids: whether Black loses by playing a forbidden point; such a rule is for five in a row.
    """

    exact: int
    blockable: bool
    forbids: bool

    FREESTYLE = 0
    """``win_length`` or more in a row win."""
    STANDARD = 1, _BLACK | _WHITE
    """Exactly ``win_length`` in a row win; longer rows count for nothing."""
    RENJU = 4, _BLACK, False, True
    """Exactly five for Black, five or more for White; Black loses by playing a forbidden point."""
    CARO = 9, _BLACK | _WHITE, True
    """Exactly ``win_length`` in a row win unless a stone of the opponent stands at both ends
    (the edge of the board is no stone)."""
    CARO_OVERLINE = 8, 0, True
    """As caro, but longer rows win too, even when blocked at both ends."""

    def __new__(cls, number: int, exact: int = 0, blockable: bool = False, forbids: bool = False) -> Rule:
        """A member: its number and its properties."""
        self = int.__new__(cls, number)
        self._value_ = number
        self.exact, self.blockable, self.forbids = exact, blockable, forbids
        return self

    def is_exact(self, color: int) -> bool:
        """Whether rows of that colour longer than ``win_length`` count for nothing."""
        return bool(self.exact & color)

    @property
    def win_length(self) -> int | None:
        """The only win length of the rule; None where it has any."""
        return 5 if self.forbids else None

    @property
    def label(self) -> str:
        """The lower-case name used everywhere, such as ``freestyle``."""
        return self.name.lower()


class Opening(StrEnum):
    """How the first stones are placed and who gets which colour."""

    FREE = "free"
    """Seat 0 has Black, seat 1 White; they alternate."""
    SWAP1 = "swap1"
    """Seat 0 places three stones (black, white, black); seat 1 chooses its colour."""
    SWAP2 = "swap2"
    """As swap1, but seat 1 may also add two stones and leave the choice to seat 0."""


@dataclass(frozen=True, slots=True)
class Rules:
    """A complete set of rules; a value that can be compared, hashed and stored.

    Attributes:
        size: rows and columns of the board, 3..26.
        win_length: stones in a row that win, 3..size (five in renju).
        rule: what counts as a win; a name such as ``"renju"`` is accepted too.
        opening: the opening protocol; a name such as ``"swap2"`` is accepted too.

    Raises:
        ConfigError: for an impossible combination.

    >>> Rules(size=15).label
    'freestyle 15x15'
    >>> Rules(size=6, win_length=4, rule="standard").label
    'standard 6x6, 4 in a row'
    """

    size: int = 15
    win_length: int = 5
    rule: Rule = Rule.FREESTYLE
    opening: Opening = Opening.FREE

    def __post_init__(self) -> None:
        object.__setattr__(self, "rule", _member(Rule, self.rule, "rule"))
        object.__setattr__(self, "opening", _member(Opening, self.opening, "opening"))
        for name in ("size", "win_length"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise ConfigError(f"{name} is {value!r}: expected a whole number")
        if not MIN_SIZE <= self.size <= MAX_SIZE:
            raise ConfigError(f"board size {self.size}: expected {MIN_SIZE} to {MAX_SIZE}")
        if not MIN_WIN_LENGTH <= self.win_length <= self.size:
            where = f"win length {self.win_length} on a {self.size}x{self.size} board"
            raise ConfigError(f"{where}: expected {MIN_WIN_LENGTH} to {self.size}")
        if self.rule.win_length not in (None, self.win_length):
            name = self.rule.label
            raise ConfigError(f"{name} with win length {self.win_length}: {name} needs five in a row")
        if self.opening is not Opening.FREE and self.size < MIN_OPENING_SIZE:
            least = f"{MIN_OPENING_SIZE}x{MIN_OPENING_SIZE}"
            raise ConfigError(f"{self.opening} on a {self.size}x{self.size} board: needs {least} or more")

    @property
    def num_cells(self) -> int:
        """Number of cells of the board."""
        return self.size * self.size

    @property
    def label(self) -> str:
        """A short name for people and file names."""
        text = f"{self.rule.label} {self.size}x{self.size}"
        if self.win_length != 5:
            text += f", {self.win_length} in a row"
        if self.opening is not Opening.FREE:
            text += f", {self.opening}"
        return text

    def to_json(self) -> dict[str, Any]:
        """Size, win length and rule as JSON-compatible data, without the opening."""
        return {"size": self.size, "win_length": self.win_length, "rule": self.rule.label}


E_ = TypeVar("E_", Rule, Opening)


def _member(kind: type[E_], value: object, what: str) -> E_:
    """The member of ``kind`` that ``value`` (a member, its value or its name) means."""
    choices = {m.name.lower(): m for m in kind}
    if isinstance(value, str) and value.lower().replace("-", "_") in choices:
        return choices[value.lower().replace("-", "_")]
    try:
        return kind(value)  # type: ignore[arg-type]
    except ValueError:
        names = ", ".join(choices)
        raise ConfigError(f"unknown {what} {value!r}: expected one of {names}") from None


def parse_rule(text: str) -> Rule:
    """The rule of that name (or Gomocup number).

    >>> parse_rule("renju")
    <Rule.RENJU: 4>
    """
    return _member(Rule, int(text) if text.strip().isdecimal() else text.strip(), "rule")
