"""Searches that the codebook net guides: it is asked where a simulation ends, so no batch is collected."""

from __future__ import annotations

from numba import float32, float64, int64, void

from wuzi.core.jit import kernel
from wuzi.core.rule_kernels import Ints
from wuzi.evaluation.answer_kernels import Logits, codebook_answer
from wuzi.evaluation.codebook_kernels import Accumulator, Codebook
from wuzi.search.tree import kernels as grow
from wuzi.search.tree.batch_kernels import Batch, look_at_root, prepare_root
from wuzi.search.tree.kernels import FRESH, Grown, GrownTree
from wuzi.search.tree.puct_kernels import FULL, Board, SearchBoard, simulate
from wuzi.tactics.kernels import rewind


@kernel(void(Grown, Board, Codebook, Accumulator, Logits, Ints, int64))
def answer_node(grown, board, net, accumulator, logits, where, node):
    """Expand a node, whose position is on the board, by the net's answer, and back its value up."""
    tree, nodes, choices, stats = grown
    value = float32(codebook_answer(board.state, board.patterns, net, accumulator, logits))
    grow.expand(nodes, choices, board.state, logits, where, node)
    nodes[node].value = value
    tree.evaluated += 1
    grow.back_up(nodes, stats, node, float64(value), int64(node != 0))
    tree.done += int64(node != 0)


@kernel(int64(Batch, Codebook, Accumulator, Logits, Ints, int64))
def search_codebook(batch, net, accumulator, logits, where, most):
    """Take every tree that wants simulations ``most`` of them further; how many positions were evaluated.

    ``where`` (int64 [cells]) is 0, 1, 2 ...; ``logits`` (float32 [cells]) is scratch. Patterns must be kept.
    """
    tables, options = batch.tables, batch.options
    n = int64(0)
    for t in range(len(batch.trees)):
        tree = batch.trees[t]
        if tree.done >= tree.target:
            continue
        nodes, choices, stats, state = batch.nodes[t], batch.choices[t], batch.stats[t], batch.states[t]
        noise, before, own = batch.noise[t], batch.visits_before[t], batch.patterns[t]
        grown = GrownTree(tree, nodes, choices, stats)
        board = SearchBoard(state, own, tables, batch.vcf, batch.entries, batch.ctl)
        size, ply = state.size, state.ply
        if tree.prepared == 0:
            if nodes[0].status == FRESH:
                nodes[0].proven = 0
            look_at_root(grown, board, options)
            if nodes[0].status == FRESH:
                nodes[0].first = tree.edges
                tree.edges += size * size - ply
                answer_node(grown, board, net, accumulator, logits, where, int64(0))
                n += 1
            prepare_root(grown, options, noise, batch.priors[t], before, size)
        for _ in range(most):
            if nodes[0].proven != 0:
                tree.target = tree.started
            if tree.started >= tree.target:
                break
            node = simulate(grown, board, options, noise, before)
            if node >= 0:
                answer_node(grown, board, net, accumulator, logits, where, node)
                n += 1
            rewind(state, own, tables, ply, int64(1))
            if node == FULL:
                tree.full = 1
                tree.target = tree.started
    return n
