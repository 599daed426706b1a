"""The second module, in which a net learns: what it is made of, and what its TypeScript is held to."""

from __future__ import annotations

import gzip
import json

import build_wasm
import numpy as np
import pytest
import wasmtime
from wasm_making.compiling import MATH

from tests.wasm import learning

pytestmark = pytest.mark.kernels

MOST_BYTES = 400_000
"""Of the learning part, compressed."""


def test_the_module_is_small_and_asks_for_nothing_but_functions_of_numbers() -> None:
    files = [build_wasm.LEARNER, build_wasm.LEARNER_FOLDER / "recipes.json"]
    assert sum(len(gzip.compress(path.read_bytes(), 9)) for path in files) < MOST_BYTES
    module = wasmtime.Module(wasmtime.Engine(), build_wasm.LEARNER.read_bytes())
    assert {one.name for one in module.imports} <= set(MATH)


def test_the_example_is_what_python_learns() -> None:
    kept, made = json.loads(learning.FILE.read_text("utf-8")), json.loads(json.dumps(learning.example()))
    for name in ("games", "openings"):
        assert kept[name] == made[name], "python -m tests.wasm.learning writes it anew"
    for old, new in zip(kept["steps"], made["steps"], strict=True):
        assert [*new.values()] == pytest.approx([*old.values()], rel=1e-4)
    for old, new in zip(kept["checks"], made["checks"], strict=True):
        assert new["moves"] == old["moves"]
        assert new["value"] == pytest.approx(old["value"], abs=1e-3)
        assert np.array(new["policy"]) == pytest.approx(np.array(old["policy"]), abs=1e-3)
    assert kept["steps"][0]["loss"] != pytest.approx(kept["steps"][1]["loss"], rel=1e-3)
