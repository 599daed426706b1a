"""The rule book. Everything that compiles kernels is loaded when first used."""

from wuzi.base.imports import attach

__getattr__, __dir__, __all__ = attach(__name__)
