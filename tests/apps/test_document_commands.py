"""The commands on the documents' pages run, end to end, with as little work as each of them can do."""

from __future__ import annotations

import io
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.test_document_pages import functions_of
from tests.training.test_presets import SMALL
from wuzi.apps.cli import main
from wuzi.nets import find_net, load_net
from wuzi.training import RunDirectory, make_plan
from wuzi.training.methods.registry import Plan

ROOT = Path(__file__).resolve().parents[2]
LEGACY = ROOT / "tests" / "nets" / "legacy"
TEXT = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "docs" / "documents").glob("00?.md")))
COMMANDS = sorted({shlex.join(shlex.split(text)[1:]) for text in re.findall(r"`(wuzi [^`]+)`", TEXT)})
FLAGS = ("iterations", "samples", "simulations", "workers", "eval_interval", "win_threshold", "size")

SERVE = "tests/apps/web/test_serve.py"
SHOWN = {
    "gui": "tests/apps/desktop/test_start.py::test_the_real_engine_answers_hints_and_analyses",
    "serve": f"{SERVE}::test_serve_answers_and_ctrl_c_ends_it_with_its_workers",
    "serve --host 0.0.0.0 --port 8000": f"{SERVE}::test_other_machines_only_with_a_warning",
    "serve --reload": "tests/apps/web/test_reload.py::test_the_command_runs_itself_without_the_option",
    "tournament": "tests/arena/test_cli.py::test_tournament_ends_in_record_csv_charts_and_report",
    "report": "tests/arena/test_cli.py::test_report_writes_charts_and_prints_findings",
    "train --preset s3-6x6 --set net.architecture=keras:basic": (
        "plugins/wuzi-keras/tests/test_wuzi_keras.py::test_self_play_trains_a_net_that_plays_without_keras"
    ),
}
"""Commands that do not end, and names of commands without what they need, with the test that runs them."""

MORE = {
    "evaluate": "--net s3-6x6",
    "gen-data": "--games 2 --out data --size 9",
    "match": "--size 6 --win-length 4 --games 2 --openings none",
    "models import": f"{LEGACY}/best_policy_6_6_4.model --name az6",
    "models export": "s3-6x6 --out net.onnx",
    "selfplay": "--net s3-6x6 --games 1 --out games --set selfplay.workers=1 --set selfplay.simulations=2",
}
"""What a command on a page leaves out."""

NAMED = {
    "az:net=A": "az:net=s3-6x6,simulations=2",
    "az:net=B": "az:net=s3-6x6,simulations=4",
    "policy:net=NAME": "policy:net=s2-ppo",
    "8_8_5.model": f"{LEGACY}/best_policy_8_8_5.model",
}
"""Files and nets of the reader's own."""


def trained(command: str) -> dict[str, Any]:
    """What ``make_plan`` is given by a command."""
    words, found = shlex.split(command)[1:], dict[str, Any](flags={}, assignments=[])
    for key, value in zip(words[::2], words[1::2], strict=True):
        if key in ("--preset", "--set"):
            found |= (
                {"preset": value} if key == "--preset" else {"assignments": [*found["assignments"], value]}
            )
        else:
            name = {"-n": "iterations"}.get(key, key[2:].replace("-", "_"))
            assert name in FLAGS, command
            found["flags"][name] = float(value) if "." in value else int(value)
    return found


@cache
def plan_of(command: str) -> Plan:
    return make_plan(**trained(command))


def is_a_preset(command: str) -> bool:
    """Whether it is what :func:`test_every_preset_trains` runs, but for numbers of games and the like."""
    plan, given = plan_of(command), trained(command)
    return (
        plan.settings == make_plan(plan.preset, flags=given["flags"]).settings
        and "size" not in given["flags"]
    )


TRAININGS = [text for text in COMMANDS if text.startswith("train ") and text not in SHOWN]
OTHERS = [text for text in COMMANDS if not text.startswith("train ") and text not in SHOWN]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WUZI_DATA_DIR", str(tmp_path / "data"))
    return tmp_path


def small(plan: Plan, assignments: list[str]) -> list[str]:
    """The least that a plan's method can do, without the keys that a command sets, as options."""
    own = {text.partition("=")[0] for text in assignments}
    chosen = [text for text in SMALL[plan.method.name] if text.partition("=")[0] not in own]
    return [part for text in chosen for part in ("--set", text)]


@pytest.mark.slow
@pytest.mark.kernels
@pytest.mark.parametrize(
    "command", [text for text in TRAININGS if "cuda" not in text and not is_a_preset(text)]
)
def test_a_training_of_its_own_runs(command: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan, given = plan_of(command), trained(command)
    words = [*shlex.split(command), "--run-dir", "run", "-n", "1", *small(plan, given["assignments"])]
    assert main(words) == 0, capsys.readouterr().err
    net = load_net(RunDirectory(Path("run")).net_path("current_policy"))
    assert net.card.rules == plan.settings.game.rules
    last = capsys.readouterr().out.splitlines()[-1]
    assert find_net("run").name in last


def test_the_other_trainings_are_presets() -> None:
    presets = {plan_of(text).preset for text in TRAININGS if is_a_preset(text)}
    assert {"s0-basic", "s0-enhanced", "s0-patterns", "s0-distill", "s1", "s2-ppo", "s2-ppo-seed"} < presets
    assert {"s3-6x6", "s3-8x8", "s4", "s4-quick", "s4-standard", "s4-full"} < presets


@pytest.mark.parametrize(
    ("words", "preset"),
    [
        ("-n 5 --samples 10 --simulations 30 --workers 4", "s4-quick"),
        ("-n 50 --samples 100 --simulations 30 --workers 10", "s4-standard"),
        ("-n 200 --samples 100 --simulations 30 --workers 10", "s4-full"),
    ],
)
def test_the_three_commands_of_document_004_are_its_presets(words: str, preset: str) -> None:
    assert plan_of(f"train {words}").settings == make_plan(preset).settings


def test_without_a_graphics_card_that_is_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import torch

    (command,) = (text for text in TRAININGS if "cuda" in text)
    if not torch.cuda.is_available():
        assert main([*shlex.split(command), "--run-dir", "run"]) == 2
        assert "torch finds no GPU here" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.kernels
@pytest.mark.parametrize("command", OTHERS)
def test_another_command_runs(
    command: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [NAMED.get(word, word) for word in shlex.split(command)]
    name = " ".join(words[: 1 + (words[0] == "models")])
    if words[0] == "play":
        words += ["--size", "9", "--first", "me", "--time", "0.1"]
        monkeypatch.setattr("sys.stdin", io.StringIO("e5\n"))  # then its end: the game is left
    elif command == name or name in ("gen-data", "match"):
        words += shlex.split(MORE[name])
    if command == "models import best_model.pth --name s4":
        assert main(shlex.split("models export s4 --out best_model.pth --format pth")) == 0
    assert main(words) == 0, capsys.readouterr().err
    if name == "models export" and "--out" in shlex.split(command):
        assert Path(words[words.index("--out") + 1]).stat().st_size > 100_000
    if name == "models import":
        assert load_net(find_net(words[-1]).path).card.parameters > 100_000
    if command.startswith("evaluate --net s2-ppo"):
        shown = capsys.readouterr().out.splitlines()
        assert {"field", "gradient", "attention"} < set(shown) and shown[-1].startswith("beta ")


def test_a_command_that_is_not_run_here_is_run_by_the_test_that_is_named() -> None:
    assert set(SHOWN) < set(COMMANDS)
    for place in SHOWN.values():
        path, _, test = place.partition("::")
        assert test in functions_of(path), place
