"""What the page takes from the server: its types, and facts of the rules."""

from __future__ import annotations

from typing import get_args

import pytest
from starlette.routing import WebSocketRoute

from scripts import wire_types
from tests.web_server import RunningServer
from wuzi.apps.web import schemas
from wuzi.apps.web.routes import api, socket
from wuzi.apps.web.schemas_sockets import TOPICS
from wuzi.apps.web.store import KINDS
from wuzi.arena.openings import default_openings, load_shipped
from wuzi.core import Game, Opening, Rule, Rules
from wuzi.core.game import Phase
from wuzi.core.types import Reason
from wuzi.errors import ConfigError, WuziError


def test_the_pages_types_are_those_of_the_server() -> None:
    assert wire_types.FILE.read_text(encoding="utf-8") == wire_types.generate(), (
        "run: python scripts/wire_types.py"
    )


def test_every_socket_is_described() -> None:
    routes = (*api.routes, *socket.router.routes)
    assert {route.path for route in routes if isinstance(route, WebSocketRoute)} == set(TOPICS)


def test_names_on_the_wire_are_those_of_the_rules() -> None:
    assert get_args(schemas.RuleName) == tuple(rule.label for rule in Rule)
    assert get_args(schemas.OpeningName) == tuple(Opening)
    assert set(get_args(schemas.PhaseName)) == set(Phase)
    assert get_args(schemas.StoreName) == KINDS
    assert set(get_args(schemas.ReasonName)) == {reason.label for reason in Reason}


def test_the_limits_are_those_of_the_rules(server: RunningServer) -> None:
    facts = server.client.get("/api/v1/version").json()
    lengths = {rule["id"]: rule["winLengths"] for rule in facts["rules"]}

    def is_possible(size: int, win_length: int, rule: str, opening: str) -> bool:
        return (
            facts["minSize"] <= size <= facts["maxSize"]
            and facts["minWinLength"] <= win_length <= size
            and (lengths[rule] is None or win_length in lengths[rule])
            and (opening == "free" or size >= facts["minOpeningSize"])
        )

    for size in (2, 3, 4, 5, 6, 15, 26, 27):
        for win_length in (2, 3, 4, 5, 6, 15, 27):
            for rule in lengths:
                for opening in facts["openings"]:
                    wanted = (size, win_length, rule, opening)
                    try:
                        Rules(*wanted)
                    except ConfigError:
                        assert not is_possible(*wanted), wanted
                    else:
                        assert is_possible(*wanted), wanted


@pytest.mark.parametrize("rule", [rule.label for rule in Rule])
def test_the_books_are_those_that_can_be_drawn_from(server: RunningServer, rule: str) -> None:
    books = server.client.get("/api/v1/version").json()["books"]
    for size in (3, 4, 5, 6, 9, 11, 15, 20, 26):
        for win_length in (length for length in (3, 4, 5, 6) if length <= size):
            try:
                rules = Rules(size, win_length, rule)
            except ConfigError:
                continue
            offered = {
                book["id"]
                for book in books
                if book["rule"] in (None, rule)
                and book["minSize"] <= size <= book["maxSize"]
                and book["minWinLength"] <= win_length <= book["maxWinLength"]
            }
            assert ("even" in offered) == (default_openings(rules) != "auto"), rules.label
            assert ("renju26" in offered) == _can_draw("renju26", rules), rules.label


def _can_draw(book: str, rules: Rules) -> bool:
    try:
        return all(opening.game(rules).outcome is None for opening in load_shipped(book, rules))
    except WuziError:
        return False


def test_colours_to_place_follow_the_opening() -> None:
    game = Game(Rules(15, opening="swap2"))
    letters = [color.letter for color in game.colors_to_place]
    assert letters == ["B", "W", "B"]
    assert [color.letter for color in Game(Rules(15)).play("h8").colors_to_place] == ["W"]
