"""Review of a whole game: what each move cost, which wins were missed or allowed, and how to train on it."""

from wuzi.base.imports import attach

__getattr__, __dir__, __all__ = attach(__name__)
