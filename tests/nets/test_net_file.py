"""Net files: round trips, checks at load, backends, 8 bits, and files that are damaged or do not fit."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import numpy as safetensors_numpy

from wuzi.core import Rules
from wuzi.errors import ConfigError, RecordError
from wuzi.nets import file as net_file
from wuzi.nets import quantize, shelf
from wuzi.nets.backends.onnx_graph import quantized_tensors
from wuzi.nets.backends.onnx_net import make_session
from wuzi.nets.evaluator import policy_of
from wuzi.nets.file import NetFile, load_net, open_net, save_net
from wuzi.nets.graph import folded
from wuzi.nets.loading import read_net
from wuzi.nets.quantize import sample_positions
from wuzi.nets.shelf import find_net

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def positions(trained: NetFile) -> np.ndarray[Any, Any]:
    return sample_positions(trained.onnx(), trained.card.rules, 512, seed=1)


@pytest.fixture(scope="module")
def quantized(trained: NetFile, positions: np.ndarray[Any, Any]) -> NetFile:
    return trained.quantized(positions)


@pytest.fixture
def saved(trained: NetFile, tmp_path: Path) -> Path:
    save_net(tmp_path / "small", trained)
    return tmp_path / "small"


def edit_card(path: Path, **changes: Any) -> None:
    card = path.with_suffix(".json")
    data = json.loads(card.read_bytes())
    data.update(changes)
    card.write_text(json.dumps(data))


def test_a_saved_net_is_the_same_net(quantized: NetFile, tmp_path: Path) -> None:
    written = save_net(tmp_path / "small", quantized)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small.json", "small.safetensors"]
    for name in ("small", "small.json", "small.safetensors"):
        found = load_net(tmp_path / name)
        assert found.card == written.card
        assert found.card.quantization == quantized.card.quantization
        assert found.weights.keys() == quantized.weights.keys()
        for key, value in found.weights.items():
            np.testing.assert_array_equal(value, quantized.weights[key])


def test_all_backends_agree(quantized: NetFile, positions: np.ndarray[Any, Any]) -> None:
    exact = open_net(quantized, "numpy").evaluate(positions[:64])
    for found, expected in zip(open_net(quantized, "onnx").evaluate(positions[:64]), exact, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-4)
    kl, error = quantize.disagreement(quantized.numpy(), open_net(quantized, "int8"), positions)
    assert 0 < kl < quantize.MAX_POLICY_KL and 0 < error < quantize.MAX_VALUE_ERROR


def test_8_bits_are_chosen_when_they_are_good(quantized: NetFile) -> None:
    assert quantized.card.quantization is not None and quantized.card.quantization.accepted
    assert open_net(quantized).quantized and open_net(quantized).note == ""  # type: ignore[attr-defined]


def test_8_bits_are_refused_when_they_are_not(trained: NetFile, quantized: NetFile) -> None:
    found = quantized.card.quantization
    assert found is not None
    coarse = {name: (low * 50, high * 50) for name, (low, high) in found.ranges.items()}
    cases = {
        "its card has no ranges": None,
        "not accepted, policy KL 0.5": dataclasses.replace(found, policy_kl=0.5),
        "on this processor the answers are off": dataclasses.replace(found, ranges=coarse),
    }
    for reason, quantization in cases.items():
        net = NetFile(dataclasses.replace(trained.card, quantization=quantization), trained.weights)
        evaluator = open_net(net)
        assert evaluator.note.startswith(f"float32: {reason}")  # type: ignore[attr-defined]
        assert not evaluator.quantized  # type: ignore[attr-defined]
        with pytest.raises(ConfigError, match=reason):
            open_net(net, "int8")


def test_a_net_that_suffers_from_8_bits_is_not_accepted(
    trained: NetFile, positions: np.ndarray[Any, Any]
) -> None:
    steep = {**trained.weights, "act_fc1.weight": trained.weights["act_fc1.weight"] * 100}
    assert not NetFile(trained.card, steep).quantized(positions).card.quantization.accepted  # type: ignore[union-attr]
    with pytest.raises(RecordError, match="3 positions to quantise on: expected at least 8"):
        trained.quantized(positions[:3])


def test_rare_values_lie_outside_the_ranges() -> None:
    values = np.linspace(-1, 2, 600_000, dtype=np.float32).reshape(2, 3, -1)
    values[0, 1, 5:10] = 1000
    least, most = quantize._ends(values)
    assert least == pytest.approx(-1, abs=1e-3) and most == pytest.approx(2, abs=1e-3)
    assert quantize._ends(values[:, :, :10]) == (values[:, :, :10].min(), 1000)


def test_logits_are_not_rounded_to_8_bits() -> None:
    net = load_net(find_net("9x9").path)
    plain, _ = folded(net.card.graph.evaluation(), net.weights)
    stored = quantized_tensors(plain)
    made = {node.output: node for node in plain.nodes if node.op == "conv"}
    readers = plain.readers()
    logits = [name for name in made if {node.op for node in readers[name]} == {"slice"}]
    assert len(logits) == 1 and logits[0] not in stored
    assert any(name in stored for name in made)


def test_exported_onnx_files_stand_alone(
    quantized: NetFile, positions: np.ndarray[Any, Any], tmp_path: Path
) -> None:
    written = save_net(tmp_path / "small", quantized)
    for int8 in (False, True):
        session = make_session(written.onnx_bytes(6, int8=int8))
        assert [(item.name, item.shape) for item in session.get_inputs()] == [
            ("features", ["batch", 4, 6, 6])
        ]
        assert [(item.name, item.shape) for item in session.get_outputs()] == [
            ("policy", ["batch", 36]),
            ("value", ["batch"]),
        ]
        notes = session.get_modelmeta().custom_metadata_map
        assert notes["weights_sha256"] == written.card.weights_sha256 and notes["planes"] == "az4-v1"
        policy, _ = session.run(None, {"features": positions[:8]})
        np.testing.assert_allclose(
            policy_of(policy),
            policy_of(written.numpy().evaluate(positions[:8])[0]),
            atol=0.1 if int8 else 1e-4,
        )
    with pytest.raises(ConfigError, match="on 9x9: its weights fit 6x6"):
        written.onnx_bytes(9)
    with pytest.raises(ConfigError, match="a 9x9 board: the net is for 6x6"):
        written.onnx().evaluate(np.zeros((1, 4, 9, 9), np.float32))
    with pytest.raises(
        ConfigError, match=r"features of shape \(1, 3, 6, 6\): expected \[B, 4, N, N\] \(az4-v1\)"
    ):
        written.numpy().evaluate(np.zeros((1, 3, 6, 6), np.float32))


def test_other_outputs(trained: NetFile, positions: np.ndarray[Any, Any]) -> None:
    assert trained.numpy().outputs(positions[:2], ["value"])["value"].shape == (2,)
    with pytest.raises(RecordError, match="no output 'attention': the net has policy, value"):
        trained.numpy().outputs(positions[:2], ["attention"])


def test_sampled_positions_are_many_and_the_same_each_time(
    trained: NetFile, positions: np.ndarray[Any, Any]
) -> None:
    again = sample_positions(trained.onnx(), trained.card.rules, 512, seed=1)
    np.testing.assert_array_equal(positions, again)
    assert len({row.tobytes() for row in positions}) > 300
    with pytest.raises(ConfigError, match="a 9x9 board: the net is for 6"):
        sample_positions(trained.onnx(), Rules(size=9), 1)


# ---------------------------------------------------------------------------- bad files


def test_damaged_weights(saved: Path) -> None:
    weights = saved.with_suffix(".safetensors")
    content = weights.read_bytes()
    for damage in (content[:-100], content[:50_000] + b"x" + content[50_001:], b""):
        weights.write_bytes(damage)
        with pytest.raises(
            RecordError, match=r"small.safetensors: sha256 is .*damaged or belongs to another"
        ):
            load_net(saved)


def test_weights_that_are_no_weights(saved: Path) -> None:
    from hashlib import sha256

    weights = saved.with_suffix(".safetensors")
    arrays = dict(safetensors_numpy.load(weights.read_bytes()))
    nan = {**arrays, "act_fc1.bias": arrays["act_fc1.bias"] * np.float32(np.nan)}
    double = {**arrays, "act_fc1.bias": arrays["act_fc1.bias"].astype(np.float64)}
    lacking = {name: value for name, value in arrays.items() if name != "act_fc1.bias"}
    shape = {**arrays, "act_fc1.weight": arrays["act_fc1.weight"][:, :-1].copy()}
    for content, message in (
        (b"garbage" * 10, "not a safetensors file"),
        (safetensors_numpy.save(nan), "'act_fc1.bias' holds values that are not finite"),
        (safetensors_numpy.save(double), "'act_fc1.bias' is float64: expected float32"),
        (safetensors_numpy.save(lacking), "needs the weight 'act_fc1.bias'"),
        (safetensors_numpy.save(shape), "its graph cannot be computed"),
    ):
        weights.write_bytes(content)
        edit_card(saved, weights_sha256=sha256(content).hexdigest())
        with pytest.raises(RecordError, match=message) as found:
            load_net(saved)
        assert "\n" not in str(found.value)


def test_a_net_that_answers_otherwise(saved: Path) -> None:
    checks = json.loads(saved.with_suffix(".json").read_bytes())["checks"]
    checks[1]["value"] += 0.01
    edit_card(saved, checks=checks)
    with pytest.raises(RecordError, match=r"net .*: an answer is 0.01 off its card's"):
        load_net(saved)
    load_net(saved, check=False)
    checks[1]["policy"].pop()
    edit_card(saved, checks=checks)
    with pytest.raises(RecordError, match="a check has 35 probabilities: expected 36"):
        load_net(saved)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": 9}, "small.json: card schema 9: this wuzi reads 1"),
        ({"planes": "az5-v1"}, "small.json: unknown feature planes 'az5-v1'"),
        ({"rules": {"size": 99, "win_length": 5, "rule": "freestyle"}}, "small.json: board size 99"),
        ({"rules": None}, "small.json: not the card of a net"),
        ({"parameters": float("inf")}, "small.json: not the card of a net"),
        ({"checks": [{"moves": "z9"}]}, "small.json: not the card of a net"),
        ({"graph": {"nodes": [], "outputs": {"policy": "x"}}}, "nothing makes its output 'policy'"),
        ({"quantization": {"ranges": 3}}, "small.json: card: quantization is not of the expected form"),
    ],
)
def test_cards_that_are_wrong(saved: Path, changes: dict[str, Any], message: str) -> None:
    edit_card(saved, **changes)
    with pytest.raises(RecordError, match=message):
        load_net(saved)


def test_a_card_that_is_no_json(saved: Path) -> None:
    for content in (b"", b"{", b"[]", b"\xff\xfe", b'{"schema": 1}'):
        saved.with_suffix(".json").write_bytes(content)
        with pytest.raises(RecordError, match=r"small\.json: not the card of a net"):
            load_net(saved)


def test_weights_that_are_not_finite_are_not_saved(trained: NetFile, saved: Path) -> None:
    before = saved.with_suffix(".safetensors").read_bytes()
    bad = {**trained.weights, "act_fc1.bias": np.full(36, np.inf, np.float32)}
    with pytest.raises(RecordError, match="not finite"):
        save_net(saved, NetFile(trained.card, bad))
    assert saved.with_suffix(".safetensors").read_bytes() == before


def test_a_golden_file_of_schema_1_still_loads() -> None:
    net = load_net(Path(__file__).parent / "golden" / "schema1")
    assert net.card.name == "golden" and net.card.quantization is not None
    net_file.check_answers(net, net.onnx())


# ---------------------------------------------------------------------------- finding nets


def test_nets_by_name_and_path(saved: Path, trained: NetFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WUZI_DATA_DIR", str(saved.parent))
    assert "small" not in {entry.name for entry in shelf.list_nets()}
    (saved.parent / "nets").mkdir()
    save_net(saved.parent / "nets" / "mine", trained)
    (saved.parent / "nets" / "lonely.json").write_text("{}")
    own = [entry for entry in shelf.list_nets() if not entry.shipped]
    assert [entry.name for entry in own] == ["mine"]
    assert read_net("mine").card.size == 6
    for path in (saved, saved.with_suffix(".json"), saved.with_suffix(".safetensors")):
        assert shelf.find_net(str(path)).path == saved.with_suffix(".safetensors")
    with pytest.raises(ConfigError, match=r"no net 'nothing': a file, or one of: .*mine"):
        shelf.find_net("nothing")
    with pytest.raises(ConfigError, match=r"one of: .*mine"):
        shelf.find_net(str(saved), allow_path=False)
    saved.with_suffix(".json").unlink()
    with pytest.raises(ConfigError, match=r"small\.json is not beside it"):
        shelf.find_net(str(saved.with_suffix(".safetensors")))


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 81, "a b"])
def test_names_that_nets_may_not_have(name: str) -> None:
    with pytest.raises(ConfigError, match="net name"):
        shelf.check_name(name)


def test_weights_in_half_precision_answer_alike_and_are_computed_in_float32(
    trained: NetFile, tmp_path: Path
) -> None:
    whole = save_net(tmp_path / "whole", trained.with_checks())
    half = save_net(tmp_path / "half", whole.halved())
    sizes = [(tmp_path / name).with_suffix(".safetensors").stat().st_size for name in ("whole", "half")]
    assert sizes[1] < 0.8 * sizes[0]
    read = load_net(tmp_path / "half")
    assert read.half and all(value.dtype == np.float32 for value in read.weights.values())
    assert read.card.recipe["float32_sha256"] == whole.card.weights_sha256 != read.card.weights_sha256
    assert read.card.checks == whole.card.checks, "the answers of the exact weights"
    assert any((read.weights[name] != value).any() for name, value in whole.weights.items())
    assert save_net(tmp_path / "again", load_net(tmp_path / "half")).card == half.card and not whole.half


def test_an_array_that_changes_the_answers_too_much_stays_whole(trained: NetFile, tmp_path: Path) -> None:
    names = [name for name, value in trained.weights.items() if value.size >= 1024]
    huge = {**trained.weights, names[0]: trained.weights[names[0]] * np.float32(1e6)}
    net = dataclasses.replace(trained, weights=huge).with_checks()
    assert names[0] not in net.halved().half
