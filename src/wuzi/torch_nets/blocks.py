"""The pieces that several nets are built from."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from wuzi.torch_nets import ops

Outputs = dict[str, Tensor]
"""What a net answers: ``policy`` logits [B, N * N], ``value`` [B] or ``wdl_logits`` and ``wdl`` [B, 3],
and its auxiliary outputs by name."""


class Net(nn.Module):
    """A net for feature planes.

    Attributes:
        planes: the feature planes it reads, by name.
        size: the one board size it is for, or None when its weights fit every size.
    """

    def __init__(self, planes: str, size: int | None) -> None:
        super().__init__()
        self.planes = planes
        self.size = size

    def __call__(self, x: Tensor) -> Outputs:
        """The outputs for feature planes [B, C, N, N]."""
        return cast(Outputs, super().__call__(x))

    def num_parameters(self) -> int:
        """How many numbers are trained."""
        return sum(p.numel() for p in self.parameters() if p.requires_grad)


class ConvNorm(nn.Module):
    """A convolution that keeps the board's size, without bias, then a batch norm."""

    def __init__(self, inputs: int, outputs: int, kernel: int = 3) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        return cast(Tensor, self.norm(self.conv(x)))


class ResidualBlock(nn.Module):
    """Two convolutions with batch norm and a way round them, as in document 000, section 3.4.1."""

    def __init__(self, inputs: int, outputs: int, *, bias: bool = False) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1, bias=bias)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=bias)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity() if inputs == outputs else ConvNorm(inputs, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        out = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(out)) + self.shortcut(x))


class PoolingBlock(nn.Module):
    """A residual block whose first half also hears of the whole board (Wu 2019, section 3.3)."""

    def __init__(self, channels: int, pooled: int) -> None:
        super().__init__()
        self.first = ConvNorm(channels, channels)
        self.pool = ConvNorm(channels, pooled, 1)
        self.mix = nn.Linear(3 * pooled, channels)
        self.second = ConvNorm(channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        everywhere = self.mix(ops.global_pool(F.relu(self.pool(x))))
        out = F.relu(self.first(x) + ops.spread(everywhere))
        return F.relu(self.second(out) + x)


class DiagonalConv(nn.Module):
    """A convolution along one diagonal: ``taps`` weights and nothing beside the line.

    Attributes:
        anti: whether the line runs from the upper right to the lower left.
    """

    def __init__(self, inputs: int, outputs: int, taps: int = 5, *, anti: bool = False) -> None:
        super().__init__()
        like = nn.Conv2d(inputs, outputs, (1, taps))
        self.weight = nn.Parameter(like.weight.detach()[:, :, 0].clone())
        self.bias = nn.Parameter(torch.zeros(outputs) if like.bias is None else like.bias.detach().clone())
        self.anti = anti

    def forward(self, x: Tensor) -> Tensor:
        kernel = torch.diag_embed(self.weight)
        kernel = kernel.flip(-1) if self.anti else kernel
        return F.conv2d(x, kernel, self.bias, padding=self.weight.shape[-1] // 2)


class LastHidden(nn.Module):
    """The last hidden state of a GRU over a sequence [B, T, inputs] -> [B, hidden]."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.gru = nn.GRU(inputs, hidden, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return cast(Tensor, self.gru(x)[1][0])
