"""The one decorator for compiled kernels, and the cache they live in.

Numba's cache does not notice edits in another file's callee, nor in a file whose constants a kernel has
frozen. So the cache folder is keyed by the hash of all kernel sources and of all modules they import,
together with everything else that changes the machine code (processor, Numba, optimisation and
bounds-check flags). Kernels have explicit signatures and exactly one overload: a second overload of a
self-recursive kernel crashes the next process that loads the cache.

A kernel is compiled, or loaded from the cache, when it is first called. Its machine code holds that of the
kernels that it calls, so most processes load a few of the hundreds that they import.
"""

from __future__ import annotations

import gc
import importlib
import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numba
from filelock import FileLock, Timeout
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.typeinfer import register_dispatcher

from wuzi.base.machine import processors
from wuzi.core.kernel_cache import (
    PACKAGE_ROOT,
    cache_dir,
    is_warm,
    kernel_modules,
    kernel_sources,
    make_cache_dir,
    num_kernels,
    wanted_dir,
)

__all__ = [
    "KERNELS",
    "PACKAGE_ROOT",
    "cache_dir",
    "compile_for",
    "help_compiling",
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

KERNELS: list[Any] = []
"""Every kernel compiled or loaded so far in this process, in order."""


class _Kernel(NamedTuple):
    """A kernel that was imported, and the names that it uses."""

    made: Any
    signature: Any
    uses: frozenset[str]

    @property
    def name(self) -> str:
        """Every kernel has a name of its own."""
        return str(self.made.__name__)

    @property
    def is_inlined(self) -> bool:
        """Its callers hold its code, and do not need it compiled."""
        return bool(self.made.targetoptions["inline"] == "always")

    def ready(self, wait: bool = True) -> Any:
        """See :func:`_ready`."""
        return _ready(self.made, self.signature, wait)


_CAN_WAIT = all(hasattr(Dispatcher, name) for name in ("_compile_for_args", "get_call_template"))
"""Whether Numba asks for compiled kernels by the names we know; if not, they are compiled when imported."""

_imported: list[_Kernel] = []
"""In the order of their definitions, so that a kernel comes after those that it calls."""

_on_kernel: list[Callable[[str], None]] = []
_COMPILING = "compiling kernels for this machine, once"


class _Told:
    """What standard error hears while kernels are compiled: one line, on a terminal with how far it is."""

    def __init__(self) -> None:
        self._said = set[str]()
        self._is_needed = self._is_open = False
        self.wanted = 0

    def kernel(self, made: Any) -> None:
        """One more is there; those that were only loaded from an unfinished cache are no news."""
        self._is_needed |= any(made.stats.cache_misses.values())
        if not self._is_needed or _on_kernel:
            return
        if self.wanted and sys.stderr.isatty():
            self._is_open = True
            far = f"{min(len(KERNELS), self.wanted)} of {self.wanted}"
            print(f"\rwuzi: {_COMPILING}: {far}", end="", file=sys.stderr, flush=True)
        else:
            self.say(f"{_COMPILING}: {self.wanted} of them" if self.wanted else _COMPILING, about=_COMPILING)

    def end(self) -> None:
        """The line is complete."""
        if self._is_open:
            print(file=sys.stderr, flush=True)
        self.wanted, self._is_open = 0, False

    def say(self, text: str, about: str | None = None) -> None:
        """Say it, or one thing about the same, once, unless this is the child of a process that says it."""
        if (about or text) not in self._said and multiprocessing.parent_process() is None:
            self._said.add(about or text)
            print(f"wuzi: {text}", file=sys.stderr, flush=True)

    def elsewhere(self) -> None:
        """Say that compiled kernels cannot be kept where they belong, and where they are kept."""
        kept = f"in {cache_dir()}" if make_cache_dir() else "in the memory of this process alone"
        text = f"{wanted_dir()} cannot be written: compiled kernels are kept {kept}"
        self.say(f"{text} (WUZI_CACHE_DIR names another folder)")


_told = _Told()


class _Locator(UserProvidedCacheLocator):
    """The folder of kernels and no other, never one beside the sources; a complete one is only read."""

    def __init__(self, function: Any, file: str) -> None:
        # The folder is that of the real file, also where the package was found through a link.
        super().__init__(function, str(Path(file).resolve()))  # type: ignore[no-untyped-call]

    def ensure_cache_path(self) -> None:
        if not is_warm():
            super().ensure_cache_path()  # type: ignore[no-untyped-call]


class _Files(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012, as Numba has it


class _KernelCache(FunctionCache):
    """A kernel's file: where it cannot be read it is made again, where it cannot be written it is not."""

    _impl_class = _Files

    def load_overload(self, *args: Any) -> Any:
        try:
            return super().load_overload(*args)  # type: ignore[no-untyped-call]
        except (EOFError, pickle.UnpicklingError):  # it was cut short, as by a power cut
            with suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
        except OSError:
            pass
        return None

    def save_overload(self, *args: Any) -> None:
        try:
            super().save_overload(*args)  # type: ignore[no-untyped-call]
        except OSError:
            _told.elsewhere()


@contextmanager
def _cached() -> Iterator[Path | None]:
    """Numba keeps what is decorated meanwhile in our folder, which is given; None where none can be made."""
    folder = cache_dir() if is_warm() else make_cache_dir()
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder or "")
    try:
        yield folder
    finally:
        config.CACHE_DIR = before


def _folder() -> Path | None:
    """The folder for what is compiled now, made if it is not there; one line says where it is another one."""
    folder = make_cache_dir()
    if folder != wanted_dir():
        _told.elsewhere()
    return folder


def kernel(
    signature: Any, *, inline: bool = False, any_order: bool = False
) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function for exactly one signature and cache it.

    Scalars are int64 or uint64, state is a record (see :mod:`wuzi.core.layout`). The GIL is released;
    a division by zero gives infinity. Every kernel has a slow twin in plain Python in the tests. With
    ``inline`` its code is put in the place of each call before anything is compiled, for the few lines of an
    inner loop that are slower as a function. With ``any_order`` sums of floats may be taken in any order, and
    a product and a sum may be one operation: what the vector instructions of a learner's long loops need.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    options["inline"] = "always" if inline else "never"
    options["fastmath"] = {"contract", "reassoc", "nsz"} if any_order else False

    def decorate(function: Callable[..., Any]) -> Any:
        with _cached() as folder:
            made = numba.njit(**options)(function)
            if folder is not None:
                made._cache = _KernelCache(function)  # type: ignore[no-untyped-call]
        one = _Kernel(made, signature, frozenset(function.__code__.co_names) - {function.__name__})
        _imported.append(one)
        if _CAN_WAIT:
            made._compile_for_args = lambda *args, **named: one.ready()
            made.get_call_template = partial(_get_call_template, made, one.ready)
        else:
            one.ready()
        return made

    return decorate


def _ready(made: Any, signature: Any, wait: bool = True) -> Any:
    """The kernel, compiled for its one signature or loaded from the cache, by the first thread that asks.

    One process compiles it, after which the others load it; without ``wait`` None where another one does so
    now. From a complete cache it is loaded without a lock.
    """
    with global_compiler_lock:
        if made.signatures:
            return made
        function = made.py_func
        name = f"{function.__module__}.{function.__name__}"
        folder = None if is_warm() else _folder()
        lock = FileLock(folder / f"{name}.lock", timeout=-1 if wait else 0) if folder else nullcontext()
        try:
            with lock, register_dispatcher(made):
                made.compile(signature)
        except Timeout:
            return None
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
    called = frozenset() if every else frozenset[str]().union(*(one.uses for one in _imported))
    for one in _imported:
        if one.name not in called:
            one.ready()


def _needed(wanted: Iterable[str]) -> list[_Kernel]:
    """These kernels, or a module's, imported now; and those that they call: in the order of definition."""
    found, left = set[str](), set[str]()
    for place in wanted:
        module, _, name = place.partition(":")
        importlib.import_module(module)
        left |= {name} if name else {one.name for one in _imported if one.made.__module__ == module}
    known = {one.name: one for one in _imported}
    while left:
        found |= left
        left = {name for one in left for name in known[one].uses if name in known} - found
    return [one for one in _imported if one.name in found and not one.is_inlined]


@contextmanager
def _no_collecting() -> Iterator[None]:
    """The garbage collector rests: what is loaded stays, and looking through it takes a tenth longer."""
    resting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if resting:
            gc.enable()


def warm(on_kernel: Callable[[int, int, str], None] | None = None, every: bool = False) -> None:
    """Compile all kernels, or load from the cache those that no other kernel calls.

    Args:
        on_kernel: called after each kernel with (done, total, name), in place of lines on standard error.
        every: load all of them from the cache.
    """
    total = num_kernels()
    reports = [] if on_kernel is None else [lambda name: on_kernel(len(KERNELS), total, name)]
    _on_kernel.extend(reports)
    try:
        with _no_collecting():
            for module in kernel_modules():
                importlib.import_module(module)
            if is_warm():
                load_kernels(every)
            else:
                _compile(_imported, kernel_modules())
    finally:
        del _on_kernel[len(_on_kernel) - len(reports) :]
    if not is_warm() and (folder := make_cache_dir()):
        (folder / "complete").touch()


def compile_for(kernels: Iterable[str]) -> None:
    """Where the cache is not complete, have these kernels (``module:name``) and those they call compiled."""
    if not is_warm():
        wanted = sorted(set(kernels))
        with _no_collecting():
            needed = _needed(wanted)
            if not all(one.made.signatures for one in needed):
                _compile(needed, wanted)


def _compile(kernels: Sequence[_Kernel], wanted: Sequence[str]) -> None:
    """Compile kernels, together with a second process if there is a processor for it.

    Both go through the list and leave out what the other one compiles at that time.
    """
    _told.wanted = len(kernels)
    try:
        with _helper(wanted) if processors() > 1 and sys.executable and make_cache_dir() else nullcontext():
            _share(kernels)
    finally:
        _told.end()


def _share(kernels: Iterable[_Kernel]) -> None:
    """Compile all kernels together with other processes that do the same.

    What another one compiles is left for later, with all that calls it; only where nothing else is left to do
    is it waited for.
    """
    left = list(kernels)
    while left:
        held = dict[str, _Kernel]()
        for one in left:
            if not one.uses.isdisjoint(held) or one.ready(wait=False) is None:
                held[one.name] = one
        if len(held) == len(left):
            left[0].ready()
        left = list(held.values())


@contextmanager
def _helper(wanted: Sequence[str]) -> Iterator[None]:
    """Another process compiles too; nothing depends on how far it gets."""
    work = f"from wuzi.core import jit; jit.help_compiling({wanted!r})"
    null = subprocess.DEVNULL
    helper = subprocess.Popen([sys.executable, "-c", work], stdin=null, stdout=null, stderr=null)
    try:
        yield
    finally:
        helper.kill()
        helper.wait()


def help_compiling(wanted: Iterable[str]) -> None:
    """What the second process does: compile what the first one does not."""
    with _no_collecting():
        _share(_needed(wanted))


def warm_once() -> None:
    """Have a complete cache: one process of this machine compiles all kernels, the others wait for it."""
    if is_warm():
        return
    if not (folder := make_cache_dir()):
        warm()
        return
    lock = FileLock(folder / "warm.lock")
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
