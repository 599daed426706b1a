"""Seats of a game between people far from each other: each has a key, and only who names one may write.

The keys are made by a page and travel in its links; here only their digests are kept.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass

from wuzi.apps.web.problems import ProblemError

Digests = list[str]
"""One a seat, of its key."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes a value, and what a page wants its seats to be.

    Attributes:
        key: of the seat that writes; empty for none.
        keys: both, of a value that has no seats yet.
        like: the value whose seats a new one is to have; the writer must sit there.
        swapped: those in turned order.
    """

    key: str = ""
    keys: Sequence[str] | None = None
    like: str = ""
    swapped: bool = False


def digest(key: str) -> str:
    """What is kept of a key: it has 60 bits of chance and more, so that one round of SHA-256 is enough."""
    return hashlib.sha256(key.encode()).hexdigest()


def seat_of(seats: Digests | None, key: str) -> int | None:
    """The seat of a key, if it is one of these."""
    found = digest(key)
    places = [place for place, one in enumerate(seats or ()) if hmac.compare_digest(one, found)]
    return places[0] if key and places else None


def needed_seat(seats: Digests | None, key: str) -> int | None:
    """The seat that writes; None where there are none. ProblemError: there are, and the key is of none."""
    found = seat_of(seats, key)
    if seats and found is None:
        raise ProblemError(403, "no_seat", "only who has the link of a seat changes this game")
    return found
