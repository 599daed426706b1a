"""The policy-value nets of documents 000, 001, 003 and 004, and the nets around them.

Parameter names are those of the documents' PyTorch code where it shows them, so that plain weight files load.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from wuzi.base.schema import option
from wuzi.core.classes import CellClass
from wuzi.nets.fresh import BasicConfig
from wuzi.nets.planes import NUM_PATTERNS, plane_set
from wuzi.torch_nets.blocks import ConvNorm, Net, Outputs, ResidualBlock

AZ4 = "az4-v1"
RES3 = "res3-v1"


class Trunk(nn.Module):
    """Three convolutions, 4 -> 32 -> 64 -> 128 channels, each with a relu."""

    def __init__(self, planes: str = AZ4) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(plane_set(planes).channels, 32, 3, padding=1)
        self.conv2 = nn.Conv2d(32, 64, 3, padding=1)
        self.conv3 = nn.Conv2d(64, 128, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.conv3(F.relu(self.conv2(F.relu(self.conv1(x))))))


class BasicNet(Net):
    """``basic``: the trunk of three convolutions and the two heads of documents 001 and 003."""

    def __init__(self, config: BasicConfig, size: int) -> None:
        super().__init__(config.planes, size)
        cells, narrow = size * size, config.head_convolutions
        self.trunk = Trunk(config.planes)
        self.act_conv1 = nn.Conv2d(128, 4, 1) if narrow else None
        self.act_fc1 = nn.Linear((4 if narrow else 128) * cells, cells)
        self.val_conv1 = nn.Conv2d(128, 2, 1) if narrow else None
        self.val_fc1 = nn.Linear((2 if narrow else 128) * cells, config.value_hidden)
        self.val_fc2 = nn.Linear(config.value_hidden, 1)

    def heads(self, x: Tensor) -> Outputs:
        """Policy and value from the trunk's features."""
        act, val = (x if conv is None else F.relu(conv(x)) for conv in (self.act_conv1, self.val_conv1))
        hidden = F.relu(self.val_fc1(val.flatten(1)))
        value = torch.tanh(self.val_fc2(hidden)).squeeze(1)
        return {"policy": self.act_fc1(act.flatten(1)), "value": value}

    def forward(self, x: Tensor) -> Outputs:
        return self.heads(self.trunk(x))


class PatternHead(nn.Module):
    """Document 000, section 7.2.2: six counts of patterns on the board, three for each side."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.pattern_conv1 = nn.Conv2d(128, 2, 1)
        self.pattern_fc1 = nn.Linear(2 * size * size, 128)
        self.pattern_fc2 = nn.Linear(128, 64)
        self.pattern_fc3 = nn.Linear(64, NUM_PATTERNS)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.pattern_fc1(F.relu(self.pattern_conv1(x)).flatten(1)))
        found: Tensor = self.pattern_fc3(F.relu(self.pattern_fc2(x)))
        return found


class PatternForm(StrEnum):
    """What the auxiliary head of ``patterns`` predicts."""

    COUNTS = "counts"
    """Document 000's six counts (:func:`wuzi.nets.planes.run_counts`)."""
    CELLS = "cells"
    """The cell class of every cell for both sides (:func:`wuzi.nets.planes.class_maps`)."""
    BOTH = "both"


@dataclass(frozen=True)
class PatternConfig(BasicConfig):
    """The weight-enhanced net of document 000, section 7.2.

    Attributes:
        form: what the auxiliary head predicts: six counts (the document), the class of every cell, or both.
    """

    form: PatternForm = PatternForm.COUNTS


class PatternNet(BasicNet):
    """``patterns``: the basic net with an auxiliary head for patterns.

    Outputs ``patterns`` [B, 6] and / or ``cell_classes`` [B, 2 * 14, N, N]: logits of the classes of
    the side to move, then of its opponent.
    """

    def __init__(self, config: PatternConfig, size: int) -> None:
        super().__init__(config, size)
        self.counts = PatternHead(size) if config.form is not PatternForm.CELLS else None
        self.cells = nn.Conv2d(128, 2 * len(CellClass), 1) if config.form is not PatternForm.COUNTS else None

    def forward(self, x: Tensor) -> Outputs:
        x = self.trunk(x)
        found = self.heads(x)
        if self.counts is not None:
            found["patterns"] = self.counts(x)
        if self.cells is not None:
            found["cell_classes"] = self.cells(x)
        return found


@dataclass(frozen=True)
class TeacherConfig:
    """The teacher of document 000, section 7.3.2: no choices."""


