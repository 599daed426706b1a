"""Torch modules to net files and back, and plain PyTorch files of the documents' nets."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from wuzi.core import Rules
from wuzi.errors import ConfigError, RecordError
from wuzi.nets.file import load_net, open_net, save_net
from wuzi.nets.legacy import read_legacy, rows_turned
from wuzi.torch_nets import TorchEvaluator, create_net, export_pth, import_pth, load_module, net_file

pytestmark = pytest.mark.kernels

LEGACY = Path(__file__).parent.parent / "nets" / "legacy"


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(5)


@pytest.mark.parametrize("text", ["basic", "three-factor:blocks=1,channels=16", "2b16", "teacher"])
def test_to_a_file_and_back(text: str, tmp_path: Path) -> None:
    module, spec = create_net(text, 7)
    written = save_net(tmp_path / "x", net_file(module, spec, Rules(size=7), "x", {"seed": 5}))
    found = load_net(tmp_path / "x")
    assert found.card == written.card and found.card.recipe == {"seed": 5}
    again = load_module(found)
    assert found.card.parameters == again.num_parameters() == module.num_parameters()
    features = torch.rand(3, found.card.channels, 7, 7)
    for name, value in module.eval()(features).items():
        torch.testing.assert_close(again.eval()(features)[name], value)


def test_a_trained_file_goes_on_training(tmp_path: Path) -> None:
    """A file that torch never saw becomes a module with the same answers."""
    net = read_legacy(LEGACY / "best_policy_6_6_4.model")
    module = load_module(net)
    features = np.random.default_rng(1).random((5, 4, 6, 6)).astype(np.float32)
    for found, expected in zip(
        TorchEvaluator(module).evaluate(features), net.numpy().evaluate(features), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_files_that_do_not_fit_their_architecture() -> None:
    module, spec = create_net("2b16", None)
    net = net_file(module, spec, Rules(size=9), "x")
    card = net.card
    wide = dataclasses.replace(net, card=dataclasses.replace(card, options={**card.options, "channels": 24}))
    with pytest.raises(RecordError, match="net x: weights of another shape"):
        load_module(wide)
    deep = dataclasses.replace(net, card=dataclasses.replace(card, options={**card.options, "blocks": 4}))
    with pytest.raises(RecordError, match=r"net x: lacks 'blocks.2"):
        load_module(deep)
    new = dataclasses.replace(net, card=dataclasses.replace(card, architecture="transformer"))
    with pytest.raises(ConfigError, match="unknown net 'transformer'"):
        load_module(new)
    with pytest.raises(ConfigError, match="net basic for 7x7: rules are freestyle 9x9"):
        net_file(*create_net("basic", 7), Rules(size=9), "x")


def test_a_teacher_cannot_play() -> None:
    module, spec = create_net("teacher", 7)
    net = net_file(module, spec, Rules(size=7), "x")
    assert net.card.checks == ()
    with pytest.raises(RecordError, match=r"net x \(teacher\) has no policy: it cannot play"):
        open_net(net)


# ---------------------------------------------------------------------------- plain PyTorch files


def test_document_004s_file(tmp_path: Path) -> None:
    module, _ = create_net("res5x32:blocks=2", 15)
    torch.save(module.state_dict(), tmp_path / "best_model.pth")
    net = import_pth(tmp_path / "best_model.pth")
    assert net.card.label == "res5x32(blocks=2, channels=32)"
    assert (net.card.size, net.card.planes, net.card.rules) == (15, "res3-v1", Rules(size=15))
    features = np.random.default_rng(1).random((3, 3, 15, 15)).astype(np.float32)
    np.testing.assert_allclose(
        net.onnx().evaluate(features)[0], TorchEvaluator(module).evaluate(features)[0], rtol=1e-3, atol=1e-5
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("res5x32:blocks=2", ("conv_init.weight", "res_blocks.1.bn2.num_batches_tracked", "value_fc2.bias")),
        ("basic:value_hidden=256", ("conv1.weight", "act_conv1.bias", "val_fc2.bias")),
    ],
)
def test_a_documents_file_is_written_and_read_back(text: str, names: tuple[str, ...], tmp_path: Path) -> None:
    module, spec = create_net(text, 9)
    net = net_file(module, spec, Rules(size=9), "x")
    export_pth(tmp_path / "best_model.pth", net)
    state = torch.load(tmp_path / "best_model.pth", weights_only=True)
    assert set(names) <= state.keys() and len(state) == len(module.state_dict())
    again = import_pth(tmp_path / "best_model.pth")
    assert again.card.label == net.card.label
    for name, weights in net.weights.items():
        np.testing.assert_array_equal(again.weights[name], weights)


@pytest.mark.parametrize("text", ["2b16", "basic:head_convolutions=false", "patterns"])
def test_nets_of_no_documents_program_are_not_written_for_one(text: str, tmp_path: Path) -> None:
    net = net_file(*create_net(text, 7), Rules(size=7), "x")
    with pytest.raises(ConfigError, match="expected res5x32 or basic"):
        export_pth(tmp_path / "x.pth", net)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("wrapped", ["", "state_dict", "module."])
def test_files_of_the_family_count_rows_from_the_bottom(tmp_path: Path, wrapped: str) -> None:
    module, _ = create_net("basic", 6)
    names = {f"trunk.conv{i}": f"conv{i}" for i in (1, 2, 3)}
    state = {
        (wrapped if wrapped == "module." else "")
        + name.replace(
            name.rpartition(".")[0], names.get(name.rpartition(".")[0], name.rpartition(".")[0])
        ): value
        for name, value in module.state_dict().items()
    }
    torch.save({"state_dict": state} if wrapped == "state_dict" else state, tmp_path / "best_policy.model")
    net = import_pth(tmp_path / "best_policy.model")
    assert net.card.rules == Rules(size=6, win_length=4)
    features = np.random.default_rng(1).random((3, 4, 6, 6)).astype(np.float32)
    expected = TorchEvaluator(module).evaluate(features)[0][:, rows_turned(6)]
    np.testing.assert_allclose(net.numpy().evaluate(features)[0], expected, rtol=1e-3, atol=1e-5)


def test_names_of_document_003(tmp_path: Path) -> None:
    module, _ = create_net("basic", 8)
    names = {
        **{f"trunk.conv{i}": f"conv{i}" for i in (1, 2, 3)},
        **{"act_conv1": "policyConv", "act_fc1": "policyFc", "val_conv1": "valueConv"},
        **{"val_fc1": "valueFc1", "val_fc2": "valueFc2"},
    }
    state = {}
    for name, value in module.state_dict().items():
        layer, _, part = name.rpartition(".")
        state[f"{names[layer]}.{part}"] = value
    torch.save(state, tmp_path / "x.pth")
    assert import_pth(tmp_path / "x.pth").card.parameters == module.num_parameters()


class Bomb:
    def __reduce__(self) -> Any:
        return print, ("boom",)


def test_bad_pytorch_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.pth"
    module, _ = create_net("res5x32:blocks=1", 9)
    state = module.state_dict()
    lacking = {name: value for name, value in state.items() if name != "value_fc2.bias"}
    odd = {**state, "value_fc1.weight": torch.zeros(128, 80)}
    cases: list[tuple[Any, str]] = [
        ({"model": Bomb()}, "not a plain PyTorch weight file"),
        ({"w": torch.zeros(2)}, "weights w, ... are of no net that wuzi knows"),
        ([1, 2], "holds no dictionary of weights"),
        (lacking, "lacks 'value_fc2.bias'"),
        ({**state, "extra": torch.zeros(1)}, "has 'extra', which the net does not know"),
        (odd, "value_fc1.weight for 80 cells: expected a square board"),
    ]
    for content, message in cases:
        torch.save(content, path)
        with pytest.raises(RecordError, match=message) as found:
            import_pth(path)
        assert str(found.value).isprintable()
    torch.save(state, path)
    with pytest.raises(RecordError, match="weights for 9x9: expected 15x15"):
        import_pth(path, Rules(size=15))
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"garbage", pickle.dumps({"a": 1})):
        path.write_bytes(content)
        with pytest.raises(RecordError):
            import_pth(path)
    assert capsys.readouterr().out == ""
