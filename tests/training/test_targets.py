"""Stored values are sound: on open positions of real self-play they agree with how the games ended."""

from __future__ import annotations

import pytest

from research.probe_targets import bias, probe, squared_error


@pytest.mark.parametrize("preset", ["9x9", "15x15"])
@pytest.mark.ci("plays some hundred games of two nets: about a minute of one core")
def test_stored_values_agree_with_results_better_than_the_net(preset: str) -> None:
    found = probe(preset, 2000)
    assert abs(bias(found, "stored")) < 0.05
    assert squared_error(found, "stored") < squared_error(found, "raw")


@pytest.mark.slow
def test_the_mean_of_the_visits_fails_the_probe() -> None:
    """It was stored until schema 2: many moves considered with few simulations are refuted ones."""
    found = probe("9x9", 200, changes=("considered=16", "balanced_openings=0", "concurrency=16"))
    assert {len(values) for values in found.values()} == {len(found["result"])}
    assert len(found["result"]) >= 200
    assert abs(bias(found, "stored")) < abs(bias(found, "visits"))
    assert bias(found, "visits") < -0.05
    assert squared_error(found, "visits") > squared_error(found, "raw")