class TeacherNet(Net):
    """``teacher``: the basic trunk and the pattern head alone; it has no policy and cannot play."""

    def __init__(self, config: TeacherConfig, size: int) -> None:
        del config
        super().__init__(AZ4, size)
        self.trunk = Trunk()
        self.counts = PatternHead(size)

    def forward(self, x: Tensor) -> Outputs:
        return {"patterns": self.counts(self.trunk(x))}


@dataclass(frozen=True)
class EnhancedConfig:
    """The residual net of document 000, section 3.4.

    Attributes:
        blocks: residual blocks. channels: their width.
        norm: batch norm after every convolution; without it convolutions have a bias.
        residual: the way round each pair of convolutions.
    """

    blocks: int = option(6, minimum=1, maximum=40)
    channels: int = option(128, minimum=4, maximum=512)
    norm: bool = True
    residual: bool = True


def _conv_maybe_norm(inputs: int, outputs: int, kernel: int, norm: bool) -> nn.Module:
    if norm:
        return ConvNorm(inputs, outputs, kernel)
    return nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2)


class EnhancedBlock(nn.Module):
    """The residual block of ``enhanced``, with norm and the way round it as switches."""

    def __init__(self, config: EnhancedConfig) -> None:
        super().__init__()
        self.first = _conv_maybe_norm(config.channels, config.channels, 3, config.norm)
        self.second = _conv_maybe_norm(config.channels, config.channels, 3, config.norm)
        self.residual = config.residual

    def forward(self, x: Tensor) -> Tensor:
        out = self.second(F.relu(self.first(x)))
        return F.relu(out + x if self.residual else out)


class EnhancedNet(Net):
    """``enhanced``: 6 x 128 residual blocks with batch norm and the two dense heads of section 3.4.6.

    The document does not say how wide the 1x1 convolutions of the heads are: 4 for the policy and 2 for
    the value, as in its basic net.
    """

    def __init__(self, config: EnhancedConfig, size: int) -> None:
        super().__init__(AZ4, size)
        cells, width = size * size, config.channels
        self.stem = _conv_maybe_norm(plane_set(AZ4).channels, width, 3, config.norm)
        self.blocks = nn.Sequential(*(EnhancedBlock(config) for _ in range(config.blocks)))
        self.policy_conv = _conv_maybe_norm(width, 4, 1, config.norm)
        self.policy_fc = nn.Linear(4 * cells, cells)
        self.value_conv = _conv_maybe_norm(width, 2, 1, config.norm)
        self.value_fc1 = nn.Linear(2 * cells, 128)
        self.value_fc2 = nn.Linear(128, 1)

    def forward(self, x: Tensor) -> Outputs:
        x = self.blocks(F.relu(self.stem(x)))
        policy = self.policy_fc(F.relu(self.policy_conv(x)).flatten(1))
        hidden = F.relu(self.value_fc1(F.relu(self.value_conv(x)).flatten(1)))
        return {"policy": policy, "value": torch.tanh(self.value_fc2(hidden)).squeeze(1)}


@dataclass(frozen=True)
class Res5x32Config:
    """The net of document 004, for 15x15 there.

    Attributes:
        blocks: residual blocks. channels: their width.
    """

    blocks: int = option(5, minimum=1, maximum=40)
    channels: int = option(32, minimum=4, maximum=512)


class Res5x32Net(Net):
    """``res5x32``: the heads as document 004's code has them (its drawing shows another policy head)."""

    def __init__(self, config: Res5x32Config, size: int) -> None:
        super().__init__(RES3, size)
        width = config.channels
        self.conv_init = nn.Conv2d(plane_set(RES3).channels, width, 3, padding=1)
        self.bn_init = nn.BatchNorm2d(width)
        self.res_blocks = nn.ModuleList(ResidualBlock(width, width, bias=True) for _ in range(config.blocks))
        self.policy_conv = nn.Conv2d(width, 1, 3, padding=1)
        self.value_conv = nn.Conv2d(width, 1, 1)
        self.value_fc1 = nn.Linear(size * size, 128)
        self.value_fc2 = nn.Linear(128, 1)

    def forward(self, x: Tensor) -> Outputs:
        x = F.relu(self.bn_init(self.conv_init(x)))
        for block in self.res_blocks:
            x = block(x)
        hidden = F.relu(self.value_fc1(F.relu(self.value_conv(x)).flatten(1)))
        value = torch.tanh(self.value_fc2(hidden)).squeeze(1)
        return {"policy": self.policy_conv(x).flatten(1), "value": value}
