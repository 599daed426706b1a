"""Attacks by threats written down as trees, with the cells where one more white stone could disturb them.

The trees, and what may disturb them, are those of ``docs/proof.md``: a node is a move, the answer to a pass,
and answers to replies. The zone is a superset of the sets of one cell that the checker finds there.
"""

from __future__ import annotations

import numpy as np
from numba import from_dtype, int64, uint64, void

from wuzi.core.classes import FIVE, OPEN_FOUR
from wuzi.core.jit import kernel
from wuzi.core.layout import EMPTY, GRID, STOP, WALL
from wuzi.core.layout import MAX_NODES as MAX_SEARCHED
from wuzi.core.rule_kernels import SIDE_KEY, State, line_step, makes_line, to_point
from wuzi.tactics.kernels import find_class, pattern_pop, pattern_push
from wuzi.tactics.vcf_kernels import WIN
from wuzi.tactics.vct_kernels import ThreatArrays, Threats, vct_point, vct_search

MAX_NODES, MAX_EDGES, MAX_SEEN = 1 << 14, 1 << 16, 1 << 15
TREE = np.dtype(
    [
        ("move", np.int16, (MAX_NODES,)),
        ("passed", np.int32, (MAX_NODES,)),
        ("first", np.int32, (MAX_NODES,)),
        ("reply", np.int16, (MAX_EDGES,)),
        ("target", np.int32, (MAX_EDGES,)),
        ("next", np.int32, (MAX_EDGES,)),
        ("zone", np.int8, (GRID,)),
        ("listed", np.int32, (GRID,)),
        ("seen", np.uint64, (MAX_SEEN,)),
        ("place", np.int32, (MAX_SEEN,)),
        *((name, np.int64) for name in ("num_nodes", "num_edges", "failed")),
    ]
)
"""An attack as nodes and edges.

``move[node]`` is the attacker's point, ``passed[node]`` the node that answers a pass (-1: the winning row),
``first[node]`` its first edge (-1: none). ``reply[edge]``, ``target[edge]`` and ``next[edge]`` are a reply,
the node that answers it, and the next edge of the same node. ``zone[point]`` is 1 where one more white stone
may disturb the attack. ``listed[point]`` names the node that lists a reply there; ``seen`` and ``place`` find
the node of a position's key; ``failed`` is set where the search was cut short, or the tree is too large.
"""
Tree = from_dtype(TREE)


@kernel(void(Tree))
def tree_begin(tree):
    """Make the tree empty."""
    tree.num_nodes = tree.num_edges = tree.failed = 0
    tree.zone[:] = 0
    tree.listed[:] = -1
    tree.seen[:] = 0


@kernel(int64(Tree, int64))
def new_attack_node(tree, point):
    """A node with a move and no answers; in a full tree the last one."""
    node = tree.num_nodes
    if node + 1 < MAX_NODES:
        tree.num_nodes += 1
    else:
        tree.failed = 1
    tree.move[node] = point
    tree.passed[node] = tree.first[node] = -1
    tree.zone[point] = 1
    return int64(node)


@kernel(void(Tree, int64, int64))
def list_reply(tree, node, point):
    """List a reply of the node, without an answer so far; it disturbs, too."""
    tree.zone[point] = 1
    if tree.listed[point] == node:
        return
    edge = tree.num_edges
    if edge + 1 < MAX_EDGES:
        tree.num_edges += 1
    else:
        tree.failed = 1
    tree.listed[point] = node
    tree.reply[edge], tree.target[edge] = point, -1
    tree.next[edge] = tree.first[node]
    tree.first[node] = edge


