"""``flexible``: our net, whose weights fit every board size.

Residual blocks after the stem, every third with a global-pooling half; a policy head and a value head
that pool over the board instead of a dense layer over cells; win, draw and loss instead of a value; and
auxiliary targets that only train it (Wu 2019, sections 3.3 to 3.5): the soft policy, the opponent's
reply, the winning line, the moves that are left. Batch norms stand behind convolutions, so that all of
them disappear into the weights when the net is exported.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from wuzi.nets.fresh import HEAD, HIDDEN, POLICIES, FlexibleConfig
from wuzi.nets.planes import plane_set
from wuzi.torch_nets import ops
from wuzi.torch_nets.blocks import ConvNorm, Net, Outputs, PoolingBlock, ResidualBlock


class PolicyHead(nn.Module):
    """Policies [B, 3, N, N]: a 1x1 convolution that also hears of the whole board."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.local = ConvNorm(channels, HEAD, 1)
        self.pool = ConvNorm(channels, HEAD, 1)
        self.mix = nn.Linear(3 * HEAD, HEAD)
        self.out = nn.Conv2d(HEAD, len(POLICIES), 1)

    def forward(self, x: Tensor) -> Tensor:
        everywhere = self.mix(ops.global_pool(F.relu(self.pool(x))))
        out: Tensor = self.out(F.relu(self.local(x) + ops.spread(everywhere)))
        return out


class FlexibleNet(Net):
    """``flexible``; see the module.

    Outputs: ``policy``, ``soft_policy``, ``reply_policy`` (logits [B, N * N]); ``wdl_logits`` and ``wdl``
    [B, 3]: win, draw, loss of the side to move; ``moves_left`` [B], in units of N * N;
    ``final_line`` [B, 3, N, N]: logits of a cell's part in the winning row (no part, own, opponent's).
    """

    def __init__(self, config: FlexibleConfig, size: int | None = None) -> None:
        super().__init__(config.planes, size)
        width = config.channels
        self.stem = ConvNorm(plane_set(config.planes).channels, width)
        self.blocks = nn.Sequential(*(self._block(i + 1, config) for i in range(config.blocks)))
        self.policy_head = PolicyHead(width)
        self.value_conv = ConvNorm(width, HEAD, 1)
        self.value_fc1 = nn.Linear(3 * HEAD, HIDDEN)
        self.value_fc2 = nn.Linear(HIDDEN, 4)
        self.final_line = nn.Conv2d(width, 3, 1)

    @staticmethod
    def _block(number: int, config: FlexibleConfig) -> nn.Module:
        if config.pool_every and number % config.pool_every == 0:
            return PoolingBlock(config.channels, max(8, config.channels // 4))
        return ResidualBlock(config.channels, config.channels)

    def forward(self, x: Tensor) -> Outputs:
        x = self.blocks(F.relu(self.stem(x)))
        policies = self.policy_head(x)
        found: Outputs = {name: policies[:, i : i + 1].flatten(1) for i, name in enumerate(POLICIES)}
        pooled = ops.global_pool(F.relu(self.value_conv(x)))
        result = self.value_fc2(F.relu(self.value_fc1(pooled)))
        found["wdl_logits"] = result[:, 0:3]
        found["wdl"] = torch.softmax(found["wdl_logits"], dim=-1)
        found["moves_left"] = torch.sigmoid(result[:, 3:4]).squeeze(1)
        found["final_line"] = self.final_line(x)
        return found
