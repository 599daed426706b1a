"""The list of deliberate mistakes fits the code; ``python scripts/mutants.py`` tries them."""

from __future__ import annotations

import pytest
from mutants import ROOT, Mutant, mutants


def test_there_are_enough_and_each_has_a_name_of_its_own() -> None:
    names = [mutant.name for mutant in mutants()]
    assert len(names) == len(set(names)) >= 30


@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: mutant.name)
def test_a_mistake_can_be_made(mutant: Mutant) -> None:
    text = (ROOT / mutant.file).read_text("utf-8")
    assert mutant.made_in(text) != text
    assert all((ROOT / name).exists() for name in mutant.tests.split())
