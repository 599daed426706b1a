"""Nets of a user's own, which graphs may or may not express: they train, resume and play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from tests.training.tiny import run, settings
from wuzi.base.schema import option
from wuzi.core import Color, Game, Rules
from wuzi.errors import ConfigError
from wuzi.nets import load_net, open_net, read_net, save_net
from wuzi.nets.planes import PlaneEncoder, records_of
from wuzi.players import create_player
from wuzi.torch_nets import Architecture, Net, create_net, net_file, register_architecture
from wuzi.torch_nets.registry import ARCHITECTURE_REGISTRY
from wuzi.training.methods.selfplay.workers import open_evaluator
from wuzi.training.run.config import SelfPlayBackend
from wuzi.training.run.directory import METRICS, RunDirectory

RULES = Rules(size=6, win_length=4)


@dataclass(frozen=True)
class AttentiveConfig:
    width: int = option(8, "features of a cell", minimum=1)


class Attentive(Net):
    """Every cell looks at every other; a GRU reads the rows for the value."""

    def __init__(self, config: AttentiveConfig, size: int | None) -> None:
        super().__init__("az4-v1", None)
        self.features = nn.Conv2d(4, config.width, 3, padding=1)
        self.norm = nn.BatchNorm2d(config.width)
        self.query = nn.Linear(config.width, config.width)
        self.rows = nn.GRU(config.width, config.width, batch_first=True)
        self.move, self.worth = nn.Linear(config.width, 1), nn.Linear(config.width, 1)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        cells = torch.relu(self.norm(self.features(x))).flatten(2).transpose(1, 2)
        look = torch.einsum("bic,bjc->bij", self.query(cells), cells).softmax(-1)
        seen = cells + torch.einsum("bij,bjc->bic", look, cells)
        value = torch.tanh(self.worth(self.rows(seen)[0][:, -1])).squeeze(1)
        return {"policy": self.move(seen).squeeze(2), "value": value}


class Plain(Net):
    """A net that graphs can express, but for how ``norm`` may be made."""

    def __init__(self, norm: nn.Module, size: int) -> None:
        super().__init__("az4-v1", size)
        self.conv, self.norm = nn.Conv2d(4, 4, 3, padding=1), norm
        self.policy, self.value = nn.Linear(4 * size * size, size * size), nn.Linear(4 * size * size, 1)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        flat = torch.relu(self.norm(self.conv(x))).flatten(1)
        return {"policy": self.policy(flat), "value": torch.tanh(self.value(flat)).squeeze(1)}


@dataclass(frozen=True)
class NoOptions:
    """There are none."""


@pytest.fixture
def register() -> Iterator[Callable[..., None]]:
    names = []

    def add(
        name: str, make: Callable[[Any, Any], Net], config_type: type = NoOptions, every: bool = False
    ) -> None:
        register_architecture(Architecture(name, "one of a test", "", config_type, make, every))
        names.append(name)

    yield add
    for name in names:
        ARCHITECTURE_REGISTRY.forget(name)


def attentive(register: Callable[..., None]) -> None:
    register("attentive", Attentive, AttentiveConfig, every=True)


def test_a_net_without_a_graph_trains_resumes_and_plays(
    register: Callable[..., None], tmp_path: Path
) -> None:
    attentive(register)
    more = ("net.architecture=attentive:width=6", "evaluate.interval=2")
    run(tmp_path, settings(*more, "run.iterations=1"))
    begun = load_net(RunDirectory(tmp_path).net_path("current_policy"))
    assert "einsum" in str(begun.card.graph.why_torch)
    assert begun.card.options == {"width": 6} and len(begun.card.checks) == 4
    run(tmp_path, settings(*more, "run.iterations=2"))
    rows = RunDirectory(tmp_path).rows(METRICS)
    assert [row["iteration"] for row in rows] == [1, 2] and rows[1]["steps"] > rows[0]["steps"]
    ended = load_net(RunDirectory(tmp_path).net_path("current_policy"))
    assert any(not np.array_equal(ended.weights[name], old) for name, old in begun.weights.items())

    threads = torch.get_num_threads()
    with create_player(f"az:net={tmp_path},simulations=4", allow_command=True) as player:
        game, weight = Game(RULES), create_player("weight")
        while game.outcome is None:
            asked = player if game.to_move is Color.BLACK else weight
            game = game.play(asked.think(game).move)
    torch.set_num_threads(threads)
    assert game.ply >= 7


def test_what_only_torch_computes_says_so_to_all_others(
    register: Callable[..., None], tmp_path: Path
) -> None:
    attentive(register)
    module, spec = create_net("attentive", 6, seed=1)
    net = save_net(tmp_path / "net", net_file(module, spec, RULES, "mine"))
    said = r"net mine: only torch can compute it \(net: .*einsum"
    for backend in ("onnx", "int8", "numpy"):
        with pytest.raises(ConfigError, match=said if backend != "int8" else "in 8 bits"):
            open_net(net, backend)
    for refused in (lambda: net.onnx_bytes(6), lambda: open_evaluator(net, SelfPlayBackend.ONNX, "cpu")):
        with pytest.raises(ConfigError, match=said):
            refused()
    assert net.calibrated(64) is net
    planes = PlaneEncoder("az4-v1", RULES).encode(records_of([Game(RULES).play("c3")]))
    module.eval()
    with torch.no_grad():
        expected = module(torch.from_numpy(planes))
    logits, values = open_net(net, threads=torch.get_num_threads()).evaluate(planes)
    np.testing.assert_allclose(logits, expected["policy"].numpy(), atol=1e-5)
    np.testing.assert_allclose(values, expected["value"].numpy(), atol=1e-5)
    ARCHITECTURE_REGISTRY.forget("attentive")
    try:
        with pytest.raises(ConfigError, match="unknown net 'attentive': expected one of basic, "):
            read_net(str(tmp_path / "net"))
    finally:
        attentive_again = Architecture("attentive", "", "", AttentiveConfig, Attentive, True)
        register_architecture(attentive_again)


def test_a_net_of_ones_own_has_a_graph_where_it_can(register: Callable[..., None]) -> None:
    """What would answer otherwise by its graph is left to torch."""
    register("plain", lambda config, size: Plain(nn.BatchNorm2d(4), size))
    register("odd", lambda config, size: Plain(nn.BatchNorm2d(4, track_running_stats=False), size))
    plain, odd = (net_file(*create_net(name, 6, seed=1), RULES, name) for name in ("plain", "odd"))
    assert plain.card.graph.why_torch is None
    open_net(plain, "onnx")
    assert "norm.running_mean" in str(odd.card.graph.why_torch)


def test_names_and_modules_that_cannot_be_taken(register: Callable[..., None], tmp_path: Path) -> None:
    attentive(register)
    with pytest.raises(ConfigError, match="net 'attentive' is registered already"):
        attentive(register)
    with pytest.raises(ConfigError, match="net 'basic' is registered already"):
        register("basic", Attentive)
    with pytest.raises(ConfigError, match="net attentive is registered in this process alone"):
        run(tmp_path / "fleet", settings("net.architecture=attentive", "selfplay.overlap=true"))

    class Viewing(Plain):
        def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
            return {"policy": self.policy(x.view(len(x), -1)), "value": x.sum((1, 2, 3))}

    register("viewing", lambda config, size: Viewing(nn.Identity(), size))
    with pytest.raises(ConfigError, match=r"net Viewing on 6x6 cannot be computed: .*view"):
        run(tmp_path / "view", settings("net.architecture=viewing"))
