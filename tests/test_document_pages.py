"""The pages that map the documents name only modules, tests, files, options and commands that exist."""

from __future__ import annotations

import ast
import importlib
import itertools
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from research.__main__ import parser
from wuzi.apps.cli.frame import COMMANDS
from wuzi.players import create_player
from wuzi.training import list_presets, load_preset, make_plan

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs" / "documents").glob("*.md"))
CODE = re.compile(r"`([^`]+)`")
pytestmark = pytest.mark.kernels


def named(page: Path) -> list[str]:
    """What stands in backticks outside of the first column, which is in the document's words."""
    found = []
    for line in page.read_text("utf-8").splitlines():
        found += CODE.findall(line.split(" | ", 1)[-1] if line.startswith("|") else line)
    return found


def resolve(name: str) -> Any:
    """The object of a dotted name, a module or something in one; fields of dataclasses count."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[cut:]:
            if attribute in getattr(found, "__dataclass_fields__", {}):
                return found
            found = getattr(found, attribute)
        return found
    raise AssertionError(f"{name}: no such module")


@cache
def functions_of(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@cache
def command(name: str) -> Any:
    return COMMANDS[name].load(name)


def check_command(line: str) -> None:
    words = shlex.split(line)[1:]
    found = command(words[0])
    rest = words[1:]
    while rest and rest[0] in getattr(found, "commands", {}):
        found, rest = found.commands[rest[0]], rest[1:]
    context = typer.Context(found, info_name=line)
    options = {name for parameter in found.get_params(context) for name in parameter.opts}
    for word in rest:
        assert not word.startswith("-") or word in options, f"{line}: no option {word}"
        assert not word.endswith(".toml") or (ROOT / word).is_file(), f"{line}: no file {word}"
    pairs = list(itertools.pairwise(rest))
    if words[0] == "train":
        preset = next((value for key, value in pairs if key == "--preset"), "quick")
        make_plan(preset, assignments=[value for key, value in pairs if key == "--set"])


def check_research(line: str) -> None:
    words = shlex.split(line)[3:]
    for word in words:
        assert not word.endswith(".toml") or (ROOT / word).is_file(), f"{line}: no file {word}"
    command, *options = words
    known = parser()._subparsers._group_actions[0].choices[command]  # type: ignore[union-attr,index]
    for word in options:
        assert not word.startswith("-") or word in known._option_string_actions, f"{line}: no option {word}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_name_is_something(page: Path) -> None:
    names = named(page)
    assert len(names) > 5
    for name in names:
        if name.startswith(("wuzi.", "research.")):
            assert resolve(name) is not None, name
        elif name.startswith("wuzi "):
            check_command(name)
        elif match := re.fullmatch(r"((?:tests|plugins)/[\w/.-]+\.py)(?:::(\w+))?", name):
            assert (ROOT / match[1]).is_file(), name
            assert match[2] is None or match[2] in functions_of(match[1]), name
        elif name.startswith("python -m research "):
            check_research(name)
        elif name.startswith(("frontend/", "deploy/", "research/", "docs/")):
            assert (ROOT / name).exists(), name
        elif match := re.match(r"python (scripts/\S+)", name):
            assert (ROOT / match[1]).is_file(), name
        elif re.match(r"(minimax|mcts|weight):", name):
            create_player(name).close()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_both_languages_name_the_same(page: Path) -> None:
    other = page.with_name(
        page.name.replace(".zh.md", ".md") if ".zh." in page.name else page.stem + ".zh.md"
    )
    assert named(page) == named(other)


def test_every_preset_of_the_documents_is_on_a_page() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    for preset in list_presets():
        if re.match(r"s\d-|s1$", preset.name):
            assert preset.name in text, preset.name
            assert load_preset(preset.name)
