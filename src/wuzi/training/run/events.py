"""What training tells those who watch it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Event:
    """Something to be shown.

    Attributes:
        kind: ``progress`` (many a second), ``row`` (an iteration's metrics), ``text``, ``warning``.
        text: for people.
        data: the metrics of a row; of progress its ``stage``, the ``iteration`` it belongs to, how much is
            ``done`` ``of`` how much, and the ``speed`` in evaluations a second where there is one.
    """

    kind: str
    text: str
    data: Mapping[str, Any] | None = None


Observe = Callable[[Event], None]
