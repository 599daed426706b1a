"""The other layers of small nets, forward and back: norms, sums, pooling, and what ends a net."""

from __future__ import annotations

import math

from numba import float32, float64, int64, types, void

from wuzi.core.jit import kernel
from wuzi.nets.graph import GLOBAL_POOL_CENTRE, GLOBAL_POOL_SCALE
from wuzi.training.learner.kernels.correlate_kernels import sum_of
from wuzi.training.learner.kernels.layout import BLOCK, Boards, Floats, LayerKind, Operation, WorkType

MOMENTUM = 0.1
"""How far a norm's running statistics move towards those of a batch."""


@kernel(void(types.Array(float32, 4, "C"), Floats, int64, int64, Boards))
def take_planes(planes, values, at, row, boards):
    """Put the feature planes [B, C, N, N] of a batch where a net reads them."""
    for b in range(boards.batch):
        for c in range(planes.shape[1]):
            for r in range(boards.size):
                to = at + c * row + b * boards.area + r * boards.stride
                for k in range(boards.size):
                    values[to + k] = planes[b, c, r, k]


@kernel(float64(Floats))
def total(row):
    """The sum of a long row, in parts so that none is lost to rounding."""
    found = 0.0
    for first in range(0, len(row), BLOCK):
        found += sum_of(row[first : min(first + BLOCK, len(row))])
    return found


@kernel(float32(Floats, Floats, float32), any_order=True)
def part_of_squares(row, cells, mean):
    """The sum of squared distances from a mean, where there are cells."""
    found = float32(0.0)
    for p in range(len(row)):
        off = (row[p] - mean) * cells[p]
        found += off * off
    return found


@kernel(float32(Floats, Floats, float32), any_order=True)
def part_of_products(gradient, row, mean):
    """The sum of products of a gradient, which is zero beside the cells, with distances from a mean."""
    found = float32(0.0)
    for p in range(len(row)):
        found += gradient[p] * (row[p] - mean)
    return found


@kernel(void(Floats, Floats, Floats, float32, float32, int64), any_order=True)
def put_scaled(row, cells, out, scale, shift, relu):
    """A row times a scale and plus a shift, where there are cells."""
    least = float32(0.0) if relu else float32(-math.inf)
    for p in range(len(row)):
        out[p] = max(row[p] * scale + shift, least) * cells[p]


@kernel(void(WorkType, Operation, Boards, int64))
def norm(work, op, boards, training):
    """Batch norm by the statistics of the batch, which the running ones follow, or by the running ones."""
    cells, count = work.mask[op.mask : op.mask + op.count], boards.batch * boards.size * boards.size
    for c in range(op.inputs):
        at = op.x + c * op.row_x
        row = work.values[at : at + op.count]
        mean, variance = float64(work.running[op.norm + c]), float64(work.running[op.norm + op.inputs + c])
        if training:
            mean, variance = total(row) / count, 0.0
            for first in range(0, op.count, BLOCK):
                end = min(first + BLOCK, op.count)
                variance += part_of_squares(row[first:end], cells[first:end], float32(mean))
            variance /= count
            work.running[op.norm + c] += float32(MOMENTUM * (mean - work.running[op.norm + c]))
            spread = variance * count / (count - 1)
            at = op.norm + op.inputs + c
            work.running[at] += float32(MOMENTUM * (spread - work.running[at]))
        inverse = 1.0 / math.sqrt(variance + op.eps)
        work.saved[op.saved + c] = mean
        work.saved[op.saved + op.inputs + c] = inverse
        scale = work.parameters[op.weight + c] * inverse
        shift = work.parameters[op.bias + c] - mean * scale
        at = op.y + c * op.row_y
        put_scaled(row, cells, work.values[at : at + op.count], float32(scale), float32(shift), op.relu)


