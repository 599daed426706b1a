"""Self-play games as they are stored, and the rows that are learned from."""

from wuzi.base.imports import attach_kernels

__getattr__ = attach_kernels(__name__)
