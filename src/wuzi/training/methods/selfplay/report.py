"""What a row of metrics.jsonl says of an iteration, and that row in a line for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wuzi.training.data.games import SelfPlayGame
from wuzi.training.data.replay import duplicate_share, policy_entropy
from wuzi.training.methods.selfplay.state import SelfPlayState


def figures_of_games(
    games: Sequence[SelfPlayGame], seen: Sequence[SelfPlayGame], size: int
) -> dict[str, Any]:
    """Results, lengths and variety.

    Args:
        games: the iteration's own.
        seen: the latest of the window.
        size: of the board.
    """
    return {
        "games": len(games),
        "games_seen": len(seen),
        "plies": sum(len(game.moves) for game in games) / max(1, len(games)),
        "black_wins": sum(game.result > 0 for game in games),
        "white_wins": sum(game.result < 0 for game in games),
        "draws": sum(game.result == 0 for game in games),
        "duplicates": duplicate_share(seen, size),
        "policy_entropy": policy_entropy(games),
    }


def figures_of_state(state: SelfPlayState) -> dict[str, Any]:
    """Speed, times, and the means of the learner's figures."""
    return {
        "new_rows": state.new_rows,
        "evaluations": state.evaluations,
        "evaluations_per_s": state.evaluations / max(1e-9, state.selfplay_s),
        "batches": state.batch,
        "selfplay_s": round(state.selfplay_s, 2),
        "learn_s": round(state.learn_s, 2),
        "judge_s": round(state.judge_s, 2),
        "best_iteration": state.standing.best_iteration,
        **state.means(),
    }


def line_of(row: Mapping[str, Any]) -> str:
    """An iteration in one line, for people."""
    text = (
        f"{row['iteration']:>4}  games {row['total_games']:,}  plies {row['plies']:.1f}  "
        f"B/W/D {row['black_wins']}/{row['white_wins']}/{row['draws']}  loss {row.get('loss', 0.0):.3f} "
        f"(policy {row.get('policy_loss', 0.0):.3f}, value {row.get('value_loss', 0.0):.3f})  "
        f"lr {row.get('lr', 0.0):.1e}  {row['evaluations_per_s']:,.0f} evals/s  {row['seconds']:.0f} s"
    )
    if "mcts_win_rate" in row:
        text += f"  vs MCTS {row['mcts_playouts']}: {row['mcts_win_rate']:.0%}"
    return text
