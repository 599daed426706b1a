"""Threats: cell classes kept incrementally, threat lists for people, and proved wins.

>>> import wuzi
>>> from wuzi.tactics import VcfSolver
>>> game = wuzi.Game.from_moves(wuzi.Rules(size=15), "h8 a1 j8 a15 k8 o1".split())
>>> solution = VcfSolver().solve(game.position)
>>> solution.verdict, solution.plies
(<Verdict.WIN: 'win'>, 1)
"""

from wuzi.base.imports import attach

__getattr__, __dir__, __all__ = attach(__name__)
