"""The one decorator for compiled kernels, and the cache they live in.

Numba's cache does not notice edits in another file's callee, nor in a file whose constants a kernel has
frozen. So the cache folder is keyed by the hash of all kernel sources and of all modules they import,
together with everything else that changes the machine code (processor, Numba, optimisation and
bounds-check flags). Kernels have explicit signatures and exactly one overload: a second overload of a
self-recursive kernel crashes the next process that loads the cache.

From a complete cache a kernel is loaded when it is first called. Its machine code holds that of the kernels
that it calls, so most processes load a few of the hundreds that they import.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache, partial
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
from filelock import FileLock
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typeinfer import register_dispatcher
from platformdirs import user_cache_path

from wuzi.base.machine import processors

config: Any = numba.config

PACKAGE_ROOT = Path(__file__).resolve().parents[1]

KERNELS: list[Any] = []
"""Every kernel compiled or loaded so far in this process, in order."""

_waiting: list[tuple[str, Callable[[], Any]]] = []
_called: set[str] = set()
"""Names that waiting kernels use, so of the kernels too whose machine code theirs holds."""

_on_kernel: list[Callable[[str], None]] = []


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
        numba.__version__,
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        f"bounds={config.BOUNDSCHECK} opt={config.OPT} cpu={config.CPU_NAME}",
    ):
        digest.update(str(part).encode() + b"\0")
    root = os.environ.get("WUZI_CACHE_DIR")
    base = Path(root) if root else user_cache_path("wuzi", appauthor=False)
    return base / "kernels" / digest.hexdigest()[:16]


@contextmanager
def _compiling(module: str) -> Iterator[None]:
    """One process compiles a module's kernel while others wait for it and then load it from the cache.

    Where the cache is complete nothing is written, and no lock is taken.
    """
    folder = cache_dir()
    folder.mkdir(parents=True, exist_ok=True)
    before = config.CACHE_DIR
    with nullcontext() if is_warm() else FileLock(folder / f"{module}.lock"):
        config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            config.CACHE_DIR = before


def kernel(signature: Any, *, inline: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function for exactly one signature and cache it.

    Scalars are int64 or uint64, state is a record (see :mod:`wuzi.core.layout`). The GIL is released;
    a division by zero gives infinity. Every kernel has a slow twin in plain Python in the tests. With
    ``inline`` its code is put in the place of each call before anything is compiled, for the few lines of an
    inner loop that are slower as a function.
    """
    options: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    options["inline"] = "always" if inline else "never"

    def decorate(function: Callable[..., Any]) -> Any:
        with _compiling(function.__module__):
            made = numba.njit(**options)(function)
        ready = partial(_ready, made, signature)
        if not is_warm():
            return ready()
        _waiting.append((function.__name__, ready))
        _called.update(set(function.__code__.co_names) - {function.__name__})
        made._compile_for_args = lambda *args, **named: ready()
        made.get_call_template = partial(_get_call_template, made, ready)
        return made

    return decorate


def _ready(made: Any, signature: Any) -> Any:
    """The kernel, compiled for its one signature or loaded from the cache, by the first thread that asks."""
    with global_compiler_lock:
        if not made.signatures:
            with _compiling(made.py_func.__module__), register_dispatcher(made):
                made.compile(signature)
            made.disable_compile()
            KERNELS.append(made)
            for report in _on_kernel:
                report(made.__name__)
    return made


def _get_call_template(made: Any, ready: Callable[[], Any], args: Any, named: Any) -> Any:
    """What Numba asks of a kernel that the function it compiles calls, which may be the kernel itself."""
    if not made.is_compiling:
        ready()
    return type(made).get_call_template(made, args, named)


def load_kernels(every: bool = False) -> None:
    """Load the kernels of all imported modules, for those whose first call must not wait.

    Kernels that other kernels call are loaded only with ``every``: the machine code of the callers holds
    theirs, and one that Python calls too takes some 5 ms when it does.
    """
    for name, ready in _waiting:
        if every or name not in _called:
            ready()


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


def is_warm() -> bool:
    """Whether a complete cache for these sources exists (written by :func:`warm`)."""
    return (cache_dir() / "complete").exists()


def import_kernels(modules: Iterable[str], every: bool = False) -> None:
    """Compile the kernels of these modules and of those they use, or load them from the cache.

    The garbage collector rests meanwhile: what is loaded stays, and looking through it takes a tenth longer.
    """
    resting = gc.isenabled()
    gc.disable()
    try:
        for module in modules:
            importlib.import_module(module)
        load_kernels(every)
    finally:
        if resting:
            gc.enable()


def warm(on_kernel: Callable[[int, int, str], None] | None = None, every: bool = False) -> None:
    """Compile all kernels, or load from the cache those that no other kernel calls.

    A second process begins with the last modules, if there is a processor for it: the two meet in the middle.

    Args:
        on_kernel: called after each kernel with (done, total, name).
        every: load all of them from the cache.
    """
    total = num_kernels()

    def report(name: str) -> None:
        if on_kernel is not None:
            on_kernel(len(KERNELS), total, name)

    _on_kernel.append(report)
    try:
        with nullcontext() if is_warm() else _from_the_other_end():
            import_kernels(kernel_modules(), every)
    finally:
        _on_kernel.remove(report)
    (cache_dir() / "complete").touch()


@contextmanager
def _from_the_other_end() -> Iterator[None]:
    """Another process compiles too, last modules first; nothing depends on how far it gets."""
    if processors() < 2 or not sys.executable:
        yield
        return
    work = "from wuzi.core import jit; jit.import_kernels(reversed(jit.kernel_modules()))"
    null = subprocess.DEVNULL
    helper = subprocess.Popen([sys.executable, "-c", work], stdin=null, stdout=null, stderr=null)
    try:
        yield
    finally:
        helper.kill()
        helper.wait()


def warm_once() -> None:
    """Have a complete cache: one process of this machine compiles all kernels, the others wait for it."""
    if is_warm():
        return
    cache_dir().mkdir(parents=True, exist_ok=True)
    with FileLock(cache_dir() / "warm.lock"):
        if not is_warm():
            warm()
