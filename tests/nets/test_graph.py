"""Every operation of a net's graph: NumPy against its definition in plain Python, ONNX against NumPy."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from wuzi.errors import RecordError
from wuzi.nets.backends.numpy_net import run_graph
from wuzi.nets.backends.onnx_graph import onnx_model
from wuzi.nets.backends.onnx_net import make_session
from wuzi.nets.graph import INPUT, OPERATIONS, Graph, Node, folded

N, C, B = 5, 3, 2
RANDOM = np.random.default_rng(5)
FEATURES = RANDOM.normal(size=(B, C, N, N)).astype(np.float32)


def normal(*shape: int) -> np.ndarray[Any, Any]:
    return RANDOM.normal(size=shape).astype(np.float32)


WEIGHTS = {
    "k3": normal(4, C, 3, 3),
    "k13": normal(4, C, 1, 3),
    "k5": normal(4, C, 5),
    "b4": normal(4),
    "mean": normal(C),
    "var": np.abs(normal(C)) + 0.5,
    "scale": normal(C),
    "shift": normal(C),
    "dense": normal(4, C * N * N),
    "pooled": normal(4, 3 * C),
    "unit": normal(1, 3 * C),
    "row": normal(1, 4),
    "w_ih": normal(6, N * N),
    "w_hh": normal(6, 2),
    "b_ih": normal(6),
    "b_hh": normal(6),
}


def graph_of(*nodes: Node) -> Graph:
    return Graph(nodes, {"out": nodes[-1].output})


def conv(weight: str, pad: list[int], **attrs: Any) -> Node:
    return Node("conv", (INPUT,), "y", {"weight": weight, "bias": "b4"}, {"pad": pad, **attrs})


NORM = {"weight": "scale", "bias": "shift", "mean": "mean", "var": "var"}
GRU = {"weight_ih": "w_ih", "weight_hh": "w_hh", "bias_ih": "b_ih", "bias_hh": "b_hh"}
POOL = Node("global_pool", (INPUT,), "p")
FLAT2 = Node("flatten", (INPUT,), "f", {}, {"start": 2})
GRAPHS = {
    "conv": graph_of(conv("k3", [1, 1])),
    "conv without bias": graph_of(Node("conv", (INPUT,), "y", {"weight": "k3"}, {"pad": [0, 0]})),
    "conv row": graph_of(conv("k13", [0, 1])),
    "conv diagonal": graph_of(conv("k5", [2, 2], taps="diagonal")),
    "conv antidiagonal": graph_of(conv("k5", [2, 2], taps="antidiagonal")),
    "batchnorm": graph_of(Node("batchnorm", (INPUT,), "y", NORM, {"eps": 1e-5})),
    "flatten linear": graph_of(
        Node("flatten", (INPUT,), "f", {}, {"start": 1}),
        Node("linear", ("f",), "y", {"weight": "dense", "bias": "b4"}),
    ),
    "linear without bias": graph_of(POOL, Node("linear", ("p",), "y", {"weight": "pooled"})),
    "relu": graph_of(Node("relu", (INPUT,), "y")),
    "tanh": graph_of(Node("tanh", (INPUT,), "y")),
    "sigmoid": graph_of(Node("sigmoid", (INPUT,), "y")),
    "softplus": graph_of(Node("softplus", (INPUT,), "y")),
    "erf": graph_of(Node("erf", (INPUT,), "y")),
    "softmax": graph_of(FLAT2, Node("softmax", ("f",), "y")),
    "add": graph_of(Node("relu", (INPUT,), "r"), Node("add", (INPUT, "r"), "y")),
    "sub": graph_of(Node("relu", (INPUT,), "r"), Node("sub", (INPUT, "r"), "y")),
    "mul spread": graph_of(
        *(
            Node("slice", (INPUT,), "s", {}, {"axis": 1, "start": 0, "stop": 1}),
            Node("global_pool", ("s",), "p"),
            Node("spread", ("p",), "w"),
            Node("mul", ("w", "s"), "y"),
        )
    ),
    "affine": graph_of(Node("affine", (INPUT,), "y", {}, {"scale": -2.0, "shift": 0.5})),
    "concat": graph_of(Node("tanh", (INPUT,), "t"), Node("concat", (INPUT, "t", INPUT), "y")),
    "slice": graph_of(Node("slice", (INPUT,), "y", {}, {"axis": 1, "start": 1, "stop": 3})),
    "grid": graph_of(FLAT2, Node("grid", ("f",), "y")),
    "squeeze": graph_of(POOL, Node("linear", ("p",), "u", {"weight": "unit"}), Node("squeeze", ("u",), "y")),
    "global_pool": graph_of(POOL),
    "num_cells": graph_of(Node("num_cells", (INPUT,), "n"), Node("mul", (INPUT, "n"), "y")),
    "matmul transpose": graph_of(FLAT2, Node("transpose", ("f",), "t"), Node("matmul", ("f", "t"), "y")),
    "gru": graph_of(FLAT2, Node("gru", ("f",), "y", GRU)),
    "constant": graph_of(
        Node("constant", (), "c", {"value": "row"}),
        Node("linear", ("p",), "l", {"weight": "pooled"}),
        Node("add", ("l", "c"), "y"),
    ),
}
GRAPHS["constant"] = Graph((POOL, *GRAPHS["constant"].nodes), {"out": "y"})


def test_every_operation_is_tried() -> None:
    assert {node.op for graph in GRAPHS.values() for node in graph.nodes} == OPERATIONS


@pytest.mark.parametrize("name", GRAPHS)
def test_onnx_computes_what_numpy_computes(name: str) -> None:
    graph = GRAPHS[name]
    graph.check(WEIGHTS)
    expected = run_graph(graph, WEIGHTS, FEATURES, ["out"])["out"]
    session = make_session(onnx_model(graph, WEIGHTS, channels=C, size=N))
    (found,) = session.run(["out"], {INPUT: FEATURES})
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert Graph.from_json(graph.to_json()) == graph


def test_convolution_by_its_definition() -> None:
    for name, weight in (("conv", WEIGHTS["k3"]), ("conv row", WEIGHTS["k13"])):
        found = run_graph(GRAPHS[name], WEIGHTS, FEATURES, ["out"])["out"]
        _, _, kh, kw = weight.shape
        for b, o, row, col in itertools.product(range(B), range(4), range(N), range(N)):
            total = float(WEIGHTS["b4"][o])
            for c, i, j in itertools.product(range(C), range(kh), range(kw)):
                at, to = row + i - kh // 2, col + j - kw // 2
                if 0 <= at < N and 0 <= to < N:
                    total += float(weight[o, c, i, j] * FEATURES[b, c, at, to])
            assert math.isclose(found[b, o, row, col], total, rel_tol=1e-4, abs_tol=1e-5)


@pytest.mark.parametrize(("name", "sign"), [("conv diagonal", 1), ("conv antidiagonal", -1)])
def test_a_diagonal_filter_sees_its_diagonal_only(name: str, sign: int) -> None:
    dot = np.zeros((1, C, N, N), np.float32)
    dot[0, :, 2, 2] = 1
    found = run_graph(GRAPHS[name], WEIGHTS, dot, ["out"])["out"][0] - WEIGHTS["b4"][:, None, None]
    reached = {
        (int(r) - 2, int(c) - 2) for r, c in zip(*np.nonzero(np.abs(found).max(axis=0) > 1e-6), strict=True)
    }
    assert reached == {(i, sign * i) for i in range(-2, 3)}


def test_batch_norms_disappear_into_convolutions() -> None:
    norm = {part: name if name != "scale" else "b4" for part, name in NORM.items()}
    weights = {**WEIGHTS, **{name: np.abs(normal(4)) for name in ("mean", "var", "shift")}}
    for taps in ({}, {"taps": "diagonal"}):
        node = conv("k5" if taps else "k3", [2, 2] if taps else [1, 1], **taps)
        graph = graph_of(node, Node("batchnorm", ("y",), "z", norm, {"eps": 1e-5}), Node("relu", ("z",), "r"))
        plain, values = folded(graph, weights)
        assert [item.op for item in plain.nodes] == ["conv", "relu"]
        expected = run_graph(graph, weights, FEATURES, ["out"])["out"]
        found = run_graph(plain, values, FEATURES, ["out"])["out"]
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)


def test_a_convolution_that_others_read_too_keeps_its_values() -> None:
    weights = {**WEIGHTS, **{name: np.abs(normal(4)) for name in ("mean", "var", "shift", "scale")}}
    graph = graph_of(
        conv("k3", [1, 1]),
        Node("batchnorm", ("y",), "z", NORM, {"eps": 1e-5}),
        Node("add", ("y", "z"), "s"),
    )
    plain, values = folded(graph, weights)
    assert [item.op for item in plain.nodes] == ["conv", "batchnorm", "add"]
    one, other = (run_graph(g, w, FEATURES, ["out"])["out"] for g, w in ((graph, weights), (plain, values)))
    np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (Node("exec", (INPUT,), "y"), "unknown operation 'exec'"),
        (Node("relu", (), "y"), "relu with 0 inputs: expected 1"),
        (Node("relu", ("nowhere",), "y"), "reads 'nowhere', which nothing before it makes"),
        (Node("conv", (INPUT,), "y", {"weight": "k3"}), "conv 'y' lacks 'pad'"),
        (Node("linear", (INPUT,), "y"), "linear 'y' lacks 'weight'"),
        (Node("linear", (INPUT,), "y", {"weight": "k9"}), "needs the weight 'k9'"),
    ],
)
def test_impossible_graphs(node: Node, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        graph_of(node).check(WEIGHTS)


def test_outputs_that_are_not_there() -> None:
    with pytest.raises(RecordError, match="nothing makes its output 'out'"):
        Graph((), {"out": "y"}).check(WEIGHTS)
    with pytest.raises(RecordError, match="no output 'policy': the net has out"):
        GRAPHS["relu"].evaluation()
    for data in (None, {"nodes": [{}], "outputs": {}}, {"nodes": [], "outputs": []}):
        with pytest.raises(RecordError, match="graph: not a list of operations"):
            Graph.from_json(data)
