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
import importlib
import multiprocessing
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numba
from filelock import FileLock, Timeout
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typeinfer import register_dispatcher

from wuzi.base.machine import processors
from wuzi.core.kernel_cache import (
    PACKAGE_ROOT,
    cache_dir,
    is_warm,
    kernel_modules,
    kernel_sources,
    num_kernels,
)
from wuzi.errors import ConfigError

__all__ = [
    "KERNELS",
    "PACKAGE_ROOT",
    "cache_dir",
    "import_kernels",
    "is_warm",
    "kernel",
    "kernel_modules",
    "kernel_sources",
    "load_kernels",
    "num_kernels",
    "warm",
    "warm_once",
]

config: Any = numba.config

TELL_EVERY_S = 3.0
"""How often standard error says how many kernels are compiled."""

KERNELS: list[Any] = []
"""Every kernel compiled or loaded so far in this process, in order."""

_waiting: list[tuple[str, Callable[[], Any]]] = []
_called: set[str] = set()
"""Names that waiting kernels use, so of the kernels too whose machine code theirs holds."""

_on_kernel: list[Callable[[str], None]] = []


class _Told:
    """What standard error hears while kernels are compiled: that it happens once, and how far it is."""

    def __init__(self) -> None:
        self._at = -TELL_EVERY_S
        self._is_needed = False

    def kernel(self, made: Any) -> None:
        """One more is there; those that were only loaded from an unfinished cache are no news."""
        self._is_needed |= any(made.stats.cache_misses.values())
        if self._is_needed and not _on_kernel:
            self.say(f"compiling kernels for this machine, once: {len(KERNELS)} of {num_kernels()}")

    def say(self, text: str) -> None:
        """Say it, unless something was said just now or this is the child of a process that says it."""
        now = time.monotonic()
        if now - self._at >= TELL_EVERY_S and multiprocessing.parent_process() is None:
            self._at = now
            print(f"wuzi: {text}", file=sys.stderr, flush=True)


_told = _Told()


def _folder() -> Path:
    """The cache, made if it is not there; a ConfigError where that is impossible."""
    folder = cache_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"{folder}: compiled kernels cannot be kept there ({error.strerror}): name a folder that can be "
            "written as WUZI_CACHE_DIR in the environment"
        ) from error
    return folder


@contextmanager
def _compiling(module: str) -> Iterator[None]:
    """One process compiles a module's kernel while others wait for it and then load it from the cache.

    Where the cache is complete nothing is written, and no lock is taken.
    """
    folder = _folder()
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
                try:
                    made.compile(signature)
                except (EOFError, pickle.UnpicklingError):  # its file was cut short, as by a power cut
                    made._cache.flush()
                    made.compile(signature)
            made.disable_compile()
            KERNELS.append(made)
            if not is_warm():
                _told.kernel(made)
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
        on_kernel: called after each kernel with (done, total, name), in place of lines on standard error.
        every: load all of them from the cache.
    """
    total = num_kernels()

    reports = [] if on_kernel is None else [lambda name: on_kernel(len(KERNELS), total, name)]
    _on_kernel.extend(reports)
    try:
        with nullcontext() if is_warm() else _from_the_other_end():
            import_kernels(kernel_modules(), every)
    finally:
        del _on_kernel[len(_on_kernel) - len(reports) :]
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
    lock = FileLock(_folder() / "warm.lock")
    try:
        lock.acquire(timeout=1)
    except Timeout:
        _told.say("another process compiles kernels for this machine, once: this one waits for it")
        lock.acquire()
    try:
        if not is_warm():
            warm()
    finally:
        lock.release()
