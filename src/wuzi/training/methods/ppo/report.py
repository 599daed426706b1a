"""What is said of a run of PPO: its rows in a line each, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wuzi.training.run.health import FEW, RECENT, HealthFinding, collapse, no_value, one_sided, short_games

Row = Mapping[str, Any]

_LARGE_KL = 0.1
"""Nats from the policy that played: five times where the default parameters stop."""

_LARGE_CLIP = 0.4
"""Share of ratios beyond the clip range: what is beyond it has no gradient."""


def line_of(row: Row) -> str:
    """An iteration in one line, for people."""
    text = f"{row['iteration']:>4}  moves {row['moves']:,.0f}  games {row['games']:,.0f}"
    if row.get("finished"):
        text += f"  plies {row['plies_mean']:.1f}"
    for name in ("policy_loss", "value_loss", "entropy", "kl"):
        if name in row:
            text += f"  {name.replace('_', ' ')} {row[name]:.3f}"
    for name in ("opponent_score", "best_score"):
        if name in row:
            text += f"  {name.replace('_', ' ')} {row[name]:.0%}"
    return f"{text}  {row['moves_per_s']:,.0f} moves/s  {row['seconds']:.0f} s"


def findings_of(rows: Sequence[Row], size: int) -> list[HealthFinding]:
    """What is wrong with a run.

    Args:
        rows: its metrics, the latest last.
        size: of the board.
    """
    if not rows:
        return []
    last, recent = rows[-1], rows[-RECENT:]
    found = []
    if last["new_rows"] == 0:
        found.append(HealthFinding("no_data", "no new data: no move of this iteration can be learned from"))
    if last.get("entropy", 1.0) < 0.1:
        found.append(collapse(last["entropy"]))
    if len(recent) == RECENT:
        found += [*_of_games(rows, recent, size), *_of_updates(recent)]
        found += no_value([row["value_explained"] for row in recent if row["new_rows"]])
    return found


def _of_games(rows: Sequence[Row], recent: Sequence[Row], size: int) -> list[HealthFinding]:
    games = sum(row["finished"] for row in recent)
    if games == 0:
        text = f"no new data: no game ended in the last {RECENT} iterations: raise ppo.steps"
        return [HealthFinding("no_data", text)]
    found = []
    if games >= 4 * FEW:
        black = sum(row["black_wins"] * row["finished"] for row in recent)
        white = sum((1 - row["black_wins"] - row["draws"]) * row["finished"] for row in recent)
        found += one_sided(games, {"black": black, "white": white}, "ppo.random_plies")
    found += short_games([row["plies_mean"] for row in rows if row["finished"]], size)
    against = sum(row.get("opponent_games", 0) for row in recent)
    if against >= 10 * FEW:
        score = sum(row.get("opponent_score", 0.0) * row.get("opponent_games", 0) for row in recent) / against
        if score < 0.4:
            text = (
                f"forgetting: {score:.0%} of the last {against} games against earlier nets: "
                "lower ppo.learning_rate or ppo.kl_stop"
            )
            found.append(HealthFinding("regress", text, {"share": score, "games": against}))
    return found


def _of_updates(recent: Sequence[Row]) -> list[HealthFinding]:
    taught = [row for row in recent if row["rows"]]
    if len(taught) < RECENT:
        return []
    if not any(row["gradient_steps"] for row in taught):
        text = (
            "no learning: the divergence ended every update before its first step: "
            "raise ppo.kl_stop or leave out ppo.replay"
        )
        return [HealthFinding("no_steps", text)]
    kls = [row["kl_last"] for row in taught]
    shares = [row.get("clip_fraction", 0.0) for row in taught]
    if min(kls) > _LARGE_KL or min(shares) > _LARGE_CLIP:
        kl, clipped = sum(kls) / len(kls), sum(shares) / len(shares)
        text = (
            f"updates too large: {kl:.2f} nats from the policy that played, {clipped:.0%} of the ratios "
            "clipped: lower ppo.learning_rate or ppo.num_epochs"
        )
        return [HealthFinding("large_steps", text, {"kl": kl, "share": clipped})]
    return []
