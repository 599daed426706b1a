"""Exact values of small boards by proof-number search."""

from wuzi.base.imports import attach_kernels

__getattr__ = attach_kernels(__name__)
