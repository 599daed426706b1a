"""The frame of the command line: commands, exit codes, one-line errors."""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wuzi.apps.cli import frame, main
from wuzi.errors import (
    ConfigError,
    IllegalMoveError,
    MissingExtraError,
    NotationError,
    PlayerCrashed,
    RecordError,
    UnsupportedError,
    WuziError,
)

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize("name", list(frame.COMMANDS))
def test_every_command_loads_and_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"Usage: wuzi {name}")
    module = importlib.import_module(f"wuzi.apps.cli.{frame.COMMANDS[name].target.partition(':')[0]}")
    assert (module.__doc__ or "").strip()


def test_help_lists_all_commands_with_their_summaries(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == main(["--help"]) == 0
    shown = capsys.readouterr().out
    for name, command in frame.COMMANDS.items():
        assert f"  {name} " in shown
        assert command.summary.split()[0] in shown


@pytest.mark.parametrize(
    "name", [name for name, one in frame.COMMANDS.items() if one.target.endswith(":app")]
)
def test_help_of_a_group_has_whole_summaries(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert main([name, "--help"]) == 0
    shown = capsys.readouterr().out.partition("Commands:")[2]
    assert "..." not in shown
    for command in re.findall(r"^  (\S+)", shown, re.M):
        assert main([name, command, "--help"]) == 0
        summary = capsys.readouterr().out.partition("\n\n")[2].partition("\n\n")[0]
        assert " ".join(summary.split()) in " ".join(shown.split())


def sections(shown: str) -> dict[str, list[str]]:
    """The long options of a help by the headings they stand under, in order."""
    parts = re.split(r"^(\S.*):$", shown, flags=re.M)
    return {
        title: re.findall(r"^  (?:-\w, )?--([\w-]+)", text, re.M)
        for title, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def test_help_groups_options_as_their_dataclasses_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "--help"]) == 0
    found = sections(capsys.readouterr().out)
    assert list(found) == [
        *("Arguments", "Board and rule", "Time and search limits", "Games and openings"),
        *("Where games are played", "Statistical test", "Output", "Options"),
    ]
    assert found["Statistical test"] == ["sprt"]
    assert found["Options"] == ["help"]
    assert {"time", "clock", "tolerance"} <= {*found["Time and search limits"]}
    assert {"games", "openings", "seed"} <= {*found["Games and openings"]}
    assert main(["tournament", "--help"]) == 0
    assert sections(capsys.readouterr().out)["Players"] == ["player", "gauntlet", "ladder"]


def test_help_has_a_word_for_the_text_that_an_option_takes(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = {"train": ["--preset PRESET "], "convert": ["--from FORMAT ", "--to FORMAT "]}
    for name in frame.COMMANDS:
        assert main([name, "--help"]) == 0
        options = re.findall(r"^  -.*", capsys.readouterr().out, re.M)
        assert not [line for line in options if "<str>" in line or "<list[str]>" in line]
        assert all(any(text in line for line in options) for text in wanted.get(name, ()))


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("wuzi 0.")


@pytest.mark.parametrize(
    "arguments",
    [
        ["plya"],
        ["--nonsense"],
        ["perft"],
        ["perft", "--depth", "x"],
        ["perft", "--depth", "0"],
        ["play", "a"],
    ],
)
def test_wrong_usage_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert "Error: " in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["perft", "--depth", "1", "--size", "2"], "board size 2: expected 3 to 26"),
        (["perft", "--depth", "1", "--rule", "renju", "--win-length", "6"], "renju needs five"),
        (["play", "--player", "nobody"], "unknown player 'nobody': expected one of random"),
        (["play", "--player", "random:sede=1"], "sede"),
    ],
)
def test_bad_input_is_one_line_and_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("wuzi: error: ")
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_a_wrong_number_is_told_in_plain_words(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, text in (
        (["--size", "abc"], "'--size': expected a whole number"),
        (["--depth", "0"], "'--depth': expected at least 1"),
    ):
        assert main(["perft", "--depth", "1", *arguments]) == 2
        assert text in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "option", "first"),
    [
        (["perft", "--depth", "1", "--rule", "chess"], "--rule", "freestyle"),
        (["play", "--first", "you"], "--first", "me"),
        (["play", "--opening", "swap3"], "--opening", "free"),
        (["match", "weight", "random", "--lang", "fr"], "--lang", "en"),
        (["match", "weight", "random", "--executor", "cloud"], "--executor", "local"),
    ],
)
def test_a_wrong_choice_names_the_option_and_the_choices(
    arguments: list[str], option: str, first: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr().err
    assert f"Invalid value for '{option}': '{arguments[-1]}' is not one of '{first}'" in shown


def every_parameter() -> list[tuple[str, Any]]:
    """All options and arguments of all commands, each with the command it belongs to."""

    def walk(path: str, command: Any) -> Iterator[tuple[str, Any]]:
        for parameter in command.params:
            yield path, parameter
        for name, child in getattr(command, "commands", {}).items():
            yield from walk(f"{path} {name}", child)

    return [found for name, lazy in frame.COMMANDS.items() for found in walk(name, lazy.load(name))]


def test_every_help_line_is_a_sentence_of_its_own() -> None:
    wrong = []
    for path, parameter in every_parameter():
        text = (parameter.help or "").strip()
        if parameter.name == "help":
            continue
        if len(text.split()) < 3 or not text[0].isupper() or not text.endswith((".", ")")):
            wrong.append(f"{path} {parameter.opts[0]}: {text!r}")
    assert not wrong


def test_h_is_help_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["-h"], ["match", "-h"], ["models", "-h"], ["models", "test", "-h"]):
        assert main(arguments) == 0
        assert capsys.readouterr().out.startswith("Usage: wuzi")


