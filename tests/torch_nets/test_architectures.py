"""The torch nets: their sizes, shapes and switches, and that every backend computes the same."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from wuzi.core import Rules
from wuzi.core.symmetry import transform_planes
from wuzi.errors import ConfigError
from wuzi.nets.backends.numpy_net import run_graph
from wuzi.nets.evaluator import Floats, scalar_value
from wuzi.nets.planes import plane_set
from wuzi.torch_nets import (
    ARCHITECTURES,
    Net,
    TorchEvaluator,
    create_net,
    net_file,
    net_spec,
    trace,
    weights_of,
)
from wuzi.torch_nets.blocks import DiagonalConv
from wuzi.torch_nets.three_factor import ThreeFactorNet

SPECS = (
    "basic",
    "basic:value_hidden=256",
    "basic:value_hidden=256,head_convolutions=false",
    "enhanced:blocks=1,channels=16",
    "enhanced:blocks=1,channels=16,norm=false,residual=false",
    "res5x32:blocks=1",
    "patterns:form=both",
    "teacher",
    "student",
    "three-factor:blocks=1,channels=16",
    "three-factor:blocks=1,channels=16,strategy=false,gradient=false",
    "three-factor:blocks=1,channels=16,square_diagonals=true,scaled=false,discount=0.711",
    "three-factor:blocks=1,channels=16,field=false,attention=false",
    "three-factor:blocks=1,channels=16,field=false,gradient=false",
    "flexible:blocks=3,channels=16",
    "flexible:blocks=1,channels=16,pool_every=0,planes=res3-v1",
)
SIZE = 7


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(11)


def lively(text: str, size: int | None = SIZE) -> Net:
    """A net whose batch norms have something to do."""
    net, _ = create_net(text, size)
    for layer in net.modules():
        if isinstance(layer, nn.BatchNorm2d):
            assert layer.running_mean is not None and layer.running_var is not None
            layer.running_mean.normal_(0, 0.2)
            layer.running_var.uniform_(0.5, 2)
            nn.init.uniform_(layer.weight, 0.5, 1.5)
            nn.init.normal_(layer.bias, 0, 0.2)
    return net.eval()


def some_features(net: Net, size: int = SIZE, batch: int = 4) -> Floats:
    random = np.random.default_rng(2)
    shape = (batch, plane_set(net.planes).channels, size, size)
    return (random.random(shape) < 0.3).astype(np.float32)


@pytest.mark.parametrize("text", SPECS)
def test_torch_numpy_and_onnx_agree(text: str) -> None:
    net = lively(text)
    features = some_features(net)
    with torch.inference_mode():
        expected = {name: value.numpy() for name, value in net(torch.from_numpy(features)).items()}
    graph, weights = trace(net), weights_of(net)
    graph.check(weights)
    for name, found in run_graph(graph, weights, features, graph.outputs).items():
        np.testing.assert_allclose(found, expected[name], rtol=1e-3, atol=1e-5, err_msg=name)
    if "policy" not in expected:
        return
    file = net_file(net, net_spec(text, SIZE), Rules(size=SIZE), "x")
    answers = [backend.evaluate(features) for backend in (TorchEvaluator(net), file.numpy(), file.onnx())]
    for logits, value in answers:
        np.testing.assert_allclose(logits, expected["policy"], rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(value, answers[0][1], rtol=1e-3, atol=1e-5)
    assert answers[0][0].shape == (4, SIZE * SIZE)
    assert (np.abs(scalar_value(answers[0][1])) <= 1).all()


def dense(inputs: int, outputs: int) -> int:
    return inputs * outputs + outputs


def conv(inputs: int, outputs: int, taps: int = 9) -> int:
    return inputs * outputs * taps + outputs


@pytest.mark.parametrize("size", [6, 9, 15])
def test_parameters_of_the_documents_nets_are_what_their_layers_add_up_to(size: int) -> None:
    cells = size * size
    trunk = conv(4, 32) + conv(32, 64) + conv(64, 128)
    policy = conv(128, 4, 1) + dense(4 * cells, cells)
    heads = policy + conv(128, 2, 1) + dense(2 * cells, 64) + dense(64, 1)
    pattern_head = conv(128, 2, 1) + dense(2 * cells, 128) + dense(128, 64) + dense(64, 6)
    norm = 2 * 128
    tower = 4 * 128 * 9 + norm + 12 * (128 * 128 * 9 + norm)
    tower += 128 * 4 + 8 + dense(4 * cells, cells) + 128 * 2 + 4 + dense(2 * cells, 128) + dense(128, 1)
    small = conv(3, 32) + 64 + 10 * (conv(32, 32) + 64) + conv(32, 1) + conv(32, 1, 1)
    expected = {
        "basic": trunk + heads,
        "student": trunk + heads,
        "patterns": trunk + heads + pattern_head,
        "teacher": trunk + pattern_head,
        "enhanced": tower,
        "res5x32": small + dense(cells, 128) + dense(128, 1),
    }
    dense_heads = dense(128 * cells, cells) + dense(128 * cells, 256) + dense(256, 1)
    expected["basic:value_hidden=256,head_convolutions=false"] = trunk + dense_heads
    for name, count in expected.items():
        assert create_net(name, size)[0].num_parameters() == count, name


def test_what_the_documents_say_of_their_parameters() -> None:
    """About 50 thousand and about 200 thousand on 9x9: both are wrong, the second by a factor of nine."""
    counted = {name: create_net(name, 9)[0].num_parameters() for name in ("basic", "enhanced", "patterns")}
    drawn = "basic:value_hidden=256,head_convolutions=false"
    assert create_net(drawn, 9)[0].num_parameters() == 3_588_146, "the basic net of document 000 as drawn"
    assert create_net("basic:value_hidden=256", 9)[0].num_parameters() == 162_620, "with 1x1 convolutions"
    assert counted == {"basic": 131_132, "enhanced": 1_825_506, "patterns": 160_900}
    assert {name: ARCHITECTURES[name].claimed for name in counted} == {
        "basic": 50_000,
        "enhanced": 200_000,
        "patterns": 200_000,
    }


@pytest.mark.parametrize("name", ["flexible:blocks=3,channels=16", "three-factor:blocks=1,channels=16"])
def test_size_independent_nets_play_on_every_board(name: str) -> None:
    net = lively(name, None)
    assert net.size is None
    evaluator = TorchEvaluator(net)
    file = net_file(net, net_spec(name, 9), Rules(size=9), "x")
    for size in (5, 9, 19):
        features = some_features(net, size)
        logits, _ = evaluator.evaluate(features)
        assert logits.shape == (4, size * size)
        np.testing.assert_allclose(file.onnx().evaluate(features)[0], logits, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("anti", [False, True])
def test_a_diagonal_filter_turns_into_the_other_one(anti: bool) -> None:
    layer = DiagonalConv(2, 3, anti=anti)
    other = DiagonalConv(2, 3, anti=not anti)
    other.load_state_dict(layer.state_dict())
    x = torch.randn(1, 2, 6, 6)
    mirrored = other(x.flip(-1)).flip(-1)
    # The mirror image runs along the other diagonal in the same direction of rows.
    torch.testing.assert_close(layer(x), mirrored)


def test_outputs_of_the_three_factors() -> None:
    net = lively("three-factor:blocks=1,channels=16")
    found = net(torch.from_numpy(some_features(net)))
    cells = SIZE * SIZE
    for name in ("field", "gradient", "next_value", "attention"):
        assert found[name].shape == (4, 1, SIZE, SIZE)
    assert found["alpha"].shape == found["beta"].shape == (4, 1)
    assert ((found["alpha"] > 0) & (found["alpha"] < 1)).all()
    torch.testing.assert_close(found["attention"].sum(dim=(1, 2, 3)), torch.ones(4))
    total = found["alpha"][:, :, None, None] * found["field"]
    total = total + found["beta"][:, :, None, None] * found["gradient"]
    expected = torch.softmax(total.reshape(4, cells), dim=1).reshape(4, 1, SIZE, SIZE)
    torch.testing.assert_close(found["attention"], expected)


def test_switches_of_the_three_factors() -> None:
    wanted = {
        "field=false": {"gradient", "next_value", "alpha", "beta", "attention"},
        "gradient=false": {"field", "alpha", "beta", "attention"},
        "strategy=false": {"field", "gradient", "next_value", "attention"},
        "field=false,gradient=false,strategy=false": set[str](),
    }
    for switches, names in wanted.items():
        net, _ = create_net(f"three-factor:blocks=1,channels=16,{switches}")
        found = net(torch.from_numpy(some_features(net)))
        assert set(found) == names | {"policy", "value"}
    with_it, without = (
        lively(f"three-factor:blocks=1,channels=16,attention={on}") for on in ("true", "false")
    )
    without.load_state_dict(with_it.state_dict())
    features = torch.from_numpy(some_features(with_it))
    assert not torch.allclose(with_it(features)["policy"], without(features)["policy"])


def test_document_002_s_own_forms_of_the_three_factors() -> None:
    net, _ = create_net("three-factor:blocks=1,channels=16,square_diagonals=true,scaled=false,discount=0.711")
    assert isinstance(net, ThreeFactorNet) and net.field is not None and net.gradient is not None
    assert net.field.diagonal.weight.shape == net.field.antidiagonal.weight.shape == (4, 16, 5, 5)
    assert torch.sigmoid(net.gradient.gamma).item() == pytest.approx(0.711)
    features = torch.from_numpy(some_features(net))
    small = net.eval()(features)["policy"]
    net.config = replace(net.config, scaled=True)
    assert not torch.allclose(small, net(features)["policy"])


def test_the_order_of_stones_matters_to_the_strategy_alone() -> None:
    net = lively("three-factor:blocks=1,channels=16")
    features = torch.from_numpy(some_features(net))
    swapped = features.clone()
    swapped[:, 3], swapped[:, 4] = features[:, 4], features[:, 3]
    one, other = net(features), net(swapped)
    torch.testing.assert_close(one["field"], other["field"])
    assert not torch.allclose(one["alpha"], other["alpha"])


def test_all_of_a_nets_outputs_learn() -> None:
    """Every parameter of every net gets a gradient from some output."""
    for text in SPECS:
        net, _ = create_net(text, SIZE)
        found = net(torch.from_numpy(some_features(net)))
        sum((value * torch.randn_like(value)).sum() for value in found.values()).backward()  # type: ignore[union-attr]
        idle = [name for name, p in net.named_parameters() if p.grad is None]
        assert idle == [], text


def test_flexible_outputs() -> None:
    net = lively("5b48", None)
    found = net(torch.from_numpy(some_features(net)))
    torch.testing.assert_close(found["wdl"], torch.softmax(found["wdl_logits"], dim=1))
    assert found["final_line"].shape == (4, 3, SIZE, SIZE)
    assert found["moves_left"].shape == (4,)
    assert found["soft_policy"].shape == found["reply_policy"].shape == (4, SIZE * SIZE)


def test_convolutional_policies_turn_with_turned_weights() -> None:
    """A size-independent net has no orientation of its own: turning kernels and board turns its policy."""
    net = lively("flexible:blocks=3,channels=16", None)
    features = some_features(net)
    before = net(torch.from_numpy(features))["policy"].detach().numpy().reshape(-1, SIZE, SIZE)
    with torch.no_grad():
        for layer in net.modules():
            if isinstance(layer, nn.Conv2d):
                layer.weight.copy_(torch.rot90(layer.weight, 1, (2, 3)))
    turned = np.ascontiguousarray(transform_planes(features, 1))
    after = net(torch.from_numpy(turned))["policy"].detach().numpy().reshape(-1, SIZE, SIZE)
    np.testing.assert_allclose(transform_planes(before, 1), after, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "size", "message"),
    [
        ("resnet", 9, "unknown net 'resnet': expected one of basic, .*5b48"),
        ("basic:channels=3", 9, "basic: unknown key 'channels'"),
        ("enhanced:blocks=0", 9, "enhanced: blocks=0: expected a whole number from 1"),
        ("patterns:form=all", 9, "form=all: expected counts, cells, both"),
        ("basic", None, "net basic for board size None: expected 3 to 26"),
        ("flexible:planes=az9", 9, "unknown feature planes 'az9'"),
    ],
)
def test_impossible_nets(text: str, size: int | None, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        create_net(text, size)


def test_short_names() -> None:
    assert net_spec("6b96", None).options["channels"] == 96
    assert net_spec("6b96", 9) == net_spec("flexible:blocks=6,channels=96", None)


def test_operations_that_graphs_do_not_have() -> None:
    class Odd(Net):
        def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
            return {"policy": torch.cumsum(x, 1)}

    class Dropping(Net):
        def __init__(self) -> None:
            super().__init__("res3-v1", 7)
            self.drop = nn.Dropout()

        def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
            return {"policy": self.drop(x)}

    with pytest.raises(ConfigError, match="cumsum is an operation that graphs do not have"):
        trace(Odd("res3-v1", 7))
    with pytest.raises(ConfigError, match="drop is a Dropout, which graphs do not have"):
        trace(Dropping())


def test_tracing_leaves_the_mode_alone() -> None:
    net, _ = create_net("5b48")
    net.train()
    trace(net)
    assert net.training
    assert math.isfinite(float(TorchEvaluator(net).evaluate(some_features(net))[1].sum()))
    assert net.training
