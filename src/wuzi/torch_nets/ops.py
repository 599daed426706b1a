"""Operations on tensors that have a name of their own in a net's graph (:mod:`wuzi.nets.graph`).

Call them as ``ops.spread(x)``: the tracer finds them in this module.
"""

from __future__ import annotations

import torch
from torch import Tensor, fx

from wuzi.nets.graph import GLOBAL_POOL_CENTRE, GLOBAL_POOL_SCALE


def spread(x: Tensor) -> Tensor:
    """[B, C] -> [B, C, 1, 1]."""
    return x[:, :, None, None]


def grid(x: Tensor, like: Tensor) -> Tensor:
    """[B, C, N * N] -> [B, C, N, N] with the board of ``like``."""
    return x.reshape(x.shape[0], x.shape[1], like.shape[2], like.shape[3])


def global_pool(x: Tensor) -> Tensor:
    """[B, C, N, N] -> [B, 3 C]: mean, mean by board size, maximum (Wu 2019, section 3.3)."""
    mean = x.mean(dim=(2, 3))
    term = (x.shape[-1] - GLOBAL_POOL_CENTRE) / GLOBAL_POOL_SCALE
    return torch.cat([mean, mean * term, x.amax(dim=(2, 3))], dim=1)


def num_cells(x: Tensor) -> Tensor:
    """[B, C, N, N] -> [1]: N * N."""
    return torch.full((1,), float(x.shape[2] * x.shape[3]), dtype=x.dtype, device=x.device)


fx.wrap("num_cells")
fx.wrap("spread")
fx.wrap("grid")
fx.wrap("global_pool")
