"""Losses of the codebook net and their gradients, position by position."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from wuzi.core.classes import CellClass
from wuzi.core.layout import EMPTY, PAD, STRIDE
from wuzi.evaluation.layout import HIDDEN, WIDTH
from wuzi.tactics.kernels import patterns_from_state, threat_index
from wuzi.tactics.layout import REACH

Floats = npt.NDArray[np.float32]
FIVE, OPEN_FOUR = int(CellClass.FIVE), int(CellClass.OPEN_FOUR)
POOL = np.float32(1 / 16)
"""Pooled features are scaled by this before the head, to be about as large as 1."""


class Weights(NamedTuple):
    """All that is learned. A first axis has length 1, or 2 where Black and White differ (renju).

    A feature of a cell is the sum over its four windows of ``windows`` and ``lines`` (by the line classes of
    the window, so that a window seldom met knows something too), with ``pairs`` and ``bias``.
    """

    windows: Floats
    lines: Floats
    pairs: Floats
    bias: Floats
    first: Floats
    threats: Floats
    second: Floats
    second_bias: Floats
    last: Floats
    direct: Floats
    direct_threats: Floats
    policy: Floats
    policy_pairs: Floats
    places: Floats


class Data(NamedTuple):
    """What the kernels read: games, targets and lookup tables.

    The policy's target of position i is ``shares[begin[i] : begin[i + 1]]`` on the points ``wanted[...]``.
    """

    points: Any
    first: Any
    ply: Any
    target: Any
    begin: Any
    wanted: Any
    shares: Any
    window: Any
    swapped: Any
    orbit: Any


@numba.njit(nogil=True)
def set_up(state: Any, patterns: Any, table: Any, points: Any, first: int, ply: int) -> None:
    """Put the first ``ply`` moves of a game on the board in place of what stands there."""
    for i in range(state.ply):
        state.cells[state.history[i]] = 0
    for i in range(ply):
        point = points[first + i]
        state.cells[point] = 1 + i % 2
        state.history[i] = point
    state.ply = ply
    state.side = 1 + ply % 2
    patterns_from_state(state, patterns, table)


@numba.njit(nogil=True)
def quiet(state: Any, patterns: Any, table: Any, points: Any, first: Any, ply: Any) -> Any:
    """Of each position whether nobody has a five to play and its side no open four."""
    keep = np.zeros(len(ply), np.bool_)
    for i in range(len(ply)):
        set_up(state, patterns, table, points, first[i], ply[i])
        own, opponent = patterns.counts[state.side - 1], patterns.counts[2 - state.side]
        keep[i] = own[FIVE] == 0 and opponent[FIVE] == 0 and own[OPEN_FOUR] == 0
    return keep


@numba.njit(nogil=True, fastmath=True, error_model="numpy")
def _features(state, patterns, data, w, codebook, cells, pairs, ids, act, pool):
    """Rectified features [2, n, WIDTH] of all empty cells in both views, and their sums; n."""
    n = 0
    pool[:] = 0
    for row in range(state.size):
        for col in range(state.size):
            point = (row + PAD) * STRIDE + col + PAD
            if state.cells[point] != EMPTY:
                continue
            cells[n] = point
            for view in range(2):
                e = view if len(w.bias) == 2 else 0
                pair = np.int64(patterns.classes[view, point]) * 14 + np.int64(
                    patterns.classes[1 - view, point]
                )
                pairs[view, n] = pair
                for d in range(4):
                    key = np.int64(patterns.keys[d, point])
                    ids[view, n, d] = data.window[key] if view == 0 else data.swapped[data.window[key]]
                a, b, c, f = ids[view, n, 0], ids[view, n, 1], ids[view, n, 2], ids[view, n, 3]
                for k in range(WIDTH):
                    x = codebook[e, a, k] + codebook[e, b, k] + codebook[e, c, k] + codebook[e, f, k]
                    x = max(x + w.bias[e, k] + w.pairs[e, pair, k], np.float32(0))
                    act[view, n, k] = x
                    pool[view * WIDTH + k] += x
            n += 1
    return n


@numba.njit(nogil=True)
def _candidates(state, patterns, cells, n, near, out):
    """Which of the empty cells the search would try: near a stone, or of use to a side; how many."""
    near[:] = False
    for i in range(state.ply):
        point = np.int64(state.history[i])
        for dy in range(-2, 3):
            for dx in range(-2, 3):
                near[point + dy * STRIDE + dx] = True
    m = 0
    for i in range(n):
        point = cells[i]
        if near[point] or patterns.classes[0, point] > 1 or patterns.classes[1, point] > 1:
            out[m] = i
            m += 1
    return m


@numba.njit(nogil=True)
def _place(point, last):
    """The place of a point relative to a move, -1 if it is far."""
    dy = (point >> 5) - (last >> 5) + REACH
    dx = (point & 31) - (last & 31) + REACH
    if 0 <= dy <= 2 * REACH and 0 <= dx <= 2 * REACH:
        return dy * (2 * REACH + 1) + dx
    return -1


@numba.njit(nogil=True, fastmath=True, error_model="numpy")
def _head(w, s, t, side, pool, h1, h2):
    """The value in log-odds; the activities of the hidden layers go to ``h1`` and ``h2``."""
    z = w.direct_threats[s, t]
    for h in range(HIDDEN):
        h1[h] = w.threats[s, t, h]
        h2[h] = w.second_bias[s, h]
    for k in range(2 * WIDTH):
        # The head sees the side to move first.
        x = pool[(k + side * WIDTH) % (2 * WIDTH)] * POOL
        z += w.direct[s, k] * x
        for h in range(HIDDEN):
            h1[h] += w.first[s, k, h] * x
    for h in range(HIDDEN):
        h1[h] = max(h1[h], np.float32(0))
        for i in range(HIDDEN):
            h2[i] += w.second[s, h, i] * h1[h]
    for h in range(HIDDEN):
        h2[h] = max(h2[h], np.float32(0))
        z += w.last[s, h] * h2[h]
    return z


@numba.njit(nogil=True, fastmath=True, error_model="numpy")
def _head_back(w, g, s, t, side, pool, h1, h2, slope, d1, d2, dx):
    """Add the head's gradients for a ``slope`` of the value to ``g``; those of the pool go to ``dx``."""
    g.direct_threats[s, t] += slope
    for h in range(HIDDEN):
        g.last[s, h] += slope * h2[h]
        d2[h] = slope * w.last[s, h] if h2[h] > 0 else np.float32(0)
        g.second_bias[s, h] += d2[h]
    for h in range(HIDDEN):
        x = np.float32(0)
        if h1[h] > 0:
            for i in range(HIDDEN):
                x += w.second[s, h, i] * d2[i]
                g.second[s, h, i] += h1[h] * d2[i]
        d1[h] = x
        g.threats[s, t, h] += x
    for k in range(2 * WIDTH):
        place = (k + side * WIDTH) % (2 * WIDTH)
        p = pool[place] * POOL
        x = slope * w.direct[s, k]
        g.direct[s, k] += slope * p
        for h in range(HIDDEN):
            x += w.first[s, k, h] * d1[h]
            g.first[s, k, h] += p * d1[h]
        dx[place] = x * POOL


