"""The words that game files use for rules, results and the actions of a swap opening.

Files hold stones; a swap opening also needs who chose what. The words ``place3``, ``place2``, ``place``,
``swap`` and ``keep`` tell it, in order; the stones they consume are those of the main line. Results are
SGF's (``B+R``, ``W+T``, ``0``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wuzi.core import (
    Action,
    Color,
    Game,
    Keep,
    Move,
    Opening,
    Outcome,
    Place,
    PlaceSeveral,
    Reason,
    Rule,
    Swap,
)
from wuzi.errors import RecordError

STONES = {"place3": 3, "place2": 2, "place": 1, "swap": 0, "keep": 0}
"""Stones that each word consumes."""


def describe_opening(game: Game) -> tuple[str, ...] | None:
    """The words of a game's opening; None when its rules have no opening protocol.

    The single stones after the opening need no words and are left out.
    """
    if game.rules.opening is Opening.FREE:
        return None
    words = [
        f"place{len(action.moves)}" if isinstance(action, PlaceSeveral) else type(action).__name__.lower()
        for action in game.actions
    ]
    while words and words[-1] == "place":
        words.pop()
    return tuple(words)


def opening_actions(words: Sequence[str], moves: Sequence[Move]) -> Iterator[Action]:
    """The actions that ``words``, then single stones, take of ``moves``; a RecordError for too few stones."""
    used = 0
    for word in words:
        if word not in STONES:
            raise RecordError(f"opening action {word!r}: expected one of {', '.join(STONES)}")
        stones = tuple(moves[used : used + STONES[word]])
        if len(stones) < STONES[word]:
            raise RecordError(f"opening action {word!r} needs {STONES[word]} stones: {len(stones)} are left")
        used += len(stones)
        if word == "swap":
            yield Swap()
        elif word == "keep":
            yield Keep()
        else:
            yield Place(stones[0]) if word == "place" else PlaceSeveral(stones)
    for move in moves[used:]:
        yield Place(move)


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
    decides (:func:`wuzi.records.replay.corrected`).

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
    """The reason with that label; a RecordError if there is none."""
    for reason in Reason:
        if reason.label == text:
            return reason
    raise RecordError(f"end reason {text[:40]!r}: expected one of {', '.join(r.label for r in Reason)}")


RULE_NAMES: dict[Rule, tuple[str, ...]] = {
    Rule.FREESTYLE: (
        *("freestyle", "free", "freestylegomoku", "gomokufreestyle", "freegomoku", "gomoku", "gobang", "0"),
        *("fiveinarow", "wuziqi", "五子棋", "无禁手", "無禁手", "无禁", "自由", "自由规则"),
    ),
    Rule.STANDARD: (
        *("standard", "standardgomoku", "gomokustandard", "exactfive", "exactlyfive", "exact5", "1"),
        *("标准", "标准规则", "长连不赢", "长连不算胜"),
    ),
    Rule.RENJU: (
        *("renju", "renjurules", "rif", "rifrenju", "forbiddenmoves", "4"),
        *("连珠", "連珠", "联珠", "有禁手", "有禁", "禁手", "렌주"),
        *("taraguchi", "taraguchi10", "soosorv", "soosõrv", "soosyrv", "sosorv", "yamaguchi", "sakata"),
        *("tarannikov", "塔拉山口", "索索夫", "山口", "五手两打", "三手交换"),
    ),
    Rule.CARO: ("caro", "vietnamese", "carostandard", "9", "越南规则"),
    Rule.CARO_OVERLINE: ("carooverline", "carofreestyle", "8"),
}
"""What files call the rules, as :func:`find_rule` compares it."""
RENJU_BEGINS = ("renju", "连珠", "連珠", "联珠", "有禁")
"""What begins the names of renju with any opening rule."""
_MOST_WORDS = 8
"""Of a text that may be a rule's name with remarks behind it."""
_LOOKUP = {name: rule for rule, names in RULE_NAMES.items() for name in names}


def find_rule(text: str) -> Rule | None:
    """The rule that a file's text means, or None.

    Upper and lower case, blanks, hyphens and underscores do not matter. A remark behind a bracket, a comma or
    another sign is ignored, as are further words and a number at the end: files add the opening rule there.

    >>> find_rule("Free-Style"), find_rule("有禁手"), find_rule("chess")
    (<Rule.FREESTYLE: 0>, <Rule.RENJU: 4>, None)
    >>> find_rule("Renju, Taraguchi-10"), find_rule("RIF Soosorv-8")
    (<Rule.RENJU: 4>, <Rule.RENJU: 4>)
    """
    head = re.split(r"[(（,，;；:：/|+]", text.lower(), maxsplit=1)[0]
    words = head.split(maxsplit=_MOST_WORDS)[:_MOST_WORDS]
    for candidate in (head, *(" ".join(words[:n]) for n in range(len(words), 0, -1))):
        plain = re.sub(r"[-_\s]", "", candidate)
        for name in (plain, plain.rstrip("0123456789")):
            if name in _LOOKUP:
                return _LOOKUP[name]
    return Rule.RENJU if head.strip().startswith(RENJU_BEGINS) else None
