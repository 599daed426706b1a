"""The fuzz targets on their samples, on what fuzzing has found, and on a few mutations of both."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest

from tests.fuzzing.run import measure, mutated
from tests.fuzzing.targets import TARGETS

ROOT = Path(__file__).resolve().parent.parent
FINDS = Path(__file__).resolve().parent / "fuzz"
FOUND = sorted(path for path in FINDS.rglob("*") if path.is_file())

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found_stays_fixed(path: Path) -> None:
    TARGETS[path.parent.name].run(path.read_bytes())


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_a_few_inputs(name: str) -> None:
    target = TARGETS[name]
    samples = list(target.samples())
    assert samples
    for data in (b"", *samples):
        target.run(data)
    draw = random.Random(name)
    for _ in range(40):
        target.run(mutated(target, samples, draw))


@pytest.mark.parametrize("name", ["analysis", "json", "net", "results", "stored", "web"])
def test_any_number_may_be_infinite(name: str) -> None:
    """JSON can write a number that is infinite as a float, in every place where a whole one is expected."""
    for sample in TARGETS[name].samples():
        for spot in re.finditer(rb"(?<![\w.])-?\d+(?:\.\d+)?(?!\w)", sample[:8000]):
            TARGETS[name].run(sample[: spot.start()] + b"1e999" + sample[spot.end() :])


def test_a_run_is_measured() -> None:
    command = [
        sys.executable,
        "-m",
        "tests.fuzzing.run",
        "--target",
        "code",
        "--plain",
        "--seconds",
        "0.5",
    ]
    outcome = measure("code", command)
    assert (outcome.code, outcome.edges) == (0, None), outcome.output
    assert outcome.runs
    if sys.platform != "win32":
        assert outcome.cpu_s and outcome.peak_mb and outcome.peak_mb > 20
    assert outcome.line().endswith(" ok")


def test_coverage_is_read_from_what_atheris_says() -> None:
    said = (
        r"#8 NEW cov: 3 ft: 4\n#9 DONE cov: 17 ft: 20\n"
        r"Done 120 runs in 6 second(s)\nstat::number_of_executed_units: 121"
    )
    outcome = measure("any", [sys.executable, "-c", f'print("{said}"); raise SystemExit(3)'])
    assert (outcome.runs, outcome.edges, outcome.code) == (121, 17, 3)
