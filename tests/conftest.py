"""What all tests share."""

from __future__ import annotations

import asyncio
import gc
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

# The machine is shared: a slow example is no failure. CI repeats the same examples.
_COMMON: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("default", **_COMMON)
settings.register_profile("ci", derandomize=True, print_blob=True, **_COMMON)


def _in_ci() -> bool:
    return os.environ.get("CI") == "true"


settings.load_profile("ci" if _in_ci() else "default")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores Ctrl-C and so would every child that the tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Tests run in as many processes as there are processors: threads that wait for each other take others' time.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

gc.disable()  # until everything is imported and collected, all of which stays: half of the time of collecting


def pytest_collection_finish() -> None:
    """Collect garbage again, without looking at what has been there before the first test."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each of several test processes begin with modules that take long, so that short tests are left.

    Every process is given an equal number of neighbours first, and takes tests from the others' ends later.
    """
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if processes == 1:
        return
    long = {item.path for item in items if item.get_closest_marker("slow")}
    modules = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
    heavy = [module for module in modules if module[0].path in long or "browser" in module[0].keywords]
    weights = list(accumulate(sum(map(_weight, module)) for module in heavy))
    light = [item for module in modules if module not in heavy for item in module]
    ordered: list[pytest.Item] = []
    for process in range(processes):
        for module, weight in zip(heavy, weights, strict=True):
            if math.ceil(weight * processes / weights[-1]) == process + 1:
                ordered += module
        room = len(items) * (process + 1) // processes - len(ordered)
        ordered += light[:room]
        light = light[room:]
    items[:] = ordered


def _weight(item: pytest.Item) -> int:
    return 15 if item.get_closest_marker("slow") else 8 if "browser" in item.keywords else 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Under CI=true a skipped test is a failed test, unless it is marked ``may_skip``."""
    report = yield
    if (
        _in_ci()
        and report.skipped
        and not hasattr(report, "wasxfail")
        and item.get_closest_marker("may_skip") is None
    ):
        report.outcome = "failed"
        report.longrepr = f"skipped under CI=true: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    """Under CI=true a module that skips itself is a failure too."""
    report = yield
    if _in_ci() and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped under CI=true: {report.longrepr}"
    return report


WuziCommand = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(autouse=True)
def no_running_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Playwright's event loop counts as running until the last browser test of a process: not for others."""
    loop = asyncio._get_running_loop()
    if loop is None or request.node.get_closest_marker("browser"):
        yield
        return
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)


@pytest.fixture
def wuzi_command(tmp_path: Path) -> WuziCommand:
    """Runs the ``wuzi`` command in a process of its own, with its own data and configuration folders."""

    def run(*arguments: str, text: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        own = {"WUZI_DATA_DIR": str(tmp_path / "data"), "WUZI_CONFIG_DIR": str(tmp_path / "config")}
        return subprocess.run(
            [sys.executable, "-m", "wuzi", *arguments],
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            encoding="utf-8",
            timeout=300,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "1", **own, **env},
        )

    return run
