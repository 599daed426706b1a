"""``three-factor``: the search-free net of document 002, its errors corrected and every factor a switch.

Kept from the document: a residual trunk over own stones, the opponent's and playable cells; a directional
field F (section 3), a temporal gradient T (section 4), strategy weights alpha and beta from the move
sequence (section 5), and their fusion into one attention map (section 6).

Corrected: the diagonal filters have five weights on their diagonal (the document's are full 5x5 squares); F
is one map, like T, so that the two can be added; the attention is a softmax over cells alone and is scaled to
a mean of one, else it would be a factor of about 1/81; the value after a move is a separate output
(``next_value``), so that training can give it a meaning; the discount is 0.9 at the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from wuzi.base.schema import option
from wuzi.nets.planes import plane_set
from wuzi.torch_nets import ops
from wuzi.torch_nets.blocks import ConvNorm, DiagonalConv, LastHidden, Net, Outputs, ResidualBlock

PLANES = "history11-v1"
BOARD_PLANES, SEQUENCE = 3, 8
TAPS = 5


@dataclass(frozen=True)
class ThreeFactorConfig:
    """The search-free net of document 002.

    Attributes:
        blocks: residual blocks. channels: their width.
        field: the directional field (the first factor).
        strategy: alpha and beta from the last eight stones (the second); 0.5 each without it.
        gradient: the temporal gradient (the third).
        attention: multiply the features by the attention map; without it F and T are only shown.
        square_diagonals: the document's diagonal filters, full 5x5 squares.
        scaled: the attention has a mean of one; without it, as in the document, a sum of one.
        discount: of the temporal gradient at the start; the document's is 0.71.
    """

    blocks: int = option(4, minimum=1, maximum=40)
    channels: int = option(64, minimum=8, maximum=512)
    field: bool = True
    strategy: bool = True
    gradient: bool = True
    attention: bool = True
    square_diagonals: bool = False
    scaled: bool = True
    discount: float = option(0.9, minimum=0.01, maximum=0.99)


class DirectionalField(nn.Module):
    """One map [B, 1, N, N] of four directional filters, weighted by direction."""

    def __init__(self, channels: int, *, square_diagonals: bool) -> None:
        super().__init__()
        part = channels // 4
        self.horizontal = nn.Conv2d(channels, part, (1, TAPS), padding=(0, TAPS // 2))
        self.vertical = nn.Conv2d(channels, part, (TAPS, 1), padding=(TAPS // 2, 0))
        self.diagonal: nn.Module
        self.antidiagonal: nn.Module
        if square_diagonals:
            self.diagonal = nn.Conv2d(channels, part, TAPS, padding=TAPS // 2)
            self.antidiagonal = nn.Conv2d(channels, part, TAPS, padding=TAPS // 2)
        else:
            self.diagonal = DiagonalConv(channels, part, TAPS)
            self.antidiagonal = DiagonalConv(channels, part, TAPS, anti=True)
        self.direction_weights = nn.Parameter(torch.zeros(4))
        self.fuse = nn.Conv2d(part, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        share = torch.softmax(self.direction_weights, dim=-1)
        field = self.horizontal(x) * share[0:1] + self.vertical(x) * share[1:2]
        field = field + self.diagonal(x) * share[2:3] + self.antidiagonal(x) * share[3:4]
        return cast(Tensor, self.fuse(F.relu(field)))


class CellValues(nn.Module):
    """One map [B, 1, N, N] in [-1, 1]."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.hidden = ConvNorm(channels, 64)
        self.value = nn.Conv2d(64, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.value(F.relu(self.hidden(x))))


class TemporalGradient(nn.Module):
    """T = discount * (value after a stone here - value now), both for the side to move."""

    def __init__(self, channels: int, discount: float) -> None:
        super().__init__()
        self.now = CellValues(channels)
        self.after = CellValues(channels)
        self.gamma = nn.Parameter(torch.logit(torch.full((1,), discount)))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        after = self.after(x)
        return torch.sigmoid(self.gamma) * (after - self.now(x)), after


