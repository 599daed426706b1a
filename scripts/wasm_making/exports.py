"""Which kernels the browser gets, under which names, and the records that they share."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from wuzi.core import layout as core_layout
from wuzi.core import rule_kernels as rules
from wuzi.evaluation import codebook_kernels as codebook
from wuzi.evaluation import layout as evaluation_layout
from wuzi.evaluation import run_kernels as runs
from wuzi.search import layout as search_layout
from wuzi.search.alphabeta import kernels as engine
from wuzi.search.alphabeta import move_kernels as moves
from wuzi.search.alphabeta import node_kernels as nodes
from wuzi.search.exact import kernels as exact
from wuzi.search.minimax import kernels as minimax
from wuzi.tactics import checker_kernels as checker
from wuzi.tactics import kernels as patterns
from wuzi.tactics import layout as tactics_layout
from wuzi.tactics import vcf_kernels as fours
from wuzi.tactics import vct_kernels as threats
from wuzi.tactics import vct_move_kernels as threat_moves

_EXPORTED: dict[ModuleType, tuple[str, ...]] = {
    rules: ("reset", "load", "push", "pop", "win_points", "forbidden_map", "forbidden_kind", "run_length", "wins_along", "perft"),
    patterns: ("patterns_from_state", "pattern_push", "pattern_pop", "threat_index"),
    fours: ("vcf_deepen",),
    threats: ("vct_search",),
    threat_moves: ("vct_key", "vct_find", "vct_replies"),
    checker: ("winning_points",),
    runs: ("cell_weights", "line_weight"),
    codebook: ("fill_rows", "accumulator_from_state", "net_value", "net_policy"),
    moves: ("near_from_state",),
    nodes: ("leaf_vcf",),
    engine: ("engine_search",),
    minimax: ("minimax_setup", "minimax_moves", "minimax_push", "minimax_pop", "minimax_search"),
    exact: ("proof_search", "proof_within"),
}

KERNELS: dict[str, Any] = {
    name: getattr(module, name) for module, names in _EXPORTED.items() for name in names
}
"""The exported kernels by name; those that they call come along."""

_LAYOUTS = (core_layout, tactics_layout, evaluation_layout, search_layout)

RECORDS: dict[str, np.dtype[Any]] = {
    name: value
    for module in _LAYOUTS
    for name, value in vars(module).items()
    if isinstance(value, np.dtype) and value.names
}
"""All records of the kernels' layouts by name."""
