"""Fuzz every parser and protocol: python -m tests.fuzzing.run [--target NAME] [--seconds 20].

With atheris (``pip install atheris``) the inputs follow the coverage; without it they are plain mutations of
the samples. An input that crashes, hangs or eats memory is written to ``fuzz-finds/``; once fixed it belongs
into ``tests/fuzz/NAME/``, whose files the tests run again. Each target runs in a process of its own.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tests.fuzzing.targets import ROOT, TARGETS, Target

FINDS = ROOT / "fuzz-finds"
TIMEOUT_S = 10
"""A single input may not take longer."""
MEMORY_MB = 3072
MAX_BYTES = 8192


def main() -> int:
    """Run the chosen targets; the number of those that failed is the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=sorted(TARGETS), help="only this one, in this process")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--timeout", type=int, default=TIMEOUT_S, help="seconds a single input may take")
    parser.add_argument("--plain", action="store_true", help="mutations without coverage")
    parser.add_argument("--corpora", type=Path, help="folder that keeps the inputs which reached new code")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    if given.target is None:
        return _all(given)
    if given.plain or importlib.util.find_spec("atheris") is None:
        return _plain(given)
    return _guided(given)


def _all(given: argparse.Namespace) -> int:
    """Fuzz every target in a process of its own; how many failed."""
    options = ["--seconds", str(given.seconds), "--seed", str(given.seed), "--timeout", str(given.timeout)]
    options += ["--plain"] * given.plain
    options += [] if given.corpora is None else ["--corpora", str(given.corpora)]

    def fuzz(name: str) -> Outcome:
        outcome = measure(name, [sys.executable, "-m", "tests.fuzzing.run", "--target", name, *options])
        print(outcome.line(), flush=True)
        if outcome.code:
            print(outcome.output[-4000:], flush=True)
        return outcome

    with ThreadPoolExecutor(given.jobs) as pool:
        outcomes = [*pool.map(fuzz, TARGETS)]
    return sum(outcome.code != 0 for outcome in outcomes)


def _plain(given: argparse.Namespace) -> int:
    """Mutations without coverage; a hang ends the process."""
    import faulthandler

    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MB << 21, MEMORY_MB << 21))
    tried = 0
    try:
        for data in mutations(TARGETS[given.target], given.seconds, given.seed):
            faulthandler.dump_traceback_later(given.timeout, exit=True)
            _try(given.target, data)
            tried += 1
    finally:
        faulthandler.cancel_dump_traceback_later()
    print(f"Done {tried} runs in {given.seconds:.0f} second(s)")
    return 0


def _guided(given: argparse.Namespace) -> int:
    """Inputs that follow the coverage of wuzi's own modules."""
    import atheris

    assert "wuzi" not in sys.modules, "what is imported by now is not instrumented"
    source = ROOT / "src"
    kernels = [path.relative_to(source).with_suffix("").parts for path in source.rglob("*kernels.py")]
    # Numba cannot compile what atheris has instrumented.
    exclude = [".".join(parts) for parts in kernels]
    with atheris.instrument_imports(include=["wuzi"], exclude=exclude):
        target = TARGETS[given.target]
        target.run(b"")
        samples = [*target.samples()]
        for content in samples:
            target.run(content)
    FINDS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(given.corpora or folder, given.target)
        corpus.mkdir(parents=True, exist_ok=True)
        for content in samples:
            (corpus / sha256(content).hexdigest()[:16]).write_bytes(content)
        words = Path(folder, "tokens")
        escaped = ("".join(f"\\x{byte:02x}" for byte in token) for token in target.tokens)
        words.write_text("".join(f'"{token}"\n' for token in escaped))
        longest = max(MAX_BYTES, *(2 * len(content) for content in samples))
        options = [
            *(f"-max_total_time={int(given.seconds)}", f"-seed={given.seed}", f"-timeout={given.timeout}"),
            *(f"-rss_limit_mb={MEMORY_MB}", f"-max_len={longest}"),
            *(f"-artifact_prefix={FINDS}/{given.target}-", "-print_final_stats=1"),
            *(f"-dict={words}", str(corpus)),
        ]
        atheris.Setup([sys.argv[0], *options], lambda data: _try(given.target, data))
        atheris.Fuzz()
    return 0


def _try(name: str, data: bytes) -> None:
    """Run the target, and keep the input if it fails."""
    try:
        TARGETS[name].run(data)
    except Exception:
        FINDS.mkdir(exist_ok=True)
        path = FINDS / f"{name}-crash-{sha256(data).hexdigest()[:12]}"
        path.write_bytes(data)
        print(f"input kept in {path}", flush=True)
        raise


def mutated(target: Target, samples: list[bytes], draw: random.Random) -> bytes:
    """A sample after a few random changes."""
    data = bytearray(draw.choice(samples))
    for _ in range(draw.randint(1, 8)):
        at = draw.randrange(len(data) + 1)
        kind = draw.randrange(7)
        if kind == 0:
            del data[at : at + draw.randint(1, 16)]
        elif kind == 1:
            data[at : at + 1] = bytes([draw.choice((0, 1, 2, 127, 128, 255, draw.randrange(256)))])
        elif kind == 2 and data:
            data[min(at, len(data) - 1)] ^= 1 << draw.randrange(8)
        elif kind == 3 and target.tokens:
            data[at:at] = draw.choice(target.tokens)
        elif kind == 4:
            start = draw.randrange(len(data) + 1)
            data[at:at] = data[start : start + draw.randint(1, 64)]
        elif kind == 5:
            other = draw.choice(samples)
            start = draw.randrange(len(other) + 1)
            data[at:] = other[start:]
        else:
            data[at:at] = str(draw.choice((-1, 0, 10**9, 2**63, 1e308))).encode()
    return bytes(data)


def mutations(target: Target, seconds: float, seed: int) -> Iterator[bytes]:
    """Mutations of a target's samples for so long."""
    draw = random.Random(seed)
    samples = [*target.samples(), b""]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield mutated(target, samples, draw)


@dataclass(frozen=True)
class Outcome:
    """The result of fuzzing a target; None where the process or the system gave no figure.

    Attributes:
        wall_s: seconds, the import of its modules included; cpu_s: processor time.
        runs: inputs that were tried; edges: places of the code that they reached.
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

    def line(self) -> str:
        """What the terminal shows."""
        verdict = "ok" if self.code == 0 else f"FAILED ({self.code})"
        runs = "?" if self.runs is None else f"{self.runs:,}"
        return f"{self.target:10} {self.wall_s:5.0f} s  {runs:>9} runs  {verdict}"


def measure(target: str, command: Sequence[str]) -> Outcome:
    """Run the command, which fuzzes that target, to its end."""
    begun = time.monotonic()
    cpu_s = peak_mb = None
    with tempfile.TemporaryFile() as written:
        with subprocess.Popen(command, stdout=written, stderr=subprocess.STDOUT, cwd=ROOT) as child:
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


if __name__ == "__main__":
    sys.exit(main())
