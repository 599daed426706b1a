"""What is said of broken files: the page says the same sentences in Chinese, by their form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wuzi.errors import RecordError
from wuzi.records import loads

REFUSED = json.loads((Path(__file__).parents[1] / "golden" / "refusals.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["text"][:20])
def test_the_sentences_that_the_page_translates_are_those_of_the_readers(case: dict[str, str]) -> None:
    """``frontend/tests/details.test.ts`` reads the same file."""
    with pytest.raises(RecordError) as refused:
        loads(case["text"]).game()
    assert str(refused.value) == case["says"]