@kernel(int64(State, Tree, int64, int64, int64))
def mark_windows(state, tree, color, node, step):
    """Go through all windows that hold stones of ``color`` only.

    Step 0: where a stone is missing that makes a row but for one, it disturbs. Step 1: it is a reply to be
    listed at ``node``, too. Step 2: where two such stones are missing, each disturbs whose partner is not
    listed. Step 3: the points that make a row; how many, the first three at once as digits of base 2048.
    """
    size, length, opponent = state.size, state.win_length, 3 - color
    found, points = int64(0), int64(0)
    missing = (2, 2, 3, 1)[step]
    for row in range(size):
        for col in range(size):
            start = to_point(row * size + col, size)
            for direction in range(4):
                delta = line_step(direction)
                if state.cells[uint64(start + (length - 1) * delta)] == WALL:
                    continue
                stones, blocked = int64(0), int64(0)
                for i in range(length):
                    content = state.cells[uint64(start + i * delta)]
                    stones += int64(content == color)
                    blocked |= int64(content == opponent or content == WALL)
                if blocked or stones != length - missing:
                    continue
                unlisted = int64(0)
                for i in range(length):
                    point = start + i * delta
                    if state.cells[uint64(point)] != EMPTY:
                        continue
                    if step == 0:
                        tree.zone[point] = 1
                    elif step == 1:
                        list_reply(tree, node, point)
                    elif step == 2:
                        unlisted += int64(tree.listed[point] != node)
                    elif makes_line(state, point, color):
                        known = int64(0)
                        rest = points
                        while rest > 0:
                            known |= int64(rest % 2048 == point)
                            rest //= 2048
                        if not known:
                            found += 1
                            points = points * 2048 + point if found < 4 else points
                if step != 2 or unlisted == 0:
                    continue
                for i in range(length):
                    point = start + i * delta
                    if state.cells[uint64(point)] == EMPTY and unlisted > int64(tree.listed[point] != node):
                        tree.zone[point] = 1
    return found << 40 | points


@kernel(void(State, Tree, int64, int64, int64))
def open_four_answer(state, tree, attacker, node, point):
    """A stone at ``point`` answers a pass at ``node``: list what disturbs it.

    It makes two cells or more for the row.
    """
    state.cells[point] = attacker
    tree.zone[point] = 1
    packed = mark_windows(state, tree, attacker, node, int64(3))
    count, points = packed >> 40, packed & ((1 << 40) - 1)
    list_reply(tree, node, point)
    if count < 3:
        while points > 0:
            list_reply(tree, node, points % 2048)
            points //= 2048
    mark_windows(state, tree, 3 - attacker, node, int64(1))
    if count == 3:
        unlisted, rest = int64(0), points
        while rest > 0:
            unlisted += int64(tree.listed[rest % 2048] != node)
            rest //= 2048
        while points > 0:
            here = points % 2048
            if unlisted > int64(tree.listed[here] != node):
                tree.zone[here] = 1
            points //= 2048
    mark_windows(state, tree, 3 - attacker, node, int64(2))
    state.cells[point] = EMPTY


@kernel(int64(Threats, Tree, int64))
def other_open_four(threats, tree, attacker):
    """The node of another open four that still answers, White to have moved; -1 if there is none.

    Its moves disturb as far as they are needed, White's fours are none.
    """
    state, patterns = threats.state, threats.patterns
    if patterns.counts[2 - attacker, FIVE] > 0 or patterns.counts[attacker - 1, OPEN_FOUR] == 0:
        return int64(-1)
    point = find_class(state, patterns, attacker, int64(OPEN_FOUR))
    node = new_attack_node(tree, point)
    state.cells[point] = attacker
    packed = mark_windows(state, tree, attacker, node, int64(3))
    count, points = packed >> 40, packed & ((1 << 40) - 1)
    while count == 2 and points > 0:
        tree.zone[points % 2048] = 1
        points //= 2048
    mark_windows(state, tree, 3 - attacker, node, int64(0))
    state.cells[point] = EMPTY
    return node


