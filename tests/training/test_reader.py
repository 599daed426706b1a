"""Runs as seen from another process, and what they say of themselves."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.training.tiny import SMALLEST, begin, run, settings
from wuzi.apps.cli import main
from wuzi.errors import ConfigError, RecordError, TrainingError
from wuzi.training.run.context import Event
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.reader import RunReader, read_games, run_folder, run_names
from wuzi.training.run.status import NAME, State, StatusFile, read_status
from wuzi.training.run.watch import Watch

SETS = [part for text in SMALLEST for part in ("--set", text)]
OVER = """
import sys
from pathlib import Path
from wuzi.training.run.context import Event
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.status import StatusFile
with RunDirectory(Path(sys.argv[1])).locked(), StatusFile(Path(sys.argv[1])) as status:
    status(Event("progress", "", {"stage": "learn", "iteration": 1, "done": 0, "of": 2}))
    print("at work", flush=True)
    sys.stdin.read()
"""
"""A process that holds a run and says that it works, until its input ends."""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the command line, trained to its end."""
    folder = tmp_path_factory.mktemp("runs") / "six"
    assert main(["train", "--preset", "s3-6x6", *SETS, "--run-dir", str(folder), "--json"]) == 0
    return folder


def reader_of(folder: Path) -> RunReader:
    reader = RunReader(folder)
    reader.refresh()
    return reader


# ---------------------------------------------------------------------------- a run


def test_a_finished_run_is_read_whole(finished: Path) -> None:
    reader = reader_of(finished)
    assert reader.state is State.FINISHED
    assert (reader.method, reader.preset, reader.iterations) == ("selfplay", "s3-6x6", 2)
    assert (reader.rules.size, reader.rules.win_length) == (6, 4)
    assert [row["iteration"] for row in reader.rows] == [1, 2]
    assert reader.last("total_games") == 4
    assert {"loss", "entropy", "kl", "lr", "games_per_minute", "black_share"} <= set(reader.rows[-1])
    assert [(found.iteration, found.kind) for found in reader.evaluations.values()] == [
        (1, "mcts"),
        (2, "mcts"),
    ]
    assert all(e.wins + e.losses + e.draws == 1 for e in reader.evaluations.values())
    total, first, games = read_games(finished, None, 3)
    assert total >= 4
    assert first == total - 3
    assert len(games) == 3
    assert read_games(finished, 1, 2)[2][0].number == read_games(finished, 0, 2)[2][1].number
    assert read_games(finished, 1000, 2)[2] == []


def test_rows_are_followed_as_they_are_written_and_dropped(tmp_path: Path) -> None:
    begin(tmp_path, settings())
    reader = reader_of(tmp_path)
    assert reader.rows == []
    directory = RunDirectory(tmp_path)
    for iteration in (1, 2, 3):
        directory.append("metrics.jsonl", {"iteration": iteration, "loss": float("nan"), "seconds": 1.0})
        reader.refresh()
        assert reader.rows[-1]["iteration"] == iteration
    assert reader.rows[0]["loss"] is None, "no JSON number"
    with (tmp_path / "metrics.jsonl").open("ab") as file:
        file.write(b'{"iteration":4,"lo')
    reader.refresh()
    assert (len(reader.rows), reader.version) == (3, 0)
    directory.drop_after("metrics.jsonl", 1)
    reader.refresh()
    assert (len(reader.rows), reader.version) == (1, 1)


def test_figures_of_ppo_have_the_names_of_self_play(tmp_path: Path) -> None:
    begin(tmp_path, settings())
    directory = RunDirectory(tmp_path)
    for iteration in (1, 2):
        row = {"iteration": iteration, "moves": 100, "games": 10.0 * iteration, "finished": 10}
        more = {"plies_mean": 9.5, "black_wins": 0.6, "draws": 0.1, "learning_rate": 1e-3}
        directory.append("metrics.jsonl", {**row, **more, "seconds": 30.0 * iteration})
    last = reader_of(tmp_path).rows[-1]
    expected = {"total_games": 20.0, "plies": 9.5, "black_share": 0.6, "draw_share": 0.1, "lr": 1e-3}
    assert {name: last[name] for name in expected} == expected
    assert last["games_per_minute"] == 20.0


# ---------------------------------------------------------------------------- how it stands


