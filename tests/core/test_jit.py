"""The kernel cache: what it is keyed by, that it is complete, and that the next process can load it."""

from __future__ import annotations

import ast
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wuzi.core import jit

SOURCE = Path(jit.PACKAGE_ROOT).parent

# Loads every kernel, reports the progress and the cache's hits and misses, and plays a recursive kernel.
WARM = """
import json
from wuzi.core import jit
seen = []
jit.warm(lambda done, total, name: seen.append((done, total, name)))
from wuzi.core import Game, Rules
game = Game.from_moves(Rules(size=9, rule="renju"), "e5 a1 f5 a3 g6 a5 g7 a7".split())
stats = [kernel.stats for kernel in jit.KERNELS]
print(json.dumps({
    "seen": seen,
    "total": jit.num_kernels(),
    "overloads": [len(kernel.signatures) for kernel in jit.KERNELS],
    "hits": sum(sum(s.cache_hits.values()) for s in stats),
    "misses": sum(sum(s.cache_misses.values()) for s in stats),
    "kind": game.position.forbidden_kind("g5").label,
    "warm": jit.is_warm(),
}))
"""


WARM_ONCE = """
from wuzi.core import jit
jit.warm_once()
jit.warm()
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in jit.KERNELS))
"""


def warm_in_a_new_process(**env: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", WARM],
        env={**os.environ, "PYTHONPATH": str(SOURCE), **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    return result


def check(result: dict[str, object]) -> None:
    total = result["total"]
    assert isinstance(total, int)
    seen = result["seen"]
    assert isinstance(seen, list)
    assert [done for done, _, _ in seen] == list(range(1, total + 1))
    assert {of for _, of, _ in seen} == {total}
    assert len({name for _, _, name in seen}) == total, "every kernel has a name of its own"
    assert result["overloads"] == [1] * total
    assert result["kind"] == "double_three"
    assert result["warm"] is True


@pytest.mark.kernels
def test_the_next_process_tells_of_every_kernel_and_compiles_none() -> None:
    jit.warm()
    result = warm_in_a_new_process()
    check(result)
    assert (result["hits"], result["misses"]) == (result["total"], 0)


@pytest.mark.slow
@pytest.mark.kernels
def test_a_cold_cache_is_filled_by_one_of_many_and_the_process_after_them(tmp_path: Path) -> None:
    """Workers that start on a new machine all at once compile each kernel once between them."""
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "WUZI_CACHE_DIR": str(tmp_path)}
    started = [
        subprocess.Popen([sys.executable, "-c", WARM_ONCE], env=env, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    *others, compiled = sorted(int(process.communicate(timeout=1800)[0]) for process in started)
    assert others == [0, 0]
    # A second process compiles from the other end wherever there is a processor for it.
    assert (0 < compiled < jit.num_kernels()) if jit.processors() > 1 else (compiled > 0)
    (folder,) = (tmp_path / "kernels").iterdir()
    assert (folder / "complete").exists()
    again = warm_in_a_new_process(WUZI_CACHE_DIR=str(tmp_path))
    check(again)
    assert (again["hits"], again["misses"]) == (again["total"], 0)
    assert list((tmp_path / "kernels").iterdir()) == [folder]


@pytest.mark.kernels
def test_every_kernel_has_one_overload_and_a_hashed_source() -> None:
    jit.warm()
    sources = set(jit.kernel_sources())
    assert len(jit.KERNELS) >= jit.num_kernels()
    for kernel in jit.KERNELS:
        assert len(kernel.signatures) == 1, kernel.__name__
        assert Path(kernel.py_func.__code__.co_filename).resolve() in sources, kernel.__name__


def test_kernels_use_nothing_whose_source_is_not_hashed() -> None:
    """A constant from any other file would be frozen into the cached machine code."""
    sources = [path.relative_to(jit.PACKAGE_ROOT).with_suffix("") for path in jit.kernel_sources()]
    hashed = {".".join(("wuzi", *source.parts)) for source in sources}
    allowed = hashed | {"numpy", "numba", "__future__", "math"}
    for path in jit.kernel_sources():
        if not path.name.endswith("kernels.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert set(names) <= allowed, path


def test_sources_and_modules_are_in_layer_order() -> None:
    sources = [path.relative_to(jit.PACKAGE_ROOT).as_posix() for path in jit.kernel_sources()]
    assert {"core/kernels.py", "core/layout.py", "tactics/kernels.py", "tactics/layout.py"} <= set(sources)
    assert "core/jit.py" in sources
    order = ["core", "tactics", "evaluators", "search", "envs", "training"]
    ranks = [order.index(source.split("/")[0]) for source in sources]
    assert ranks == sorted(ranks)
    modules = jit.kernel_modules()
    assert modules[0] == "wuzi.core.kernels"
    assert all(importlib.util.find_spec(module) for module in modules)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package folder of its own for the cache to look at."""
    folder = tmp_path / "wuzi"
    (folder / "core").mkdir(parents=True)
    for name in ("kernels.py", "layout.py"):
        (folder / "core" / name).write_text(f"# {name}\n")
    monkeypatch.setattr(jit, "PACKAGE_ROOT", folder)
    monkeypatch.setattr(jit, "kernel_sources", lambda: tuple(sorted(folder.rglob("*.py"))))
    return folder


def cache_dir() -> Path:
    found: Path = jit.cache_dir.__wrapped__()
    return found


@pytest.mark.parametrize("name", ["kernels.py", "layout.py"])
def test_an_edited_source_has_another_cache(package: Path, name: str) -> None:
    before = cache_dir()
    assert cache_dir() == before
    path = package / "core" / name
    text = path.read_text()
    path.write_text(text + " ")
    assert cache_dir() != before
    path.write_text(text)
    assert cache_dir() == before


def test_a_renamed_or_added_source_has_another_cache(package: Path) -> None:
    before = cache_dir()
    added = package / "core" / "more_kernels.py"
    added.write_text("")
    assert cache_dir() != before
    added.unlink()
    (package / "core" / "kernels.py").rename(added)
    assert cache_dir() != before


@pytest.mark.parametrize(("flag", "value"), [("BOUNDSCHECK", 1), ("OPT", 1), ("CPU_NAME", "generic")])
def test_other_flags_have_another_cache(
    package: Path, monkeypatch: pytest.MonkeyPatch, flag: str, value: object
) -> None:
    before = cache_dir()
    monkeypatch.setattr(jit.config, flag, value)
    assert cache_dir() != before


def test_the_cache_is_where_it_was_asked_to_be(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WUZI_CACHE_DIR", str(tmp_path / "elsewhere"))
    asked = cache_dir()
    assert asked.parent == tmp_path / "elsewhere" / "kernels"
    monkeypatch.delenv("WUZI_CACHE_DIR")
    assert cache_dir().name == asked.name
    assert cache_dir().parent != asked.parent


def test_counting_kernels_without_importing_them(package: Path) -> None:
    (package / "core" / "kernels.py").write_text(
        "@kernel(int64(int64))\ndef one(x):\n    return x\n\n\n"
        "@kernel(\n    void(int64)\n)\ndef two(x):\n    pass\n"
    )
    assert jit.num_kernels() == 2
