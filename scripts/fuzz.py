"""Fuzz every parser and protocol: python scripts/fuzz.py [--target NAME] [--seconds 20] [--log FILE].

With atheris (``pip install atheris``) the inputs follow the coverage; without it they are plain mutations of
the seeds. An input that crashes, hangs or eats memory is written to ``fuzz-finds/``; once fixed it belongs
into ``tests/fuzz/NAME/``, whose files the tests run again. Each target runs in a process of its own.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import logging
import shlex
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

from fuzzing.outcome import Outcome, measure, write_log
from fuzzing.targets import ROOT, TARGETS

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
    parser.add_argument("--log", type=Path, help="write a page with the figures, as docs/results/fuzz.md")
    parser.add_argument("--plain", action="store_true", help="mutations without coverage")
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

    def fuzz(name: str) -> Outcome:
        outcome = measure(name, [sys.executable, __file__, "--target", name, *options])
        print(outcome.line(), flush=True)
        if outcome.code:
            print(outcome.output[-4000:], flush=True)
        return outcome

    with ThreadPoolExecutor(given.jobs) as pool:
        outcomes = [*pool.map(fuzz, TARGETS)]
    if given.log is not None:
        command = shlex.join(["make", "fuzz", "ARGS=" + shlex.join(sys.argv[1:])])
        write_log(given.log, outcomes, given.seconds, command)
    return sum(outcome.code != 0 for outcome in outcomes)


def _plain(given: argparse.Namespace) -> int:
    """Mutations without coverage."""
    import faulthandler

    from fuzzing.mutation import fuzz

    _limit_memory()
    tried = 0
    current = b""
    try:
        for data in fuzz(TARGETS[given.target], given.seconds, given.seed):
            current = data
            faulthandler.dump_traceback_later(given.timeout, exit=True)  # a hang ends the process
            tried += 1
    except Exception:
        print(f"input kept in {_keep(given.target, 'crash', current)}", flush=True)
        raise
    finally:
        faulthandler.cancel_dump_traceback_later()
    print(f"Done {tried} runs in {given.seconds:.0f} second(s)")
    return 0


def _limit_memory() -> None:
    """Let too large an allocation fail, where the system can."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MB << 21, MEMORY_MB << 21))


def _guided(given: argparse.Namespace) -> int:
    """Inputs that follow the coverage of wuzi's own modules."""
    import atheris

    from wuzi.core import jit

    jit.import_kernels(jit.kernel_modules())  # Numba cannot compile what atheris has instrumented
    with atheris.instrument_imports(include=["wuzi", "sgfmill"]):
        target = TARGETS[given.target]
        target.run(b"")
        seeds = [*target.seeds()]
        for content in seeds:
            target.run(content)
    FINDS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        for content in seeds:
            (corpus / sha256(content).hexdigest()[:16]).write_bytes(content)
        words = Path(folder, "tokens")
        words.write_text("".join(f'"{_escaped(token)}"\n' for token in target.tokens))
        longest = max(MAX_BYTES, *(2 * len(content) for content in seeds))
        options = [
            *(f"-max_total_time={int(given.seconds)}", f"-seed={given.seed}", f"-timeout={given.timeout}"),
            *(f"-rss_limit_mb={MEMORY_MB}", f"-max_len={longest}"),
            *(f"-artifact_prefix={FINDS}/{given.target}-", "-print_final_stats=1"),
            *(f"-dict={words}", str(corpus)),
        ]
        atheris.Setup([sys.argv[0], *options], _keeping(given.target))
        atheris.Fuzz()
    return 0


def _keeping(name: str) -> Callable[[bytes], None]:
    """The target, which keeps the input of a failure before it fails."""

    def run(data: bytes) -> None:
        try:
            TARGETS[name].run(data)
        except Exception:
            print(f"input kept in {_keep(name, 'crash', data)}", flush=True)
            raise

    return run


def _escaped(token: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in token)


def _keep(name: str, kind: str, data: bytes) -> Path:
    FINDS.mkdir(exist_ok=True)
    path = FINDS / f"{name}-{kind}-{sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    return path


if __name__ == "__main__":
    sys.exit(main())
