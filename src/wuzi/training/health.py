"""Rules that shout when training goes wrong, long before its results would say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

_RECENT = 5
_FEW = 10


def warnings_of(rows: Sequence[Mapping[str, Any]], size: int) -> list[str]:
    """What is wrong with a run, a line each.

    Args:
        rows: the metrics of its iterations, the latest last.
        size: of the board.
    """
    if not rows:
        return []
    last, recent = rows[-1], rows[-_RECENT:]
    found = []
    if last["games"] and last["new_rows"] == 0:
        found.append("no new data: no game of self-play ended in this iteration")
    if len(recent) == _RECENT:
        found += _one_sided(recent)
        found += _short(rows, recent, size)
    if last["games_seen"] >= _FEW and last["duplicates"] > 0.3:
        found.append(
            f"duplicates: {last['duplicates']:.0%} of the games in the window repeat another: raise noise, "
            "temperature or selfplay.opening_share"
        )
    if last["policy_entropy"] < 0.1 and last["entropy"] < 0.1:
        found.append(
            f"policy collapse: entropy {last['entropy']:.3f} nats: the net plays one move whatever happens"
        )
    return found


def _one_sided(recent: Sequence[Mapping[str, Any]]) -> list[str]:
    games = sum(row["games"] for row in recent)
    if games < 4 * _FEW:
        return []
    for color in ("black", "white"):
        share = sum(row[f"{color}_wins"] for row in recent) / games
        if share > 0.95:
            return [
                f"one-sided: {color} won {share:.0%} of the last {games} games: the value learns little; "
                "raise selfplay.opening_share"
            ]
    return []


def _short(rows: Sequence[Mapping[str, Any]], recent: Sequence[Mapping[str, Any]], size: int) -> list[str]:
    usual = max(row["plies"] for row in rows)
    now = sum(row["plies"] for row in recent) / len(recent)
    falls = all(b["plies"] <= a["plies"] for a, b in pairwise(recent))
    if now < 12 * size / 9 and now < usual / 2 and falls:
        return [f"games get ever shorter: {now:.1f} plies, once {usual:.1f}: both sides may attack only"]
    return []
