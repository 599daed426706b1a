"""Memory layouts of the searches."""

from __future__ import annotations

import numpy as np

from wuzi.core.layout import GRID, MAX_CELLS
from wuzi.search.alphabeta.parameters import PARAMETERS
from wuzi.tactics.layout import MAX_VCF_LEVEL

MAX_DEPTH = 24
UNSCORED = 1 << 40
"""The score of a line that was not searched."""
WIN = 1_000_000_000
"""Value of a win at the root; a win n plies on is WIN - n."""

MINIMAX = np.dtype(
    [
        ("near", np.int16, (GRID,)),
        ("centre", np.int32, (GRID,)),
        ("moves", np.int16, (MAX_DEPTH, MAX_CELLS)),
        ("keys", np.int64, (MAX_DEPTH, MAX_CELLS)),
        ("pv", np.int16, (MAX_DEPTH + 1, MAX_DEPTH + 1)),
        ("pv_length", np.int64, (MAX_DEPTH + 1,)),
        *((name, np.int64) for name in ("score", "reach", "width", "ordered")),
        *((name, np.int64, (MAX_CELLS,)) for name in ("scores", "lengths")),
        ("lines", np.int16, (MAX_CELLS, MAX_DEPTH + 1)),
    ]
)
"""Work space of minimax.

``near[point]`` counts the stones at most ``reach`` away in both row and column; ``centre[point]`` is
the position term; ``score`` is Black's evaluation minus White's; ``width`` limits the moves tried at
a node (0 for all); ``ordered`` whether moves are sorted. At the root ``lines[i, :lengths[i]]`` are cells,
best first, with ``scores[i]`` (:data:`UNSCORED` for none).
"""

TRACE_FIELDS = ("parent", "move", "depth", "alpha", "beta", "value", "cutoff", "color")
"""Columns of a recorded tree (int64 [rows, 8]); ``cutoff`` is 1 where the node's remaining moves were
cut off; ``move`` is the cell that led to the node and ``color`` who played it."""

NODE = np.dtype(
    [
        ("visits", np.int32),
        ("first_child", np.int32),
        ("next_sibling", np.int32),
        ("place", np.int16),
        ("tried", np.int16),
        ("value_sum", np.float64),
        ("result", np.int64),
    ]
)
"""A node of the Monte Carlo tree.

``value_sum`` adds 1 for a win and 0.5 for a draw of the side that moved *into* the node; ``place`` is
``row * 32 + column`` of that move; ``tried`` counts cells looked at for new children; ``result`` the
game's result if the move ended it. Child links are 0 for none (0 is the root).
"""

MAX_LEVEL = 96
MAX_MOVES = 512
PARAMETERS_RECORD = np.dtype(
    [
        *((name, np.int64) for name in PARAMETERS),
        ("reductions", np.int32, (64, 64)),
        ("lmp_counts", np.int32, (64,)),
    ]
)
"""The engine's parameters, see :mod:`wuzi.search.alphabeta.parameters`, and two tables made of them.

``reductions[plies, number]`` are late-move reductions in hundredths of a ply, ``lmp_counts[plies]`` is how
many candidates are tried before late-move pruning.
"""

ALPHABETA = np.dtype(
    [
        ("near", np.int16, (GRID,)),
        ("moves", np.int16, (MAX_LEVEL, MAX_MOVES)),
        ("ranks", np.int64, (MAX_LEVEL, MAX_MOVES)),
        ("best_rank", np.int64, (MAX_LEVEL + 1,)),
        ("marks", np.uint8, (GRID,)),
        ("pv", np.int16, (MAX_LEVEL + 1, MAX_LEVEL + 1)),
        ("pv_length", np.int64, (MAX_LEVEL + 1,)),
        ("statics", np.int64, (MAX_LEVEL + 1,)),
        ("excluded", np.int16, (MAX_LEVEL + 1,)),
        ("extensions", np.int64, (MAX_LEVEL + 1,)),
        ("classes", np.int64, (MAX_LEVEL + 1,)),
        ("history", np.int32, (2, GRID)),
        ("counter", np.int16, (2, GRID)),
        ("root_excluded", np.uint8, (GRID,)),
        *((name, np.int64) for name in ("root_window", "age", "vcf_nodes", "vcf_total")),
    ]
)
"""Work space of the alpha-beta engine.

``near[point]`` counts the stones at most two away; ``ranks`` order the candidates ``moves``, ``best_rank``
is the best score among them; ``marks`` is scratch. By level: ``pv`` the line found, ``statics`` the static
value, ``excluded`` the move left out by a singular search, ``extensions`` the sum of extensions beyond a
ply on the way, ``classes`` the cell class of the move made. ``history`` and ``counter`` order moves.
``root_excluded`` marks points left out at the root (for several candidates in turn), ``root_window`` is
beta - alpha there; ``vcf_nodes`` limits the search for fours at a leaf, ``vcf_total`` counts its positions.
"""

