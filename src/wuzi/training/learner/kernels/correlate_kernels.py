"""Convolutions 3x3 and 1x1 and dense layers, and their gradients: all as sums over long rows of floats.

The inner loops keep four outputs and three neighbours (or four inputs) in registers, twelve or sixteen
products for every few loads, and run over floats side by side, which LLVM makes vector instructions of.
"""

from __future__ import annotations

from numba import float32, int64, void

from wuzi.core.jit import kernel
from wuzi.training.learner.kernels.layout import BLOCK, GROUP, Boards, Floats, Operation, WorkType


@kernel(void(WorkType, Operation, int64))
def pack_tiles(work, op, back):
    """The weights in the order in which they are read, filled up with zeros.

    Those of the pass ``back`` lead from outputs to inputs, with the neighbours mirrored.
    """
    rows, columns = (op.inputs, op.outputs) if back else (op.outputs, op.inputs)
    wide = columns if op.taps > 1 else (columns + GROUP - 1) // GROUP * GROUP
    to = op.packed_back if back else op.packed
    for first in range(0, rows, GROUP):
        for i in range(wide):
            for tap in range(op.taps):
                for row in range(first, first + GROUP):
                    value = float32(0.0)
                    if row < rows and i < columns:
                        o, k = (i, row) if back else (row, i)
                        near = op.taps - 1 - tap if back else tap
                        value = work.parameters[op.weight + (o * op.inputs + k) * op.taps + near]
                    work.packed[to] = value
                    to += 1


@kernel(void(Floats, int64, int64, int64, int64, int64, Floats, int64, Floats), any_order=True)
def add_neighbours(x, at, row, inputs, stride, length, packed, k, sums):
    """Four sums over the nine neighbours in all inputs, for ``length`` places from ``at`` on."""
    for i in range(inputs):
        for line in range(-1, 2):
            begin = at + i * row + line * stride - 1
            near = x[begin : begin + length + 2]
            w = packed[k : k + 12]
            k += 12
            a0, b0, c0, d0, a1, b1, c1, d1 = w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]
            a2, b2, c2, d2 = w[8], w[9], w[10], w[11]
            for p in range(length):
                left, middle, right = near[p], near[p + 1], near[p + 2]
                sums[p] += a0 * left + a1 * middle + a2 * right
                sums[p + BLOCK] += b0 * left + b1 * middle + b2 * right
                sums[p + 2 * BLOCK] += c0 * left + c1 * middle + c2 * right
                sums[p + 3 * BLOCK] += d0 * left + d1 * middle + d2 * right


@kernel(void(Floats, int64, int64, int64, int64, Floats, int64, Floats), any_order=True)
def add_inputs(x, at, row, inputs, length, packed, k, sums):
    """Four sums over all inputs at the same place, for ``length`` places from ``at`` on."""
    for i in range(0, inputs, GROUP):
        first, second = at + i * row, at + min(i + 1, inputs - 1) * row
        third, fourth = at + min(i + 2, inputs - 1) * row, at + min(i + 3, inputs - 1) * row
        x0, x1 = x[first : first + length], x[second : second + length]
        x2, x3 = x[third : third + length], x[fourth : fourth + length]
        w = packed[k : k + 16]
        k += 16
        a0, b0, c0, d0, a1, b1, c1, d1 = w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]
        a2, b2, c2, d2, a3, b3, c3, d3 = w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]
        for p in range(length):
            r, s, t, u = x0[p], x1[p], x2[p], x3[p]
            sums[p] += a0 * r + a1 * s + a2 * t + a3 * u
            sums[p + BLOCK] += b0 * r + b1 * s + b2 * t + b3 * u
            sums[p + 2 * BLOCK] += c0 * r + c1 * s + c2 * t + c3 * u
            sums[p + 3 * BLOCK] += d0 * r + d1 * s + d2 * t + d3 * u


@kernel(void(Floats, Floats, Floats, float32, int64, int64))
def put_sums(sums, cells, out, bias, relu, added):
    """A row of sums with its bias, where there are cells; ``added`` to what is there."""
    if added:
        for p in range(len(out)):
            out[p] += sums[p] * cells[p]
    elif relu:
        for p in range(len(out)):
            out[p] = max(sums[p] + bias, float32(0.0)) * cells[p]
    else:
        for p in range(len(out)):
            out[p] = (sums[p] + bias) * cells[p]


@kernel(void(WorkType, Operation, Boards))
def correlate(work, op, boards):
    """The outputs of a layer."""
    x, sums, wide = work.values, work.sums, op.inputs
    if op.taps == 1:
        wide = (op.inputs + GROUP - 1) // GROUP * GROUP
    for first in range(0, op.count, BLOCK):
        length = min(BLOCK, op.count - first)
        cells = work.mask[op.mask + first : op.mask + first + length]
        for o in range(0, op.outputs, GROUP):
            sums[:] = float32(0.0)
            k = op.packed + o * wide * op.taps
            if op.taps == 1:
                add_inputs(x, op.x + first, op.row_x, op.inputs, length, work.packed, k, sums)
            else:
                add_neighbours(
                    x, op.x + first, op.row_x, op.inputs, boards.stride, length, work.packed, k, sums
                )
            for j in range(min(GROUP, op.outputs - o)):
                at = op.y + (o + j) * op.row_y + first
                bias = work.parameters[op.bias + o + j] if op.bias >= 0 else float32(0.0)
                put_sums(
                    sums[j * BLOCK : j * BLOCK + length], cells, x[at : at + length], bias, op.relu, int64(0)
                )


