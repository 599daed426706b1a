"""Importing wuzi is light, and its public names are the ones written down."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import wuzi

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden" / "api.txt"

HEAVY = {"numpy", "numba", "llvmlite", "onnxruntime", "matplotlib", "fastapi", "rich", "torch"}


def modules_after(statement: str) -> set[str]:
    code = f"import sys, json\n{statement}\nsys.__stdout__.write('\\n' + json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": ""},
    )
    return set(json.loads(done.stdout.rsplit("\n", 1)[1]))


@pytest.mark.parametrize(
    "statement",
    ["import wuzi; wuzi.errors.WuziError; wuzi.__version__", "import wuzi; dir(wuzi)"],
)
def test_import_wuzi_is_light(statement: str) -> None:
    loaded = modules_after(statement)
    assert not loaded & HEAVY
    light = {"wuzi.errors", "wuzi.base", "wuzi.base.imports"}
    assert {name for name in loaded if name.startswith("wuzi.")} <= light


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["nonsense"], []])
def test_help_imports_nothing_of_the_core(arguments: list[str]) -> None:
    loaded = modules_after(f"from wuzi.apps.cli import main\nmain({arguments!r})")
    assert not loaded & HEAVY
    assert not [name for name in loaded if name.startswith(("wuzi.core", "wuzi.players", "wuzi.contract"))]


LIGHT = [["players"], ["doctor"], ["models", "list"], ["config"], ["config", "show"], ["config", "path"]]


@pytest.mark.parametrize("arguments", LIGHT, ids=" ".join)
def test_a_list_imports_no_kernel_and_no_web_framework(arguments: list[str]) -> None:
    loaded = modules_after(f"from wuzi.apps.cli import main\nmain({arguments!r})")
    assert not loaded & {"numba", "onnxruntime", "matplotlib", "fastapi", "torch", "uvicorn"}
    assert not [name for name in loaded if name.startswith("wuzi.") and name.endswith("kernels")]


def public_names() -> list[str]:
    return [
        f"{module}.{name}" for module in PUBLIC for name in sorted(importlib.import_module(module).__all__)
    ]


PUBLIC = (
    "wuzi",
    "wuzi.analysis",
    "wuzi.arena",
    "wuzi.core",
    "wuzi.envs",
    "wuzi.nets",
    "wuzi.torch_nets",
    "wuzi.training",
    "wuzi.players",
    "wuzi.records",
    "wuzi.analysis.review",
    "wuzi.games",
    "wuzi.tactics",
)


def test_public_api_is_the_written_one() -> None:
    """A change here is a change of the public API: write it into the changelog, then into the golden file."""
    assert public_names() == GOLDEN.read_text(encoding="utf-8").split()


def test_names_of_wuzi_are_sorted_and_exist() -> None:
    assert list(wuzi.__all__) == sorted(wuzi.__all__)
    for name in wuzi.__all__:
        assert getattr(wuzi, name) is not None


def test_packages_are_reached_through_wuzi() -> None:
    code = "import wuzi; print(wuzi.core.Game, wuzi.envs.ArrayEnv, wuzi.records.draw_game)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_lazy_name_is_no_module_of_its_package() -> None:
    """The module would take the name's place as soon as something imports it."""
    for stub in (ROOT / "src" / "wuzi").rglob("__init__.pyi"):
        package = ".".join(stub.parent.relative_to(ROOT / "src").parts)
        for name in importlib.import_module(package).__all__:
            is_module = (stub.parent / f"{name}.py").exists() or (stub.parent / name).is_dir()
            assert not is_module or package == "wuzi", f"{package}.{name}"


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'board'"):
        _ = wuzi.board  # type: ignore[attr-defined]


def test_the_example_of_the_readme() -> None:
    game = wuzi.Game(wuzi.Rules(size=15)).play("h8").play("j9")
    with wuzi.player("random:seed=1") as player:
        result = player.think(game, wuzi.Limit(time_s=1))
    assert game.play(result.move).ply == 3