_NODE_FIELDS = """
    level alpha beta depth cut pv side value in_check open_threat
    in_table table_move table_value table_bound table_depth
    static improving guess singular_beta table_extension likely_high attacking
    shallow stage count next tried point own_class opponent_class best best_move bound
"""
SEARCH_NODE = np.dtype([(name, np.int64) for name in _NODE_FIELDS.split()])
"""What the engine knows of the node it is at: its search stack has one for every level.

``alpha``, ``beta`` and ``depth`` change during the search of the node; ``cut`` is 1 where a cut-off is
expected, ``pv`` where the window is open; ``value`` is the result of a node that is decided without moves.
``in_check`` says that the opponent threatens five, ``open_threat`` that it threatens an open four;
``table_...`` is the entry of the transposition table; ``guess`` the best estimate of the value before
any move. ``singular_beta`` is the bound of a singular test and ``table_extension`` what it found;
``likely_high`` whether the node will probably fail high, ``attacking`` whether the side made a four with its
last move. Then the move loop: ``stage``, ``count`` and ``next`` candidate, how many were ``tried``, the
move made and its classes; the best value and move, and the bound for the table.
"""

_LINE = MAX_VCF_LEVEL + 4
_WANTED = "multipv guard_percent root_vcf_nodes"
_FOUND = "depth count reported line_depth deepest forced rescued earlier guarded spent"
DEEPENING = np.dtype(
    [
        ("barred", np.uint8, (GRID,)),
        *((name, np.int64) for name in _WANTED.split()),
        *((name, np.int64) for name in _FOUND.split()),
        ("excluded", np.uint8, (GRID,)),
        ("seen", np.int64, (GRID,)),
        ("guesses", np.int64, (MAX_CELLS,)),
        ("scores", np.int64, (2, MAX_CELLS)),
        ("lengths", np.int64, (2, MAX_CELLS)),
        ("lines", np.int16, (2, MAX_CELLS, _LINE)),
    ]
)
"""The deepening of one position by the engine: what is wanted, how far it is, and what was found.

Whoever asks sets ``barred`` (points that are no candidates), ``multipv`` (lines wanted), ``guard_percent``
(positions spent on threats after the best move for a hundred others, 0 for none) and ``root_vcf_nodes``
(positions of the search for fours at the beginning). ``depth`` is the depth begun last; ``count`` lines are
known, best first, of ``line_depth``: ``scores[0, i]`` (:data:`UNSCORED` for none), ``lengths[0, i]`` and
``lines[0, i]`` as points; row 1 holds those of the depth in work. ``reported`` is 1 where the last depth
brought lines, ``deepest`` the deepest ply then; ``forced`` whether the opponent threatens five at one point.
``rescued`` is 1 where a search was stopped before it had a line, so that a glance with control words of its
own had to answer, ``earlier`` its positions but the last glance's. ``excluded`` are points left out,
``guesses`` the last scores. Of the look at the best move: ``guarded`` whether it is still made, the positions
it ``spent`` and those it was allowed for each point ``seen``.
"""

_TREE_FIELDS = "nodes edges target started done evaluated deepest prepared clean full move turning"
TREE = np.dtype([*((name, np.int64) for name in _TREE_FIELDS.split()), ("value", np.float64)])
"""One tree of a search guided by a net.

``nodes`` and ``edges`` in use; ``target`` simulations wanted, ``started`` and ``done`` so far (their
difference is in flight); ``evaluated`` positions sent to the net; ``prepared`` whether the root is ready
for this search (noise); ``clean`` whether the root's priors without noise were saved; ``full`` whether
memory ended the search; ``move`` is scratch: the point that decides a position; ``turning`` draws the
orientations of its positions. ``value`` is the root's for the side to move, as of the last reading.
"""

