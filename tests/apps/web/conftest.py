from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web_server import RunningServer, running_server


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for all API tests; each test makes games of its own."""
    with running_server(tmp_path_factory.mktemp("data"), workers=2) as running:
        yield running