@numba.njit(nogil=True, fastmath=True, error_model="numpy")
def _policy(w, data, s, side, cells, tried, m, pairs, act, last, before, logit):
    """Log-odds of the ``m`` candidates; the likeliest one."""
    best = 0
    for j in range(m):
        i = tried[j]
        point = cells[i]
        x = w.policy_pairs[s, pairs[side, i]]
        for k in range(WIDTH):
            x += w.policy[s, k] * act[side, i, k] + w.policy[s, WIDTH + k] * act[1 - side, i, k]
        if last >= 0 and _place(point, last) >= 0:
            x += w.places[0, data.orbit[_place(point, last)]]
        if before >= 0 and _place(point, before) >= 0:
            x += w.places[1, data.orbit[_place(point, before)]]
        logit[j] = x
        if x > logit[best]:
            best = j
    return best


@numba.njit(nogil=True, fastmath=True, error_model="numpy")
def _policy_back(w, g, data, s, side, cells, tried, m, pairs, act, last, before, slopes, grad):
    """Add the policy's gradients for the ``slopes`` of the log-odds to ``g``, and to ``grad`` of features."""
    for j in range(m):
        i = tried[j]
        point = cells[i]
        slope = slopes[j]
        g.policy_pairs[s, pairs[side, i]] += slope
        for k in range(WIDTH):
            g.policy[s, k] += slope * act[side, i, k]
            g.policy[s, WIDTH + k] += slope * act[1 - side, i, k]
            grad[side, i, k] += slope * w.policy[s, k]
            grad[1 - side, i, k] += slope * w.policy[s, WIDTH + k]
        if last >= 0 and _place(point, last) >= 0:
            g.places[0, data.orbit[_place(point, last)]] += slope
        if before >= 0 and _place(point, before) >= 0:
            g.places[1, data.orbit[_place(point, before)]] += slope


@numba.njit(nogil=True, fastmath=True, error_model="numpy")
def _features_back(w, g, g_codebook, n, pairs, ids, act, grad):
    """Add the gradients of rectified features to those of the codebook, class pairs and bias."""
    for view in range(2):
        e = view if len(w.bias) == 2 else 0
        for i in range(n):
            a, b, c, f = ids[view, i, 0], ids[view, i, 1], ids[view, i, 2], ids[view, i, 3]
            pair = pairs[view, i]
            for k in range(WIDTH):
                x = grad[view, i, k] if act[view, i, k] > 0 else np.float32(0)
                g_codebook[e, a, k] += x
                g_codebook[e, b, k] += x
                g_codebook[e, c, k] += x
                g_codebook[e, f, k] += x
                g.pairs[e, pair, k] += x
                g.bias[e, k] += x