TREE_NODE = np.dtype(
    [
        *((name, np.int32) for name in ("first", "parent", "edge")),
        ("value", np.float32),
        *((name, np.int16) for name in ("count", "tried", "open", "status", "proven", "reserved")),
    ]
)
"""A position in a tree; node 0 is the root.

Its edges are ``first .. first + count``, those that were tried first: of the others the one with the
greatest prior comes next, so that selection looks at no more than ``tried + 1`` of them. ``edge`` is the
edge that leads here (0 for the root); ``value`` the net's, for the side to move; ``open`` counts edges
not yet proven; ``status`` FRESH, PENDING (sent to the net) or OPEN (has edges); ``proven`` see
:data:`TREE_EDGE`.
"""

TREE_CHOICE = np.dtype([("prior", np.float32), ("point", np.int32)])
"""The part of an edge that exists as soon as its node is expanded."""

TREE_EDGE = np.dtype(
    [
        ("visits", np.int32),
        ("value", np.float32),
        ("child", np.int32),
        ("pending", np.int16),
        ("proven", np.int16),
    ]
)
"""The part of an edge that exists once it was tried. Edge 0 is the way into the root.

``value`` is the mean of its ``visits`` for the side that moves along it; ``pending`` simulations through
it are in flight; ``proven`` is 0, or n + 1 for a win in n plies, -(n + 1) for a loss in n, PROVEN_DRAW.
"""

PROVEN_DRAW = 16384

_WHOLE = "form unvisited batch considered proofs tactics vcf_root vcf_tree random_symmetry"
_REAL = "c_puct c_log c_base reduction virtual_loss noise_fraction c_visit c_scale"
TREE_OPTIONS = np.dtype(
    [*((name, np.int64) for name in _WHOLE.split()), *((name, np.float64) for name in _REAL.split())]
)
"""What a tree search does, see :class:`wuzi.search.tree.options.TreeOptions`."""

EXACT_CELLS = 64
EXACT_WINDOWS = 192
EXACT = np.dtype(
    [
        ("windows", np.uint64, (EXACT_WINDOWS,)),
        ("ends", np.uint64, (EXACT_WINDOWS,)),
        ("closed", np.uint8, (EXACT_WINDOWS,)),
        ("line_of", np.int64, (EXACT_WINDOWS,)),
        *((name, np.int64) for name in ("num_windows", "num_lines", "num_cells")),
        ("cores", np.uint64, (EXACT_CELLS,)),
        ("owner", np.int64, (EXACT_CELLS,)),
        ("visited", np.uint64),
        *((name, np.int64) for name in ("exact", "caro", "side", "attacker")),
        ("zobrist", np.uint64, (8, 2, EXACT_CELLS)),
        ("order", np.int64, (EXACT_CELLS,)),
        ("keys", np.uint64, (8,)),
        *((name, np.uint64, (2,)) for name in ("stones", "wins", "live")),
        ("moves", np.int8, (EXACT_CELLS + 2, EXACT_CELLS)),
        ("known", np.int8, (EXACT_CELLS + 2, EXACT_CELLS)),
        ("child_keys", np.uint64, (EXACT_CELLS + 2, EXACT_CELLS)),
        ("phi", np.int64, (EXACT_CELLS + 2,)),
        ("delta", np.int64, (EXACT_CELLS + 2,)),
    ]
)
"""A small board for exact solving, as bits: bit ``c`` is cell ``c``.

``windows`` are the rows of the winning length, ``ends`` the one or two cells beyond each, ``closed`` 1
where there are two; ``line_of`` the line each lies on, ``cores[line]`` the empty cells that all rows of
the attacker on a line share, ``owner[cell]`` the line that a pairing gives a cell to; ``exact`` and ``caro``
say which of them count; ``order`` lists the cells, those on most windows first; ``keys`` are the Zobrist
keys of the eight images of the board, ``zobrist[s, colour - 1, cell]`` their parts. ``wins`` and ``live``
are what the last scan found for each colour: cells that make a winning row, and cells that can still matter
to one. ``known[level]`` marks moves after which the opponent reaches its aim at once.
"""
