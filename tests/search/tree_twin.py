"""PUCT and Gumbel search in plain Python on a tree of objects: slow, and the same trees as the kernels'.

One leaf at a time, no reuse. Means and priors are rounded to single precision as the kernels store them.
Tactics are looked for by playing the moves, freestyle only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from wuzi.core import Color, Position
from wuzi.nets.evaluator import Evaluator, scalar_value
from wuzi.nets.planes import PlaneEncoder, records_of
from wuzi.search.layout import PROVEN_DRAW
from wuzi.search.tree.options import SearchAlgorithm, Tactics, TreeOptions, Unvisited

f32 = np.float32
NOTHING = f32(0)


@dataclass
class TwinNode:
    position: Position
    parent: TwinNode | None = None
    move: int = -1
    visits: int = 0
    mean: np.float32 = NOTHING
    """For the side that moved here."""
    own_value: np.float32 = NOTHING
    priors: dict[int, np.float32] = field(default_factory=dict)
    tried: dict[int, TwinNode] = field(default_factory=dict)
    proven: int = 0
    """For the side to move here: n + 1 for a win in n plies, and so on."""

    @property
    def untried(self) -> list[int]:
        return sorted((m for m in self.priors if m not in self.tried), key=lambda m: (-self.priors[m], m))

    def edge_proof(self, move: int) -> int:
        child = self.tried.get(move)
        if child is None or child.proven in (0, PROVEN_DRAW):
            return 0 if child is None else child.proven
        return -child.proven + (1 if child.proven < 0 else -1)

    def edge_value(self, move: int) -> float:
        proof = self.edge_proof(move)
        if proof:
            return 0.0 if proof == PROVEN_DRAW else math.copysign(1, proof)
        return float(self.tried[move].mean)


def winning_moves(position: Position, color: Color) -> list[int]:
    """Cells where ``color`` makes a row, whoever is to move."""
    cells = np.array(position.cells)
    as_mover = Position.from_cells(position.rules, cells, to_move=color)
    found = []
    for move in as_mover.legal_moves:
        outcome = as_mover.play(move).outcome
        if outcome is not None and outcome.winner is color:
            found.append(int(move))
    return found


def decide(position: Position) -> tuple[int, int | None]:
    """(proven result, forced move) by what fives and open fours say."""
    own = position.to_move
    if winning_moves(position, own):
        return 2, winning_moves(position, own)[0]
    opponent = winning_moves(position, own.opponent)
    if len(opponent) > 1:
        return -3, opponent[0]
    if opponent:
        return 0, opponent[0]
    for move in position.legal_moves:
        if len(winning_moves(position.play(move), own)) > 1:
            return 4, int(move)
    return 0, None


class TwinSearch:
    def __init__(
        self, position: Position, evaluator: Evaluator, options: TreeOptions, noise: np.ndarray | None = None
    ) -> None:
        assert position.outcome is None
        self.options, self.evaluator = options, evaluator
        self.encoder = PlaneEncoder(evaluator.planes, position.rules)
        self.noise = np.zeros(position.rules.num_cells, f32) if noise is None else noise.astype(f32)
        self.root = TwinNode(position)
        self.tactical = options.tactics is not Tactics.NONE
        proven, forced = decide(position) if self.tactical else (0, None)
        self.root.proven = proven
        if forced is not None:
            self.root.priors = {forced: f32(1)}
        else:
            self.back_up(self.root, self.evaluate(self.root))
        self.mix_noise()

    def run(self, simulations: int) -> None:
        self.simulations = 1 if len(self.root.priors) == 1 else simulations
        for index in range(self.simulations):
            if self.root.proven:
                return
            self.index = index
            self.simulate()

    # -------------------------------------------------------------- parts

    def evaluate(self, node: TwinNode) -> float:
        position = node.position
        logits, values = self.evaluator.evaluate(self.encoder.encode(records_of([position])))
        legal = [int(m) for m in position.legal_moves]
        top = float(max(logits[0][m] for m in legal))
        weights = {m: math.exp(float(logits[0][m]) - top) for m in legal}
        total = sum(weights.values())
        node.priors = {m: f32(float(f32(w)) / total) for m, w in weights.items()}
        node.own_value = f32(scalar_value(values)[0])
        return float(node.own_value)

    def mix_noise(self) -> None:
        if self.options.form is SearchAlgorithm.GUMBEL or not self.options.noise_fraction:
            return
        fraction, root = self.options.noise_fraction, self.root
        total = sum(float(self.noise[m]) for m in sorted(root.priors))
        self.clean = dict(root.priors)
        root.priors = {
            m: f32((1 - fraction) * float(p) + fraction * float(self.noise[m]) / total)
            for m, p in root.priors.items()
        }

    def simulate(self) -> None:
        node = self.root
        while True:
            if node.proven:
                self.back_up(node, 0.0)
                return
            move = self.choose(node)
            if move in node.tried:
                node = node.tried[move]
                continue
            child = TwinNode(node.position.play(move), node, move)
            node.tried[move] = child
            node = child
            outcome = node.position.outcome
            forced = None
            if outcome is not None:
                node.proven = PROVEN_DRAW if outcome.winner is None else -1
            elif self.tactical:
                node.proven, forced = decide(node.position)
            if node.proven:
                if self.options.proofs:
                    self.settle(node)
            elif forced is not None:
                node.priors = {forced: f32(1)}
            else:
                self.back_up(node, self.evaluate(node))
                return

    def settle(self, node: TwinNode) -> None:
        parent = node.parent
        while parent is not None and not parent.proven:
            proofs = [parent.edge_proof(m) for m in parent.priors]
            best = [p for p in proofs if p > 0 and p != PROVEN_DRAW]
            if best:
                parent.proven = parent.edge_proof(node.move)
            elif all(proofs):
                parent.proven = PROVEN_DRAW if PROVEN_DRAW in proofs else min(proofs)
            else:
                return
            node, parent = parent, parent.parent

    def back_up(self, node: TwinNode | None, value: float) -> None:
        while node is not None:
            if node.proven:
                value = 0.0 if node.proven == PROVEN_DRAW else math.copysign(1, node.proven)
            value = -value
            node.visits += 1
            mean = float(node.mean)
            node.mean = f32(mean + (value - mean) / node.visits)
            node = node.parent

    # -------------------------------------------------------------- choosing

    def choose(self, node: TwinNode) -> int:
        if self.options.form is SearchAlgorithm.PUCT:
            return self.choose_puct(node)
        return self.choose_halving(node) if node is self.root else self.choose_improved(node)

    def choose_puct(self, node: TwinNode) -> int:
        o = self.options
        c = o.c_puct
        if o.c_log:
            c += o.c_log * math.log((node.visits + o.c_base) / o.c_base)
        c *= math.sqrt(node.visits)
        tried = [m for m in node.tried if node.edge_proof(m) >= 0]
        unknown = 0.0
        if o.unvisited is Unvisited.PARENT:
            seen = 0.0
            for m in node.tried:
                seen += float(node.priors[m])
            unknown = -float(node.mean) - o.reduction * math.sqrt(seen)
        elif o.unvisited is Unvisited.SIBLINGS and sum(node.tried[m].visits for m in tried):
            total = 0.0
            for m in tried:
                total += node.edge_value(m) * node.tried[m].visits
            unknown = total / sum(node.tried[m].visits for m in tried)
        best, best_score = -1, -math.inf
        for m in [*tried, *node.untried]:
            if m in node.tried:
                score = node.edge_value(m) + c * float(node.priors[m]) / (1 + node.tried[m].visits)
            else:
                score = unknown + c * float(node.priors[m])
            if score > best_score:
                best, best_score = m, score
        return best

    def completed(self, node: TwinNode) -> tuple[float, dict[int, float]]:
        """(scale, completed values of all moves that are not proven lost, in [0, 1])."""
        o = self.options
        tried = [m for m in node.tried if node.edge_proof(m) >= 0 and node.tried[m].visits]
        values = {m: (node.edge_value(m) + 1) / 2 for m in tried}
        mixed = (float(node.own_value) + 1) / 2
        visits = sum(node.tried[m].visits for m in tried)
        if visits:
            prior = sum(float(node.priors[m]) for m in tried)
            mean = sum(float(node.priors[m]) * values[m] for m in tried) / prior
            mixed = (mixed + visits * mean) / (1 + visits)
        scale = (o.c_visit + max((node.tried[m].visits for m in tried), default=0)) * o.c_scale
        return scale, {m: values.get(m, mixed) for m in node.priors if node.edge_proof(m) >= 0}

    def improved(self, node: TwinNode) -> dict[int, float]:
        scale, values = self.completed(node)
        logs = {m: math.log(max(float(node.priors[m]), 1e-30)) + scale * v for m, v in values.items()}
        top = max(logs.values())
        weights = {m: math.exp(v - top) for m, v in logs.items()}
        total = sum(weights.values())
        return {m: w / total for m, w in weights.items()}

    def choose_improved(self, node: TwinNode) -> int:
        policy = self.improved(node)
        visits = {m: node.tried[m].visits if m in node.tried else 0 for m in policy}
        total = sum(visits.values())
        order = [*(m for m in node.tried if m in policy), *node.untried]
        return max(order, key=lambda m: policy[m] - visits[m] / (1 + total))

    def choose_halving(self, node: TwinNode) -> int:
        o = self.options
        levels = list(visit_levels(self.simulations, min(o.considered, len(node.priors))))
        scale, values = self.completed(node)
        scores = {
            m: math.log(max(float(node.priors[m]), 1e-30)) + float(self.noise[m]) + scale * v
            for m, v in values.items()
        }
        visits = {m: node.tried[m].visits if m in node.tried else 0 for m in scores}
        level = [m for m in scores if visits[m] == levels[self.index]]
        return max(level or scores, key=lambda m: scores[m])

    def tree(self) -> dict[tuple[int, ...], tuple[int, float, int]]:
        """Visits, mean value for the mover, proven result, by the moves that lead to a node."""
        found: dict[tuple[int, ...], tuple[int, float, int]] = {}

        def walk(node: TwinNode, path: tuple[int, ...]) -> None:
            found[path] = node.visits, float(node.mean), node.proven
            for move, child in node.tried.items():
                walk(child, (*path, move))

        walk(self.root, ())
        return found


def visit_levels(simulations: int, considered: int) -> Iterator[int]:
    """How many visits the root move of each simulation has before it: sequential halving, spelled out."""
    if considered <= 1:
        yield from range(simulations)
        return
    rounds = math.ceil(math.log2(considered))
    visits = [0] * considered
    given = 0
    width = considered
    while True:
        for _ in range(max(1, simulations // (rounds * width))):
            for move in range(width):
                if given == simulations:
                    return
                yield visits[move]
                visits[move] += 1
                given += 1
        width = max(2, width // 2)
