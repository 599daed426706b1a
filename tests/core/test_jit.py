"""The kernel cache: what it is keyed by, that it is complete, and that the next process can load it."""

from __future__ import annotations

import ast
import ctypes
import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType, SimpleNamespace

import pytest

from wuzi.base.machine import processors
from wuzi.core import jit, kernel_cache

SOURCE = Path(jit.PACKAGE_ROOT).parent

# Loads every kernel, reports the progress and the cache's hits and misses, and plays a recursive kernel.
WARM = """
import json
from wuzi.core import jit
seen = []
jit.warm(lambda done, total, name: seen.append((done, total, name)), every=True)
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


# Imports every kernel of a complete cache, calls a few, one of them from a function compiled here.
LAZY = """
import importlib, json
import numba
import numpy as np
from wuzi.core import Game, Rules, jit
for module in jit.kernel_modules():
    importlib.import_module(module)
imported = len(jit.KERNELS)
from wuzi.core import random_kernels, rule_kernels
game = Game.from_moves(Rules(size=9, rule="renju"), "e5 a1 f5 a3 g6 a5 g7 a7".split())
kind = game.position.forbidden_kind("g5").label
try:
    rule_kernels.push("no state", 3)
except TypeError as error:
    refused = str(error)[:22]
walk = rule_kernels.walk
@numba.njit
def walked(state, moves, seed):
    return walk(state, moves, seed)
twin = [int(call(game.position.state(), 10, np.uint64(7))) for call in (walked, walk)]
stats = [kernel.stats for kernel in jit.KERNELS]
print(json.dumps({
    "imported": imported, "loaded": len(jit.KERNELS), "kind": kind, "refused": refused,
    "same": twin[0] == twin[1] > 0,
    "overloads": sorted({len(kernel.signatures) for kernel in jit.KERNELS}),
    "misses": sum(sum(s.cache_misses.values()) for s in stats),
}))
"""


# Many threads call the same kernels for the first time at once, while others load all of them.
THREADS = """
import importlib, json, threading
from wuzi.core import Game, Rules, jit
for module in jit.kernel_modules():
    importlib.import_module(module)
begin, plies = threading.Barrier(8), []
def first_call(number):
    begin.wait()
    if number % 4 == 3:
        jit.load_kernels(every=True)
    plies.append(Game(Rules(size=9)).play("e5").play("e6").ply)
