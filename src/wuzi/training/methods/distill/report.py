"""What is said of a run of distillation: its rows in a line each, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wuzi.core.symmetry import canonical_moves
from wuzi.training.methods.distill.game_file import LabelledGame
from wuzi.training.run.health import FEW, HealthFinding, one_sided

Row = Mapping[str, Any]

_SHOWN = (
    *("loss", "pattern_loss", "hard_loss", "soft_loss", "taught_value_loss", "value_loss"),
    *("held_loss", "held_top1", "held_result_error"),
)


def figures_of(games: Sequence[LabelledGame], size: int) -> dict[str, Any]:
    """Results, lengths and variety of games."""
    different = {canonical_moves(list(game.moves), size) for game in games}
    count = max(1, len(games))
    return {
        "games": len(games),
        "plies": sum(len(game.moves) for game in games) / count,
        "black_wins": sum(game.winner == 1 for game in games),
        "white_wins": sum(game.winner == 2 for game in games),
        "draws": sum(game.winner == 0 for game in games),
        "duplicates": 1 - len(different) / count,
    }


def line_of(row: Row) -> str:
    """An iteration in one line, for people."""
    text = f"{row['iteration']:>4}  {row['stage']:<8}"
    if row["round"]:
        text += f"  round {row['round']}"
    if "games" in row:
        text += f"  games {row['games']:,}  plies {row['plies']:.1f}"
        text += f"  B/W/D {row['black_wins']}/{row['white_wins']}/{row['draws']}"
    for name in _SHOWN:
        if name in row:
            text += f"  {name.replace('_', ' ')} {row[name]:.3f}"
    if "mcts_win_rate" in row:
        text += f"  vs MCTS {row['mcts_playouts']}: {row['mcts_win_rate']:.0%}"
    return f"{text}  {row['stage_s']:.0f} s"


def findings_of(rows: Sequence[Row]) -> list[HealthFinding]:
    """What is wrong with a run; the latest row is the last."""
    if not rows:
        return []
    last = rows[-1]
    found = []
    if "games" in last and last["games"] >= FEW:
        found += _of_games(last)
    if last["stage"] == "student":
        found += _of_epochs([row for row in rows if row["stage"] == "student"])
    return found


def _of_games(row: Row) -> list[HealthFinding]:
    found = []
    if row["duplicates"] > 0.3:
        text = (
            f"duplicates: {row['duplicates']:.0%} of the games repeat another: raise data.explore, "
            "data.opening_plies_max or selfplay.opening_share"
        )
        found.append(HealthFinding("duplicates", text, {"share": row["duplicates"]}))
    wins = {color: row[f"{color}_wins"] for color in ("black", "white")}
    option = "data.opening_plies_max" if row["stage"] == "data" else "selfplay.opening_share"
    return [*found, *one_sided(row["games"], wins, option)]


def _of_epochs(rows: Sequence[Row]) -> list[HealthFinding]:
    last = rows[-1]
    found = []
    entropy = last.get("held_entropy", 1.0)
    if entropy < 0.05:
        text = f"policy collapse: entropy {entropy:.3f} nats on games held out"
        found.append(HealthFinding("collapse", text, {"entropy": entropy}))
    # Each round has other games, so losses are compared within a round.
    same = [row for row in rows if row["round"] == last["round"] and "held_loss" in row]
    if len(same) > 2:
        held, best = last["held_loss"], min(row["held_loss"] for row in same)
        if held > 1.2 * best and last["loss"] <= min(row["loss"] for row in same):
            text = (
                f"overfitting: loss {held:.3f} on games held out, once {best:.3f}: "
                "more games (data.games) or fewer distill.epochs"
            )
            found.append(HealthFinding("overfitting", text, {"loss": held, "once": best}))
    return found
