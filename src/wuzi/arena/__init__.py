"""Matches, tournaments, ratings and reports. The names below are imported when first used."""

from wuzi.base.imports import attach

__getattr__, __dir__, __all__ = attach(__name__)
