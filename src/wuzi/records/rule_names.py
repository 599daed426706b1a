"""The names that game files give to the rules."""

from __future__ import annotations

import re

from wuzi.core import Rule

_NAMES: dict[Rule, tuple[str, ...]] = {
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
        *("连珠", "連珠", "联珠", "有禁手", "有禁", "禁手"),
    ),
    Rule.CARO: ("caro", "vietnamese", "carostandard", "9", "越南规则"),
    Rule.CARO_OVERLINE: ("carooverline", "carofreestyle", "8"),
}
_LOOKUP = {name: rule for rule, names in _NAMES.items() for name in names}


def find_rule(text: str) -> Rule | None:
    """The rule that a file's text means, or None.

    Upper and lower case, blanks, hyphens and underscores do not matter; a bracketed remark is ignored.

    >>> find_rule("Free-Style"), find_rule("有禁手"), find_rule("chess")
    (<Rule.FREESTYLE: 0>, <Rule.RENJU: 4>, None)
    """
    plain = re.sub(r"[(（].*", "", text, flags=re.DOTALL).lower()
    return _LOOKUP.get(re.sub(r"[-_\s]", "", plain))
