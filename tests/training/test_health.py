"""What is said when a run goes wrong, and that a healthy one is left alone, for each method."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from tests.training.tiny import begin, settings
from wuzi.base.settings import settings_tables
from wuzi.training.methods.registry import make_plan
from wuzi.training.run import health
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.health import HealthFinding, distill_findings, ppo_findings, selfplay_findings
from wuzi.training.run.reader import RunReader

# ---------------------------------------------------------------------------- self-play


def row(**more: object) -> dict[str, object]:
    plain = {"games": 20, "new_rows": 400, "plies": 25.0, "black_wins": 11, "white_wins": 8, "draws": 1}
    return {**plain, "games_seen": 200, "duplicates": 0.01, "policy_entropy": 1.5, "entropy": 1.2, **more}


def test_a_healthy_run_is_quiet() -> None:
    assert selfplay_findings([row(explained_after=0.1) for _ in range(8)], 9) == []
    assert selfplay_findings([], 9) == []
    slow = [row(policy_loss=loss) for loss in (4.39, 4.35, 4.33, 4.26, 4.19)]
    assert selfplay_findings(slow, 9) == []
    unmeasured = row(policy_entropy=0.01)
    del unmeasured["entropy"]
    assert selfplay_findings([unmeasured], 9) == []


@pytest.mark.parametrize(
    ("rows", "code", "word", "figures"),
    [
        ([row(longest_wait_s=420.0)], "no_data", "no game ended for 7 minutes", {"seconds": 420.0}),
        ([row(policy_entropy=0.01, entropy=0.02)], "collapse", "policy collapse", {"entropy": 0.02}),
        ([row(duplicates=0.5)], "duplicates", "50% of the games", {"share": 0.5}),
        (
            [row(black_wins=20, white_wins=0, draws=0)] * 5,
            "one_sided",
            "resume with a larger selfplay.opening_share",
            {"color": "black", "share": 1.0, "games": 100, "option": "selfplay.opening_share"},
        ),
        (
            [row(), *(row(plies=11.0 - i / 10) for i in range(5))],
            "short_games",
            "ever shorter",
            {"plies": 10.8, "once": 25.0},
        ),
        ([row(explained_after=-0.1)] * 5, "no_value", "value head", {"explained": -0.1}),
        (
            [row(policy_loss=4.39, lr=0.0228)] * 5,
            "no_policy",
            "still that of random moves, at a learning rate of 2.3e-02",
            {"loss": 4.39, "rate": 0.0228},
        ),
    ],
)
def test_what_is_wrong_is_shouted(
    rows: list[dict[str, object]], code: str, word: str, figures: dict[str, Any]
) -> None:
    (found,) = selfplay_findings(rows, 9)
    assert found.code == code
    assert word in found.text
    assert found.figures == pytest.approx(figures)


# ---------------------------------------------------------------------------- distillation


def codes(found: list[HealthFinding]) -> list[str]:
    return [one.code for one in found]


def student(lap: int, explained: float) -> dict[str, object]:
    return {
        "stage": "student",
        "round": lap,
        "loss": 1.0,
        "held_loss": 1.0,
        "held_value_explained": explained,
    }


def test_a_value_that_distillation_did_not_teach() -> None:
    rounds = [student(lap, 1e-7) for lap in range(1, 6) for _ in range(10)]
    (found,) = distill_findings(rounds, 9)
    assert found.code == "no_value"
    assert "no more than their mean does" in found.text
    assert distill_findings([*rounds[:-1], student(5, 0.05)], 9) == [], "it learns slowly, but it learns"
    assert distill_findings(rounds[:40], 9) == [], "four rounds are too few to tell"
    assert codes(distill_findings([student(1, 0.0)] * 5, 9)) == ["no_value"], "data of one round"


def test_health_of_distillation() -> None:
    epochs = [
        {"stage": "student", "round": 1, "loss": 2.0 - i, "held_loss": 2.0 + i, "iteration": i}
        for i in range(3)
    ]
    assert distill_findings(epochs[:2], 9) == []
    assert codes(distill_findings(epochs, 9)) == ["overfitting"]
    assert codes(distill_findings([{**epochs[0], "held_entropy": 0.01}], 9)) == ["collapse"]
    games = {"stage": "own", "games": 20, "duplicates": 0.5, "black_wins": 20, "white_wins": 0}
    assert codes(distill_findings([games], 9)) == ["duplicates", "one_sided"]


# ---------------------------------------------------------------------------- PPO


def update(**more: object) -> dict[str, object]:
    """A row of PPO as the preset s2-ppo writes them."""
    games = {"finished": 300, "plies_mean": 40.0, "black_wins": 0.55, "draws": 0.01}
    rival = {"opponent_games": 150, "opponent_score": 0.52}
    learned = {
        "rows": 12_000,
        "new_rows": 12_000,
        "gradient_steps": 20,
        "entropy": 2.5,
        "value_explained": 0.2,
    }
    return {**games, **rival, **learned, "kl": 0.01, "kl_last": 0.015, "clip_fraction": 0.1, **more}


def test_healthy_ppo_is_quiet() -> None:
    assert ppo_findings([], 9) == []
    assert ppo_findings([update()] * 8, 9) == []
    first = update(value_explained=-0.1, kl_last=0.3, clip_fraction=0.5)
    assert ppo_findings([first] * 4, 9) == [], "nothing is known of a trend yet"
    assert ppo_findings([*[first] * 3, update(), update()], 9) == [], "it has come to itself"


@pytest.mark.parametrize(
    ("rows", "code", "word"),
    [
        ([update(rows=500, new_rows=0)], "no_data", "no move of this iteration"),
        (
            [update(finished=0, plies_mean=0, black_wins=0, draws=0)] * 5,
            "no_data",
            "begin again with larger ppo.steps",
        ),
        ([update(entropy=0.05)], "collapse", "0.050 nats"),
        ([update(value_explained=0.0)] * 5, "no_value", "value head"),
        ([update(kl_last=0.4, clip_fraction=0.3)] * 5, "large_steps", "0.40 nats"),
        ([update(clip_fraction=0.6)] * 5, "large_steps", "60% of the ratios clipped"),
        ([update(gradient_steps=0, kl_last=0.4)] * 5, "no_steps", "resume with a larger ppo.kl_stop"),
        (
            [update(black_wins=0.97)] * 5,
            "one_sided",
            "black won 97% of the last 1500 games: resume with a larger ppo.random",
        ),
        ([update(black_wins=0.02, draws=0.01)] * 5, "one_sided", "white won 97%"),
        ([update(), *(update(plies_mean=11 - i / 10) for i in range(5))], "short_games", "ever shorter"),
        ([update(opponent_score=0.3)] * 5, "regress", "30% of the last 750 games"),
    ],
)
def test_what_is_wrong_with_ppo_is_shouted(rows: list[dict[str, object]], code: str, word: str) -> None:
    (found,) = ppo_findings(rows, 9)
    assert found.code == code
    assert word in found.text


def test_few_games_and_draws_are_no_result() -> None:
    assert ppo_findings([update(finished=5, black_wins=1.0)] * 5, 9) == []
    assert ppo_findings([update(black_wins=0.0, draws=0.99)] * 5, 9) == []
    assert ppo_findings([update(opponent_games=10, opponent_score=0.0)] * 5, 9) == []
    alone = update()
    del alone["opponent_games"], alone["opponent_score"]
    assert ppo_findings([alone] * 5, 9) == []


# ---------------------------------------------------------------------------- seen from outside


def test_a_reader_knows_the_rules_of_every_method(tmp_path: Path) -> None:
    runs = {
        "s3-6x6": (row(duplicates=0.5), "duplicates"),
        "s2-ppo": (update(entropy=0.01), "collapse"),
        "s0-distill": ({"stage": "student", "round": 1, "held_entropy": 0.01}, "collapse"),
    }
    for preset, (figures, code) in runs.items():
        plan = make_plan(preset)
        directory = RunDirectory(tmp_path / preset)
        directory.create(plan.toml(), {"method": plan.method.name, "preset": preset})
        directory.append("metrics.jsonl", {"iteration": 1, **figures, "warnings": ["in its own words"]})
        reader = RunReader(directory.path)
        reader.refresh()
        assert codes(reader.findings) == [code]


def test_rows_of_another_version_are_told_in_their_own_words(tmp_path: Path) -> None:
    begin(tmp_path, settings())
    RunDirectory(tmp_path).append("metrics.jsonl", {"iteration": 1, "warnings": ["something is wrong"]})
    reader = RunReader(tmp_path)
    reader.refresh()
    assert [(one.code, one.text) for one in reader.findings] == [("other", "something is wrong")]


def test_what_a_finding_advises_can_be_done() -> None:
    """What it says of resuming may be changed then, and all that it names are parameters."""
    advices = [
        text
        for node in ast.walk(ast.parse(inspect.getsource(health)))
        if isinstance(node, ast.JoinedStr | ast.Constant)
        for text in ["".join(str(part.value) for part in ast.walk(node) if isinstance(part, ast.Constant))]
    ]
    named: dict[str, set[str]] = {"resume": set(), "begin again": set()}
    for text in advices:
        for how, what in re.findall(r"(resume|begin again) with (.*?)(?=, or begin again|$)", text):
            named[how] |= set(re.findall(r"\b[a-z]+\.[a-z_]+\b", what))
    assert {"learn.lr", "ppo.kl_stop"} <= named["resume"]
    assert {"ppo.steps", "ppo.replay", "data.games"} <= named["begin again"]
    known, changeable = set[str](), set[str]()
    for preset in ("quick", "ppo-tiny", "distill"):
        settings = make_plan(preset).settings
        known |= {f"{name}.{key}" for name, keys in settings_tables(settings).items() for key in keys}
        changeable |= {f"{name}.{key}" for name, keys in settings.changeable.items() for key in keys}
    assert named["resume"] <= changeable < known
    assert named["begin again"] <= known
