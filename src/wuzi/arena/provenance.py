"""Which wuzi on which machine: what a measurement notes of where it was made."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import wuzi
from wuzi.base.machine import processors

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
    """Cores, processor and its widest vectors: ``2 cores, AMD EPYC (family 25, model 17), AVX-512, Linux``.

    A virtual machine may hide the processor's number behind ``AMD EPYC``: of two that did a net's speed
    differed twofold. Family and model tell them apart, vectors those that a machine was given.
    """
    cores = processors()
    try:
        cpuinfo = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:  # not on this system
        cpuinfo = ""
    model = _processor(cpuinfo, platform.processor() or platform.machine())
    return f"{cores} core{'s' * (cores != 1)}, {model}, {platform.system()}"


def _processor(cpuinfo: str, otherwise: str) -> str:
    r"""The first processor's model and widest vectors.

    >>> _processor("cpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD  EPYC\nflags\t\t: avx2 avx512f\n", "")
    'AMD EPYC (family 25, model 17), AVX-512'
    >>> _processor("model name : N100\nflags : avx avx2\nmodel name : other\n", ""), _processor("", "arm64")
    ('N100, AVX2', 'arm64')
    """
    lines: dict[str, str] = {}
    for line in cpuinfo.splitlines():
        key, _, value = line.partition(":")
        lines.setdefault(key.strip(), value)
    name = " ".join(lines.get("model name", otherwise).split())
    family, model = (lines.get(key, "").strip() for key in ("cpu family", "model"))
    number = f" (family {family}, model {model})" if family and model else ""
    flags = lines.get("flags", "").split()
    vectors = [words for flag, words in _VECTORS if flag in flags]
    return ", ".join([name + number, *vectors[:1]])


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, timeout=10, check=True
    )
    return done.stdout.strip()
