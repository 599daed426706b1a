"""Which kernels the browser gets, under which names, and the records that they share."""

from __future__ import annotations

from dataclasses import asdict
from types import ModuleType
from typing import Any

import numpy as np

from wuzi.analysis import explain
from wuzi.analysis import explain_kernels as explaining
from wuzi.analysis import judgement_kernels as judging
from wuzi.analysis import layout as analysis_layout
from wuzi.analysis import strength_kernels as rating
from wuzi.analysis.review.judgement import MoveMark
from wuzi.core import game_kernels as games
from wuzi.core import layout as core_layout
from wuzi.core import rule_kernels as rules
from wuzi.core import symmetry
from wuzi.evaluation import codebook as evaluation
from wuzi.evaluation import codebook_kernels as codebook
from wuzi.evaluation import layout as evaluation_layout
from wuzi.evaluation import run_kernels as runs
from wuzi.nets import planes_kernels as planes
from wuzi.players import chance, level
from wuzi.players import layout as player_layout
from wuzi.players import level_kernels as levels
from wuzi.players.levels import LEVELS
from wuzi.search import layout as search_layout
from wuzi.search import time_management
from wuzi.search.alphabeta import deepen_kernels as deepening
from wuzi.search.alphabeta import kernels as engine
from wuzi.search.alphabeta import move_kernels as moves
from wuzi.search.alphabeta import node_kernels, searcher
from wuzi.search.exact import kernels as exact
from wuzi.search.minimax import kernels as minimax
from wuzi.search.tree import batch_kernels as batches
from wuzi.search.tree import moving_kernels as moving
from wuzi.tactics import checker_kernels as checker
from wuzi.tactics import kernels as patterns
from wuzi.tactics import layout as tactics_layout
from wuzi.tactics import line_kernels as lines
from wuzi.tactics import threat_kernels as listing
from wuzi.tactics import vcf, vct
from wuzi.tactics import vcf_kernels as fours
from wuzi.tactics import vct_kernels as threats
from wuzi.tactics.threats import ThreatKind
from wuzi.training.data import replay_kernels as replay
from wuzi.training.learner.kernels import layer_kernels as layers
from wuzi.training.learner.kernels import layout as learner_layout
from wuzi.training.learner.kernels import loss_kernels as losses
from wuzi.training.learner.kernels import pass_kernels as passes
from wuzi.training.learner.kernels import step_kernels as steps

_EXPORTED: dict[ModuleType, tuple[str, ...]] = {
    rules: (
        "reset",
        "load",
        "push",
        "pop",
        "forbidden_map",
        "forbidden_kind",
        "run_length",
        "wins_along",
        "perft",
    ),
    games: (
        "why_not",
        "legal_map",
        "foul_map",
        "side_by_count",
        "judge_set_up",
        "winning_rows",
        "first_phase",
        "stones_due",
        "phase_after",
        "phase_with_result",
        "black_after",
        "seat_to_act",
    ),
    patterns: ("patterns_from_state", "pattern_push", "pattern_pop", "threat_index"),
    fours: ("vcf_solve", "vcf_within"),
    threats: ("vct_begin", "vct_search", "vct_point", "vct_follow"),
    listing: ("list_threats",),
    checker: ("winning_points",),
    lines: ("complete_line",),
    runs: ("cell_weights", "line_weight"),
    codebook: ("fill_rows", "accumulator_from_state", "net_value", "net_policy"),
    moves: ("near_from_state",),
    node_kernels: ("leaf_vcf",),
    engine: ("engine_search",),
    deepening: ("search_forget", "search_begin", "search_deepen"),
    levels: (
        "level_seed",
        "level_draw",
        "level_hastes",
        "glance_move",
        "level_choice",
        "opening_stones",
        "glance_likelihood",
        "choice_likelihood",
    ),
    minimax: ("minimax_setup", "minimax_root"),
    explaining: ("explain_begin", "explain_move", "hint_why"),
    judging: ("judge_move", "points_lost", "loss_mark", "move_accuracy"),
    rating: ("estimate_strength",),
    exact: ("exact_search", "exact_within"),
}

