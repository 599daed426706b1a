"""The ablation runner: arms of a second, resumed, failed and left open."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from research.ablation.config import load_ablation
from research.ablation.report import Trained, ablation_figures, loss_time_ratios, write_ablation_report
from research.ablation.run import (
    ArmState,
    load_match,
    load_state,
    run_ablation,
    train_arm,
)
from tests.research.files import ABLATION, ablation_file, error_of
from wuzi.errors import ConfigError, TrainingError
from wuzi.training import make_plan

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


def test_the_ablation_of_the_repository_has_only_switches_that_exist() -> None:
    """Reading it builds the parameters of every arm."""
    ablation = load_ablation(ROOT / "research" / "configs" / "ablation.toml")
    assert 15 <= ablation.minutes <= 20
    keys = [arm.key for arm in ablation.arms()]
    first = [key for key in keys if not key.endswith("/base")][:3]
    assert first == ["enhanced/no-residual", "enhanced/no-norm", "enhanced/untrained"]
    assert {group.name for group in ablation.groups} >= {"search", "tactics", "patterns", "factors"}
    for group in ablation.groups:
        assert all(arm.rules == group.base.rules for arm in group.arms)


def test_the_ablation_of_the_targets_ends_with_the_preset_of_today() -> None:
    """Its base switches off what part of a recipe was repaired, its last arm switches all of it on again."""
    ablation = load_ablation(ROOT / "research" / "configs" / "targets.toml")
    (group,) = ablation.groups
    assert [arm.name for arm in group.all] == [
        *(
            "base",
            "value",
            "policy-weights",
            "moves-and-simulations",
            "surprise-and-forced",
            "all",
            "untrained",
        ),
    ]
    assert (ablation.minutes, ablation.games, group.base.seeds) == (15, 200, (1, 2))
    common = [text for text in group.base.sets if text.split("=")[0] in ("selfplay.workers", "learn.threads")]
    common += ["evaluate.anchor_interval=0", "selfplay.games=100", "replay.window=10000", "run.rescue=false"]
    every = next(arm for arm in group.arms if arm.name == "all")
    assert every.plan(1).settings == make_plan("9x9", None, common).settings
    single = [text for arm in group.arms[:4] for text in arm.changed]
    assert set(single) < set(every.changed)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("learn.lr=1e-3", "learn.rate=1e-3", "arm 'slow': "),
        ('preset = "s3-6x6"', 'preset = "s9"', "unknown preset 's9'"),
        ("games = 2", "games = 3", "3 games: expected an even number"),
        ('name = "slow"', 'name = "never"', "two arms are called 'rate/never'"),
        ("minutes = 5", "minutes = 0", "minutes is 0"),
    ],
)
def test_wrong_settings_are_one_clear_line(
    tmp_path: Path, old: str, new: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in error_of("train", ablation_file(tmp_path, ABLATION), old, new, capsys)


def test_arms_are_trained_once_matched_and_the_others_stay_open(tmp_path: Path) -> None:
    control = (
        '[[groups.arms]]\nname = "untrained"\nset = ["learn.lr=1e-9"]\nquestion = "?"\nquestion_zh = "?"\n'
    )
    ablation, out = load_ablation(ablation_file(tmp_path, ABLATION + control)), tmp_path / "out"
    assert run_ablation(ablation, out, arms=("rate/slow",))
    said: list[str] = []
    assert run_ablation(ablation, out, arms=("rate/slow",), say=said.append)
    assert said == [], "nothing is left to train"
    figures, _ = write_ablation_report(out, tmp_path / "page")
    arms = {arm.arm.name: arm for arm in figures.arms}
    assert [arms[name].verdict for name in ("base", "slow", "never")] == [
        "training",
        "unlearned",
        "open",
    ] or [arms[name].verdict for name in ("base", "slow", "never")] == ["base", "unlearned", "open"]
    slow = arms["slow"]
    assert slow.match is not None and slow.match.games == 2 and len(slow.trained) == 1
    assert slow.trained[0].games == 4 and slow.trained[0].losses[0] is not None
    english = (tmp_path / "page" / "README.md").read_text("utf-8")
    assert "did not learn" in english, "four games leave the loss at that of moves at random"
    assert "open: not run" in english and "1 of 2 arms are measured" in english
    assert "| untrained |" in english, "a row of its own, counted in no number of tests"
    assert "(en/curves.png)" in english
    assert "未做" in (tmp_path / "page" / "README.zh.md").read_text("utf-8")
    data = json.loads((tmp_path / "page" / "figures.json").read_text("utf-8"))
    assert data["arms"]["rate/slow"]["learned"] is False
    assert data["arms"]["rate/slow"]["games"] == 2 and data["arms"]["rate/never"]["score"] is None

    course = next((out / "rate" / "base-s1").rglob("metrics.jsonl"))
    shutil.copy(course, out / "rate" / "slow-s1" / "metrics.jsonl")
    figures, _ = write_ablation_report(out, tmp_path / "page")
    assert {arm.arm.name: arm.verdict for arm in figures.arms}["slow"] == "same"
    assert "the same net: the change never acted" in (tmp_path / "page" / "README.md").read_text("utf-8")


def test_an_arm_of_many_trainings_is_judged_by_them(tmp_path: Path) -> None:
    """Its units are random seeds, and a training that learned nothing is one of them."""
    seeds = ABLATION.replace("seeds = [1]\n", "seeds = [1, 2, 3, 4, 5, 6]\n")
    ablation, out = load_ablation(ablation_file(tmp_path, seeds)), tmp_path / "out"
    assert run_ablation(ablation, out, arms=("rate/slow",))
    arm = ablation.groups[0].arms[0]
    for seed in arm.seeds:
        assert len(load_match(arm, seed, out)) == 2
        path = out / "rate" / f"slow-s{seed}" / "match" / "games.jsonl"
        games = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for game in games:
            game["winner"] = "black" if game["black"] == "slow" else "white"
        path.write_text("".join(json.dumps(game) + "\n" for game in games), "utf-8")
    losses = [(one, seed) for one in ("base", "slow") for seed in arm.seeds[:3]]
    for one, seed in losses:
        path = next((out / "rate" / f"{one}-s{seed}").rglob("metrics.jsonl"))
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for row in rows:
            row["policy_loss"] = 2.0 if one == "slow" else 3.0
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    figures, (english, _) = write_ablation_report(out, tmp_path / "page")
    slow = next(one for one in figures.arms if one.arm.name == "slow")
    assert slow.by_training and slow.match is not None and slow.learned
    assert (slow.match.won, slow.match.lost, slow.match.p) == (6, 0, pytest.approx(2 / 2**6))
    assert slow.scores == tuple((seed, 1.0) for seed in arm.seeds)
    assert slow.verdict == "undecided", "two arms are tested, so p is 0.0625"
    text = english.read_text("utf-8")
    assert "6-0-0 trainings (n = 12)" in text and "judged by its trainings" in text
    assert "| 1 | 3.000, " in text and "(did not learn) | 100.0% |" in text
    data = json.loads((tmp_path / "page" / "figures.json").read_text("utf-8"))["arms"]
    assert (data["rate/slow"]["unit"], data["rate/never"]["unit"]) == ("training", "opening")


def test_a_match_is_gone_on_with_from_wherever_its_folder_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ablation = load_ablation(ablation_file(tmp_path))
    monkeypatch.chdir(tmp_path)
    run_ablation(ablation, Path("out"), arms=("rate/base", "rate/slow"))
    match = Path("there") / "rate" / "slow-s1" / "match"
    shutil.move("out", "there")
    games = (match / "games.jsonl").read_text("utf-8").splitlines(keepends=True)
    (match / "games.jsonl").write_text(games[0], "utf-8")
    assert "net=rate/slow-s1/net.safetensors" in (match / "tournament.json").read_text("utf-8")
    monkeypatch.chdir(tmp_path / "there")
    run_ablation(ablation, tmp_path / "there", arms=("rate/slow",))
    assert Path.cwd() == tmp_path / "there"
    assert len(load_match(ablation.groups[0].arms[0], 1, tmp_path / "there")) == len(games) == 2


def test_a_training_goes_on_where_its_time_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pieces: what the first had spent is taken from what the second is given."""
    given: list[float] = []

    def run(path: Path, settings: Any, *, observe: Any, max_seconds: float) -> bool:
        given.append(max_seconds)
        return False

    monkeypatch.setattr("research.ablation.run.train", run)
    ablation, out = load_ablation(ablation_file(tmp_path)), tmp_path / "out"
    arm = ablation.groups[0].base
    first = train_arm(ablation, arm, 1, out, say=lambda _: None)
    assert not first.over and given[0] == pytest.approx(300, abs=1)
    path = out / "rate" / "base-s1" / "arm.json"
    data = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**data, "spent_s": 290.0}), "utf-8")
    train_arm(ablation, arm, 1, out, say=lambda _: None)
    assert given[1] == pytest.approx(10, abs=1)
    other = load_ablation(ablation_file(tmp_path, ABLATION.replace("minutes = 5", "minutes = 6")))
    with pytest.raises(ConfigError, match="other settings or minutes"):
        train_arm(other, arm, 1, out, say=lambda _: None)