@kernel(void(Floats, Floats, Floats, Floats, float32, float32, float32, int64), any_order=True)
def put_norm_back(gradient, row, cells, out, scale, slope, shift, fresh):
    """The gradient of a norm's input: of a batch's mean and variance, too."""
    if fresh:
        for p in range(len(row)):
            out[p] = (gradient[p] * scale - row[p] * slope - shift) * cells[p]
    else:
        for p in range(len(row)):
            out[p] += (gradient[p] * scale - row[p] * slope - shift) * cells[p]


@kernel(void(WorkType, Operation, Boards))
def norm_back(work, op, boards):
    """Gradients of a norm's input, scale and shift."""
    cells, count = work.mask[op.mask : op.mask + op.count], boards.batch * boards.size * boards.size
    for c in range(op.inputs):
        x_at, y_at = op.x + c * op.row_x, op.y + c * op.row_y
        row, gradient = work.values[x_at : x_at + op.count], work.gradients[y_at : y_at + op.count]
        mean, inverse = work.saved[op.saved + c], work.saved[op.saved + op.inputs + c]
        all_gradients, products = total(gradient), 0.0
        for first in range(0, op.count, BLOCK):
            end = min(first + BLOCK, op.count)
            products += part_of_products(gradient[first:end], row[first:end], mean)
        products *= inverse
        work.weight_gradients[op.weight + c] += float32(products)
        work.weight_gradients[op.bias + c] += float32(all_gradients)
        scale = work.parameters[op.weight + c] * inverse
        slope = scale * inverse * products / count
        shift = scale * all_gradients / count - slope * mean
        out = work.gradients[x_at : x_at + op.count]
        put_norm_back(gradient, row, cells, out, float32(scale), float32(slope), float32(shift), op.fresh)


@kernel(void(WorkType, Operation))
def cut_gradient(work, op):
    """No gradient where negative numbers became 0."""
    for c in range(op.outputs):
        at = op.y + c * op.row_y
        value, gradient = work.values[at : at + op.count], work.gradients[at : at + op.count]
        for p in range(op.count):
            gradient[p] = gradient[p] if value[p] > 0 else float32(0.0)


@kernel(void(Floats, Floats, int64))
def hand_on(gradient, out, fresh):
    """A gradient is that of what was added, too."""
    if fresh:
        for p in range(len(out)):
            out[p] = gradient[p]
    else:
        for p in range(len(out)):
            out[p] += gradient[p]


@kernel(void(WorkType, Operation))
def add(work, op):
    """The sum of two tensors."""
    least = float32(0.0) if op.relu else float32(-math.inf)
    for c in range(op.outputs):
        one, two, to = op.x + c * op.row_x, op.x2 + c * op.row_x2, op.y + c * op.row_y
        x, x2 = work.values[one : one + op.count], work.values[two : two + op.count]
        y = work.values[to : to + op.count]
        for p in range(op.count):
            y[p] = max(x[p] + x2[p], least)


@kernel(void(WorkType, Operation))
def add_back(work, op):
    """The gradients of what was added."""
    for c in range(op.outputs):
        one, two, at = op.x + c * op.row_x, op.x2 + c * op.row_x2, op.y + c * op.row_y
        gradient = work.gradients[at : at + op.count]
        hand_on(gradient, work.gradients[one : one + op.count], op.fresh)
        hand_on(gradient, work.gradients[two : two + op.count], op.fresh2)


@kernel(void(WorkType, Operation, Boards))
def add_spread(work, op, boards):
    """The sum of a board's channel and a number."""
    least = float32(0.0) if op.relu else float32(-math.inf)
    area = boards.area
    for c in range(op.outputs):
        for b in range(boards.batch):
            one, to = op.x + c * op.row_x + b * area, op.y + c * op.row_y + b * area
            x, y = work.values[one : one + area], work.values[to : to + area]
            cells = work.mask[op.mask : op.mask + area]
            number = work.values[op.x2 + c * op.row_x2 + b]
            for p in range(area):
                y[p] = max(x[p] + number, least) * cells[p]


