"""Batch norms in training that needs the same net for playing and for learning."""

from __future__ import annotations

import torch
from torch import Tensor, nn


@torch.no_grad()
def refresh_norms(net: nn.Module, planes: Tensor, momentum: float) -> None:
    """Move the running statistics of all batch norms towards those of some positions.

    The net is in evaluation mode afterwards, so that its answer for a position depends on that position
    alone and the same position gives the same answer while games are played and while it learns.

    Args:
        net: any module.
        planes: float32 [B, C, N, N], at least two positions.
        momentum: the share of the new statistics; 1 forgets the old ones, 0 does nothing.
    """
    net.eval()
    norms = [module for module in net.modules() if isinstance(module, nn.BatchNorm2d)]
    if not norms or momentum <= 0:
        return
    usual = [norm.momentum for norm in norms]
    for norm in norms:
        norm.momentum = momentum
        norm.train()
    net(planes)
    for norm, before in zip(norms, usual, strict=True):
        norm.momentum = before
        norm.eval()
