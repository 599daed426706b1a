"""The losses of a net's outputs, and their gradients.

Each kernel adds the gradient of ``scale`` times its loss to that of the output and answers the loss. Means
are weighted: positions count by ``weights``, whose sum is at least a little.
"""

from __future__ import annotations

import math

from numba import float32, float64, int64, types, void

from wuzi.core.jit import kernel
from wuzi.training.learner.kernels.layout import Boards, Floats, Floats2, WorkType

Longs3 = types.Array(int64, 3, "C")
_LEAST = 1e-6


@kernel(float64(Floats))
def sum_of_weights(weights):
    """Of a batch; never 0."""
    found = 0.0
    for b in range(len(weights)):
        found += weights[b]
    return max(found, _LEAST)


@kernel(void(Floats, int64, int64, int64, Floats))
def soften(values, at, row, count, shares):
    """The softmax of ``count`` numbers that are a row apart."""
    most, whole = values[at], float32(0.0)
    for k in range(1, count):
        most = max(most, values[at + k * row])
    for k in range(count):
        shares[k] = math.exp(values[at + k * row] - most)
        whole += shares[k]
    for k in range(count):
        shares[k] /= whole


@kernel(float64(WorkType, int64, int64, Floats2, Floats, float64))
def cross_entropy(work, at, row, targets, weights, scale):
    """Mean of ``-sum(target * log softmax(logits))``; targets float32 [B, A], logits [A] a position."""
    count, whole, loss = targets.shape[1], sum_of_weights(weights), 0.0
    shares = work.sums[:count]
    for b in range(len(weights)):
        if weights[b] == 0:
            continue
        soften(work.values, at + b, row, count, shares)
        share, mass, off = weights[b] / whole, float32(0.0), 0.0
        for k in range(count):
            mass += targets[b, k]
            if targets[b, k] > 0:
                off -= targets[b, k] * math.log(max(shares[k], float32(1e-38)))
        loss += share * off
        for k in range(count):
            step = scale * share * (shares[k] * mass - targets[b, k])
            work.gradients[at + b + k * row] += float32(step)
    return loss


@kernel(float64(WorkType, int64, Floats, Floats, float64))
def squares(work, at, targets, weights, scale):
    """Mean of the squared distance of a number a position from its target."""
    whole, loss = sum_of_weights(weights), 0.0
    for b in range(len(weights)):
        off, share = float64(work.values[at + b]) - targets[b], weights[b] / whole
        loss += share * off * off
        work.gradients[at + b] += float32(scale * share * 2.0 * off)
    return loss


@kernel(float64(WorkType, int64, int64, Floats, Floats, float64))
def wdl_loss(work, at, row, targets, weights, scale):
    """Mean of half the squared distance of win less loss, by three logits, from its target."""
    whole, loss = sum_of_weights(weights), 0.0
    shares = work.sums[:3]
    for b in range(len(weights)):
        soften(work.values, at + b, row, int64(3), shares)
        value = float64(shares[0]) - shares[2]
        off, share = value - targets[b], weights[b] / whole
        loss += share * off * off / 2.0
        for k in range(3):
            step = scale * share * off * shares[k] * (float64(1 - k) - value)
            work.gradients[at + b + k * row] += float32(step)
    return loss


@kernel(float64(WorkType, int64, int64, Boards, Longs3, Floats, float64))
def cell_classes(work, at, row, boards, labels, weights, scale):
    """Mean cross-entropy of three logits a cell; positions whose labels are negative do not count."""
    size, cells = boards.size, float64(boards.size * boards.size)
    whole, loss, shares = 0.0, 0.0, work.sums[:3]
    for b in range(len(weights)):
        if labels[b, 0, 0] >= 0:
            whole += weights[b]
    whole = max(whole, _LEAST)
    for b in range(len(weights)):
        if labels[b, 0, 0] < 0 or weights[b] == 0:
            continue
        share = weights[b] / whole / cells
        for r in range(size):
            for c in range(size):
                place, label = at + b * boards.area + r * boards.stride + c, labels[b, r, c]
                soften(work.values, place, row, int64(3), shares)
                loss -= share * math.log(max(shares[label], float32(1e-38)))
                for k in range(3):
                    step = scale * share * (shares[k] - float64(k == label))
                    work.gradients[place + k * row] += float32(step)
    return loss