@kernel(void(WorkType, Operation, Boards))
def add_spread_back(work, op, boards):
    """The gradients of the board and of the number."""
    for c in range(op.outputs):
        one, at = op.x + c * op.row_x, op.y + c * op.row_y
        hand_on(work.gradients[at : at + op.count], work.gradients[one : one + op.count], op.fresh)
        for b in range(boards.batch):
            first = at + b * boards.area
            found = sum_of(work.gradients[first : first + boards.area])
            to = op.x2 + c * op.row_x2 + b
            work.gradients[to] = found if op.fresh2 else work.gradients[to] + found


@kernel(void(WorkType, Operation, Boards))
def pool(work, op, boards):
    """Mean, mean by board size and maximum of each channel."""
    size, values = boards.size, work.values
    factor = float32((size - GLOBAL_POOL_CENTRE) / GLOBAL_POOL_SCALE)
    for c in range(op.inputs):
        for b in range(boards.batch):
            at = op.x + c * op.row_x + b * boards.area
            mean = sum_of(values[at : at + boards.area]) / float32(size * size)
            most = values[at]
            for r in range(size):
                for p in range(at + r * boards.stride, at + r * boards.stride + size):
                    most = max(most, values[p])
            to = op.y + c * op.row_y + b
            values[to] = mean
            values[to + op.inputs * op.row_y] = mean * factor
            values[to + 2 * op.inputs * op.row_y] = most


@kernel(void(WorkType, Operation, Boards))
def pool_back(work, op, boards):
    """The gradient of what was pooled: that of a maximum goes to all cells that have it."""
    size, values, g = boards.size, work.values, work.gradients
    factor = float32((size - GLOBAL_POOL_CENTRE) / GLOBAL_POOL_SCALE)
    for c in range(op.inputs):
        for b in range(boards.batch):
            at, to = op.x + c * op.row_x + b * boards.area, op.y + c * op.row_y + b
            by_size, by_most = to + op.inputs * op.row_y, to + 2 * op.inputs * op.row_y
            share = (g[to] + g[by_size] * factor) / float32(size * size)
            ties, most = 0, values[by_most]
            for r in range(size):
                for p in range(at + r * boards.stride, at + r * boards.stride + size):
                    ties += values[p] == most
            best = share + g[by_most] / float32(ties)
            for r in range(size):
                for p in range(at + r * boards.stride, at + r * boards.stride + size):
                    found = best if values[p] == most else share
                    g[p] = found if op.fresh else g[p] + found


@kernel(void(WorkType, Operation, Boards, int64))
def flatten(work, op, boards, back):
    """Cells of boards as channels of a vector; ``back`` from the vector's gradient to the boards'."""
    size, cells = boards.size, boards.size * boards.size
    for c in range(op.inputs):
        for cell in range(cells):
            at = op.x + c * op.row_x + cell // size * boards.stride + cell % size
            to = op.y + (c * cells + cell) * op.row_y
            for b in range(boards.batch):
                if not back:
                    work.values[to + b] = work.values[at + b * boards.area]
                elif op.fresh:
                    work.gradients[at + b * boards.area] = work.gradients[to + b]
                else:
                    work.gradients[at + b * boards.area] += work.gradients[to + b]


@kernel(void(WorkType, Operation, int64))
def activation(work, op, back):
    """Hyperbolic tangent or logistic function of a vector."""
    for c in range(op.outputs):
        for b in range(op.count):
            at, to = op.x + c * op.row_x + b, op.y + c * op.row_y + b
            y = work.values[to]
            if back:
                slope = 1 - y * y if op.kind == LayerKind.TANH else y * (1 - y)
                found = work.gradients[to] * float32(slope)
                work.gradients[at] = found if op.fresh else work.gradients[at] + found
            elif op.kind == LayerKind.TANH:
                work.values[to] = math.tanh(work.values[at])
            else:
                work.values[to] = float32(1.0) / (float32(1.0) + math.exp(-work.values[at]))
