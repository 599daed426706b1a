"""Tree search with a net: PUCT and Gumbel, one game or many games in batches."""

from wuzi.base.imports import attach_kernels

__getattr__ = attach_kernels(__name__)