def test_a_run_at_work_is_seen_and_its_death_as_well(tmp_path: Path) -> None:
    begin(tmp_path, settings())
    with subprocess.Popen(
        [sys.executable, "-c", OVER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "at work\n"
        reader = reader_of(tmp_path)
        assert reader.state is State.RUNNING
        assert reader.status is not None
        assert reader.status.work["stage"] == "learn"
        with pytest.raises(ConfigError, match="another process"), RunDirectory(tmp_path).locked():
            pass
        process.kill()
        process.wait()
    old = time.time() - 60
    os.utime(tmp_path / NAME, (old, old))
    reader.refresh()
    assert reader.state is State.CRASHED


def test_looking_does_not_keep_a_trainer_out(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path)
    assert not directory.is_locked
    with directory.locked():
        assert directory.is_locked
    assert not directory.is_locked
    with directory.locked():
        pass


def interrupted_import() -> ImportError:
    """What Ctrl-C becomes in the middle of an import of compiled code."""
    error = ImportError("initialization failed")
    error.__cause__ = KeyboardInterrupt()
    return error


@pytest.mark.parametrize(
    ("error", "whole", "state", "text"),
    [
        (None, True, State.FINISHED, ""),
        (None, False, State.STOPPED, ""),
        (KeyboardInterrupt(), False, State.STOPPED, ""),
        (interrupted_import(), False, State.STOPPED, ""),
        (TrainingError("loss: nan\nmore"), False, State.FAILED, "loss: nan"),
    ],
)
def test_a_run_says_how_it_ended(
    tmp_path: Path, error: BaseException | None, whole: bool, state: State, text: str
) -> None:
    try:
        with StatusFile(tmp_path) as status:
            status(Event("text", "begun"))
            if error is not None:
                raise error
            status.completed(whole)
    except BaseException as raised:
        assert raised is error
    found = read_status(tmp_path)
    assert found is not None
    assert (found.state, found.text) == (state, text)


def test_who_never_trained_leaves_the_status_of_another_alone(tmp_path: Path) -> None:
    with pytest.raises(ConfigError), StatusFile(tmp_path):
        raise ConfigError("another process is training here")
    assert not (tmp_path / NAME).exists()
    (tmp_path / NAME).write_text("{", encoding="utf-8")
    assert read_status(tmp_path) is None


def test_runs_without_a_status_file_are_judged_by_their_rows(finished: Path, tmp_path: Path) -> None:
    run(tmp_path, settings("run.iterations=1"))
    assert read_status(tmp_path) is None, "a library's run writes none"
    assert reader_of(tmp_path).state is State.FINISHED
    other = tmp_path / "other"
    begin(other, settings())
    assert reader_of(other).state is State.RUNNING, "it has just begun"
    facts = json.loads((other / "run.json").read_text(encoding="utf-8"))
    (other / "run.json").write_text(json.dumps(facts | {"begun": "2020-01-01T00:00:00+00:00"}))
    assert reader_of(other).state is State.STOPPED


# ---------------------------------------------------------------------------- which runs there are


@pytest.mark.skipif(os.name != "posix", reason="makes links")
def test_only_runs_of_the_folder_itself_are_found(finished: Path, tmp_path: Path) -> None:
    inside = tmp_path / "runs"
    begin(inside / "a", settings())
    begin(inside / ".hidden", settings())
    (inside / "empty").mkdir()
    (inside / "file").write_text("no run")
    (inside / "linked").symlink_to(finished)
    (inside / "within").symlink_to(inside / "a")
    assert run_names(inside) == ["a", "within"]
    assert run_folder(inside, "a") == inside / "a"
    for name in (
        "linked",
        ".hidden",
        "empty",
        "file",
        "b",
        "",
        ".",
        "..",
        "../runs/a",
        "a/",
        "a\0",
        str(finished),
    ):
        assert run_folder(inside, name) is None, name
    assert run_names(tmp_path / "nowhere") == []
    assert run_folder(tmp_path / "nowhere", "a") is None


def test_what_went_wrong_is_heard_even_where_nothing_can_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    with pytest.raises(RecordError, match="the cause"), StatusFile(folder) as status, Watch(folder) as watch:
        status(Event("text", "begun"))
        watch(Event("row", "a row", {"iteration": 1}))
        RunDirectory(folder).append("metrics.jsonl", {"iteration": 1})
        shutil.rmtree(folder)
        raise RecordError("the cause")
