"""What fuzzing a target came to, and the page with all of them."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    """One target.

    Attributes:
        wall_s: how long it took, the import of its modules included.
        cpu_s: processor time; None where the system does not say.
        runs: inputs that were tried, as far as the process said; None when it said nothing.
        edges: places of the code that were reached; None without coverage.
        peak_mb: most memory held; None where the system does not say.
        code: the exit code; anything but 0 is a find.
        output: what the process wrote.
    """

    target: str
    wall_s: float
    cpu_s: float | None
    runs: int | None
    edges: int | None
    peak_mb: float | None
    code: int
    output: str

    @property
    def per_second(self) -> float | None:
        """Inputs a second of processor time."""
        spent = self.cpu_s or self.wall_s
        return None if self.runs is None else self.runs / spent

    def line(self) -> str:
        """What the terminal shows."""
        verdict = "ok" if self.code == 0 else f"FAILED ({self.code})"
        return f"{self.target:10} {self.wall_s:5.0f} s  {_whole(self.runs):>9} runs  {verdict}"


def measure(target: str, command: Sequence[str]) -> Outcome:
    """Run the command, which fuzzes that target, to its end."""
    begun = time.monotonic()
    cpu_s = peak_mb = None
    with tempfile.TemporaryFile() as written:
        with subprocess.Popen(command, stdout=written, stderr=subprocess.STDOUT) as child:
            if sys.platform == "win32":
                child.wait()
            else:
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
                cpu_s = usage.ru_utime + usage.ru_stime
                peak_mb = usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
        written.seek(0)
        output = written.read().decode("utf-8", "replace")
    return Outcome(
        target,
        time.monotonic() - begun,
        cpu_s,
        _last(r"(?:^Done |number_of_executed_units: +|^#)(\d+)", output),
        _last(r"\bcov: (\d+)", output),
        peak_mb,
        child.returncode,
        output,
    )


def _last(pattern: str, output: str) -> int | None:
    found = re.findall(pattern, output, re.MULTILINE)
    return int(found[-1]) if found else None


def write_log(path: Path, outcomes: Sequence[Outcome], seconds: float, command: str) -> None:
    """Write the page."""
    finds = sum(outcome.code != 0 for outcome in outcomes)
    head = f"""# Fuzzing

Made by `{command}`
on {time.strftime("%Y-%m-%d")}: every parser and protocol was fed damaged input
for {seconds:g} seconds, each in a process of its own. {len(outcomes)} targets, {finds} with a find.
What was found earlier and mended stays as tests in `tests/fuzz/`.

{_fuzzer()}, Python {platform.python_version()}, {platform.system()} {platform.machine()}.
`CPU s` is the processor time the target got, starting included; `edges` are places of the code that its
inputs reached.

| target | seconds | CPU s | inputs | a CPU second | edges | peak MB | finds |
|---|--:|--:|--:|--:|--:|--:|---|
"""
    rows = (
        f"| {o.target} | {o.wall_s:.0f} | {_whole(o.cpu_s)} | {_whole(o.runs)} | {_whole(o.per_second)} "
        f"| {_whole(o.edges)} | {_whole(o.peak_mb)} | {'none' if o.code == 0 else f'exit code {o.code}'} |\n"
        for o in outcomes
    )
    beside = path.with_name(path.name + ".tmp")
    beside.write_text(head + "".join(rows), encoding="utf-8", newline="\n")
    beside.replace(path)


def _fuzzer() -> str:
    try:
        return f"atheris {version('atheris')}"
    except PackageNotFoundError:
        return "Plain mutations"


def _whole(number: float | None) -> str:
    return "?" if number is None else f"{number:,.0f}"
