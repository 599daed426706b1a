"""A browser window on the real page of the real server, in the words of a player."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.own_store import OwnStore
from wuzi.core import format_move, parse_move

STEP_MS = 60_000
IDLE = "() => new Promise((go) => requestIdleCallback(() => requestAnimationFrame(go), { timeout: 1000 }))"


class Screen:
    """One tab.

    Attributes:
        page: the tab.
        server: where its games are kept: a RunningServer, or an OwnStore of a page without a server.
        troubles: script errors and refused resources so far; a test may clear what it provoked.
    """

    def __init__(self, page: Page, server: Any) -> None:
        self.page = page
        self.server = server
        self.troubles: list[str] = []
        page.set_default_timeout(STEP_MS)
        page.on("pageerror", lambda error: self.troubles.append(f"script error: {error}"))
        page.on("console", self._on_console)
        self._asked = self._answered = 0
        page.on("request", lambda _: self._count(asked=1))
        page.on("requestfinished", lambda _: self._count(answered=1))
        page.on("requestfailed", lambda _: self._count(answered=1))

    def _count(self, asked: int = 0, answered: int = 0) -> None:
        self._asked += asked
        self._answered += answered

    def _on_console(self, message: Any) -> None:
        # Answers such as 409 are logged by the browser as failed resources; the page shows them itself.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.troubles.append(f"console: {message.text}")

    # ------------------------------------------------------------ going somewhere

    def go(self, path: str = "/") -> None:
        if isinstance(self.server, OwnStore):
            self.page.goto(self.server.plain_file)  # another place behind the # would load no page
        self.page.goto(self.server.url + path)

    def settle(self) -> None:
        """Wait until the page has all that it asked for and nothing more to do.

        As "networkidle", which waits for half a second more.
        """
        deadline = time.monotonic() + STEP_MS / 1000
        asked = -1
        while asked != self._asked or self._answered < asked:
            assert time.monotonic() < deadline, f"{self._asked} requests, {self._answered} answered"
            asked = self._asked
            self.page.evaluate(IDLE)

    def open_game(self, *engines: str | None, **options: Any) -> dict[str, Any]:
        """Make a game by the API and show it."""
        game = self.server.new_game(*engines, **options)
        self.go(f"/play/{game['id']}")
        expect(self.board).to_be_visible()
        return game

    def choose(self, name: str, value: str) -> None:
        """Click the option of a group of radio buttons, unfolding what hides it."""
        one = self.page.locator(f'input[name="{name}"][value="{value}"]')
        one.wait_for(state="attached")  # before that nothing is seen to hide it
        for hiding in one.locator("xpath=ancestor::details[not(@open)]").all():
            hiding.locator("> summary").click()
        self.page.locator(f'label:has(input[name="{name}"][value="{value}"])').click()

    def start(self, opponent: str, preset: str = "9", first: str = "human", level: str | None = None) -> None:
        """Set a game up on the home page and start it."""
        self.choose("preset", preset)
        if opponent == "levels":
            self.choose("level", level or "casual")
        elif opponent in ("two", "watch"):
            self.choose("mode", opponent)
        else:
            self.choose("opponent", opponent)
            if level is not None:
                self.choose("opponent-level", level)
        self.choose("first", first)
        self.test("start").click()
        expect(self.board).to_be_visible()

    @property
    def game_id(self) -> str:
        self.page.wait_for_url("**/play/*")
        return self.page.url.rsplit("/", 1)[1]

    # ------------------------------------------------------------ looking

    @property
    def board(self) -> Locator:
        return self.page.get_by_role("grid")

    def test(self, name: str) -> Locator:
        """The element that the page marks for tests."""
        return self.page.locator(f'[data-test="{name}"]')

    @property
    def state(self) -> dict[str, Any]:
        """What is kept of the game on the screen."""
        return self.server.state(self.game_id)

    @property
    def stones(self) -> Locator:
        return self.board.locator('[data-stone="B"], [data-stone="W"]')

    def cell(self, move: str) -> Locator:
        expect(self.board).to_be_visible()  # between two games there is none
        size = round(self.board.locator("[data-cell]").count() ** 0.5)
        return self.board.locator(f'[data-cell="{parse_move(move, size):d}"]')

    def shows(self, *, stones: int) -> None:
        expect(self.board).to_be_visible()
        expect(self.stones).to_have_count(stones)
        # A stone is drawn before the server has answered; until then the board takes no other.
        expect(self.page.locator(".pending")).to_have_count(0)

    # ------------------------------------------------------------ playing

    def play(self, *moves: str) -> None:
        """Click points; each stone must appear."""
        for move in moves:
            self.cell(move).click()
            expect(self.cell(move)).not_to_have_attribute("data-stone", ".")
            expect(self.page.locator(".pending")).to_have_count(0)

    def play_out(self, pick: Any, most: int = 81) -> None:
        """Play against an engine until the result shows; ``pick`` chooses each move from the state."""
        least = 0
        for _ in range(most):
            state = self.server.wait_for(
                {"id": self.game_id},
                lambda now, least=least: now["outcome"] or (now["thinking"] is None and now["ply"] >= least),
            )
            if state["outcome"]:
                break
            self.shows(stones=state["ply"])
            self.play(pick(state))
            least = state["ply"] + 2  # what is stored lags behind what is shown
        expect(self.test("result")).to_be_visible()


def rows(size: int, length: int) -> Sequence[tuple[int, ...]]:
    """All straight rows of a board."""
    found = []
    for row in range(size):
        for col in range(size):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last_row, last_col = row + down * (length - 1), col + right * (length - 1)
                if last_row < size and 0 <= last_col < size:
                    found.append(tuple((row + i * down) * size + col + i * right for i in range(length)))
    return found


def towards_a_row(state: dict[str, Any]) -> str:
    """The next stone of the row that is nearest to complete and still open."""
    cells, size = state["cells"], state["rules"]["size"]
    mine = state["toMove"]
    other = "W" if mine == "B" else "B"
    best = max(
        (row for row in rows(size, state["rules"]["winLength"]) if all(cells[cell] != other for cell in row)),
        key=lambda row: sum(cells[cell] == mine for cell in row),
    )
    return format_move(next(cell for cell in best if cells[cell] == "."), size)


def without_a_plan(state: dict[str, Any]) -> str:
    """A stone that makes nothing and stops nothing: every third point of the edge."""
    cells, size = state["cells"], state["rules"]["size"]
    edge = [cell for cell in range(size * size) if cell // size in (0, size - 1) and cell % size % 2 == 0]
    return format_move(next(cell for cell in (*edge, *range(size * size)) if cells[cell] == "."), size)
