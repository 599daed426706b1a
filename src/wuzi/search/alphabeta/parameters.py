"""The numbers of the engine's search, in one place so that they can be tuned by matches.

Margins are in evaluation points, depths, extensions and reductions in hundredths of a ply, counts of
candidates in hundredths. The groups say where each number comes from. The techniques themselves are
common property of alpha-beta engines; which of them pay in this game was read in Rapfi and measured again
(docs/strength.md).
"""

from __future__ import annotations

from collections.abc import Mapping

from wuzi.core import classes

PUBLISHED: Mapping[str, int] = {
    "futility_cut": 12,  # less margin a ply where a cut-off is expected and the table knows nothing
    "fail_high_threat": 87,  # more margin before a fail-high is called likely against an open four
    "iir_max": 360,  # most that internal iterative reduction takes off
    "singular_table_depth": 203,  # how much shallower than the node the table's entry may be
    "singular_percent": 46,  # depth of the singular test
    "double_limit": 1080,  # extensions beyond a ply on the way after which none is doubled
    "deeper_step": 11,  # margin for a re-search one ply deeper, for each ply that was reduced
    "more_deeper": 349,  # margin for another ply
    "more_deeper_step": 26,
    "deeper_limit": 500,  # extensions beyond a ply on the way after which re-searches gain one ply at most
    "alpha_raise_from": 200,  # depths between which a raised alpha makes the other moves shallower
    "alpha_raise_to": 1200,
    "alpha_raise_score": 2000,  # and the score below which it does
}
"""Equal to those that Rapfi publishes (``Rapfi/search/ab/parameter.h`` and ``search.cpp``, 2026) for its own
evaluation, and not shown to be best for ours: the next tuning replaces them."""

TUNED: Mapping[str, int] = {
    "razor": 51,  # razoring: how far below the window, and how much more a ply
    "razor_step": 77,
    "razor_depth": 182,
    "lmp_base": 894,  # late-move pruning: base + step * plies ** power candidates are tried
    "lmp_step": 273,
    "lmp_power": 133,
    "lmr_base": -28,  # late-move reduction: base + scale * log(plies) * log(number)
    "lmr_scale": 79,
    "lmr_cut": 59,  # more where a cut-off is expected
    "lmr_stale": 132,  # more where the evaluation does not improve
    "lmr_threat": 63,  # more where a move makes or stops a threat; tuning turned the sign of it
    "lmr_policy": 31,  # more for a move that the policy ranks lower
    "history_divisor": 574,  # history that is worth a ply
    "history_order": 98,  # weight of history in the order of moves, in 256ths
    "counter_bonus": 91,  # order: bonus of the counter move
    "singular_depth": 882,  # least depth of a singular test
    "singular_step": 62,  # its margin in hundredths of a point a ply
    "singular_minus": 127,  # reduction where a cut-off is likely instead
    "singular_double": 23,  # margin below which the extension is two plies
    "five_extension": 70,  # of the one answer to a five
    "table_extension": 25,  # of the table's move
    "table_extension_pv": 16,
    "fail_high": 22,  # margin above beta from which a fail-high is likely, and more a ply
    "fail_high_step": 16,
    "alpha_raise": 59,  # reduction of the moves after one that raised alpha
    "iir": 12,  # internal iterative reduction: percent of the depth that the table's entry lacks
    "deeper": 56,  # margin for a re-search one ply deeper
    "idle_depth": 247,  # below it cells of no use to either side are tried only if all else loses
}
"""Moved by 1,900 steps of simultaneous perturbation (SPSA) in self-play at 6,000 positions a move."""

CHOSEN: Mapping[str, int] = {
    "futility": 50,  # margin a ply
    "lmp_own_class": classes.THREE,  # cell classes from which a candidate is never left out: of one's own,
    "lmp_opponent_class": classes.FOUR,  # and of the opponent's
    "lmr_start": 200,  # least depth for reductions
    "lmr_pv": 100,  # reductions lose as much of a ply as the window is of the root's
    "lmr_policy_free": 100,  # policy points below the best that cost nothing
    "lmr_policy_max": 300,
    "history_max": 400,  # greatest bonus of a cut-off
    "history_limit": 4096,  # values of the history stay below this
    "vcf_fours": 16,  # fours in a row that the search at a leaf follows
}
"""Set by hand: round numbers that no tuning moved, and the two classes, which games against other engines
showed."""

PARAMETERS: Mapping[str, int] = {**PUBLISHED, **TUNED, **CHOSEN}
