"""Where compiled kernels are kept, and whether all are there: nothing here compiles or imports Numba."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
import stat
import tempfile
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
    """The folder of compiled kernels that fits these sources, this processor and these flags.

    A complete one is only read, whoever may write in it. Where one is missing and cannot be made, it is a
    folder of this user's among the temporary ones, unless somebody else has taken its name.
    """
    wanted, spare = wanted_dir(), temporary_cache_dir()
    if spare is None or _is_complete(wanted) or can_be_made(wanted):
        return wanted
    return spare / "kernels" / wanted.name if can_be_made(spare) and is_private(spare) else wanted


@cache
def wanted_dir() -> Path:
    """Where compiled kernels belong: below WUZI_CACHE_DIR, or in the user's folder of caches."""
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


def can_be_made(folder: Path) -> bool:
    """Whether the folder can be written in: it, or the nearest of its parents that is there."""
    there = next(place for place in (folder, *folder.parents) if os.path.lexists(place))
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def temporary_cache_dir() -> Path | None:
    """This user's folder among the temporary ones; None where there are none."""
    try:
        return Path(tempfile.gettempdir(), f"wuzi-{os.getuid()}" if hasattr(os, "getuid") else "wuzi")
    except FileNotFoundError:
        return None


def is_private(folder: Path) -> bool:
    """Whether nobody else could have put a file there: what is read from a cache is run."""
    try:
        found = os.lstat(folder)
    except FileNotFoundError:
        return True
    mine = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)
    return stat.S_ISDIR(found.st_mode) and mine


def make_cache_dir() -> Path | None:
    """:func:`cache_dir`, made if it is not there; None where that is impossible."""
    folder, spare = cache_dir(), temporary_cache_dir()
    try:
        if spare is not None and folder.is_relative_to(spare):
            spare.mkdir(mode=0o700, exist_ok=True)
            if not is_private(spare):
                return None
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK | os.X_OK) else None


def _is_complete(folder: Path) -> bool:
    return os.access(folder / "complete", os.R_OK)


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
    return _is_complete(cache_dir())
