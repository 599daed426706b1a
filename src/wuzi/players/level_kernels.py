"""What the named levels decide by chance, from a generator of our own: the same moves in every build."""

from __future__ import annotations

from numba import float64, from_dtype, int64, uint64, void

from wuzi.core.classes import CLOSED_THREE, FIVE, FORBIDDEN, FOUR, OPEN_FOUR
from wuzi.core.jit import kernel
from wuzi.core.layout import EMPTY, PAD, STRIDE
from wuzi.core.math_kernels import exponential, unit
from wuzi.core.rule_kernels import Ints, State, forbidden_kind, mix, to_point, xorshift
from wuzi.evaluation.codebook_kernels import Codebook, place_points
from wuzi.evaluation.layout import COLUMNS, POLICY_BITS
from wuzi.players.layout import GLANCE, LEVEL
from wuzi.search.layout import UNSCORED
from wuzi.tactics.kernels import Patterns, Tables, patterns_from_state
from wuzi.tactics.layout import NUM_CLASSES

LevelRecord = from_dtype(LEVEL)
GlanceRecord = from_dtype(GLANCE)

NEAR = 2
CUT = 4.0
"""Moves less likely than the likeliest by more than this log-odds are never played at a glance."""
SLIP = 1.2
"""A move worse than the best by more than this log-odds is no slip but a blunder: not among the choices."""
SURE = 7.600402334583699
"""Log-odds of a value of 0.999, beyond which all are alike."""
GLANCES = 32
CLASSES = 14
POLICY_LOGIT = 100
OPENINGS: tuple[tuple[tuple[int, int], ...], ...] = (
    ((-2, -1), (2, 1), (1, 1)),
    ((-2, -2), (1, 1), (0, 1)),
    ((-1, 0), (0, -1), (1, 0)),
    ((-2, 0), (0, 0), (2, 1)),
    ((-2, -1), (-1, -2), (0, 0)),
    ((-2, 0), (-1, 0), (1, 0)),
    ((-2, -1), (2, -1), (1, 0)),
)
"""Black, white and black stones as (column, row) offsets from the centre.

Chosen by experiment: a mid-strength engine against itself on 15x15 freestyle scored between 43 % and
58 % with Black in each (6 to 14 games an opening), against 66 % over all openings tried.
"""


@kernel(void(LevelRecord, uint64, uint64, int64))
def level_seed(level, seed, key, actions):
    """Make the generator depend on nothing but the seed, the board's key and how many actions led to it."""
    x = mix(mix(mix(seed) ^ key) ^ uint64(actions))
    level.rng = x if x != uint64(0) else uint64(1)


@kernel(float64(LevelRecord))
def level_unit(level):
    """Draw a number from 0 to below 1."""
    level.rng = xorshift(level.rng)
    return unit(level.rng)


@kernel(int64(LevelRecord, int64))
def level_draw(level, count):
    """Draw a number from 0 to ``count`` - 1."""
    return int64(level_unit(level) * count)


@kernel(int64(int64, int64, Ints))
def opening_stones(size, choice, out):
    """The cells of one of :data:`OPENINGS` near the centre, turned, for a board of ``size`` >= 5; how many.

    ``choice`` is the place of the opening, and ``len(OPENINGS)`` for each of the eight symmetries.
    """
    symmetry, middle = choice // len(OPENINGS), size // 2
    opening = OPENINGS[choice % len(OPENINGS)]
    for i in range(3):
        x = -opening[i][0] if symmetry & 1 else opening[i][0]
        y = -opening[i][1] if symmetry & 2 else opening[i][1]
        if symmetry & 4:
            x, y = y, x
        out[i] = (middle + y) * size + middle + x
    return int64(3)


@kernel(int64(LevelRecord))
def level_hastes(level):
    """Draw whether the move is played at a glance, without any search."""
    return int64(level_unit(level) < level.haste)


@kernel(void(LevelRecord, GlanceRecord))
def notice(level, glance):
    """Draw which chances of either side are noticed; quiet ones are overlooked first."""
    blind = 1.0 - level.sight
    for side in range(2):
        three = level_unit(level) < 1.0 - blind
        four = level_unit(level) < 1.0 - blind * blind
        five = level_unit(level) < 1.0 - blind * blind * blind
        for kind in range(NUM_CLASSES):
            seen = kind <= CLOSED_THREE or (three if kind < FOUR else four if kind < FIVE else five)
            glance.seen[side, kind] = seen


