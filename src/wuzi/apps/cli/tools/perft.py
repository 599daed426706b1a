"""``wuzi perft``: count the game tree by depth."""

from __future__ import annotations

from wuzi.apps.cli.options import Board, Json, Positive, print_json


def perft(
    depth: Positive,
    board: Board = Board(),
    as_json: Json = False,
) -> None:
    """Count all move sequences of each length, and the games that end within them.

    Equal counts from two programs mean that they agree on the rules.

    Options:
        depth: Number of plies to count.
    """
    from wuzi.core import perft as count

    rules = board.rules()
    result = count(rules, depth)
    if as_json:
        print_json(
            {
                "size": rules.size,
                "win_length": rules.win_length,
                "rule": rules.rule.label,
                "depth": depth,
                "nodes": list(result.nodes),
                "finished": result.finished,
            }
        )
        return
    print(rules.label)
    for ply, nodes in enumerate(result.nodes, start=1):
        print(f"{ply:4d} {nodes:20,d}")
    print(f"finished games: {result.finished:,d}")
