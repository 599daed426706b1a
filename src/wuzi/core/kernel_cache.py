"""Where compiled kernels are kept, and whether all are there: nothing here compiles or imports Numba."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm
from platformdirs import user_cache_path

PACKAGE_ROOT = Path(__file__).resolve().parents[1]

_FLAGS = ("BOUNDSCHECK", "OPT", "CPU_NAME", "CPU_FEATURES")
"""Variables of the environment (``NUMBA_...``) that change the machine code."""

_IMPORT = re.compile(r"^from wuzi([\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)


@cache
def kernel_sources(*modules: str) -> tuple[Path, ...]:
    """The files that machine code depends on: all kernels and what they import, imported ones first.

    With ``modules``, import names, only the files that their code depends on.
    """
    seen: set[Path] = set()
    found: list[Path] = []

    def visit(path: Path) -> None:
        if path not in seen:
            seen.add(path)
            for other in _imported(path):
                visit(other)
            found.append(path)

    named = [PACKAGE_ROOT.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in sorted(modules)]
    for path in named or sorted(PACKAGE_ROOT.rglob("*kernels.py")):
        visit(path)
    return tuple(found)


def _imported(path: Path) -> Iterator[Path]:
    """The files of this package that a file imports from at its top level."""
    for package, names in _IMPORT.findall(path.read_text("utf-8")):
        place = PACKAGE_ROOT.joinpath(*package.split(".")[1:])
        if place.with_suffix(".py").is_file():
            yield place.with_suffix(".py")
            continue
        for name in re.findall(r"\w+", names):
            module = place / f"{name}.py"
            yield module if module.is_file() else place / "__init__.py"


@cache
def cache_dir() -> Path:
    """The folder of compiled kernels that fits these sources, this processor and these flags."""
    digest = hashlib.sha256()
    for path in kernel_sources():
        digest.update(path.relative_to(PACKAGE_ROOT).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    for part in (
        PACKAGE_ROOT,  # Numba files its entries by source path: another checkout shares nothing
        importlib.metadata.version("numba"),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        *(f"{name}={os.environ.get(f'NUMBA_{name}', '')}" for name in _FLAGS),
    ):
        digest.update(str(part).encode() + b"\0")
    root = os.environ.get("WUZI_CACHE_DIR")
    base = Path(root) if root else user_cache_path("wuzi", appauthor=False)
    return base / "kernels" / digest.hexdigest()[:16]


def kernel_modules() -> list[str]:
    """Import names of all modules that hold kernels, lower layers first."""
    modules = []
    for path in kernel_sources():
        if path.name.endswith("kernels.py"):
            relative = path.relative_to(PACKAGE_ROOT).with_suffix("")
            modules.append(".".join(("wuzi", *relative.parts)))
    return modules


def num_kernels() -> int:
    """How many kernels there are to compile, by a look at the sources."""
    return sum(
        line.startswith("@kernel(")
        for path in kernel_sources()
        for line in path.read_text("utf-8").splitlines()
    )


def num_compiled() -> int:
    """How many kernels the cache has, complete or not."""
    return sum(1 for _ in cache_dir().rglob("*.nbi"))


def is_warm() -> bool:
    """Whether a complete cache for these sources exists (written by :func:`wuzi.core.jit.warm`)."""
    return (cache_dir() / "complete").exists()
