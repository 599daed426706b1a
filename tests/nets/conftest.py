"""Nets and positions that several tests use."""

from __future__ import annotations

from pathlib import Path

import pytest

from wuzi.nets.file import NetFile
from wuzi.nets.legacy import read_legacy

LEGACY = Path(__file__).parent / "legacy"


@pytest.fixture(scope="session")
def trained() -> NetFile:
    """A small trained net: four in a row on 6x6."""
    return read_legacy(LEGACY / "best_policy_6_6_4.model")