@kernel(void(State, Patterns, GlanceRecord))
def glance_near(state, patterns, glance):
    """Mark the points near a stone or of use to a side; those near the centre where there are none."""
    glance.near[:] = 0
    marked = int64(0)
    size = state.size
    for cell in range(size * size):
        point = to_point(cell, size)
        if patterns.classes[0, point] > FORBIDDEN or patterns.classes[1, point] > FORBIDDEN:
            glance.near[point] = 1
            marked += 1
        if state.cells[point] != EMPTY:
            marked += 1
            for dy in range(-NEAR, NEAR + 1):
                for dx in range(-NEAR, NEAR + 1):
                    glance.near[point + dy * STRIDE + dx] = 1
    if marked == 0:
        middle = (size // 2 + PAD) * STRIDE + size // 2 + PAD
        for dy in range(-NEAR, NEAR + 1):
            for dx in range(-NEAR, NEAR + 1):
                glance.near[middle + dy * STRIDE + dx] = 1


@kernel(void(State, Patterns, GlanceRecord))
def glance_candidates(state, patterns, glance):
    """Find the cells to choose from: near ones that are not forbidden, as far as there are such."""
    glance_near(state, patterns, glance)
    size = state.size
    for strictness in range(2, -1, -1):
        n = 0
        for cell in range(size * size):
            point = to_point(cell, size)
            if state.cells[point] != EMPTY or (strictness == 2 and glance.near[point] == 0):
                continue
            if strictness > 0 and state.forbids == 1 and forbidden_kind(state, point) != 0:
                continue
            glance.cells[n] = cell
            n += 1
        glance.count = n
        if n > 0:
            return


@kernel(int64(State, Patterns, GlanceRecord, int64, int64))
def keep_seen(state, patterns, glance, side, kind):
    """Keep only the chances of that class, where ``side`` (0 for the mover's) has noticed ones. How many."""
    if glance.seen[side, kind] == 0:
        return int64(0)
    own = state.side - 1 if side == 0 else 2 - state.side
    n = 0
    for i in range(glance.count):
        point = to_point(glance.cells[i], state.size)
        n += int64(patterns.classes[own, point] == kind)
    if n == 0:
        return int64(0)
    left = 0
    for i in range(glance.count):
        cell = glance.cells[i]
        if patterns.classes[own, to_point(cell, state.size)] == kind:
            glance.cells[left] = cell
            glance.logits[left] = 0.0
            left += 1
    glance.count = left
    return left


@kernel(int64(State, Patterns, GlanceRecord, int64, int64))
def seen_class(state, patterns, glance, side, point):
    """The class of a point for a side (0 for the mover's) as it is noticed."""
    own = state.side - 1 if side == 0 else 2 - state.side
    kind = int64(patterns.classes[own, point])
    return min(kind, CLASSES - 1) if glance.seen[side, kind] != 0 else int64(0)


@kernel(float64(State, Patterns, Codebook, int64, int64, int64))
def shape_points(state, patterns, net, point, own, opponent):
    """Policy points of a cell by its windows, with these classes."""
    s = uint64(state.side - 1)
    black, white = (own, opponent) if state.side == 1 else (opponent, own)
    pair = uint64(black * 16 + white)
    total = int64(0)
    for c in range(COLUMNS):
        value = int64(net.bias[c]) + int64(net.pairs[pair, c])
        for direction in range(4):
            window = net.window[uint64(patterns.keys[uint64(direction), uint64(point)])]
            value += int64(net.rows[uint64(window), c])
        total += max(value, 0) * int64(net.policy[s, c])
    return total / (1 << POLICY_BITS)


@kernel(float64(GlanceRecord, int64))
def median_shape(glance, n):
    """The median of the first ``n`` shapes."""
    ordered = glance.ordered
    for i in range(n):
        value = glance.shapes[i]
        j = i
        while j > 0 and ordered[j - 1] > value:
            ordered[j] = ordered[j - 1]
            j -= 1
        ordered[j] = value
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2.0


@kernel(void(State, Patterns, Codebook, GlanceRecord))
def glance_logits(state, patterns, net, glance):
    """How likely each candidate is; a cell whose shape is overlooked looks like an ordinary one."""
    size, s = state.size, uint64(state.side - 1)
    for cell in range(size * size):
        point = to_point(cell, size)
        own = seen_class(state, patterns, glance, int64(0), point)
        opponent = seen_class(state, patterns, glance, int64(1), point)
        glance.shapes[cell] = shape_points(state, patterns, net, point, own, opponent)
    usual = median_shape(glance, size * size)
    for i in range(glance.count):
        cell = glance.cells[i]
        point = to_point(cell, size)
        points = glance.shapes[cell]
        own_class = int64(patterns.classes[s, uint64(point)])
        opponent_class = int64(patterns.classes[uint64(1) - s, uint64(point)])
        if glance.seen[0, own_class] == 0 or glance.seen[1, opponent_class] == 0:
            points = min(points, usual)
        own = seen_class(state, patterns, glance, int64(0), point)
        opponent = seen_class(state, patterns, glance, int64(1), point)
        points += net.policy_pairs[s, uint64(own), uint64(opponent)]
        glance.logits[i] = (points + place_points(state, net, point)) / POLICY_LOGIT


@kernel(float64(LevelRecord, GlanceRecord))
def add_weights(level, glance):
    """Add up in ``ordered`` how often each candidate is drawn; a higher spread is a wider choice."""
    best = glance.logits[0]
    for i in range(glance.count):
        best = max(best, glance.logits[i])
    total = 0.0
    for i in range(glance.count):
        if glance.logits[i] >= best - CUT:
            total += exponential((glance.logits[i] - best) / max(level.spread, 1e-6))
        glance.ordered[i] = total
    return total


@kernel(int64(LevelRecord, GlanceRecord))
def draw_glanced(level, glance):
    """Draw one of the candidates by their logits."""
    drawn = level_unit(level) * add_weights(level, glance)
    for i in range(glance.count):
        if drawn < glance.ordered[i]:
            return glance.cells[i]
    return glance.cells[glance.count - 1]


@kernel(void(State, Patterns, Codebook, LevelRecord, GlanceRecord))
def look_around(state, patterns, net, level, glance):
    """Find what a glance chooses from: fives or open fours that it notices, else likely moves."""
    glance_candidates(state, patterns, glance)
    notice(level, glance)
    for side, kind in ((0, FIVE), (1, FIVE), (0, OPEN_FOUR)):
        if keep_seen(state, patterns, glance, side, kind):
            return
    glance_logits(state, patterns, net, glance)


@kernel(int64(State, Patterns, Tables, Codebook, LevelRecord, GlanceRecord))
def glance_move(state, patterns, tables, net, level, glance):
    """The cell that the level plays at a glance."""
    patterns_from_state(state, patterns, tables)
    look_around(state, patterns, net, level, glance)
    return draw_glanced(level, glance)


@kernel(float64(State, Patterns, Tables, Codebook, LevelRecord, GlanceRecord, int64))
def glance_likelihood(state, patterns, tables, net, level, glance, cell):
    """How likely a glance of the level plays a cell, 0 to 1: a mean over draws of what it notices."""
    patterns_from_state(state, patterns, tables)
    found = 0.0
    for _ in range(GLANCES):
        look_around(state, patterns, net, level, glance)
        total = add_weights(level, glance)
        before = 0.0
        for i in range(glance.count):
            if glance.cells[i] == cell:
                found += (glance.ordered[i] - before) / total
            before = glance.ordered[i]
    return found / GLANCES


@kernel(float64(LevelRecord, int64, int64, int64))
def choice_weight(level, score, best, logit):
    """How often a line of this score is chosen beside the best one, which counts 1."""
    odds = 0.0 if score == UNSCORED else max(-SURE, min(SURE, score / logit))
    behind = max(-SURE, min(SURE, best / logit)) - odds
    return exponential(-behind / level.temperature) if behind <= SLIP else 0.0


@kernel(int64(LevelRecord, Ints, int64, int64, int64))
def level_choice(level, scores, count, logit, proven):
    """Draw which of ``count`` lines, best first, is played: the best, now and then one nearly as good.

    ``logit`` are points of a log-odds, ``proven`` is the score beyond which the end of the game is proved; a
    line without a score has :data:`wuzi.search.layout.UNSCORED`.
    """
    best = scores[0]
    if level.temperature <= 0.0 or best == UNSCORED or abs(best) > proven:
        return int64(0)
    total = 0.0
    for i in range(count):
        total += choice_weight(level, scores[i], best, logit)
    left = level_unit(level) * total
    for i in range(count):
        left -= choice_weight(level, scores[i], best, logit)
        if left < 0.0:
            return i
    return int64(0)


@kernel(float64(LevelRecord, Ints, int64, int64, int64, int64))
def choice_likelihood(level, scores, count, logit, proven, line):
    """How likely :func:`level_choice` draws a line, 0 to 1."""
    best = scores[0]
    if level.temperature <= 0.0 or best == UNSCORED or abs(best) > proven:
        return float64(line == 0)
    total = 0.0
    for i in range(count):
        total += choice_weight(level, scores[i], best, logit)
    return choice_weight(level, scores[line], best, logit) / total
