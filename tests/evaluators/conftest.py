"""Nets and positions that several tests use."""

from __future__ import annotations

from pathlib import Path

import pytest

from wuzi.evaluators.legacy import read_legacy
from wuzi.evaluators.net_file import NetFile

LEGACY = Path(__file__).parent / "legacy"


@pytest.fixture(scope="session")
def trained() -> NetFile:
    """A small trained net: four in a row on 6x6."""
    return read_legacy(LEGACY / "best_policy_6_6_4.model")