threads = [threading.Thread(target=first_call, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
overloads = sorted({len(kernel.signatures) for kernel in jit.KERNELS})
print(json.dumps({"plies": plies, "loaded": len({*map(id, jit.KERNELS)}), "overloads": overloads}))
"""


def warm_in_a_new_process(**env: str) -> dict[str, object]:
    return in_a_new_process(WARM, **env)


def in_a_new_process(code: str, **env: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", code],
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


@pytest.mark.kernels
def test_a_kernel_is_loaded_when_it_is_first_called() -> None:
    jit.warm()
    found = in_a_new_process(LAZY)
    assert found.pop("loaded") in range(3, 20)
    assert found == {
        "imported": 0,
        "kind": "double_three",
        "refused": "No matching definition",
        "same": True,
        "overloads": [1],
        "misses": 0,
    }


@pytest.mark.kernels
def test_threads_that_call_a_kernel_first_at_once_load_it_once() -> None:
    jit.warm()
    found = in_a_new_process(THREADS)
    assert found == {"plies": [2] * 8, "loaded": jit.num_kernels(), "overloads": [1]}


TWICE = (
    "from numba import int64\nfrom wuzi.core.jit import kernel\n\n"
    "@kernel(int64(int64))\ndef twice(n):\n    return 2 * n\n\n"
    "print(twice(21), sum(twice.stats.cache_misses.values()))\n"
)

EAGER = (
    "from numba import int64\nfrom wuzi.core import jit\n\njit._CAN_WAIT = False\n\n"
    "@jit.kernel(int64(int64))\ndef factorial(n):\n    return n * factorial(n - 1) if n > 1 else int64(1)\n\n"
    "print(len(factorial.signatures), factorial(5), len(factorial.signatures))\n"
)


def without_privileges() -> None:
    """Make the mode bits of files count, for the superuser too: called in a child before it begins."""
    drop_from_bounds, override_modes = 24, 1  # PR_CAPBSET_DROP and CAP_DAC_OVERRIDE of Linux
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(drop_from_bounds, override_modes, 0, 0, 0)


def run_twice(script: Path, cache: Path, temporary: Path) -> tuple[str, str]:
    """Output and standard error of a program with one kernel, that may write where mode bits allow it."""
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "WUZI_CACHE_DIR": str(cache), "TMPDIR": str(temporary)}
    command = [sys.executable, str(script)]
    before = without_privileges if os.name == "posix" else None
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, preexec_fn=before)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def files_below(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A program with one kernel, alone in its folder."""
    path = tmp_path / "program" / "one.py"
    path.parent.mkdir()
    path.write_text(TWICE)
    return path


def set_writable(folder: Path, writable: bool) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod((0o755 if path.is_dir() else 0o644) if writable else (0o555 if path.is_dir() else 0o444))


class Half:
    """A kernel that another process may be compiling; it notes when it is there, and what it was asked."""

    def __init__(self, name: str, *uses: str, away: int = 0) -> None:
        self.name, self.uses, self.away = name, frozenset(uses), away

    def ready(self, order: list[str], wait: bool) -> str | None:
        if self.away and not wait:
            self.away -= 1
            return None
        order.append(self.name + "!" * wait)
        self.away = 0
        return self.name


def test_what_another_process_compiles_is_left_for_later_with_its_callers() -> None:
    order: list[str] = []
    halves = [Half("a"), Half("b", away=1), Half("c", "b"), Half("d", "c", "a"), Half("e"), Half("f", away=9)]
    bound = [
        SimpleNamespace(name=h.name, uses=h.uses, ready=partial(lambda h, wait=True: h.ready(order, wait), h))
        for h in halves
    ]
    jit._share(bound)  # type: ignore[arg-type]
    # Another one's last kernel is waited for when nothing else is left.
    assert order == ["a", "e", "b", "c", "d", "f!", "f"]


@pytest.mark.slow
def test_a_numba_without_the_names_we_know_compiles_at_import(tmp_path: Path, script: Path) -> None:
    script.write_text(EAGER)
    for _ in range(2):
        assert run_twice(script, tmp_path / "cache", tmp_path)[0] == "1 120 1\n"


@pytest.mark.slow
def test_a_cold_cache_is_announced(tmp_path: Path, script: Path) -> None:
    said = "wuzi: compiling kernels for this machine, once\n"
    assert run_twice(script, tmp_path / "cache", tmp_path) == ("42 1\n", said)
    assert run_twice(script, tmp_path / "cache", tmp_path) == ("42 0\n", "")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="mode bits of folders")
def test_a_complete_cache_that_may_only_be_read_is_used(tmp_path: Path, script: Path) -> None:
    cache, temporary = tmp_path / "cache", tmp_path / "temporary"
    temporary.mkdir()
    run_twice(script, cache, temporary)
    (folder,) = (cache / "kernels").iterdir()
    (folder / "complete").touch()
    before = files_below(tmp_path)
    set_writable(cache, False)
    try:
        assert run_twice(script, cache, temporary) == ("42 0\n", "")
        # A kernel that it lacks is made in memory, and one line says so.
        set_writable(cache, True)
        (kept,) = folder.rglob("*.nbc")
        kept.write_bytes(kept.read_bytes()[:20])
        damaged = files_below(tmp_path)
        set_writable(cache, False)
        output, said = run_twice(script, cache, temporary)
        assert output == "42 1\n"
        assert said.count("\n") == 1 and "in the memory of this process alone" in said
    finally:
        set_writable(cache, True)
    assert files_below(tmp_path) == damaged
    assert damaged.keys() == before.keys(), "nothing was written, least of all beside the sources"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="mode bits of folders")
def test_where_no_cache_can_be_written_kernels_go_to_a_folder_of_the_users(
    tmp_path: Path, script: Path
) -> None:
    cache, temporary = tmp_path / "cache", tmp_path / "temporary"
    cache.mkdir(mode=0o555)
    temporary.mkdir()
    for misses in (1, 0):
        output, said = run_twice(script, cache, temporary)
        assert output == f"42 {misses}\n"
        first, *rest = said.splitlines()
        assert str(cache) in first and str(temporary) in first and "WUZI_CACHE_DIR" in first
        assert len(rest) == misses
    (spare,) = temporary.iterdir()
    assert spare.stat().st_mode & 0o777 == 0o700
    (folder,) = (spare / "kernels").iterdir()
    (folder / "complete").touch()
    assert run_twice(script, cache, temporary) == ("42 0\n", "")
    assert files_below(script.parent).keys() == {script}


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="mode bits of folders")
@pytest.mark.parametrize("taken", ["file", "folder", "link"])
def test_a_temporary_folder_that_others_could_fill_is_not_used(
    tmp_path: Path, script: Path, taken: str
) -> None:
    """What is read from a cache is run. Kernels are compiled in memory, and one line says so."""
    cache, temporary = tmp_path / "cache", tmp_path / "temporary"
    cache.mkdir(mode=0o555)
    temporary.mkdir()
    spare = temporary / f"wuzi-{os.getuid()}"
    if taken == "file":
        spare.touch()
    elif taken == "folder":
        spare.mkdir()
        spare.chmod(0o777)
    else:
        spare.symlink_to(tmp_path / "program")
    before = files_below(tmp_path).keys()
    output, said = run_twice(script, cache, temporary)
    assert output == "42 1\n"
    assert "in the memory of this process alone" in said
    assert files_below(tmp_path).keys() == before


