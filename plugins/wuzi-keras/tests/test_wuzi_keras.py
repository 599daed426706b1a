"""The plug-in computes what wuzi computes, trains, and plays."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wuzi_keras

from tests.training.tiny import run, settings
from wuzi import Limit
from wuzi.base import plugins
from wuzi.core import Game, Rules
from wuzi.errors import ConfigError, TrainingError
from wuzi.nets import load_net, open_net, read_legacy, save_net
from wuzi.nets.fresh import fresh_net
from wuzi.players import create_player
from wuzi.training.data.replay import TrainingBatch
from wuzi.training.learner.choice import make_learner
from wuzi.training.methods.distill.generate import Recipe, generate
from wuzi.training.methods.distill.rows import load_rows
from wuzi.training.run.config import LearnSection, Optimizer, Schedule
from wuzi.training.run.directory import RunDirectory

# Keras takes seconds to load, and every process of the tests reads this file: each test imports what it uses.
pytestmark = [
    pytest.mark.skipif(find_spec("keras") is None, reason='pip install "keras>=3.6"'),
    pytest.mark.slow,
    pytest.mark.kernels,
    # Keras 3.15 reads PyTorch's arrays the way NumPy 2 warns of.
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
]

HERE = Path(__file__).resolve().parent
LEGACY = HERE.parents[2] / "tests" / "nets" / "legacy" / "best_policy_6_6_4.model"
RULES = Rules(size=6, win_length=4)


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plug-in as if it were installed, by what its pyproject.toml says."""
    points = tomllib.loads((HERE.parent / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    found = {
        group: {name: plugins.Plugin(EntryPoint(name, value, group)) for name, value in named.items()}
        for group, named in points.items()
    }
    monkeypatch.setattr(plugins, "installed", lambda asked: found.get(asked, {}))
    plugins.load.cache_clear()


def test_the_version_is_the_packages() -> None:
    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == wuzi_keras.__version__


def test_a_real_net_gives_the_same_answers() -> None:
    from wuzi_keras.evaluator import KerasEvaluator
    from wuzi_keras.model import from_net

    net = read_legacy(LEGACY)
    mine, ours = KerasEvaluator(from_net(net)), open_net(net, "numpy")
    planes = np.random.default_rng(1).integers(0, 2, (5, 4, 6, 6)).astype(np.float32)
    for got, expected in zip(mine.evaluate(planes), ours.evaluate(planes), strict=True):
        assert got.shape == expected.shape and got.dtype == np.float32
        assert np.abs(got - expected).max() < 1e-4
    with pytest.raises(ConfigError, match=r"expected \[B, 4, 6, 6\]"):
        mine.evaluate(np.zeros((1, 4, 7, 7), np.float32))


def test_weights_come_back_exactly(tmp_path: Path) -> None:
    import keras
    from wuzi_keras.evaluator import KerasEvaluator, open_evaluator
    from wuzi_keras.model import build, from_net, to_net

    keras.utils.set_random_seed(3)
    model = build(6, 16)
    net = save_net(tmp_path / "made", to_net(model, RULES, "made"))
    assert net.card.options == {"value_hidden": 16}
    assert net.card.parameters == model.count_params()
    again = open_evaluator(str(tmp_path / "made.safetensors"))
    planes = np.random.default_rng(2).random((3, 4, 6, 6)).astype(np.float32)
    for got, expected in zip(again.evaluate(planes), KerasEvaluator(model).evaluate(planes), strict=True):
        assert np.abs(got - expected).max() < 1e-6
    back = to_net(from_net(net), RULES, "made").weights
    assert all(np.array_equal(back[name], value) for name, value in net.weights.items())


def test_players_use_it_by_name(plugged: None, tmp_path: Path) -> None:
    save_net(tmp_path / "net", read_legacy(LEGACY))
    game = Game(RULES).play("c3").play("d4")
    moves = []
    for prefix in ("keras:", ""):
        with create_player(
            f"policy:net={prefix}{tmp_path / 'net.safetensors'}", allow_command=True
        ) as player:
            moves.append(player.think(game).move)
            assert player.capabilities.why_not(Rules(size=9)) is not None
    assert moves[0] == moves[1]
    with create_player(f"az:net=keras:{tmp_path / 'net.safetensors'}", allow_command=True) as player:
        assert player.think(game, Limit(simulations=8)).info.simulations >= 8
    with (
        create_player("policy:net=keras", allow_command=True) as player,
        pytest.raises(ConfigError, match="net=keras needs a net"),
    ):
        player.think(game)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    with create_player("weight") as player:
        generate(Recipe(rules=RULES, player="weight", seed=1), folder, 24, player)
    return folder


def test_training_learns_moves_and_results(games: Path) -> None:
    from wuzi_keras.evaluator import KerasEvaluator
    from wuzi_keras.model import PLANES
    from wuzi_keras.training import Settings, train

    rows: list[dict[str, float]] = []
    model, rules = train([games], Settings(epochs=10, batch=32), rows.append)
    assert rules == RULES and model.input_shape == (None, 4, 6, 6)
    assert [row["epoch"] for row in rows] == list(range(1, 11))
    assert rows[-1]["policy_loss"] < rows[0]["policy_loss"]
    assert rows[-1]["value_loss"] < rows[0]["value_loss"]
    learned, _, _ = load_rows([games], PLANES)
    _, values = KerasEvaluator(model).evaluate(np.asarray(learned.planes, np.float32))
    assert np.corrcoef(values, learned.results)[0, 1] > 0.1, "the value head is alive"


def test_the_command_trains_a_net_that_plays(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from wuzi_keras import __main__ as command
    from wuzi_keras.evaluator import backend

    out = tmp_path / "nets" / "mine"
    assert command.main(["train", str(games), "--out", str(out), "--epochs", "1"]) == 0
    shown = capsys.readouterr().out
    assert backend() in shown and "held_out_policy_loss" in shown
    with create_player(f"policy:net={out}.safetensors", allow_command=True) as player:
        assert player.think(Game(RULES)).move in range(36)
    assert command.main(["bench", f"{out}.safetensors"]) == 0
    shown = capsys.readouterr().out
    assert re.search(
        r"^batch 64: [\d,.]+ positions/s, [\d,.]+ a second of processor time$", shown, re.MULTILINE
    )
    assert re.search(r"^training, batch 256: [\d,.]+ steps/s", shown, re.MULTILINE)
    assert command.main(["bench", "nothing"]) == 2
    assert capsys.readouterr().err.startswith("wuzi_keras: no net 'nothing'")


def learners(**more: object) -> tuple[Any, Any, TrainingBatch]:
    """A learner in Keras and PyTorch's own with the same weights, and a batch."""
    from wuzi_keras.learner import KerasLearner

    from wuzi.torch_nets import NetSpec, load_module
    from wuzi.training.learner.torch_learner import TorchLearner

    net = fresh_net("basic", {"value_hidden": 16}, RULES, 5)
    draw = np.random.default_rng(4)
    planes = draw.integers(0, 2, (8, 4, 6, 6)).astype(np.float32)
    policy = draw.dirichlet(np.full(36, 0.3), 8).astype(np.float32)
    result, value = (draw.choice([-1.0, 0.0, 1.0], 8).astype(np.float32) for _ in range(2))
    weights = draw.random((2, 8)).astype(np.float32)
    options = LearnSection(**{"batch": 8, "threads": 1, "lr": 1e-3, "precision": "fp32", **more})  # type: ignore[arg-type]
    spec = NetSpec(net.card.architecture, net.card.options, net.card.size)
    batch = TrainingBatch(planes, policy, result, value, *weights, {})
    return KerasLearner(net, options), TorchLearner(load_module(net), options, spec), batch


@pytest.mark.parametrize(
    "options",
    [
        {"weight_decay": 0.01, "value_weight": 2.0},
        {"optimizer": Optimizer.ADAMW, "weight_decay": 0.05, "ema": 0.9, "value_target": 0.25},
        {"optimizer": Optimizer.SGD, "weight_decay": 0.01, "schedule": Schedule.CONSTANT, "clip": 0.5},
    ],
    ids=["adam", "adamw", "sgd"],
)
def test_it_learns_what_pytorchs_learner_learns(options: dict[str, object]) -> None:
    mine, ours, batch = learners(epochs=3, kl_target=0.5, **options)
    for _ in range(2):
        got, expected = mine.learn(batch, 0.0), ours.learn(batch, 0.0)
        for name in ("policy_loss", "value_loss", "loss", "lr"):
            assert got[name] == pytest.approx(expected[name], rel=2e-3), name
    assert mine.steps == ours.steps == 6
    nets = [learner.net(RULES, "made", {}).weights for learner in (mine, ours)]
    for name, value in nets[0].items():
        assert np.abs(value - nets[1][name]).mean() < 2e-4, name  # Adam makes steps of rounding errors, too


def test_a_checkpoint_goes_on_as_if_nothing_had_happened() -> None:
    mine, _, batch = learners(ema=0.9)
    mine.learn(batch, 0.0)
    arrays, state = mine.arrays(), mine.state()
    other, _, _ = learners(ema=0.9)
    other.restore(arrays, state)
    for _ in range(2):
        assert mine.learn(batch, 0.0) == pytest.approx(other.learn(batch, 0.0))
    for one, two in zip(mine.arrays().values(), other.arrays().values(), strict=True):
        assert np.allclose(one, two)
    del arrays["model/3"]
    with pytest.raises(TrainingError, match="weights of another net"):
        other.restore(arrays, state)


def test_self_play_trains_a_net_that_plays_without_keras(plugged: None, tmp_path: Path) -> None:
    small = settings("net.architecture=keras:basic:value_hidden=16", "run.iterations=3")
    first = run(tmp_path / "run", small, max_seconds=0.0)
    assert any("Keras" in event.text for event in first) or not first
    run(tmp_path / "run", small)
    directory = RunDirectory(tmp_path / "run")
    assert [row["iteration"] for row in directory.rows("metrics.jsonl")] == [1, 2, 3]
    net = load_net(directory.net_path("current_policy"))
    assert (net.card.architecture, net.card.options["value_hidden"]) == ("basic", 16)
    assert "keras" in net.card.recipe["framework"] and net.card.recipe["iteration"] == 3
    with create_player(f"az:net={directory.net_path('current_policy')}", allow_command=True) as player:
        assert player.think(Game(RULES), Limit(simulations=4)).move in range(36)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("net.architecture=keras:4b32", "trains basic nets only"),
        ("net.architecture=torque:basic", "unknown learner 'torque': expected one of keras"),
        ("learn.learner=torch", "learn.learner=torch: keras learns itself"),
        ("learn.precision=bf16", "computes in float32"),
        ("learn.device=cuda", "learn.device=cuda"),
    ],
)
def test_what_keras_does_not_train_is_said(plugged: None, wrong: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make_learner(settings("net.architecture=keras:basic", wrong))
