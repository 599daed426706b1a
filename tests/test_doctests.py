"""The examples of docstrings."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parent.parent / "src"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
EXAMPLES = {
    ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__"): number
    for path in sorted(SOURCES.rglob("*.py"))
    if (number := path.read_text("utf-8").count(">>> "))
}
"""How many there are in each module."""


@pytest.mark.parametrize("module", EXAMPLES)
def test_examples_of_docstrings(module: str) -> None:
    found = doctest.testmod(importlib.import_module(module), optionflags=FLAGS)
    assert (found.attempted, found.failed) == (EXAMPLES[module], 0)
