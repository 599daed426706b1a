"""Rules that shout when training goes wrong, long before its results would say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Rows = Sequence[Mapping[str, Any]]
"""The metrics of a run's iterations, the latest last."""

_RECENT = 5
_FEW = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a run.

    Attributes:
        code: what, for programs: ``no_data``, ``one_sided``, ``short_games``, ``duplicates``, ``collapse``,
            ``no_value``, ``overfitting``.
        text: the same for people, a line.
        figures: what the text says, for texts in other languages.
    """

    code: str
    text: str
    figures: Mapping[str, float | str] = field(default_factory=dict)


def warnings_of(rows: Rows, size: int) -> list[str]:
    """What is wrong with a run of self-play, a line each.

    Args:
        rows: its metrics.
        size: of the board.
    """
    return [finding.text for finding in findings_of(rows, size)]


def findings_of(rows: Rows, size: int) -> list[Finding]:
    """The same as :func:`warnings_of`, with codes and figures."""
    if not rows:
        return []
    last, recent = rows[-1], rows[-_RECENT:]
    found = []
    if last["games"] and last["new_rows"] == 0:
        found.append(Finding("no_data", "no new data: no game of self-play ended in this iteration"))
    if len(recent) == _RECENT:
        found += [*_one_sided(recent), *_short(rows, recent, size), *_no_value(recent)]
    if last["games_seen"] >= _FEW and last["duplicates"] > 0.3:
        text = (
            f"duplicates: {last['duplicates']:.0%} of the games in the window repeat another: raise noise, "
            "temperature or selfplay.opening_share"
        )
        found.append(Finding("duplicates", text, {"share": last["duplicates"]}))
    # The net's entropy is measured now and then: an iteration of few batches may have none.
    if last["policy_entropy"] < 0.1 and last.get("entropy", 1.0) < 0.1:
        text = f"policy collapse: entropy {last['entropy']:.3f} nats: the net plays one move whatever happens"
        found.append(Finding("collapse", text, {"entropy": last["entropy"]}))
    return found


def _one_sided(recent: Rows) -> list[Finding]:
    games = sum(row["games"] for row in recent)
    if games < 4 * _FEW:
        return []
    for color in ("black", "white"):
        share = sum(row[f"{color}_wins"] for row in recent) / games
        if share > 0.95:
            text = (
                f"one-sided: {color} won {share:.0%} of the last {games} games: the value learns little; "
                "raise selfplay.opening_share"
            )
            return [Finding("one_sided", text, {"color": color, "share": share, "games": games})]
    return []


def _short(rows: Rows, recent: Rows, size: int) -> list[Finding]:
    usual = max(row["plies"] for row in rows)
    now = sum(row["plies"] for row in recent) / len(recent)
    falls = all(b["plies"] <= a["plies"] for a, b in pairwise(recent))
    if now < 12 * size / 9 and now < usual / 2 and falls:
        text = f"games get ever shorter: {now:.1f} plies, once {usual:.1f}: both sides may attack only"
        return [Finding("short_games", text, {"plies": now, "once": usual})]
    return []


def _no_value(recent: Rows) -> list[Finding]:
    explained = [float(row["explained_after"]) for row in recent if "explained_after" in row]
    if len(explained) < _RECENT or max(explained) > 0:
        return []
    mean = sum(explained) / len(explained)
    text = f"value head: it explains {mean:.0%} of the results, no more than their mean does"
    return [Finding("no_value", text, {"explained": mean})]
