"""What players, referees, faces and workers say to each other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

from wuzi.core import Action, Color, Game, Move, Opening, Place, Rule, Rules
from wuzi.errors import ConfigError

MAX_CLOCK_SHARE = 0.2
"""Share of what is left of a game's clock that one answer takes at most."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A budget for one answer. None means no limit of that kind; the first one reached ends the search.

    Attributes:
        time_s: seconds for this answer.
        nodes: positions searched.
        depth: plies of full-width search.
        simulations: tree simulations (playouts, visits).
        clock_s: seconds left on the player's clock for the rest of the game.
        increment_s: seconds added after each move.

    Raises:
        ConfigError: a limit below 0; only a clock may be overdrawn.
    """

    time_s: float | None = None
    nodes: int | None = None
    depth: int | None = None
    simulations: int | None = None
    clock_s: float | None = None
    increment_s: float = 0.0

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if limit.name != "clock_s" and value is not None and not value >= 0:
                raise ConfigError(f"limit {limit.name}={value!r}: expected 0 or more")

    def after(self, seconds: float) -> Limit:
        """What is left of it when so many seconds are spent."""
        time_s = None if self.time_s is None else max(0.0, self.time_s - seconds)
        clock_s = None if self.clock_s is None else self.clock_s - seconds
        return replace(self, time_s=time_s, clock_s=clock_s)

    def describe(self) -> str:
        """A short text such as ``0.5s`` or ``400 simulations``, ``default`` when nothing is limited."""
        parts = []
        if self.time_s is not None:
            parts.append(f"{self.time_s:g}s")
        if self.clock_s is not None:
            parts.append(f"{self.clock_s:g}s left")
        for name in ("nodes", "depth", "simulations"):
            if (value := getattr(self, name)) is not None:
                parts.append(f"{value} {name}")
        return ", ".join(parts) or "default"


class Stop:
    """A request to stop thinking, set from another thread.

    A search polls :attr:`is_set`, or registers a callback that writes its kernel's control array.
    A stopped search still answers with its best move so far.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def is_set(self) -> bool:
        """Whether a stop was requested."""
        return self._event.is_set()

    def set(self) -> None:
        """Ask the search to stop; may be called any number of times."""
        with self._lock:
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until a stop is requested; True if it was."""
        return self._event.wait(timeout)

    def on_set(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once, when (or if already) a stop is requested."""
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def forget(self, callback: Callable[[], None]) -> None:
        """Do not call ``callback`` any more, if it was not called yet."""
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)


def black_winrate(value: float, color: Color) -> float:
    """Black's expected score, 0 to 1, from the value of a position for ``color``, -1 to 1.

    >>> black_winrate(0.5, Color.BLACK), black_winrate(0.5, Color.WHITE)
    (0.75, 0.25)
    """
    return (1 + (value if color is Color.BLACK else -value)) / 2


def own_winrate(winrate: float, color: Color) -> float:
    """The expected score of ``color`` from Black's, and the other way round."""
    return winrate if color is Color.BLACK else 1 - winrate


@dataclass(frozen=True, slots=True)
class Line:
    """One candidate move of the side to move, with what the search thinks of it.

    Attributes:
        move: the candidate.
        value: expected result for the side to move, -1 (loss) to 1 (win); None when not known.
        color: the side to move; None only where no value is known.
        visits: simulations or nodes spent below the move.
        prior: policy probability before search, if there was one.
        score: the player's own raw score (weight sum, evaluation), if it has one.
        pv: the expected continuation, starting with ``move``.
        win_in: plies to a proven win (positive) or loss (negative) of the side to move.
    """

    move: Move
    value: float | None = None
    color: Color | None = None
    visits: int = 0
    prior: float | None = None
    score: float | None = None
    pv: tuple[Move, ...] = ()
    win_in: int | None = None

    def __post_init__(self) -> None:
        if self.value is not None and self.color is None:
            raise TypeError("Line: a value needs the color of the side to move")

    @property
    def winrate(self) -> float | None:
        """**Black's** expected score, 0 to 1; None when not known."""
        if self.value is None or self.color is None:
            return None
        return black_winrate(self.value, self.color)


@dataclass(frozen=True, slots=True)
class SearchInfo:
    """What a search knows so far.

    Attributes:
        color: the side to move.
        lines: candidates, best first.
        nodes: positions searched. simulations: tree simulations done.
        depth: plies searched full-width; max_depth: deepest ply reached.
        time_s: seconds since the search began.
        extra: player-specific additions that are JSON-compatible (score tables, recorded trees).
    """

    color: Color
    lines: tuple[Line, ...] = ()
    nodes: int = 0
    simulations: int = 0
    depth: int = 0
    max_depth: int = 0
    time_s: float = 0.0
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def nodes_per_s(self) -> float:
        """Nodes (or simulations, for a tree search) per second."""
        return max(self.nodes, self.simulations) / self.time_s if self.time_s > 0 else 0.0


@dataclass(frozen=True, slots=True)
class PlayResult:
    """A player's answer.

    Attributes:
        action: what it does; the referee applies it.
        info: what it knew at that moment.
        resigned: True when the player gives up instead of acting.
    """

    action: Action
    info: SearchInfo
    resigned: bool = False

    @property
    def move(self) -> Move:
        """The single cell played; a TypeError if the action does not place one stone (a swap phase)."""
        if not isinstance(self.action, Place):
            raise TypeError(f"the answer is {self.action!r}, not one stone: use .action")
        return self.action.move


OnInfo = Callable[[SearchInfo], None]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Which rules a player can play; faces grey out the rest, with the reason.

    Attributes:
        rules: the variants it knows.
        min_size, max_size: board sizes, inclusive.
        win_lengths: the win lengths it knows; None for all.
        openings: the opening protocols it can take part in.
        deterministic: the same game, limit and seed give the same answer.
    """

    rules: frozenset[Rule] = frozenset(Rule)
    min_size: int = 3
    max_size: int = 26
    win_lengths: frozenset[int] | None = None
    openings: frozenset[Opening] = frozenset(Opening)
    deterministic: bool = True

    def why_not(self, rules: Rules) -> str | None:
        """None if these rules are supported, else the reason in one sentence."""
        if rules.rule not in self.rules:
            known = ", ".join(sorted(rule.label for rule in self.rules))
            return f"does not play {rules.rule.label} (plays {known})"
        if not self.min_size <= rules.size <= self.max_size:
            return f"does not play on {rules.size}x{rules.size} (plays {self.min_size} to {self.max_size})"
        if self.win_lengths is not None and rules.win_length not in self.win_lengths:
            known = ", ".join(map(str, sorted(self.win_lengths)))
            return f"does not play {rules.win_length} in a row (plays {known})"
        if rules.opening not in self.openings:
            return f"does not know the {rules.opening} opening"
        return None


@runtime_checkable
class Player(Protocol):
    """Something that answers a game with an action.

    ``think`` gets the whole game each time, never changes it, and depends on nothing but its
    arguments and the player's configuration (caches are only speed). It answers within the limit,
    or soon after ``stop`` is set, with the best it has. Where the game waits for an opening choice
    (``game.phase``), the answer is ``PlaceSeveral``, ``Swap``, ``Keep`` or ``Place``.
    """

    @property
    def name(self) -> str:
        """A short display name."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What the player supports."""
        ...

    def think(
        self,
        game: Game,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: OnInfo | None = None,
    ) -> PlayResult:
        """Answer the game; see the class. Reports progress to ``on_info`` a few times a second."""
        ...

    def close(self) -> None:
        """Release processes and memory; may be called twice."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
