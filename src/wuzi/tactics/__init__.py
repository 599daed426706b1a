"""Threats: cell classes kept incrementally, threat lists for people, and proved wins.

>>> import wuzi
>>> from wuzi.tactics import VcfSolver
>>> game = wuzi.Game.from_moves(wuzi.Rules(size=15), "h8 a1 j8 a15 k8 o1".split())
>>> solution = VcfSolver().solve(game.position)
>>> solution.verdict, solution.plies
(<Verdict.WIN: 'win'>, 1)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from wuzi.core.classes import CellClass
from wuzi.tactics.classes import cell_classes, cell_table, tables
from wuzi.tactics.threats import Threat, ThreatKind, find_threats

if TYPE_CHECKING:
    from wuzi.tactics.suite import Puzzle, Theme, load_suite
    from wuzi.tactics.vcf import Solution, VcfSolver, Verdict
    from wuzi.tactics.vct import VctSolution, VctSolver

_LAZY = {
    **dict.fromkeys(("Puzzle", "Theme", "load_suite"), "suite"),
    **dict.fromkeys(("Solution", "VcfSolver", "Verdict"), "vcf"),
    **dict.fromkeys(("VctSolution", "VctSolver"), "vct"),
}

__all__ = [
    "CellClass",
    "Puzzle",
    "Solution",
    "Theme",
    "Threat",
    "ThreatKind",
    "VcfSolver",
    "VctSolution",
    "VctSolver",
    "Verdict",
    "cell_classes",
    "cell_table",
    "find_threats",
    "load_suite",
    "tables",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f"wuzi.tactics.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
