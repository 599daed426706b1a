"""Monte Carlo tree search with random playouts."""

from wuzi.base.imports import attach_kernels

__getattr__ = attach_kernels(__name__)
