"""Steps of the optimisers on a row of parameters, as PyTorch takes them."""

from __future__ import annotations

import math

from numba import float64, int64, void

from wuzi.core.jit import kernel
from wuzi.training.learner.kernels.layout import Floats


@kernel(float64(Floats))
def squared_norm(gradient):
    """The sum of squares."""
    found = 0.0
    for p in range(len(gradient)):
        found += float64(gradient[p]) * gradient[p]
    return found


@kernel(void(Floats, Floats, Floats, Floats, int64, float64, float64, float64, int64))
def adam(weights, gradient, first, second, number, scale, rate, decay, apart):
    """A step of Adam; decay is in the gradient, which is scaled, or off the weights (``apart``: AdamW)."""
    keep, keep2 = 0.9, 0.999
    steps = float64(number)
    short, long = 1.0 - math.pow(keep, steps), math.sqrt(1.0 - math.pow(keep2, steps))
    inside, outside = (0.0, 1.0 - rate * decay) if apart else (decay, 1.0)
    for p in range(len(weights)):
        weight = weights[p] * outside
        g = gradient[p] * scale + inside * weights[p]
        moment = first[p] + (1.0 - keep) * (g - first[p])
        square = keep2 * second[p] + (1.0 - keep2) * g * g
        weights[p] = weight - rate / short * moment / (math.sqrt(square) / long + 1e-8)
        first[p], second[p] = moment, square


@kernel(void(Floats, Floats, Floats, float64, float64, float64))
def momentum(weights, gradient, speed, scale, rate, decay):
    """A step of gradient descent with Nesterov's momentum of 0.9, with decay in the gradient."""
    for p in range(len(weights)):
        g = gradient[p] * scale + decay * weights[p]
        speed[p] = 0.9 * speed[p] + g
        weights[p] -= rate * (g + 0.9 * speed[p])


@kernel(void(Floats, Floats, float64))
def move_towards(average, weights, share):
    """Averaged weights go a share of the way."""
    for p in range(len(weights)):
        average[p] += share * (weights[p] - average[p])
