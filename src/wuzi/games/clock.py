"""A player's clock for the whole game, as a value: the face measures, the clock only counts."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds left for the rest of the game, with an increment after each action.

    Attributes:
        left_s: seconds left; never below zero.
        increment_s: seconds added after each action that was made in time.
    """

    left_s: float
    increment_s: float = 0.0

    @property
    def has_flagged(self) -> bool:
        """Whether the time is used up."""
        return self.left_s <= 0

    def run(self, elapsed_s: float) -> Clock:
        """The clock after ``elapsed_s`` without an action.

        >>> Clock(10, increment_s=2).run(3)
        Clock(left_s=7, increment_s=2)
        """
        return replace(self, left_s=max(0.0, self.left_s - max(0.0, elapsed_s)))

    def spend(self, elapsed_s: float) -> Clock:
        """The clock after an action that took ``elapsed_s``; no increment once it has run out.

        >>> Clock(10, increment_s=2).spend(3)
        Clock(left_s=9, increment_s=2)
        >>> Clock(10, increment_s=2).spend(10).has_flagged
        True
        """
        after = self.run(elapsed_s)
        return after if after.has_flagged else replace(after, left_s=after.left_s + self.increment_s)