@kernel(void(WorkType, Operation, Boards))
def correlate_back(work, op, boards):
    """The gradient of a layer's inputs: the same sums from outputs to inputs."""
    g, sums, wide = work.gradients, work.sums, op.outputs
    if op.taps == 1:
        wide = (op.outputs + GROUP - 1) // GROUP * GROUP
    for first in range(0, op.count, BLOCK):
        length = min(BLOCK, op.count - first)
        cells = work.mask[op.mask + first : op.mask + first + length]
        for i in range(0, op.inputs, GROUP):
            sums[:] = float32(0.0)
            k = op.packed_back + i * wide * op.taps
            if op.taps == 1:
                add_inputs(g, op.y + first, op.row_y, op.outputs, length, work.packed, k, sums)
            else:
                add_neighbours(
                    g, op.y + first, op.row_y, op.outputs, boards.stride, length, work.packed, k, sums
                )
            for j in range(min(GROUP, op.inputs - i)):
                at = op.x + (i + j) * op.row_x + first
                row = sums[j * BLOCK : j * BLOCK + length]
                put_sums(row, cells, g[at : at + length], float32(0.0), int64(0), int64(1 - op.fresh))


@kernel(void(WorkType, Operation, int64, int64, int64, int64, int64), any_order=True)
def add_neighbour_weight_gradients(work, op, o, i, first, length, stride):
    """What some places add to the gradients of the weights from one input to four outputs."""
    last, g = op.outputs - 1, work.gradients
    at0, at1 = op.y + o * op.row_y + first, op.y + min(o + 1, last) * op.row_y + first
    at2, at3 = op.y + min(o + 2, last) * op.row_y + first, op.y + min(o + 3, last) * op.row_y + first
    g0, g1 = g[at0 : at0 + length], g[at1 : at1 + length]
    g2, g3 = g[at2 : at2 + length], g[at3 : at3 + length]
    for line in range(3):
        begin = op.x + i * op.row_x + first + (line - 1) * stride - 1
        near = work.values[begin : begin + length + 2]
        a0 = a1 = a2 = b0 = b1 = b2 = c0 = c1 = c2 = d0 = d1 = d2 = float32(0.0)
        for p in range(length):
            left, middle, right = near[p], near[p + 1], near[p + 2]
            a0 += g0[p] * left
            a1 += g0[p] * middle
            a2 += g0[p] * right
            b0 += g1[p] * left
            b1 += g1[p] * middle
            b2 += g1[p] * right
            c0 += g2[p] * left
            c1 += g2[p] * middle
            c2 += g2[p] * right
            d0 += g3[p] * left
            d1 += g3[p] * middle
            d2 += g3[p] * right
        for j in range(min(GROUP, op.outputs - o)):
            to = op.weight + ((o + j) * op.inputs + i) * 9 + 3 * line
            work.weight_gradients[to] += a0 if j == 0 else b0 if j == 1 else c0 if j == 2 else d0
            work.weight_gradients[to + 1] += a1 if j == 0 else b1 if j == 1 else c1 if j == 2 else d1
            work.weight_gradients[to + 2] += a2 if j == 0 else b2 if j == 1 else c2 if j == 2 else d2


@kernel(void(WorkType, Operation, int64, int64, int64, int64), any_order=True)
def add_input_weight_gradients(work, op, o, i, first, length):
    """What some places add to the gradients of the weights from four inputs to two outputs."""
    g, x, last = work.gradients, work.values, op.inputs - 1
    at0, at1 = op.y + o * op.row_y + first, op.y + min(o + 1, op.outputs - 1) * op.row_y + first
    g0, g1 = g[at0 : at0 + length], g[at1 : at1 + length]
    first = op.x + first
    at0, at1 = first + i * op.row_x, first + min(i + 1, last) * op.row_x
    at2, at3 = first + min(i + 2, last) * op.row_x, first + min(i + 3, last) * op.row_x
    x0, x1, x2, x3 = (
        x[at0 : at0 + length],
        x[at1 : at1 + length],
        x[at2 : at2 + length],
        x[at3 : at3 + length],
    )
    a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = float32(0.0)
    for p in range(length):
        a0 += g0[p] * x0[p]
        a1 += g0[p] * x1[p]
        a2 += g0[p] * x2[p]
        a3 += g0[p] * x3[p]
        b0 += g1[p] * x0[p]
        b1 += g1[p] * x1[p]
        b2 += g1[p] * x2[p]
        b3 += g1[p] * x3[p]
    for j in range(min(4, op.inputs - i)):
        to = op.weight + o * op.inputs + i + j
        work.weight_gradients[to] += a0 if j == 0 else a1 if j == 1 else a2 if j == 2 else a3
        if o + 1 < op.outputs:
            work.weight_gradients[to + op.inputs] += b0 if j == 0 else b1 if j == 1 else b2 if j == 2 else b3


@kernel(float32(Floats), any_order=True)
def sum_of(row):
    """The sum of a row of floats."""
    total = float32(0.0)
    for p in range(len(row)):
        total += row[p]
    return total


@kernel(void(WorkType, Operation, Boards))
def add_weight_gradients(work, op, boards):
    """Add to the gradients of a layer's weights and biases."""
    for first in range(0, op.count, BLOCK):
        length = min(BLOCK, op.count - first)
        if op.taps == 1:
            for o in range(0, op.outputs, 2):
                for i in range(0, op.inputs, GROUP):
                    add_input_weight_gradients(work, op, o, i, first, length)
        else:
            for o in range(0, op.outputs, GROUP):
                for i in range(op.inputs):
                    add_neighbour_weight_gradients(work, op, o, i, first, length, boards.stride)
        if op.bias >= 0:
            for o in range(op.outputs):
                at = op.y + o * op.row_y + first
                work.weight_gradients[op.bias + o] += sum_of(work.gradients[at : at + length])
