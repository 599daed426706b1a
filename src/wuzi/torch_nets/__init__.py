"""Nets in torch: the documents' and ours, by name, and how they become files (extra: train)."""

from wuzi.base.imports import attach

__getattr__, __dir__, __all__ = attach(__name__)
