"""The forward and the backward pass of a net, operation by operation."""

from __future__ import annotations

from numba import int64, void

from wuzi.core.jit import kernel
from wuzi.training.learner.kernels.correlate_kernels import (
    add_weight_gradients,
    correlate,
    correlate_back,
    pack_tiles,
)
from wuzi.training.learner.kernels.layer_kernels import (
    activation,
    add,
    add_back,
    add_spread,
    add_spread_back,
    cut_gradient,
    flatten,
    norm,
    norm_back,
    pool,
    pool_back,
)
from wuzi.training.learner.kernels.layout import Boards, LayerKind, Operations, WorkType

CORRELATE, NORM, ADD, ADD_SPREAD = (
    LayerKind.CORRELATE.value,
    LayerKind.NORM.value,
    LayerKind.ADD.value,
    LayerKind.ADD_SPREAD.value,
)
POOL, FLATTEN = LayerKind.POOL.value, LayerKind.FLATTEN.value


@kernel(void(WorkType, Operations, Boards, int64))
def forward(work, operations, boards, training):
    """What a net answers to the planes in ``values``; in ``training`` norms go by the batch."""
    for n in range(len(operations)):
        op = operations[n]
        if op.kind == CORRELATE:
            pack_tiles(work, op, int64(0))
            correlate(work, op, boards)
        elif op.kind == NORM:
            norm(work, op, boards, training)
        elif op.kind == ADD:
            add(work, op)
        elif op.kind == ADD_SPREAD:
            add_spread(work, op, boards)
        elif op.kind == POOL:
            pool(work, op, boards)
        elif op.kind == FLATTEN:
            flatten(work, op, boards, int64(0))
        else:
            activation(work, op, int64(0))


@kernel(void(WorkType, Operations, Boards))
def backward(work, operations, boards):
    """From the gradients of the outputs to those of all parameters, added to ``weight_gradients``."""
    for n in range(len(operations) - 1, -1, -1):
        op = operations[n]
        if op.relu:
            cut_gradient(work, op)
        if op.kind == CORRELATE:
            add_weight_gradients(work, op, boards)
            if op.wanted:
                pack_tiles(work, op, int64(1))
                correlate_back(work, op, boards)
        elif op.kind == NORM:
            norm_back(work, op, boards)
        elif op.kind == ADD:
            add_back(work, op)
        elif op.kind == ADD_SPREAD:
            add_spread_back(work, op, boards)
        elif op.kind == POOL:
            pool_back(work, op, boards)
        elif op.kind == FLATTEN:
            flatten(work, op, boards, int64(1))
        else:
            activation(work, op, int64(1))
