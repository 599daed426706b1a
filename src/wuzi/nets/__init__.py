"""Nets as files: where they lie, their cards, feature planes, and what computes them. No torch here.

The names of nets are loaded when first used.
"""

from wuzi.base.imports import attach

__getattr__, __dir__, __all__ = attach(__name__)