@numba.njit(nogil=True, fastmath=True, error_model="numpy")
def _shares(data, sample, cells, tried, m, wanted, shares):
    """The target's share of each candidate, scaled to a sum of 1; the greatest one's, -1 without any."""
    total = np.float32(0)
    for at in range(data.begin[sample], data.begin[sample + 1]):
        wanted[data.wanted[at]] = data.shares[at]
    for j in range(m):
        shares[j] = wanted[cells[tried[j]]]
        total += shares[j]
    for at in range(data.begin[sample], data.begin[sample + 1]):
        wanted[data.wanted[at]] = 0
    if total <= 0:
        return -1
    best = 0
    for j in range(m):
        shares[j] /= total
        if shares[j] > shares[best]:
            best = j
    return best


@numba.njit(nogil=True, fastmath=True, error_model="numpy")
def run(batch, state, patterns, table, data, w, codebook, g, g_codebook, policy_weight, train):
    """Sums over a batch: value loss, policy loss, policy positions, policy moves guessed.

    With ``train`` the gradients are added to ``g`` and ``g_codebook``.
    """
    cells = np.zeros(900, np.int64)
    pairs = np.zeros((2, 900), np.int64)
    ids = np.zeros((2, 900, 4), np.int64)
    act = np.zeros((2, 900, WIDTH), np.float32)
    grad = np.zeros((2, 900, WIDTH), np.float32)
    pool, dx = np.zeros(2 * WIDTH, np.float32), np.zeros(2 * WIDTH, np.float32)
    h1, h2 = np.zeros(HIDDEN, np.float32), np.zeros(HIDDEN, np.float32)
    d1, d2 = np.zeros(HIDDEN, np.float32), np.zeros(HIDDEN, np.float32)
    near = np.zeros(len(state.cells), np.bool_)
    wanted = np.zeros(len(state.cells), np.float32)
    tried = np.zeros(900, np.int64)
    logit, shares = np.zeros(900, np.float32), np.zeros(900, np.float32)
    sums = np.zeros(4, np.float64)
    for sample in batch:
        ply = data.ply[sample]
        set_up(state, patterns, table, data.points, data.first[sample], ply)
        side = state.side - 1
        s = side if len(w.first) == 2 else 0
        n = _features(state, patterns, data, w, codebook, cells, pairs, ids, act, pool)
        t = threat_index(patterns, state.side)
        z = _head(w, s, t, side, pool, h1, h2)
        target = data.target[sample]
        known = target >= 0
        if known:
            sums[0] += max(z, 0) - z * target + np.log1p(np.exp(-abs(z)))
        m = 0
        chosen = -1
        last = np.int64(state.history[ply - 1]) if ply > 0 else -1
        before = np.int64(state.history[ply - 2]) if ply > 1 else -1
        if policy_weight > 0 or not train:
            m = _candidates(state, patterns, cells, n, near, tried)
            best = _policy(w, data, s, side, cells, tried, m, pairs, act, last, before, logit)
            chosen = _shares(data, sample, cells, tried, m, wanted, shares)
            if chosen >= 0:
                top = logit[best]
                total = 0.0
                for j in range(m):
                    total += np.exp(logit[j] - top)
                for j in range(m):
                    if shares[j] > 0:
                        sums[1] += shares[j] * (np.log(total) + top - logit[j])
                sums[2] += 1
                sums[3] += best == chosen
        if not train:
            continue
        dx[:] = 0
        if known:
            slope = np.float32(1 / (1 + np.exp(-z)) - target)
            _head_back(w, g, s, t, side, pool, h1, h2, slope, d1, d2, dx)
        for view in range(2):
            for i in range(n):
                for k in range(WIDTH):
                    grad[view, i, k] = dx[view * WIDTH + k]
        if chosen >= 0:
            for j in range(m):
                logit[j] = policy_weight * (np.exp(logit[j] - top) / total - shares[j])
            _policy_back(w, g, data, s, side, cells, tried, m, pairs, act, last, before, logit, grad)
        _features_back(w, g, g_codebook, n, pairs, ids, act, grad)
    return sums


@numba.njit(nogil=True, fastmath=True)
def adam(w, g, m, v, rate, step, decay):
    """One step of Adam with decoupled weight decay (arXiv 1711.05101) on flat arrays; clears ``g``."""
    first = np.float32(1 / (1 - 0.9**step))
    second = np.float32(1 / (1 - 0.999**step))
    for i in range(w.size):
        m[i] += np.float32(0.1) * (g[i] - m[i])
        v[i] += np.float32(0.001) * (g[i] * g[i] - v[i])
        w[i] -= rate * (m[i] * first / (np.sqrt(v[i] * second) + np.float32(1e-8)) + decay * w[i])
        g[i] = 0
