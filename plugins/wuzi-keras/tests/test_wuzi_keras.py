"""The plug-in computes what wuzi computes, trains, and plays."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import wuzi_keras

from wuzi import Limit
from wuzi.base import plugins
from wuzi.core import Game, Rules
from wuzi.errors import ConfigError
from wuzi.nets import open_net, read_legacy, save_net
from wuzi.players import create_player
from wuzi.training.methods.distill.generate import Recipe, generate
from wuzi.training.methods.distill.rows import load_rows

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
    group = plugins.EVALUATORS
    found = {name: plugins.Plugin(EntryPoint(name, value, group)) for name, value in points[group].items()}
    monkeypatch.setattr(plugins, "installed", lambda asked: found if asked == group else {})
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