def test_an_arm_is_not_trained_on_another_machine_than_its_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ablation, out = load_ablation(ablation_file(tmp_path)), tmp_path / "out"
    monkeypatch.setattr("research.ablation.run.machine", lambda: "a slow one")
    assert run_ablation(ablation, out, arms=("rate/base",))
    monkeypatch.setattr("research.ablation.run.machine", lambda: "a fast one")
    said: list[str] = []
    assert not run_ablation(ablation, out, arms=("rate/slow",), say=said.append)
    (line,) = said
    assert "rate/slow, seed 1, left out: rate/base was trained on 'a slow one'" in line and "fast one" in line
    assert load_state(ablation.groups[0].arms[0], 1, out) is None
    monkeypatch.setattr("research.ablation.run.machine", lambda: "a slow one")
    assert run_ablation(ablation, out, arms=("rate/slow",))
    monkeypatch.setattr("research.ablation.run.machine", lambda: "a fast one")
    assert run_ablation(ablation, out, arms=("rate/slow",)), "its games may be played anywhere"
    write_ablation_report(out, tmp_path / "page")
    assert "Trained on a slow one." in (tmp_path / "page" / "README.md").read_text("utf-8")


def test_a_training_that_fails_is_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(path: Path, settings: Any, *, observe: Any, max_seconds: float) -> bool:
        raise TrainingError("the loss is not finite at step 3")

    monkeypatch.setattr("research.ablation.run.train", fails)
    ablation, out = load_ablation(ablation_file(tmp_path)), tmp_path / "out"
    assert run_ablation(ablation, out)
    state = load_state(ablation.groups[0].base, 1, out)
    assert state is not None and state.over and "not finite" in state.failed
    assert {arm.verdict for arm in ablation_figures(out).arms} == {"failed"}
    write_ablation_report(out, tmp_path / "page")
    assert "failed: the loss is not finite" in (tmp_path / "page" / "README.md").read_text("utf-8")


def test_a_training_whose_time_is_over_before_its_first_net_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("research.ablation.run._Clock.spent", lambda self: 301.0)
    monkeypatch.setattr("research.ablation.run.train", lambda *some, **more: False)
    ablation, out = load_ablation(ablation_file(tmp_path)), tmp_path / "out"
    state = train_arm(ablation, ablation.groups[0].base, 1, out, say=lambda _: None)
    assert state.failed == "301 s were over before there was a net: expected more minutes"


def test_how_much_longer_an_arm_takes_to_the_same_loss() -> None:
    def trained(*curve: tuple[float, float]) -> Trained:
        return Trained(1, ArmState("x", "here"), 1, 1, (None, None), None, curve, 0)

    base = trained((10, 3.0), (20, 2.0), (30, 1.0))
    slow = trained((10, 3.5), (20, 3.0), (40, 2.0))
    assert loss_time_ratios([slow], [base]) == pytest.approx((2.0,))
    assert loss_time_ratios([base], [slow]) == pytest.approx((0.5,))
    assert loss_time_ratios([trained()], [base]) == ()
