"""Plain minimax with alpha-beta pruning, as the source documents describe it."""

from wuzi.base.imports import attach_kernels

__getattr__ = attach_kernels(__name__)
