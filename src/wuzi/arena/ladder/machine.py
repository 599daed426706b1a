"""Where and with which wuzi a measurement was made."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import wuzi

_VECTORS = (("avx512_bf16", "AVX-512 with bfloat16"), ("avx512f", "AVX-512"), ("avx2", "AVX2"))


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
    """Cores, processor and its widest vectors, such as ``2 cores, AMD EPYC, AVX-512, Linux``.

    One name is sold with and without some of them, and a net's speed depends on them.
    """
    cores = os.cpu_count() or 1
    model = platform.processor() or platform.machine()
    lines: dict[str, str] = {}
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            key, _, value = line.partition(":")
            lines.setdefault(key.strip(), value)
    except OSError:  # not on this system
        pass
    model = " ".join(lines.get("model name", model).split())
    flags = lines.get("flags", "").split()
    vectors = [words for flag, words in _VECTORS if flag in flags]
    model = ", ".join([model, *vectors[:1]])
    return f"{cores} core{'s' * (cores != 1)}, {model}, {platform.system()}"


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, timeout=10, check=True
    )
    return done.stdout.strip()
