"""Rules that shout when training goes wrong, long before its results would say so.

Those of self-play; what other methods share of them has a function of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Rows = Sequence[Mapping[str, Any]]
"""The metrics of a run's iterations, the latest last."""

RECENT = 5
"""Iterations that a rule on a trend looks at."""

STALLED_S = 300.0
"""So long without a game that ended is worth a warning."""

FEW = 10
"""Games of which nothing is said yet."""


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """Something that is wrong with a run.

    Attributes:
        code: what, for programs: ``no_data``, ``one_sided``, ``short_games``, ``duplicates``, ``collapse``,
            ``no_value``, ``overfitting``, ``large_steps``, ``no_steps``, ``regress``.
        text: the same for people, a line.
        figures: what the text says, for texts in other languages: numbers, a ``color``, an ``option``.
    """

    code: str
    text: str
    figures: Mapping[str, float | str] = field(default_factory=dict)


def findings_of(rows: Rows, size: int) -> list[HealthFinding]:
    """What is wrong with a run of self-play.

    Args:
        rows: its metrics.
        size: of the board.
    """
    if not rows:
        return []
    last, recent = rows[-1], rows[-RECENT:]
    found = []
    if (waited := last.get("longest_wait_s", 0.0)) > STALLED_S:
        found.append(stalled(waited))
    if len(recent) == RECENT:
        games = sum(row["games"] for row in recent)
        if games >= 4 * FEW:
            wins = {color: sum(row[f"{color}_wins"] for row in recent) for color in ("black", "white")}
            found += one_sided(games, wins, "selfplay.opening_share")
        found += short_games([row["plies"] for row in rows], size)
        found += no_value([float(row["explained_after"]) for row in recent if "explained_after" in row])
    if last["games_seen"] >= FEW and last["duplicates"] > 0.3:
        text = (
            f"duplicates: {last['duplicates']:.0%} of the games in the window repeat another: raise noise, "
            "temperature or selfplay.opening_share"
        )
        found.append(HealthFinding("duplicates", text, {"share": last["duplicates"]}))
    # The net's entropy is measured now and then: an iteration of few batches may have none.
    if last["policy_entropy"] < 0.1 and last.get("entropy", 1.0) < 0.1:
        found.append(collapse(last["entropy"]))
    return found


def stalled(seconds: float) -> HealthFinding:
    """No game of self-play ended for so long."""
    text = f"no new data: no game ended for {seconds / 60:.0f} minutes: slow simulations, or a worker hangs"
    return HealthFinding("no_data", text, {"seconds": seconds})


def collapse(entropy: float) -> HealthFinding:
    """A policy of so little entropy, in nats."""
    text = f"policy collapse: entropy {entropy:.3f} nats: the net plays one move whatever happens"
    return HealthFinding("collapse", text, {"entropy": entropy})


def one_sided(games: float, wins: Mapping[str, float], option: str) -> list[HealthFinding]:
    """Whether one colour wins nearly all of the games.

    Args:
        games: how many.
        wins: of them, by colour.
        option: the parameter that would change it.
    """
    for color, won in wins.items():
        share = won / games
        if share > 0.95:
            text = f"one-sided: {color} won {share:.0%} of the last {games:.0f} games: raise {option}"
            figures: dict[str, float | str] = {
                "color": color,
                "share": share,
                "games": games,
                "option": option,
            }
            return [HealthFinding("one_sided", text, figures)]
    return []


def short_games(plies: Sequence[float], size: int) -> list[HealthFinding]:
    """Whether games get ever shorter.

    Args:
        plies: of the mean game of each iteration, the latest last, at least ``RECENT`` of them.
        size: of the board.
    """
    usual, recent = max(plies), plies[-RECENT:]
    now = sum(recent) / len(recent)
    falls = all(b <= a for a, b in pairwise(recent))
    if now < 12 * size / 9 and now < usual / 2 and falls:
        text = f"games get ever shorter: {now:.1f} plies, once {usual:.1f}: both sides may attack only"
        return [HealthFinding("short_games", text, {"plies": now, "once": usual})]
    return []


def no_value(explained: Sequence[float]) -> list[HealthFinding]:
    """Whether the value knows no more of the results than their mean.

    Args:
        explained: share of their variance in the latest iterations that measured it; too few say nothing.
    """
    if len(explained) < RECENT or max(explained) > 0:
        return []
    mean = sum(explained) / len(explained)
    text = f"value head: it explains {mean:.0%} of the results, no more than their mean does"
    return [HealthFinding("no_value", text, {"explained": mean})]
