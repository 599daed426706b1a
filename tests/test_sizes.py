"""Sizes: counted by room, and a room over its cap is an error that names it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import sizes

CAPS = """
[lines]
"src/wuzi" = { cap = 4, aim = 1 }
"scripts + research" = { cap = 9, aim = 9 }

[megabytes]
"docs" = { cap = 0.001, aim = 0 }

[archives]
"wuzi-*.whl" = { cap = 0.001, aim = 0 }
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name, text in (
        ("src/wuzi/core/rules.py", "one\ntwo\n\n"),
        ("src/wuzi/errors.py", "four\n"),
        ("src/wuzi/wire/generated.ts", "no\n" * 99),
        ("src/wuzi/core/words.json", "no\n" * 99),
        ("scripts/a.py", "one\n"),
        ("research/deep/b.py", "two\n"),
        ("docs/page.md", "x" * 1000),
        ("sizes.toml", CAPS),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_rooms_are_counted(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sizes.main(["--root", str(clone)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["src/wuzi", "4", "4", "1"] in rows and ["core", "3"] in rows
    assert ["scripts", "+", "research", "2", "9", "9"] in rows


@pytest.mark.parametrize(
    ("name", "room"),
    [("src/wuzi/core/more.py", "src/wuzi: 5.0: expected at most 4"), ("docs/b.md", "docs, MB")],
)
def test_a_room_over_its_cap_is_named(
    clone: Path, name: str, room: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (clone / name).write_text("five\n")
    assert sizes.main(["--root", str(clone)]) == 1
    assert room in capsys.readouterr().err


def test_archives_are_weighed(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="no wuzi-"):
        sizes.main(["--root", str(clone), "--dist", str(clone / "docs")])
    (clone / "docs" / "wuzi-1.whl").write_bytes(b"")
    assert sizes.main(["--root", str(clone), "--dist", str(clone / "docs")]) == 0
    (clone / "wuzi-1.whl").write_bytes(b"x" * 1001)
    assert sizes.main(["--root", str(clone), "--dist", str(clone)]) == 1
    assert "wuzi-*.whl, MB" in capsys.readouterr().err


def test_every_room_of_the_repository_has_a_cap_and_an_aim() -> None:
    for group in tomllib.loads((sizes.ROOT / "sizes.toml").read_text("utf-8")).values():
        for bounds in group.values():
            assert bounds.keys() == {"cap", "aim"} and bounds["aim"] <= bounds["cap"]
