"""``wuzi engines``: adding, probing, listing and removing, with a real program."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from wuzi.apps.cli.frame import main
from wuzi.players.engines_file import load_engines

FAKE = Path(__file__).resolve().parents[2] / "players" / "fake_engine.py"


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WUZI_CONFIG_DIR", str(tmp_path))
    return tmp_path / "engines.toml"


def command(mode: str) -> str:
    return shlex.join([sys.executable, str(FAKE), mode])


def test_added_probed_listed_and_removed(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text('# mine\n[engines]\nold = "python3 old.py" # stays\n')
    assert (
        main(["engines", "add", "fake", "--cmd", command("good"), "--rule", "freestyle", "--max-size", "15"])
        == 0
    )
    text = config.read_text()
    assert text.startswith("# mine\n[engines]\n") and "# stays" in text
    engine = load_engines()["fake"]
    assert (engine.command[1:], engine.max_size, len(engine.rules)) == ((str(FAKE), "good"), 15, 1)
    capsys.readouterr()
    assert main(["engines", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [one["spec"] for one in listed] == ["external:name=old", "external:name=fake"]
    assert main(["engines", "probe", "fake", "--time", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["error"] is None and found["move"] and found["size"] == 15
    assert found["about"]["name"]
    assert main(["engines", "remove", "fake"]) == 0
    assert list(load_engines()) == ["old"] and "# stays" in config.read_text()
    assert [path.name for path in config.parent.iterdir()] == ["engines.toml"]


@pytest.mark.parametrize("mode", ["dead", "deaf"])
def test_a_probe_says_what_is_wrong(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engines", "add", "bad", "--cmd", command(mode)]) == 0
    assert main(["engines", "probe", "bad", "--start", "1"]) == 1
    out = capsys.readouterr().out
    assert "failed:" in out and "move " not in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "a b", "--cmd", "python3"], "engine name 'a b'"),
        (["add", "../x", "--cmd", "python3"], "engine name"),
        (["add", "x,file=y", "--cmd", "python3"], "engine name"),
        (["add", "x", "--cmd", "./no-such-program"], "no program that can be run"),
        (["add", "x", "--cmd", "python3", "--rule", "chess"], "chess"),
        (["add", "x", "--cmd", "python3", "--min-size", "30"], "min_size"),
        (["add", "there", "--cmd", "python3"], "--replace"),
        (["remove", "nobody"], "unknown engine 'nobody': expected one of there"),
        (["probe", "nobody"], "unknown engine 'nobody'"),
    ],
)
def test_what_is_refused_leaves_the_file_alone(
    config: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text('[engines.there]\ncommand = ["python3"]\n')
    before = config.read_bytes()
    assert main(["engines", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert config.read_bytes() == before


def test_a_broken_file_is_not_made_worse(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text("[engines\n")
    assert main(["engines", "add", "x", "--cmd", "python3"]) == 2
    assert config.read_text() == "[engines\n"
    assert str(config) in capsys.readouterr().err
