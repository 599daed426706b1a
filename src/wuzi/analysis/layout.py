"""Memory layouts of explanations of moves, and of their judgement."""

from __future__ import annotations

import numpy as np

LINE_ROOM = 128
"""The most cells of a line in an explanation."""
MAX_REMARKS = 8
_WANTED = "named solves max_nodes"
_FOUND = "before after length own_length opponent_length count"
EXPLAINED = np.dtype(
    [
        *((name, np.int64) for name in _WANTED.split()),
        *((name, np.int64) for name in _FOUND.split()),
        *((name, np.int16, (LINE_ROOM,)) for name in ("own", "opponent")),
        *((name, np.int64, (MAX_REMARKS,)) for name in ("said", "plies", "num_cells")),
        ("cells", np.int16, (MAX_REMARKS, LINE_ROOM)),
    ]
)
"""What is known of a position, and the explanation of a move.

``named`` is 1 where threats have names (win lengths 4 and 5), ``solves`` where wins by fours are looked for,
each among ``max_nodes`` positions. There are ``before`` threats on the board and ``after`` of them after the
move; ``own[:own_length]`` and ``opponent[:opponent_length]`` are the cells of the mover's win by fours, and
of the other one if it were to move; ``length`` is that of the line found last. ``count`` remarks: ``said`` is
a place in :class:`wuzi.analysis.explain.Said`, ``cells[i, :num_cells[i]]`` and ``plies`` as in
:class:`wuzi.analysis.explain.Remark`.
"""

_FACTS = "side has_win wins next_win is_lost loss best defence"
_RATES = "before after sure"
_JUDGED = "mark missed allowed instead seems_lost"
JUDGED = np.dtype(
    [
        *((name, np.int64) for name in _FACTS.split()),
        *((name, np.float64) for name in _RATES.split()),
        *((name, np.int64) for name in _JUDGED.split()),
        *((name, np.float64) for name in ("lost", "accuracy")),
    ]
)
"""What the tasks of a review found of one move of ``side``, and what it deserves.

``before`` and ``after`` are Black's win rates (no number: unknown), ``sure`` the points that each longer
search sees lost at least. Yes, no or unknown (1, 0, -1): whether it is proved that the mover had a win
(``has_win``), that the move ``wins``, that the opponent wins after it (``next_win``), that every move loses
(``is_lost``); whether the search believes that every move loses (``loss``); ``best`` whether it is the
analyst's choice, ``defence`` whether a defence was found. The kernel ``judge_move`` sets the rest: ``mark``
(a place in :class:`wuzi.analysis.review.judgement.MoveMark`, -1 for none), whether a win was ``missed`` or
``allowed``, what to play ``instead`` (0 unknown, 1 the first move of the win, 2 the defence),
``seems_lost`` where nothing proves that every move loses, points ``lost`` and their ``accuracy`` (no
number: unknown).
"""

RATED = 7
"""The levels that are compared with a player."""
STRENGTH = np.dtype(
    [
        *((name, np.float64, (RATED,)) for name in ("ratings", "logs")),
        *((name, np.float64) for name in ("elo", "low", "high")),
    ]
)
"""How strong a side played.

``ratings`` of the levels in Elo, weakest first, and ``logs``, the logarithms of how likely each of them plays
the moves of the side. The kernel ``estimate_strength`` sets the rest: the estimate ``elo`` and its interval.
"""