class StrategyParameters(nn.Module):
    """alpha and beta in [0, 1] from the features at the cells of the last eight stones."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.position_embedding = nn.Parameter(torch.zeros(1, SEQUENCE, channels))
        self.encoder = LastHidden(channels, 64)
        self.hidden = nn.Linear(64, 32)
        self.parameters_head = nn.Linear(32, 2)

    def forward(self, sequence: Tensor) -> Tensor:
        found = self.encoder(sequence + self.position_embedding)
        return torch.sigmoid(self.parameters_head(F.relu(self.hidden(found))))


class ThreeFactorNet(Net):
    """``three-factor``; outputs besides policy and value: ``field``, ``gradient``, ``next_value`` and
    ``attention`` [B, 1, N, N], ``alpha`` and ``beta`` [B, 1]; those of a factor switched off are absent.

    Its heads fit every board size: 1x1 convolutions for the policy, global pooling for the value.
    """

    def __init__(self, config: ThreeFactorConfig, size: int | None = None) -> None:
        super().__init__(PLANES, size)
        width = config.channels
        self.config = config
        self.stem = ConvNorm(BOARD_PLANES, width)
        self.blocks = nn.Sequential(*(ResidualBlock(width, width) for _ in range(config.blocks)))
        self.field = (
            DirectionalField(width, square_diagonals=config.square_diagonals) if config.field else None
        )
        self.gradient = TemporalGradient(width, config.discount) if config.gradient else None
        self.strategy = StrategyParameters(width) if config.strategy else None
        self.policy_conv = ConvNorm(width, 32, 1)
        self.policy_out = nn.Conv2d(32, 1, 1)
        self.value_conv = ConvNorm(width, 32, 1)
        self.value_fc1 = nn.Linear(3 * 32, 64)
        self.value_fc2 = nn.Linear(64, 1)

    def forward(self, x: Tensor) -> Outputs:
        board, recent = x[:, :BOARD_PLANES], x[:, BOARD_PLANES : plane_set(PLANES).channels]
        features = self.blocks(F.relu(self.stem(board)))
        maps = self.maps(features, recent)
        if "attention" in maps and self.config.attention:
            attention = maps["attention"]
            features = features * (
                (attention * ops.num_cells(features) if self.config.scaled else attention) + 1.0
            )
        policy = self.policy_out(F.relu(self.policy_conv(features))).flatten(1)
        pooled = ops.global_pool(F.relu(self.value_conv(features)))
        value = torch.tanh(self.value_fc2(F.relu(self.value_fc1(pooled)))).squeeze(1)
        return {"policy": policy, "value": value, **maps}

    def maps(self, features: Tensor, recent: Tensor) -> Outputs:
        """F, T, alpha, beta and the attention, as far as their factors are switched on."""
        found: Outputs = {}
        if self.strategy is not None:
            sequence = torch.matmul(recent.flatten(2), features.flatten(2).transpose(1, 2))
            both = self.strategy(sequence)
            found["alpha"], found["beta"] = both[:, 0:1], both[:, 1:2]
        parts = []
        if self.field is not None:
            found["field"] = self.field(features)
            parts.append(_weighted(found["field"], found.get("alpha")))
        if self.gradient is not None:
            found["gradient"], found["next_value"] = self.gradient(features)
            parts.append(_weighted(found["gradient"], found.get("beta")))
        if parts:
            total = parts[0] if len(parts) == 1 else parts[0] + parts[1]
            found["attention"] = ops.grid(torch.softmax(total.flatten(2), dim=-1), features)
        return found


def _weighted(field: Tensor, weight: Tensor | None) -> Tensor:
    """A map times its weight [B, 1]; times 0.5 where the strategy is switched off, as in the document."""
    return field * 0.5 if weight is None else ops.spread(weight) * field