@pytest.mark.slow
@pytest.mark.parametrize("length", [0, 20, 300])
def test_a_file_of_the_cache_that_was_cut_short_is_made_again(tmp_path: Path, length: int) -> None:
    (tmp_path / "one.py").write_text(TWICE)
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "WUZI_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, str(tmp_path / "one.py")]
    for suffix in ("nbi", "nbc"):
        subprocess.run(command, env=env, capture_output=True, check=True)
        (file,) = (tmp_path / "cache").rglob(f"*.{suffix}")
        file.write_bytes(file.read_bytes()[:length])
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        assert done.stdout.startswith("42")
        again = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        assert again.stdout == "42 0\n"


@pytest.mark.ci("compiles the rule book in three cold processes; the wheel is tried with a cold cache, too")
@pytest.mark.kernels
def test_a_cold_cache_is_filled_by_one_of_many_and_the_process_after_them(tmp_path: Path) -> None:
    """Workers that start on a new machine all at once compile each kernel once between them.

    The package is cut down to its rule book, whose kernels are compiled in seconds.
    """
    root, cache = tmp_path / "src", tmp_path / "cache"
    for part in ("base", "core"):
        shutil.copytree(SOURCE / "wuzi" / part, root / "wuzi" / part)
    for name in ("__init__.py", "__init__.pyi", "errors.py"):
        shutil.copy(SOURCE / "wuzi" / name, root / "wuzi")
    paths = {"PYTHONPATH": str(root), "WUZI_CACHE_DIR": str(cache)}
    command, env = [sys.executable, "-c", WARM_ONCE], {**os.environ, **paths}
    started = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    *others, compiled = sorted(int(process.communicate(timeout=1800)[0]) for process in started)
    assert others == [0, 0]
    (folder,) = (cache / "kernels").iterdir()
    assert (folder / "complete").exists()
    again = warm_in_a_new_process(**paths)
    check(again)
    total = again["total"]
    assert isinstance(total, int)
    # A second process compiles from the other end wherever there is a processor for it.
    assert (0 < compiled < total) if processors() > 1 else (compiled == total)
    assert (again["hits"], again["misses"]) == (total, 0)
    assert list((cache / "kernels").iterdir()) == [folder]


@pytest.mark.kernels
def test_every_kernel_has_one_overload_and_a_hashed_source() -> None:
    jit.warm(every=True)
    sources = set(jit.kernel_sources())
    assert len(jit.KERNELS) >= jit.num_kernels()
    for kernel in jit.KERNELS:
        assert len(kernel.signatures) == 1, kernel.__name__
        assert Path(kernel.py_func.__code__.co_filename).resolve() in sources, kernel.__name__


def names_used(code: CodeType) -> set[str]:
    """Global names of a function and of the functions inside it."""
    inner = [names_used(const) for const in code.co_consts if isinstance(const, CodeType)]
    return set(code.co_names).union(*inner)


@pytest.mark.kernels
def test_the_key_covers_every_module_that_a_kernel_freezes_something_from() -> None:
    """By what the kernels really hold: each global that comes from wuzi stands in a hashed module too."""
    jit.warm(every=True)
    hashed = {name: importlib.import_module(name) for name in module_names(jit.kernel_sources())}
    for kernel in jit.KERNELS:
        function = kernel.py_func
        for name in names_used(function.__code__) & set(function.__globals__):
            value = function.__globals__[name]
            module = getattr(value, "__name__", "") if isinstance(value, ModuleType) else ""
            if module.startswith("wuzi"):
                assert module in hashed, (kernel.__name__, name)
            elif not isinstance(value, ModuleType) and not from_outside(value):
                assert any(value is getattr(one, name, None) for one in hashed.values()), (
                    kernel.__name__,
                    name,
                )


def from_outside(value: object) -> bool:
    """Whether something was made by Numba, NumPy or Python itself."""
    return (getattr(value, "__module__", None) or "").split(".")[0] in {"numba", "builtins", "math"}


def module_names(paths: Iterable[Path]) -> list[str]:
    relative = [path.relative_to(jit.PACKAGE_ROOT).with_suffix("") for path in paths]
    return [".".join(("wuzi", *path.parts)).removesuffix(".__init__") for path in relative]