KERNELS: dict[str, Any] = {
    name: getattr(module, name) for module, names in _EXPORTED.items() for name in names
}
"""The exported kernels by name; those that they call come along."""

_LEARNING: dict[ModuleType, tuple[str, ...]] = {
    games: ("winning_rows",),
    runs: ("cell_weights",),
    batches: ("collect", "absorb"),
    moving: (
        "make_keys",
        "draw_numbers",
        "draw_gumbels",
        "find_done",
        "draw_opening",
        "seat_game",
        "conclude",
        "play_all",
        "start_all",
    ),
    planes: ("tactical18_planes", "board7_planes", "turn_planes"),
    replay: ("set_up_rows", "set_up_positions"),
    layers: ("take_planes",),
    passes: ("forward", "backward"),
    losses: ("cross_entropy", "squares", "wdl_loss", "cell_classes"),
    steps: ("squared_norm", "adam", "move_towards"),
}

LEARNING: dict[str, Any] = {
    name: getattr(module, name) for module, names in _LEARNING.items() for name in names
}
"""The kernels of the second module, which the page loads where a net learns."""

_LAYOUTS = (
    *(core_layout, tactics_layout, evaluation_layout, search_layout, player_layout, analysis_layout),
    learner_layout,
)

RECORDS: dict[str, np.dtype[Any]] = {
    name: value
    for module in _LAYOUTS
    for name, value in vars(module).items()
    if isinstance(value, np.dtype) and value.names
}
"""All records of the kernels' layouts by name."""

_NAMES: dict[ModuleType, str] = {
    core_layout: "STOP NODES MAX_NODES TRACED DEEPEST UNDECIDED BLACK_WINS WHITE_WINS DRAW EMPTY BLACK WHITE "
    "WALL BY_LINE BY_FULL_BOARD BY_FORBIDDEN_POINT STRIDE PAD GRID MAX_CELLS MAY_PLAY IS_OFF_BOARD IS_OVER "
    "IS_TAKEN PLACE SWAP KEEP REFUSED",
    search_layout: "MAX_LEVEL UNSCORED WIN",
    node_kernels: "MATE MATE_BOUND",
    searcher: "DEFAULT_S",
    time_management: "FORCED_DEPTH",
    evaluation: "LOGIT",
    tactics_layout: "MAX_THREATS",
    fours: "MAX_FOURS",
    vct: "LEAF_NODES PROOF_NODES TABLE_BITS VCF_TABLE_BITS",
    explain: "FOUR_NODES",
    analysis_layout: "LINE_ROOM",
    judging: "GOOD IS_INACCURACY INACCURACY BLUNDER HOPELESS THE_WIN THE_DEFENCE",
    chance: "NUM_OPENINGS",
    symmetry: "NUM_SYMMETRIES",
    level: "LEVEL_CANDIDATES LEVEL_TABLE_MB",
}


def named(wanted: dict[ModuleType, str]) -> dict[str, Any]:
    """Constants of modules, by their names."""
    return {name: getattr(module, name) for module, names in wanted.items() for name in names.split()}


CONSTANTS: dict[str, int | float] = (
    named(_NAMES)
    | {
        f"ENGINE_{name.upper()}": value
        for name, value in asdict(searcher.EngineOptions()).items()
        if isinstance(value, int)
    }
    | {"FOURS_TABLE_BITS": vcf.TABLE_BITS}
)
"""Numbers that a host of the kernels needs: of the layouts, of the engine's options, of the levels."""

NAMES: dict[str, list[str]] = {
    "SAID": [one.name.lower() for one in explain.Said],
    "HINT_REASONS": [one.name.lower() for one in explain.HintReason],
    "MARKS": [str(one) for one in MoveMark],
    "THREAT_KINDS": [str(one) for one in ThreatKind],
    "VERDICTS": [str(one) for one in vcf.VERDICTS],
}
"""What the numbers of kernels stand for, in their order."""

DIRECTIONS = core_layout.DIRECTIONS
"""Grid steps of the four line directions."""

LEVEL_ROWS: list[dict[str, Any]] = [asdict(level) for level in LEVELS.values()]
"""The named levels, weakest first."""
