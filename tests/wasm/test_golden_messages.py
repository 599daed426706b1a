"""The messages that other hosts of the kernels are held to are what Python says today."""

from __future__ import annotations

import golden_messages
import pytest

pytestmark = pytest.mark.kernels

SAMPLE = list(range(0, golden_messages.COUNT, 7))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["analysis", "hints", "layers"])
def test_every_seventh_message(name: str) -> None:
    kept, made = golden_messages.read(name), golden_messages.MAKERS[name](SAMPLE)
    assert len(kept) == golden_messages.COUNT
    for place, row in zip(SAMPLE, golden_messages.plain(made), strict=True):
        assert row == kept[place], "python scripts/golden_messages.py writes them anew"


@pytest.mark.slow
def test_moves_of_the_levels() -> None:
    kept = golden_messages.read("levels")
    names = [row["level"] for row in kept[golden_messages.COUNT :]]
    made = golden_messages.plain(golden_messages.levels(SAMPLE))
    assert names == [row["level"] for row in made[len(SAMPLE) :]]
    for old, new in zip(kept[golden_messages.COUNT :], made[len(SAMPLE) :], strict=True):
        assert [old["moves"][i] for i in SAMPLE] == new["moves"]


def test_choices() -> None:
    assert golden_messages.plain(golden_messages.choices(list(range(golden_messages.COUNT)))) == (
        golden_messages.read("choices")
    ), "python scripts/golden_messages.py writes them anew"


def test_a_review() -> None:
    kept = golden_messages.read("reviews")
    assert len(kept) == len(golden_messages.REVIEWED)
    assert golden_messages.plain(golden_messages.reviews([4])) == [kept[4]]
