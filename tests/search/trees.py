"""What the tests of tree searches share: searching, and reading a tree as a dictionary."""

from __future__ import annotations

import numpy as np

from wuzi.core import Game, Position, Rules, parse_moves, rule_kernels
from wuzi.nets.evaluator import Evaluator, Floats
from wuzi.search.tree.batched import BatchedTrees
from wuzi.search.tree.options import Tactics, TreeOptions

PLAIN = TreeOptions(tactics=Tactics.NONE)

Tree = dict[tuple[int, ...], tuple[int, float, int]]


def tree_of(trees: BatchedTrees, game: int = 0) -> Tree:
    """Visits, mean value for the mover, proven result, by the moves that lead to a node."""
    memory = trees.memory
    nodes, choices, stats = memory.nodes[game], memory.choices[game], memory.stats[game]
    size = trees.rules.size
    found: Tree = {}

    def walk(node: int, path: tuple[int, ...]) -> None:
        here = nodes[node]
        edge = stats[here["edge"]]
        assert edge["pending"] == 0
        found[path] = int(edge["visits"]), float(edge["value"]), int(here["proven"])
        moves = set()
        for i in range(int(here["count"])):
            number = int(here["first"]) + i
            moves.add(int(choices[number]["point"]))
            if i < here["tried"] and stats[number]["child"]:
                child = int(stats[number]["child"])
                assert nodes[child]["parent"] == node and nodes[child]["edge"] == number and child > node
                walk(child, (*path, int(rule_kernels.to_cell(int(choices[number]["point"]), size))))
        assert len(moves) == here["count"]

    walk(0, ())
    assert len(found) == trees.size(game)
    return found


def searched(
    game: Game | Position,
    evaluator: Evaluator,
    options: TreeOptions,
    simulations: int,
    seed: int = 0,
) -> BatchedTrees:
    trees = BatchedTrees(game.rules, 1, evaluator, options)
    trees.new_game(0, game, seed=seed)
    trees.search(simulations)
    return trees


def position(moves: str, size: int = 9, win_length: int = 5) -> Position:
    return Game.from_moves(Rules(size=size, win_length=win_length), parse_moves(moves, size)).position


def black_is_better(features: Floats) -> tuple[Floats, Floats]:
    """Black stands at +0.8, told from the side to move (plane 3 of az4: Black to move)."""
    n, _, rows, cols = features.shape
    values = np.where(features[:, 3, 0, 0] > 0, 0.8, -0.8).astype(np.float32)
    return np.zeros((n, rows * cols), np.float32), values