def test_a_missing_file_is_one_line_and_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--player", "random", "--load", "nowhere/game.sgf"]) in (1, 2)
    shown = capsys.readouterr().err
    assert "nowhere/game.sgf" in shown
    assert shown.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("x"), 2),
        (UnsupportedError("x"), 2),
        (NotationError("x"), 2),
        (RecordError("x"), 2),
        (IllegalMoveError("x"), 1),
        (PlayerCrashed("x"), 1),
        (MissingExtraError("report", "matplotlib"), 1),
        (WuziError("x"), 1),
    ],
)
def test_exit_codes_of_errors(error: WuziError, code: int) -> None:
    assert frame.exit_code(error) == code


def test_perft_in_json_is_the_published_count(wuzi_command: Run) -> None:
    done = wuzi_command("perft", "--size", "3", "--win-length", "3", "--depth", "9", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["nodes"] == [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert answer["finished"] == 255_168


def test_perft_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "--size", "4", "--depth", "2"]) == 0
    assert "240" in capsys.readouterr().out


def test_players_are_listed_with_their_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["players"]) == 0
    shown = capsys.readouterr().out
    for name in ("random", "weight", "minimax", "mcts", "external"):
        assert f"\n{name} " in f"\n{shown}"
    assert main(["players", "random"]) == 0
    assert "seed=0" in capsys.readouterr().out


def test_players_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["players", "--json"]) == 0
    listed: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert {"random", "minimax", "mcts"} <= {player["name"] for player in listed}
    assert all(player["summary"]["zh"] for player in listed)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no pipes that close like this")
@pytest.mark.may_skip
def test_a_reader_that_leaves_is_no_traceback() -> None:
    code = "import sys\nfrom wuzi.apps.cli import main\nsys.exit(main(['players', '--json']))"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as child:
        assert child.stdout is not None and child.stderr is not None
        child.stdout.close()
        said = child.stderr.read()
        assert child.wait(60) == 1
    assert said == ""


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_closed_streams_are_no_traceback(closed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python has None in the place of a stream that was closed by ``>&-``."""
    monkeypatch.setattr(sys, closed, None)
    assert main(["players", "--json"]) == 0
    assert main(["perft", "--size", "2"]) == 2
    getattr(sys, closed).close()


@pytest.mark.skipif(os.name == "nt", reason="signals differ")
@pytest.mark.may_skip
def test_ctrl_c_is_130(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "WUZI_DATA_DIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-m", "wuzi", "play", "--player", "random", "--size", "5", "--win-length", "4"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
        env={**env, "PYTHONUNBUFFERED": "1"},
    ) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write("c3\n")
        child.stdin.flush()
        while not (line := child.stdout.readline()).startswith("random: "):
            assert line, "the game ended early"
        child.send_signal(signal.SIGINT)
        rest, said = child.communicate(timeout=60)
        assert child.returncode == 130, (rest, said)
    assert "Traceback" not in said
    assert (tmp_path / "unfinished.sgf").is_file()


def test_completion_lists_commands_and_their_options(wuzi_command: Run) -> None:
    def complete(line: str) -> str:
        env = {"_WUZI_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        return wuzi_command(**env).stdout

    assert complete("wuzi per").split() == ["perft"]
    assert "--win-length" in complete("wuzi perft --win")
    assert complete("wuzi perft --rule ren").split() == ["renju"]
