"""A game in progress as every face needs it: seats, undo, swap phases, clocks, hints, storage."""

from wuzi.base.imports import attach

__getattr__, __dir__, __all__ = attach(__name__)
