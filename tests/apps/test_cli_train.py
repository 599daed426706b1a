"""``wuzi train``, ``wuzi selfplay`` and ``wuzi models test``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import wuzi
from tests.training.tiny import SMALLEST
from wuzi.apps.cli import main
from wuzi.core import Game, Rules
from wuzi.errors import ConfigError, MissingExtraError
from wuzi.nets import find_net
from wuzi.nets.shelf import best_of_run, net_of_run
from wuzi.training.run.changes import read_changes
from wuzi.training.run.directory import RunDirectory, newest_run

SETS = [part for text in SMALLEST for part in ("--set", text)]
TINY_PPO = [
    part
    for text in ("net=three-factor:blocks=1,channels=8", "envs=16", "steps=8", "mini_batch_size=64")
    for part in ("--set", f"ppo.{text}")
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WUZI_DATA_DIR", str(tmp_path / "data"))
    return tmp_path


@pytest.mark.slow
def test_the_quick_command_of_document_004_ends_with_a_net_that_was_judged(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its evaluation interval is 10, and it has 5 iterations."""
    command = "train -n 2 --samples 2 --simulations 2 --workers 1 --run-dir run".split()
    small = "selfplay.concurrency=2 learn.batches=1 learn.batch=8 promote.games=2".split()
    small.append("promote.simulations=2")
    assert main([*command, *(part for text in small for part in ("--set", text))]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    directory = RunDirectory(Path("run"))
    (row,) = (row for row in directory.rows("metrics.jsonl") if "best_win_rate" in row)
    assert row["iteration"] == 2
    assert find_net("run").name in last and "against the best: " in last
    assert ("untrained" in last) == (row["best_win_rate"] <= 0.55)
    assert "the net of iteration 2" in last or "promoted" in last


@pytest.mark.parametrize(
    "wrong", ["net.architecture=bad", "learn.losses=bad", "selfplay.search_form=bad", "replay.targets=bad"]
)
def test_a_start_that_fails_leaves_nothing_behind(
    here: Path, capsys: pytest.CaptureFixture[str], wrong: str
) -> None:
    assert main(["train", "--run-dir", "run", *SETS, "--set", wrong]) == 2
    assert "'bad'" in capsys.readouterr().err
    assert not Path("run").exists()


@pytest.mark.parametrize("options", [["--preset", "bad"], ["--set", "learn.lr=fast"], ["--set", "bad.bad=1"]])
def test_options_that_are_wrong_begin_no_run(here: Path, options: list[str]) -> None:
    assert main(["train", "--run-dir", "run", *options]) == 2
    assert not Path("run").exists()


def test_without_torch_no_run_is_begun(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(*_: str) -> None:
        raise MissingExtraError("train", "torch")

    monkeypatch.setattr("wuzi.training.learner.choice.need", lacking)
    assert main(["train", "--run-dir", "run", *SETS]) == 1
    assert not Path("run").exists()


def test_a_run_that_never_began_makes_way_for_other_settings(here: Path) -> None:
    """It was killed while kernels were compiled, or before its first checkpoint."""
    directory = RunDirectory(Path("run"))
    directory.create("learn = 1\n", {"method": "selfplay"})
    (directory.nets / "first.safetensors").write_bytes(b"untrained")
    for name in ("run.lock", "status.json", "current_policy.json", "training_log_1.log"):
        (directory.path / name).touch()
    directory.create("learn = 2\n", {"method": "ppo"})
    assert (directory.path / "config.toml").read_text() == "learn = 2\n"
    assert directory.notes()["method"] == "ppo" and not list(directory.nets.iterdir())
    directory.append("metrics.jsonl", {"iteration": 1})
    with pytest.raises(ConfigError, match="there is a run already"):
        directory.create("learn = 3\n", {"method": "ppo"})


def test_a_second_start_leaves_a_run_that_has_just_begun(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = RunDirectory(Path("run"))
    directory.create("learn = 1\n", {"method": "selfplay"})
    with directory.locked():
        assert main(["train", "--preset", "s3-6x6", *SETS, "--run-dir", "run"]) == 2
        assert "another process is training here" in capsys.readouterr().err
        assert not directory.discard()
    assert (directory.path / "config.toml").read_text() == "learn = 1\n"


def test_a_run_that_was_stopped_early_calls_no_net_its_best(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path)
    directory.point("best_policy", "fresh", 0, "a")
    assert (best_of_run(tmp_path), net_of_run(tmp_path)) == (None, None)
    directory.point("current_policy", "latest", 3, "b")
    assert net_of_run(tmp_path)["net"] == "latest"  # type: ignore[index]
    directory.point("best_policy", "fresh", 0, "a", "kept its place")
    directory.point("best_policy", "fresh", 0, "a")
    assert net_of_run(tmp_path)["judged"] == "kept its place", "known of the same weights"  # type: ignore[index]
    directory.point("best_policy", "better", 4, "c")
    assert "judged" not in net_of_run(tmp_path)  # type: ignore[operator]


@pytest.mark.slow
def test_train_resume_selfplay_and_eval(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--preset", "s3-6x6", *SETS, "--run-dir", "run"]) == 0
    out = capsys.readouterr().out
    assert "selfplay (s3-6x6) in run" in out
    assert out.count("loss") == 2
    files = {path.name for path in (here / "run").iterdir()}
    assert {"metrics.jsonl", "config.toml", "run.json", "curves.png", "current_policy.json"} <= files
    (log,) = (here / "run").glob("training_log_*.log")
    assert "batch i:2, episode_len:" in log.read_text()
    assert "explained_var_new:" in log.read_text()
    best = str(find_net("run").path)
    assert main(["train", "--resume", "--run-dir", "run"]) == 0
    lines = capsys.readouterr().out.splitlines()
    play = "wuzi play --player az:net=run --size 6 --win-length 4"
    browser = "or in the browser: wuzi serve --runs ., page /training"
    more = "complete; for more iterations: wuzi train --resume --run-dir run -n 4"
    judged = net_of_run(Path("run"))["judged"]  # type: ignore[index]
    assert lines[-4:-1] == [more, f"play against its net in the terminal: {play}", browser]
    assert lines[-1].startswith("its ") and lines[-1].endswith(f"{best}; {judged}")
    assert main(["train", "--resume", "--run-dir", "run", "--json"]) == 0
    found = {"run_dir": "run", "complete": True, "net": best, "judged": judged, "play": play}
    assert json.loads(capsys.readouterr().out) == found
    (here / "runs").mkdir()
    (here / "run").rename("runs/run")
    assert main(["train", "--resume", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["run_dir"] == "runs/run"
    net = "runs/run"  # its best net
    assert str(find_net(net).path) == f"runs/{best}"
    game = Game(Rules(size=6, win_length=4))
    assert wuzi.player("az:net=runs/run,simulations=4", allow_command=True).think(game).move is not None
    arguments = ["selfplay", "--net", net, "-n", "3", "--out", "games", "--set", "selfplay.workers=1"]
    arguments += ["--set", "selfplay.concurrency=2", "--set", "selfplay.simulations=2", "--json"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out) == {"folder": "games", "played": 3, "games": 3}
    arguments[arguments.index("-n") + 1] = "2"
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out) == {"folder": "games", "played": 0, "games": 3}
    arguments = ["models", "test", "--net", net, "--games", "2", "--simulations", "2", "-j", "1", "--json"]
    assert main([*arguments, "--against", "random"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["matches"][0]["against"] == "random"
    assert report["tactics"]["win"]["positions"] > 0


def test_dry_run_and_print_config(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from wuzi.training.methods import trial_run as estimate

    monkeypatch.setattr(estimate, "PLAY_S", 0.1)
    assert main(["train", "--preset", "s3-6x6", *SETS, "--dry-run"]) == 0
    assert "for 2 iterations" in capsys.readouterr().out
    assert main(["train", "--preset", "ppo-tiny", *TINY_PPO, "-n", "7", "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "for 7 iterations" in found["estimate"][-1] and found["seconds"] > 0
    assert main(["train", "--preset", "s4-full", "-n", "3", "--print-config"]) == 0
    assert "iterations = 3" in capsys.readouterr().out
    assert main(["train", "--list-presets", "--json"]) == 0
    assert "quick" in {item["name"] for item in json.loads(capsys.readouterr().out)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--preset", "s9"], "unknown preset 's9'"),
        (["--workers", "many"], "expected a number or auto"),
        (["--max-time", "soon", "--run-dir", "x"], "such as 90s"),
        (["--resume", "--run-dir", "nowhere"], "nowhere"),
        (["--set", "learn.lr=-1"], "lr=-1"),
        (["--size", "6", "--win-length", "9"], "win length 9"),
    ],
)
def test_wrong_use_is_said_in_one_line(
    here: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1
    assert not (here / "x").exists()


def test_resume_alone_takes_the_newest_run(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no run below"):
        newest_run(tmp_path)
    for name, begun in (("b", "2026-11-24T10:00:00+00:00"), ("a", "2026-11-24T11:00:00+00:00")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text(json.dumps({"schema": 1, "begun": begun}))
    assert newest_run(tmp_path).name == "a"


def test_flags_of_document_004_mean_its_net_and_board(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "-n", "50", "--samples", "100", "--print-config"]) == 0
    out = capsys.readouterr().out
    for line in ('preset = "s4"', 'architecture = "res5x32"', "size = 15", "iterations = 50"):
        assert line in out
    assert main(["train", "--samples", "7", "--preset", "quick", "--print-config"]) == 0
    assert 'preset = "quick"' in capsys.readouterr().out
    assert main(["train", "-n", "5", "--print-config"]) == 0
    assert 'preset = "quick"' in capsys.readouterr().out


def test_refused_parameters_leave_no_run_behind(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["train", "--preset", "s3-6x6", "--set", "net.architecture=nonsense", "--run-dir", "run"]
    assert main(arguments) == 2
    assert "unknown net 'nonsense'" in capsys.readouterr().err
    assert not (here / "run").exists()


def test_a_run_goes_on_with_its_own_parameters(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--preset", "s3-6x6", *SETS, "--run-dir", "run", "--max-time", "0s"]) == 0
    assert "time is over" in capsys.readouterr().out
    again = ["train", "--resume", "--run-dir", "run"]
    for wrong, said in (
        (["--set", "run.seed=9"], "run.seed=9: this run was begun with 1 and keeps it"),
        (["--size", "7"], "game.size=7: this run was begun with 6 and keeps it"),
        (["--set", "net.architecture=5b48"], "net.architecture=5b48: this run was begun with basic"),
        (["--set", "learn.lr=-1"], "lr=-1"),
        (["--preset", "quick"], "--preset quick with --resume: expected single changes"),
    ):
        assert main([*again, *wrong]) == 2
        assert said in capsys.readouterr().err
    assert not (here / "run" / "changes.jsonl").exists()
    assert main(["train", "--preset", "s3-6x6", "--run-dir", "run"]) == 2
    assert "there is a run already" in capsys.readouterr().err


def test_more_iterations_and_other_parameters_for_a_run(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "--preset", "s3-6x6", *SETS, "--run-dir", "a run"]) == 0
    command = next(line for line in capsys.readouterr().out.splitlines() if "for more iterations" in line)
    advised = shlex.split(command.partition("wuzi ")[2])
    assert main([*advised, "--set", "learn.lr=0.001", "--workers", "1"]) == 0
    assert main(["train", "--status", "--run-dir", "a run"]) == 0
    out = capsys.readouterr().out
    assert "a run: selfplay, finished, iteration 4 of 4" in out
    assert "changed after iteration 2: learn.lr 0.002 -> 0.001, run.iterations 2 -> 4" in out
    assert main(["train", "--resume", "--run-dir", "a run", "-n", "3"]) == 2
    assert "run.iterations=3: 4 are done already: expected at least 4" in capsys.readouterr().err
    assert main(["train", "--resume", "--run-dir", "a run"]) == 0, "the changes last"
    assert main(["train", "--status", "--run-dir", "a run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (found["state"], found["iterations"], len(found["changes"])) == ("finished", 4, 1)


def test_the_advice_of_a_run_whose_loss_is_not_finite_can_be_followed(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Weight decay at this rate multiplies the weights by -99 at each step, until they overflow."""
    wild = ("lr=10", "weight_decay=10", "optimizer=sgd", "clip=1e30", "schedule=constant", "batches=8")
    sets = [part for text in wild for part in ("--set", f"learn.{text}")]
    # With a checkpoint after each step, the last of them may hold weights that no rate can mend.
    arguments = [
        "train",
        "--preset",
        "s3-6x6",
        *SETS,
        *sets,
        "--set",
        "run.checkpoint_s=0",
        "--run-dir",
        "run",
    ]
    tries = 0
    while main(arguments) != 0:
        error = capsys.readouterr().err
        assert "not finite: resume with --set learn.lr=" in error
        advice = next(line for line in error.splitlines() if line.startswith("wuzi: continue with: wuzi "))
        arguments = shlex.split(advice.partition("with: wuzi ")[2])
        tries += 1
        assert tries < 10
    assert 1 <= tries
    assert len(read_changes(here / "run")) == tries


def test_a_head_that_learns_nothing_is_said_at_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--set", "learn.value_weight=0", "--set", "learn.policy_weight=0", "--max-time", "0s"]
    assert main(["train", "--preset", "s3-6x6", *SETS, *more, "--run-dir", "run"]) == 0
    error = capsys.readouterr().err
    for head, option in (("value", "learn.value_weight"), ("policy", "learn.policy_weight")):
        assert f"{head} head: it learns nothing with {option}=0" in error
    assert main(["train", "--status", "--run-dir", "run"]) == 0
    assert "value head: it learns nothing" in capsys.readouterr().out
