"""With a server the page looks at boards itself, by kernels that it loads when somebody reaches for one."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Route, expect

from tests.browser.conftest import OpenScreen
from tests.browser.screen import Screen
from tests.web_server import until
from wuzi.core import parse_move

COUNT_MODULES = """
    window.modules = 0
    const real = WebAssembly.instantiate
    WebAssembly.instantiate = async (...all) => {
        const made = await real(...all)
        window.modules++
        return made
    }
"""
RENJU = {"size": 15, "winLength": 5, "rule": "renju"}
BEFORE = ("f8", "a1", "g8", "c1", "h9", "e1", "h10")


def watched(screen: Screen) -> list[str]:
    """The paths that the page asks for from now on; the window counts the modules that it makes."""
    asked: list[str] = []
    screen.page.add_init_script(COUNT_MODULES)
    screen.page.on("request", lambda request: asked.append(request.url.removeprefix(screen.server.url)))
    return asked


def reach_for_the_board(screen: Screen) -> None:
    screen.board.hover()
    screen.page.wait_for_function("() => window.modules > 0")
    screen.settle()


def test_boards_are_looked_at_by_the_module(open_screen: OpenScreen) -> None:
    screen = open_screen()
    asked = watched(screen)
    screen.go(f"/analysis/{''.join(BEFORE)}?size=15&winLength=5&rule=renju")
    screen.shows(stones=len(BEFORE))
    policy = screen.server.client.get("/").headers["content-security-policy"]
    assert "script-src 'self' 'wasm-unsafe-eval';" in policy
    reach_for_the_board(screen)
    asked.clear()
    screen.cell("a3").click()
    marked = screen.board.locator('[data-cell][aria-label*="forbidden"]')
    expect(marked).to_have_count(1)
    expect(marked).to_have_attribute("data-cell", str(int(parse_move("h8", 15))))
    # A point with a stone is refused; and nothing was asked of the server for all this.
    screen.cell("h9").click()
    screen.shows(stones=len(BEFORE) + 1)
    assert [path for path in asked if path.startswith("/api/v1/positions")] == []


def test_a_win_is_seen_before_the_server_answers(open_screen: OpenScreen) -> None:
    screen = open_screen()
    watched(screen)
    game = screen.open_game()
    screen.server.play(game, "a9", "a8", "b9", "b8", "c9", "c8", "d9", "d8")
    screen.shows(stones=8)
    reach_for_the_board(screen)
    held: list[Any] = []

    def hold(route: Route) -> None:
        held.append(route)

    screen.page.route("**/store/games/*", hold)
    screen.cell("e9").click()
    expect(screen.board.locator(".win-ring").first).to_be_attached()
    expect(screen.test("result")).to_be_visible()
    assert screen.state["ply"] == 8
    held[0].continue_()
    until(lambda: screen.state["outcome"], "the game is kept")
