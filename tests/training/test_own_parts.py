"""Losses, targets and search forms of a user's own, by name in a run's parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.training.tiny import run, settings
from wuzi.base.plugins import Registry
from wuzi.core import Game, Rules
from wuzi.errors import ConfigError, PlayerError, TrainingError
from wuzi.nets.evaluator import UniformEvaluator
from wuzi.players import create_player
from wuzi.search.tree.forms import SEARCHES, FormRequest, FormResult, FormTrees
from wuzi.search.tree.options import Tactics, TreeOptions
from wuzi.training.data.games import Shards
from wuzi.training.data.targets import TARGETS, TargetRows
from wuzi.training.learner.losses import LOSSES
from wuzi.training.run.directory import METRICS, SELFPLAY, RunDirectory

RULES = Rules(size=6, win_length=4)


@pytest.fixture
def register() -> Iterator[Callable[[Registry[Any], str, Any], None]]:
    made = []

    def add(registry: Registry[Any], name: str, thing: Any) -> None:
        registry.register(name, thing)
        made.append((registry, name))

    yield add
    for registry, name in made:
        registry.forget(name)


def first_cells(asked: FormRequest) -> list[FormResult]:
    """The legal cell that comes first, and a little of the priors; the value after it, by the net."""
    after = [position.play(position.legal_moves[0]) for position in asked.positions]
    _, values = asked.evaluate(after)
    found = []
    for position, priors, value in zip(asked.positions, asked.priors, values, strict=True):
        policy = 0.1 * priors
        policy[position.legal_moves[0]] += 0.9
        found.append(FormResult(policy, float(-value)))
    return found


def test_one_of_each_trains_an_iteration(register: Callable[..., None], tmp_path: Path) -> None:
    seen: list[TargetRows] = []

    def early(rows: TargetRows) -> np.ndarray[Any, Any]:
        seen.append(rows)
        return (rows.plies < 4).astype(np.float32)

    def halved(rows: TargetRows) -> np.ndarray[Any, Any]:
        return rows.results / 2

    def calm(outputs: Any, targets: Any) -> torch.Tensor:
        assert set(targets["value"].tolist()) <= {-0.5, 0.0, 0.5}, "of the target in its place"
        found: torch.Tensor = (outputs["value"] ** 2 * targets["early"]).mean()
        return found

    register(TARGETS, "early", early)
    register(TARGETS, "halved", halved)
    register(LOSSES, "calm", calm)
    register(SEARCHES, "first-cells", first_cells)
    own = ("replay.targets=early value=halved", "learn.losses=calm=0.5", "selfplay.search_form=first-cells")
    run(tmp_path, settings(*own, "run.iterations=1", "promote.gate=none"))
    (row,) = RunDirectory(tmp_path).rows(METRICS)
    assert row["calm_loss"] > 0
    assert row["loss"] == pytest.approx(
        row["policy_loss"] + row["value_loss"] + 0.5 * row["calm_loss"], rel=1e-4
    )
    rows = seen[0]
    assert rows.policy.shape == (8, 36) and (rows.boards["ply"] == rows.plies).all()
    assert (rows.left > 0).all() and (np.abs(rows.values) <= 1).all()
    free = 0
    for game in Shards(tmp_path / SELFPLAY).read(0):
        for ply, search in enumerate(game.rows):
            if len(search.cells) > 1:  # not decided by tactics
                first = min(set(range(36)) - set(game.moves[:ply].tolist()))
                assert search.shares[search.cells.tolist().index(first)] == pytest.approx(0.9, abs=0.1)
                free += 1
    assert free > 4


def test_a_form_of_ones_own_plays_as_az(register: Callable[..., None]) -> None:
    register(SEARCHES, "first-cells", first_cells)
    with create_player("az:net=uniform,search_form=first-cells,simulations=5") as player:
        found = player.think(Game(RULES).play("c3"), multipv=3)
        assert found.move == 0 and found.info.simulations == 5
        assert found.info.extra["evaluations"] >= 1 and len(found.info.lines) == 3
        four = Game(RULES).play("a1").play("f6").play("b1").play("f5").play("c1").play("f4")
        assert str(player.think(four).move) == "d1", "tactics come first"
    assert (
        create_player("az:net=uniform,search_form=first-cells").name
        == "az:net=uniform,search_form=first-cells"
    )


def test_what_a_form_answers_is_looked_at(register: Callable[..., None]) -> None:
    wrong = {
        "short": lambda asked: [],
        "flat": lambda asked: [FormResult(np.zeros(36), 0.0) for _ in asked.positions],
        "proud": lambda asked: [FormResult(np.ones(36), 2.0) for _ in asked.positions],
    }
    for name, form in wrong.items():
        register(SEARCHES, name, form)
        trees = FormTrees(RULES, 1, UniformEvaluator(), TreeOptions(tactics=Tactics.NONE, search_form=name))
        trees.new_game(0)
        trees.start(0, 4)
        with pytest.raises(PlayerError, match=f"search form {name}: "):
            trees.step()


def test_unknown_names_list_those_that_there_are(register: Callable[..., None], tmp_path: Path) -> None:
    register(SEARCHES, "first-cells", first_cells)
    register(LOSSES, "blind", lambda outputs, targets: outputs["nothing"].mean())
    register(LOSSES, "wide", lambda outputs, targets: outputs["value"])
    for said, text in {
        "selfplay.search_form=none-such": "unknown search form 'none-such': expected one of first-cells",
        "learn.losses=none=1": "unknown loss 'none': expected one of blind, wide",
        "learn.losses=blind=much": "'blind=much': expected NAME=WEIGHT",
        "replay.targets=none": r"unknown target 'none': expected one of \(none are registered\)",
    }.items():
        with pytest.raises(ConfigError, match=text):
            run(tmp_path / said.replace("=", "-"), settings(said, "run.iterations=1"))
    quick = ("run.iterations=1", "selfplay.games=1", "evaluate.interval=0")
    for name, text in {"blind": "loss blind: there is no 'nothing'", "wide": r"loss wide: shape .*8"}.items():
        with pytest.raises(TrainingError, match=text):
            run(tmp_path / name, settings(f"learn.losses={name}", *quick))
    with pytest.raises(ConfigError, match="search form 'first-cells' is registered already"):
        SEARCHES.register("first-cells", first_cells)
    with pytest.raises(ConfigError, match="loss 'five': 5 cannot be called"):
        LOSSES.register("five", 5)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="search form first-cells is registered in this process alone"):
        run(tmp_path / "two", settings("selfplay.search_form=first-cells", "selfplay.overlap=true"))
