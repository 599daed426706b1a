"""Alpha-beta: the engine."""

from wuzi.base.imports import attach_kernels

__getattr__ = attach_kernels(__name__)
