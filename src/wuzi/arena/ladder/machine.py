"""Where and with which wuzi a measurement was made."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import wuzi


def commit() -> str:
    """The commit of the wuzi that runs, ``+`` after it when files of the package differ; else its version."""
    root = Path(wuzi.__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return f"version {wuzi.__version__}"
    try:
        head = _git(root, "rev-parse", "--short=7", "HEAD")
        changed = _git(root, "status", "--porcelain", "--", "src")
    except (OSError, subprocess.SubprocessError):
        return f"version {wuzi.__version__}"
    return head + ("+" if changed else "")


def machine() -> str:
    """Processor and number of cores, such as ``2 cores, Intel(R) Xeon(R) Processor, Linux``."""
    cores = os.cpu_count() or 1
    model = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                model = " ".join(line.partition(":")[2].split())
                break
    except OSError:  # not on this system
        pass
    return f"{cores} core{'s' * (cores != 1)}, {model}, {platform.system()}"


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, timeout=10, check=True
    )
    return done.stdout.strip()
