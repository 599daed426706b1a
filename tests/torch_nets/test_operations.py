"""Activations and depthwise convolutions: torch, NumPy and ONNX compute the same."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from wuzi.errors import ConfigError
from wuzi.nets.backends.numpy_net import run_graph
from wuzi.nets.backends.onnx_graph import onnx_model
from wuzi.nets.graph import folded
from wuzi.torch_nets import Net, trace, weights_of
from wuzi.torch_nets.blocks import Outputs

SIZE = 6


class Mobile(Net):
    """Depthwise and grouped convolutions between activations, as layers and as functions."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__("az4-v1", SIZE)
        self.depth = nn.Conv2d(4, 8, 3, padding=1, groups=4, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.mix = nn.Conv2d(8, 8, 1, groups=2)
        self.layers = nn.Sequential(nn.SiLU(), nn.GELU(approximate=approximate), nn.Mish(), nn.ReLU())
        self.policy = nn.Conv2d(8, 1, 1)
        self.value = nn.Linear(SIZE * SIZE, 1)

    def forward(self, x: Tensor) -> Outputs:
        y = self.layers(self.mix(F.silu(self.norm(self.depth(x)))))
        policy = self.policy(F.mish(F.gelu(y)))
        value = torch.tanh(self.value(policy.flatten(1)))
        return {"policy": policy.flatten(1), "value": value.squeeze(1)}


def test_activations_and_groups_in_every_backend() -> None:
    torch.manual_seed(1)
    net = Mobile()
    net.norm.running_mean.normal_()  # type: ignore[union-attr]
    net.eval()
    features = np.random.default_rng(1).normal(0, 2, (3, 4, SIZE, SIZE)).astype(np.float32)
    with torch.inference_mode():
        expected = {name: value.numpy() for name, value in net(torch.from_numpy(features)).items()}
    graph, weights = trace(net), weights_of(net)
    graph.check(weights)
    model = onnxruntime.InferenceSession(onnx_model(graph, weights, channels=4, size=SIZE))
    session = dict(zip(graph.outputs, model.run(list(graph.outputs), {"features": features}), strict=True))
    plain = run_graph(graph, weights, features, graph.outputs)
    merged = run_graph(*folded(graph, weights), features, graph.outputs)
    for name, wanted in expected.items():
        for found in (plain, merged, session):
            np.testing.assert_allclose(found[name], wanted, rtol=1e-4, atol=1e-5, err_msg=name)


def test_what_is_not_computed_alike_is_refused() -> None:
    with pytest.raises(ConfigError, match="gelu with approximate='tanh': expected 'none'"):
        trace(Mobile("tanh"))
