"""Generated requests over the whole OpenAPI document: answers must be what the document says, never a 500."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.web_server import RunningServer
from wuzi.apps.web import create_app

CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
]
SEARCHES = ("/analyze", "/move", "/new")
"""Each example of these makes an engine think."""
OPERATIONS = {
    operation.label: operation
    for operation in (
        found.ok() for found in schemathesis.openapi.from_dict(create_app().openapi()).get_all_operations()
    )
}


@pytest.mark.slow
@pytest.mark.parametrize("label", OPERATIONS)
def test_answers_are_what_the_schema_says(label: str, server: RunningServer) -> None:
    slow = label.endswith((*SEARCHES, "POST /api/v1/arenas"))
    examples = 3 if slow else 12  # these are searches

    @settings(max_examples=examples, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(case=OPERATIONS[label].as_strategy())
    def ask(case: Any) -> None:
        if "game_id" in case.path_parameters and case.method != "DELETE":
            case.path_parameters["game_id"] = some_game(server, str(case.path_parameters["game_id"]))
        if label.endswith("/analyze") and isinstance(case.body, dict):
            case.body["limit"] = {"nodes": 200, "time": 0.2}
        case.call_and_validate(base_url=server.url, checks=CHECKS, timeout=60)

    ask()


def some_game(server: RunningServer, wild: str) -> str:
    """Mostly an existing game, so that more than 404 is tested."""
    if len(wild) % 4 == 0:
        return wild
    game: str = server.client.post("/api/game/new", json={"size": 5}).json()["game_id"]
    return game
