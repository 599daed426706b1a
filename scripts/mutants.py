"""Make deliberate mistakes, one at a time, and see that the tests notice.

    python scripts/mutants.py [NAME ...] [--list]

Each mistake of ``tests/mutants.toml`` is made in a copy of the files that git tracks; then the tests named
beside it run, as ``make test`` selects them, up to the first failure. They must pass without any
mistake. A mistake that no test notices survives, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

from build_page import PAGE

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "mutants.toml"
TESTS_FAILED = 1
"""Pytest's exit status when tests ran and some failed; others say that they could not run."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One deliberate mistake: ``new`` for ``old``, once in the file; and the tests that notice it."""

    name: str
    file: str
    old: str
    new: str
    tests: str

    def made_in(self, text: str) -> str:
        """The text with the mistake."""
        if (count := text.count(self.old)) != 1:
            raise ValueError(f"{self.name}: {self.old!r} stands {count} times in {self.file}, expected once")
        return text.replace(self.old, self.new)


def mutants() -> list[Mutant]:
    """All mistakes of the list, in order."""
    return [Mutant(**fields) for fields in tomllib.loads(LIST.read_text("utf-8"))["mutant"]]


def first_failure(tests: str, copy: Path) -> str:
    """The first of these tests that fails in the copy, or an empty text when none does."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-m", "not ci and not browser", *tests.split()],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy / "src"), "CI": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, TESTS_FAILED):
        raise RuntimeError(f"{tests}: pytest ended with {done.returncode}:\n{done.stdout[-2000:]}")
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return lines[0].split(" ", 1)[1].partition(" - ")[0] if done.returncode else ""


def caught(mutant: Mutant, copy: Path) -> str:
    """The test that notices the mistake, or an empty text when none does."""
    target = copy / mutant.file
    original = target.read_text("utf-8")
    target.write_text(mutant.made_in(original), "utf-8")
    try:
        return first_failure(mutant.tests, copy)
    finally:
        target.write_text(original, "utf-8")


def main() -> int:
    """Try the mistakes that are asked for; 1 if one survives."""
    known = {mutant.name: mutant for mutant in mutants()}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="mistakes to try (default: all)")
    parser.add_argument("--list", action="store_true", help="list the mistakes and end")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in known]:
        parser.error(f"unknown {unknown[0]!r}: expected some of {', '.join(known)}")
    chosen = [known[name] for name in options.names] or list(known.values())
    if options.list:
        print("\n".join(f"{mutant.name:32} {mutant.file}" for mutant in chosen))
        return 0
    survived = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "wuzi"
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
        for name in filter(None, tracked.stdout.decode().split("\0")):
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name)
        if (ROOT / PAGE).is_dir():
            shutil.copytree(ROOT / PAGE, copy / PAGE)
        for tests in dict.fromkeys(mutant.tests for mutant in chosen):
            if broken := first_failure(tests, copy):
                print(f"{broken} fails without any mistake", file=sys.stderr)
                return 1
        for mutant in chosen:
            begun = time.monotonic()
            test = caught(mutant, copy)
            survived += [] if test else [mutant.name]
            print(f"{mutant.name:32} {test or 'SURVIVED'} ({time.monotonic() - begun:.0f} s)", flush=True)
    print(f"{len(chosen) - len(survived)} of {len(chosen)} mistakes were noticed")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
