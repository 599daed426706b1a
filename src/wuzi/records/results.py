"""The results of games as SGF files write them (``B+R``, ``W+T``, ``0``)."""

from __future__ import annotations

import re

from wuzi.core import Color, Outcome, Reason
from wuzi.errors import RecordError

UNKNOWN_RESULTS = frozenset({"", "?", "*", "void", "unfinished", "未完", "未知"})
"""Lower-case texts that say: no result."""

_DRAWS = frozenset({"0", "draw", "jigo", "d", "1/2-1/2", "和", "和棋", "平", "平局"})
_WIN = re.compile(r"(b|w|black|white|黑|白)(?:方|棋)?\s*(?:\+|wins?\b|中盘胜|胜)\s*(.*)", re.IGNORECASE)
_REASONS = {
    **dict.fromkeys(("r", "resign", "resignation", "认输", "中盘"), Reason.RESIGNATION),
    **dict.fromkeys(("t", "time", "timeout", "超时"), Reason.TIME),
    **dict.fromkeys(("f", "forfeit"), Reason.ADJUDICATION),
}
_SUFFIX = {Reason.RESIGNATION: "R", Reason.TIME: "T", Reason.CRASH: "F", Reason.ILLEGAL: "F"}
_NEEDS_REASON = frozenset({Reason.CRASH, Reason.ILLEGAL, Reason.ADJUDICATION})


def parse_result(text: str) -> Outcome | None:
    """The outcome that an SGF result means; None for text that means none we know.

    A win without a reason reads as a row, a draw without a reason as a full board: what the board shows
    decides (:func:`wuzi.records.replay.settle`).

    >>> parse_result("W+Resign")
    Outcome(winner=<Color.WHITE: 2>, reason=<Reason.RESIGNATION: 4>)
    """
    plain = " ".join(text.split()).lower()
    if plain in _DRAWS:
        return Outcome(None, Reason.DRAW_FULL)
    found = _WIN.fullmatch(plain)
    if not found:
        return None
    winner = Color.BLACK if found[1] in ("b", "black", "黑") else Color.WHITE
    reason = Reason.RESIGNATION if "中盘" in plain else _REASONS.get(found[2].strip("() "), Reason.LINE)
    return Outcome(winner, reason)


def format_result(outcome: Outcome) -> str:
    """The SGF result of an outcome.

    >>> format_result(Outcome(Color.BLACK, Reason.TIME)), format_result(Outcome(None, Reason.AGREEMENT))
    ('B+T', '0')
    """
    if outcome.winner is None:
        return "0"
    return f"{outcome.winner.letter}+{_SUFFIX.get(outcome.reason, '')}"


def result_loses_reason(outcome: Outcome) -> bool:
    """Whether :func:`format_result` alone does not bring back the reason."""
    if outcome.winner is None:
        return outcome.reason not in (Reason.DRAW_FULL, Reason.AGREEMENT)
    return outcome.reason in _NEEDS_REASON or outcome.reason in (Reason.DRAW_FULL, Reason.AGREEMENT)


def parse_reason(text: str) -> Reason:
    """The reason with that label.

    Raises:
        RecordError: there is none.
    """
    for reason in Reason:
        if reason.label == text:
            return reason
    raise RecordError(f"end reason {text[:40]!r}: expected one of {', '.join(r.label for r in Reason)}")
