"""The configuration file, and what the doctor says."""

from __future__ import annotations

import json
import socket
import tempfile
from pathlib import Path

import pytest

from wuzi.apps.cli import main
from wuzi.core import kernel_cache


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WUZI_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("WUZI_DATA_DIR", str(tmp_path / "data"))
    return tmp_path


def test_defaults_come_from_the_file_and_the_command_line_wins(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "config.toml").write_text("[perft]\nsize = 4\nwin_length = 4\ndepth = 1\njson = true\n")
    assert main(["perft"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["size"], answer["win_length"], answer["nodes"]) == (4, 4, [16])
    assert main(["perft", "--size", "5"]) == 0
    assert json.loads(capsys.readouterr().out)["size"] == 5


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[perft]\nsise = 4\n", "unknown key 'sise' in [perft]: expected one of"),
        ("[perf]\nsize = 4\n", "unknown table [perf]: expected one of play"),
        ("size = 4\n", "expected a table such as [play]"),
        ("[perft\n", "config.toml"),
    ],
)
def test_a_wrong_file_is_an_error(
    folder: Path, content: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "config.toml").write_text(content)
    assert main(["perft", "--depth", "1"]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1


def test_subcommands_have_tables_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "config.toml").write_text('[models.test]\nnet = "none"\n')
    assert main(["models", "test"]) == 2
    assert "no net 'none'" in capsys.readouterr().err


def test_init_creates_a_file_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "init"]) == 0
    made = folder / "config.toml"
    assert capsys.readouterr().out.strip() == str(made)
    assert main(["config", "init"]) == 2
    assert "--force" in capsys.readouterr().err
    made.write_text("[play]\nsize = 9\n")
    assert main(["config", "show", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"play": {"size": 9}}
    assert main(["config", "init", "--force"]) == 0
    assert main(["config", "show"]) == 0
    assert "size" not in capsys.readouterr().out


def test_the_template_is_valid_when_uncommented(folder: Path) -> None:
    assert main(["config", "init"]) == 0
    made = folder / "config.toml"
    lines = [line.removeprefix("# ") for line in made.read_text().splitlines() if "=" in line or "[" in line]
    made.write_text("\n".join(lines) + "\n")
    for command in ("play", "serve"):
        assert main([command, "--help"]) == 0


def test_path_names_all_places(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "path", "--json"]) == 0
    places = json.loads(capsys.readouterr().out)
    assert places["config"] == str(folder / "config.toml")
    assert places["data"] == str(folder / "data")
    assert Path(places["kernels"]).is_absolute()


@pytest.mark.slow
def test_doctor_finds_a_taken_port_and_an_unwritable_folder(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").write_text("")
    monkeypatch.setenv("WUZI_DATA_DIR", str(folder / "file" / "data"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["doctor", "--port", str(port), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    found = {finding["name"]: finding for finding in answer["findings"]}
    assert found["port"]["state"] == "note"
    assert f"--port {port + 1}" in found["port"]["text"]
    assert found["data folder"]["state"] == "problem"
    assert found["numpy"]["state"] == "ok"
    assert answer["problems"] >= 1


@pytest.mark.slow
def test_doctor_says_where_kernels_are(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").touch()
    (folder / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "temporary"))

    def kernels() -> dict[str, str]:
        kernel_cache.cache_dir.cache_clear()
        kernel_cache.wanted_dir.cache_clear()
        main(["doctor", "--json"])
        findings = json.loads(capsys.readouterr().out)["findings"]
        return next(found for found in findings if found["name"] == "kernels")

    def kept_in(place: Path) -> None:
        monkeypatch.setenv("WUZI_CACHE_DIR", str(place))

    try:
        kept_in(folder / "cache")
        assert (kernels()["state"], kernels()["text"][:16]) == ("note", "not compiled yet")
        kernel_cache.cache_dir().mkdir(parents=True)
        (kernel_cache.cache_dir() / "complete").touch()
        assert kernels() == {
            "name": "kernels",
            "state": "ok",
            "text": f"compiled, in {kernel_cache.cache_dir()}",
        }
        monkeypatch.setattr(kernel_cache, "can_be_made", lambda folder: False)
        assert kernels()["text"].endswith(" (read only)")
        kept_in(folder / "elsewhere")
        assert (kernels()["state"], "every process compiles" in kernels()["text"]) == ("problem", True)
        monkeypatch.undo()
        monkeypatch.setattr(tempfile, "tempdir", str(folder / "temporary"))
        kept_in(folder / "file")
        found = kernels()
        assert found["state"] == "note"
        assert (
            f"{folder / 'file'}" in found["text"]
            and f"not compiled yet in {folder / 'temporary'}" in found["text"]
        )
    finally:
        kernel_cache.cache_dir.cache_clear()
        kernel_cache.wanted_dir.cache_clear()


@pytest.mark.slow
def test_doctor_says_one_line_each(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor"])
    lines = capsys.readouterr().out.splitlines()
    assert all(line[:2] in ("ok", "--", "!!") for line in lines[:-1])
    assert "problem" in lines[-1]