@kernel(int64(Threats, Tree, int64, int64))
def answer_pass(threats, tree, attacker, node):
    """After the attacker's move, list the replies that have to be answered; 0 if a pass is not punished."""
    state, patterns = threats.state, threats.patterns
    fives = patterns.counts[attacker - 1, FIVE]
    mark_windows(state, tree, 3 - attacker, node, int64(0))
    if fives > 0:
        packed = mark_windows(state, tree, attacker, node, int64(3))
        count, points = packed >> 40, packed & ((1 << 40) - 1)
        if count == 1:
            list_reply(tree, node, points)
        while count == 2 and points > 0:
            tree.zone[points % 2048] = 1
            points //= 2048
        return int64(1)
    if patterns.counts[attacker - 1, OPEN_FOUR] == 0:
        return int64(0)
    point = find_class(state, patterns, attacker, int64(OPEN_FOUR))
    passed = new_attack_node(tree, point)
    tree.passed[node] = passed
    open_four_answer(state, tree, attacker, node, point)
    return int64(1)


@kernel(int64(Tree, uint64, int64))
def tree_place(tree, key, node):
    """The node of a position, or -1; a node that is given is entered."""
    slot = uint64(key * uint64(0x9E3779B97F4A7C15)) >> uint64(49)
    for _ in range(MAX_SEEN):
        if tree.seen[slot] == key and node < 0:
            return int64(tree.place[slot])
        if tree.seen[slot] == uint64(0):
            if node >= 0:
                tree.seen[slot], tree.place[slot] = key, node
            return int64(-1)
        slot = (slot + uint64(1)) & uint64(MAX_SEEN - 1)
    return int64(-1)


@kernel(int64(Threats, ThreatArrays, Tree, int64))
def write_attack(threats, arrays, tree, level):
    """Write down the won attack of the side to move; its node, or -1 where it cannot be found again."""
    state, patterns, tables = threats.state, threats.patterns, threats.tables
    attacker = threats.work.attacker
    known = tree_place(tree, state.key, int64(-1))
    if known >= 0:
        return known
    if patterns.counts[attacker - 1, FIVE] > 0:
        return new_attack_node(tree, find_class(state, patterns, attacker, int64(FIVE)))
    point = vct_point(threats, arrays)
    if point < 0 or tree.failed:
        tree.failed = 1
        return int64(-1)
    node = new_attack_node(tree, point)
    pattern_push(state, patterns, tables, point)
    if answer_pass(threats, tree, attacker, node) == 0:
        tree.failed = 1
    edge = int64(tree.first[node])
    while edge >= 0 and tree.failed == 0:
        pattern_push(state, patterns, tables, int64(tree.reply[edge]))
        target = int64(-1)
        if patterns.counts[attacker - 1, FIVE] == 0:
            target = other_open_four(threats, tree, attacker)
        if target < 0:
            deeper = level + 1
            target = write_attack(threats, arrays, tree, deeper)
        tree.target[edge] = target
        pattern_pop(state, patterns, tables)
        edge = int64(tree.next[edge])
    pattern_pop(state, patterns, tables)
    tree_place(tree, state.key, node)
    return node


@kernel(int64(Threats, ThreatArrays, Tree, int64, int64))
def attack_tree(threats, arrays, tree, attacker, most):
    """Look for a win by threats of ``attacker``, to move or after a pass, and write it down.

    WIN, NONE or CUT as :func:`wuzi.tactics.vct_kernels.vct_search`, within ``most`` positions.
    """
    state, ctl = threats.state, arrays.ctl
    ctl[:] = 0
    ctl[MAX_SEARCHED] = most
    side = state.side
    if side != attacker:
        state.side = attacker
        state.key ^= uint64(SIDE_KEY)
    found = vct_search(threats, arrays, attacker)
    tree_begin(tree)
    if found == WIN:
        ctl[STOP] = 0
        ctl[MAX_SEARCHED] += 20 * most
        level = int64(0)
        write_attack(threats, arrays, tree, level)
    if side != attacker:
        state.side = side
        state.key ^= uint64(SIDE_KEY)
    return found
