"""``wuzi solve`` and ``wuzi tactics`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wuzi.apps.cli import main
from wuzi.core import Game, Rules, parse_moves
from wuzi.tactics.suite import PuzzleTheme, load_suite

pytestmark = pytest.mark.kernels

FIELDS = ["id", "result", "moves", "plies", "nodes", "time_s"]


@pytest.fixture(autouse=True)
def own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WUZI_CONFIG_DIR", str(tmp_path))


def answers(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    assert main(["solve", *arguments, "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_win_by_fours_as_json_and_text(capsys: pytest.CaptureFixture[str]) -> None:
    puzzle = next(p for p in load_suite([PuzzleTheme.VCF]) if p.rules == Rules())
    moves = " ".join(f"{move % 15},{move // 15}" for move in puzzle.moves)
    (answer,) = answers(capsys, "--kind", "vcf", "--moves", moves)
    assert list(answer) == FIELDS
    assert answer["result"] == "win"
    line = parse_moves(" ".join(answer["moves"]), 15)  # type: ignore[arg-type]
    assert answer["moves"] == [str(move) for move in line]
    assert answer["plies"] == len(line) == len(puzzle.line)
    game = Game.from_moves(Rules(), [*parse_moves(moves, 15), *line])
    assert game.outcome is None or game.outcome.winner is not None
    assert main(["solve", "--kind", "vct", "--moves", moves]) == 0
    assert capsys.readouterr().out.startswith("win in ")


def test_exact_values(capsys: pytest.CaptureFixture[str]) -> None:
    (answer,) = answers(capsys, "--kind", "exact", "--size", "4", "--win-length", "4")
    assert (answer["result"], answer["moves"], answer["plies"]) == ("draw", [], 0)
    (answer,) = answers(capsys, "--kind", "exact", "--size", "4", "--win-length", "3", "--moves", "1,1")
    assert answer["result"] == "loss"
    (answer,) = answers(capsys, "--kind", "exact", "--size", "7", "--win-length", "5", "--nodes", "50")
    assert answer["result"] == "unknown"


def test_a_file_of_positions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "positions.jsonl"
    rows = [
        {"id": "a", "size": 15, "rule": "freestyle", "moves": "7,7 0,0 8,7 2,0 9,7 4,0"},
        {"id": 7, "size": 9, "rule": "renju", "moves": ["4,4", "0,0"]},
        {"id": "c", "size": 8, "win_length": 4, "rule": "standard", "moves": "3,3 0,0 4,3 0,7"},
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n")
    found = answers(capsys, "--kind", "vcf", "--positions", str(path), "--nodes", "1000", "--time", "5")
    assert [(answer["id"], answer["result"]) for answer in found] == [
        ("a", "win"),
        (7, "none"),
        ("c", "win"),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--moves", "7,7 7,7"], "is occupied"),
        (["--moves", "7,7 15,3"], "is no cell of a 15x15 board"),
        (["--rule", "caro"], "an open four can be stopped"),
        (["--kind", "exact"], "boards up to 8x8 only"),
        (["--win-length", "6"], "made for 4 and 5 only"),
        (["--moves", "7,7", "--positions", "x"], "expected one of them"),
        (["--positions", "nowhere.jsonl"], "cannot be read"),
        (["--size", "5", "--moves", "0,0 0,1 1,0 1,1 2,0 2,1 3,0 3,1 4,0"], "the game is over"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["solve", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "line 2: 'nonsense' is no JSON object"),
        ("[1]", "is no JSON object"),
        ('{"size": "big"}', "size is 'big': expected a whole number"),
        ('{"size": 99}', "board size 99"),
        ('{"rule": 4}', "rule is 4: expected a text"),
        ('{"moves": 7}', "expected a text like"),
        ('{"moves": "7,7 7,7"}', "line 2: "),
    ],
)
def test_bad_files_name_the_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, line: str, said: str
) -> None:
    path = tmp_path / "positions.jsonl"
    path.write_text('{"moves": "7,7"}\n' + line + "\n")
    assert main(["solve", "--positions", str(path)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "line 2" in error
    path.write_text("\n")
    assert main(["solve", "--positions", str(path)]) == 2
    assert "no positions" in capsys.readouterr().err


def test_scores_on_the_suite(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tactics", "--first", "2", "--nodes", "100000", "--missed"]) == 0
    table = capsys.readouterr().out
    assert all(theme in table for theme in ("vcf", "vct", "no_vcf", "no_vct", "defence"))
    arguments = [
        "tactics",
        "--player",
        "random",
        "--theme",
        "vcf",
        "--rule",
        "renju",
        "--first",
        "3",
        "--json",
    ]
    assert main(arguments) == 0
    (band,) = json.loads(capsys.readouterr().out)["bands"][:1]
    assert band["theme"] == "vcf"
    assert main(["tactics", "--theme", "mate"]) == 2
    assert "--theme 'mate': expected one of" in capsys.readouterr().err


def test_answers_in_a_file_are_not_searched_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    problems, out = tmp_path / "problems.jsonl", tmp_path / "answers.jsonl"
    rows = [{"id": name, "size": 9, "moves": "4,4 0,0"} for name in ("a", 7, "c")]
    problems.write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = ("--positions", str(problems), "--nodes", "50", "--out", str(out))
    assert [answer["id"] for answer in answers(capsys, *asked)] == ["a", 7, "c"]
    whole = out.read_text().splitlines(keepends=True)
    out.write_text("".join(whole[:2]) + whole[2][:9])  # killed while it wrote
    assert [answer["id"] for answer in answers(capsys, *asked)] == ["c"]
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["a", 7, "c"]
    assert answers(capsys, *asked) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full disk at hand")
@pytest.mark.may_skip
def test_a_full_disk_is_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--size", "9", "--moves", "e5 e6", "--nodes", "50", "--out", "/dev/full"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "/dev/full" in said
