"""Static evaluations that alpha-beta asks: line scores, and the codebook net that is updated move by move."""

from wuzi.base.imports import attach_kernels

__getattr__ = attach_kernels(__name__)