def test_what_hashed_modules_import_is_hashed_too() -> None:
    """Read from the syntax tree, wherever in the file an import stands."""
    hashed = set(module_names(jit.kernel_sources()))
    for path in jit.kernel_sources():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert not any(alias.name.startswith("wuzi") for alias in node.names), path
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, path
                if (node.module or "").startswith("wuzi"):
                    parts = {f"{node.module}.{alias.name}" for alias in node.names}
                    assert node.module in hashed or parts <= hashed, (path, node.module)


def test_no_file_with_kernels_is_missed() -> None:
    """By every use of the decorator in the tree, whatever the file is called."""
    using = set()
    for path in jit.PACKAGE_ROOT.rglob("*.py"):
        text = path.read_text("utf-8")
        if "kernel" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            decorators = getattr(node, "decorator_list", [])
            if any(isinstance(d, ast.Call) and ast.unparse(d.func).endswith("kernel") for d in decorators):
                using.add(path)
    assert module_names(sorted(using)) == sorted(jit.kernel_modules())
    assert sum(path.read_text("utf-8").count("\n@kernel(") for path in using) == jit.num_kernels()


def test_modules_come_after_what_they_import() -> None:
    names = module_names(jit.kernel_sources())
    assert {"wuzi.core.jit", "wuzi.core.layout", "wuzi.core.classes", "wuzi.tactics.layout"} <= set(names)
    for name, path in zip(names, jit.kernel_sources(), strict=True):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module in names:
                assert names.index(node.module) < names.index(name)
    modules = jit.kernel_modules()
    assert modules[0] == "wuzi.core.rule_kernels"
    assert all(importlib.util.find_spec(module) for module in modules)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package folder of its own for the cache to look at."""
    folder = tmp_path / "wuzi"
    (folder / "core").mkdir(parents=True)
    core = folder / "core"
    (core / "kernels.py").write_text(
        "from wuzi.core.layout import STRIDE\nfrom wuzi.core import (\n    far,\n)\n"
    )
    (core / "layout.py").write_text("from wuzi.core.lines import REACH\n\nSTRIDE = 32\n")
    (core / "lines.py").write_text("REACH = 5\n")
    (core / "far.py").write_text("FAR = 9\n")
    (core / "unused.py").write_text("REACH = 6\n")
    monkeypatch.setattr(kernel_cache, "PACKAGE_ROOT", folder)
    monkeypatch.setattr(kernel_cache, "kernel_sources", jit.kernel_sources.__wrapped__)
    return folder


def cache_dir() -> Path:
    found: Path = kernel_cache.wanted_dir.__wrapped__()
    return found


@pytest.mark.parametrize("name", ["kernels.py", "layout.py", "lines.py", "far.py"])
def test_an_edited_source_has_another_cache(package: Path, name: str) -> None:
    before = cache_dir()
    assert cache_dir() == before
    path = package / "core" / name
    text = path.read_text()
    path.write_text(text + " ")
    assert cache_dir() != before
    path.write_text(text)
    assert cache_dir() == before


def test_an_edit_elsewhere_keeps_the_cache(package: Path) -> None:
    before = cache_dir()
    (package / "core" / "unused.py").write_text("REACH = 7\n")
    assert cache_dir() == before


def test_a_renamed_or_added_source_has_another_cache(package: Path) -> None:
    before = cache_dir()
    added = package / "core" / "more_kernels.py"
    added.write_text("")
    assert cache_dir() != before
    added.unlink()
    (package / "core" / "kernels.py").rename(added)
    assert cache_dir() != before


@pytest.mark.parametrize(("flag", "value"), [("BOUNDSCHECK", "1"), ("OPT", "1"), ("CPU_NAME", "generic")])
def test_other_flags_have_another_cache(
    package: Path, monkeypatch: pytest.MonkeyPatch, flag: str, value: str
) -> None:
    before = cache_dir()
    monkeypatch.setenv(f"NUMBA_{flag}", value)
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


def test_a_kernel_is_cached_by_its_real_file(tmp_path: Path) -> None:
    """A package that is reached through a link uses the kernels that are compiled already."""
    real = jit.PACKAGE_ROOT / "core" / "rule_kernels.py"
    (tmp_path / "link").symlink_to(real.parent, target_is_directory=True)
    places = [
        jit._Locator(test_a_kernel_is_cached_by_its_real_file, str(path)).get_cache_path()  # type: ignore[no-untyped-call]
        for path in (real, tmp_path / "link" / real.name)
    ]
    assert places[0] == places[1]
