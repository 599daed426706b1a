"""Two people in two browsers: a game by links, with all that they may ask of each other, and a lost line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.browser.conftest import OpenScreen
from tests.browser.screen import Screen
from tests.browser.test_looks import PHONE, every_look, overflow, violations
from tests.web_server import RunningServer, running_server, until


class Line:
    """What joins a screen to its server; it can be cut."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._sockets: list[WebSocketRoute] = []
        self._is_cut = False
        screen.page.route_web_socket(re.compile(r"/ws/v1/store/"), self._on_socket)

    def _on_socket(self, socket: WebSocketRoute) -> None:
        if self._is_cut:
            socket.close()
            return
        socket.connect_to_server()
        self._sockets.append(socket)

    def cut(self) -> None:
        self._is_cut = True
        self._screen.page.route("**/api/**", lambda route: route.abort())
        for socket in self._sockets:
            socket.close()
        self._sockets.clear()

    def mend(self) -> None:
        self._is_cut = False
        self._screen.page.unroute("**/api/**")


def invite(screen: Screen, **choices: str) -> tuple[str, str]:
    """Make a game with a friend on the home page; the friend's link and the one to watch."""
    screen.go()
    screen.choose("preset", "9")
    screen.choose("mode", "friend")
    for name, value in choices.items():
        screen.choose(name, value)
    screen.test("start").click()
    links = screen.test("link-friend"), screen.test("link-watch")
    expect(links[0]).to_have_value(re.compile("/play/.+#[01]-"))
    friend, watch = (link.input_value() for link in links)
    return friend, watch


def close_dialog(screen: Screen) -> None:
    screen.page.keyboard.press("Escape")
    expect(screen.page.locator("dialog[open]")).to_have_count(0)


def join(open_screen: OpenScreen, link: str, **options: Any) -> Screen:
    screen = open_screen(**options)
    screen.page.goto(link)
    expect(screen.board).to_be_visible()
    return screen


@pytest.fixture
def pair(screen: Screen, open_screen: OpenScreen) -> Iterator[tuple[Screen, Screen, str]]:
    """Black and White in browsers of their own, and the link to watch."""
    friend, watch = invite(screen)
    close_dialog(screen)
    yield screen, join(open_screen, friend), watch


def menu(screen: Screen, item: str) -> None:
    screen.test("menu").click()
    screen.test(f"menu-{item}").click()


def test_two_browsers_play_a_whole_game_with_a_lost_line(screen: Screen, open_screen: OpenScreen) -> None:
    friend, watch = invite(screen, clock="rapid")
    close_dialog(screen)
    white = open_screen()
    line = Line(white)
    white.page.goto(friend)
    expect(white.board).to_be_visible()
    # The address that one shows to others gives no seat.
    expect(white.page).to_have_url(watch)
    watcher = join(open_screen, watch)
    expect(screen.test("away")).to_have_count(0)

    screen.play("e5")
    white.shows(stones=1)
    white.play("a1")
    # One does not play for the other.
    screen.shows(stones=2)
    white.cell("b1").click()
    expect(white.page.locator(".status")).to_contain_text("other side")
    watcher.shows(stones=2)
    watcher.cell("b1").click()
    expect(watcher.page.locator(".status")).to_contain_text("watching")
    expect(watcher.test("resign")).to_have_count(0)
    screen.play("d5")
    white.shows(stones=3)

    line.cut()
    expect(white.test("link-lost")).to_be_visible()
    expect(screen.test("away")).to_be_visible()
    white.play("a2")
    screen.shows(stones=3)
    assert len(screen.state["moves"]) == 3
    line.mend()
    expect(white.test("link-lost")).to_have_count(0)
    for one in (screen, white, watcher):
        one.shows(stones=4)
    expect(screen.test("away")).to_have_count(0)

    for stones, mine, theirs in ((5, "c5", "a3"), (7, "f5", "a4")):
        screen.play(mine)
        white.shows(stones=stones)
        white.play(theirs)
        screen.shows(stones=stones + 1)
    screen.page.reload()
    screen.shows(stones=8)
    screen.play("g5")
    expect(screen.test("result")).to_contain_text("You win!")
    expect(white.test("result")).to_contain_text("You lost")
    expect(watcher.test("result")).to_contain_text("Black wins")

    # Once more with colours changed: who was Black is White, and the watcher comes along.
    white.test("rematch").click()
    screen.test("accept").click()
    for one in (screen, white, watcher):
        one.shows(stones=0)
    white.play("e5")
    screen.shows(stones=1)
    screen.play("d4")
    watcher.shows(stones=2)
    assert screen.game_id == white.game_id == watcher.game_id


def test_a_clock_is_right_after_seconds_without_a_line(screen: Screen, open_screen: OpenScreen) -> None:
    """What a line has held is late: it must not set the clock of who hears it."""
    friend, _ = invite(screen, clock="blitz")
    close_dialog(screen)
    white = join(open_screen, friend)
    for stones, (one, cell) in enumerate(((screen, "e5"), (white, "a1"), (screen, "d5"), (white, "a2"))):
        one.shows(stones=stones)
        one.play(cell)
    screen.shows(stones=4)
    white.page.context.set_offline(True)
    screen.play("c5")
    white.page.wait_for_timeout(8_000)
    expect(white.test("link-lost")).to_be_visible()
    white.page.context.set_offline(False)
    white.shows(stones=5)
    white.troubles = [trouble for trouble in white.troubles if "DISCONNECTED" not in trouble]
    white.play("a3")
    for one in (screen, white):
        one.shows(stones=6)
        expect(one.page.get_by_text("rules do not allow")).to_have_count(0)
    assert screen.state["clocks"][1]["leftS"] < 180


def test_a_takeback_and_a_draw_need_the_other_side(pair: tuple[Screen, Screen, str]) -> None:
    black, white, _ = pair
    black.play("e5")
    white.shows(stones=1)
    black.test("undo").click()
    expect(black.test("offer")).to_contain_text("You have asked")
    white.test("decline").click()
    expect(black.test("offer")).to_have_count(0)
    black.shows(stones=1)
    white.play("d5")
    black.shows(stones=2)
    black.test("undo").click()
    white.test("accept").click()
    for one in (black, white):
        one.shows(stones=0)
    black.play("a1")
    menu(white, "draw")
    expect(black.test("offer")).to_contain_text("offers a draw")
    menu(black, "draw")
    for one in (black, white):
        expect(one.test("result")).to_contain_text("agreed on a draw")


def test_swap2_goes_between_two_browsers(screen: Screen, open_screen: OpenScreen) -> None:
    friend, _ = invite(screen, opening="swap2")
    close_dialog(screen)
    other = join(open_screen, friend)
    expect(other.page.locator(".opening")).to_contain_text("The opponent decides")
    for move in ("e5", "d4", "f6"):
        screen.cell(move).click()
    screen.test("send-opening").click()
    other.shows(stones=3)
    other.page.get_by_role("button", name="Take Black").click()
    expect(screen.page.locator(".status")).to_contain_text("Your turn (White)")
    screen.play("a9")
    other.shows(stones=4)
    other.play("a1")
    screen.shows(stones=5)


def test_two_at_one_screen_go_on_far_from_each_other(screen: Screen, open_screen: OpenScreen) -> None:
    screen.go()
    screen.choose("preset", "9")
    screen.choose("mode", "two")
    screen.test("start").click()
    expect(screen.board).to_be_visible()
    screen.play("e5", "d5")
    menu(screen, "invite")
    screen.test("invite-W").click()
    link = screen.test("link-friend").input_value()
    screen.test("my-name").fill("Wei")
    screen.test("my-name").press("Tab")
    close_dialog(screen)
    friend = join(open_screen, link)
    expect(friend.page.locator(".player").first).to_contain_text("Wei")
    friend.play("c5")
    screen.shows(stones=3)
    screen.play("b5")
    friend.shows(stones=4)


def test_nobody_finds_a_game_of_others(pair: tuple[Screen, Screen, str], open_screen: OpenScreen) -> None:
    black, white, _ = pair
    game = black.game_id
    black.play("e5")
    for one in (black, white):
        one.go()
        expect(one.page.locator(f'.games a[href="/play/{game}"]')).to_be_visible()
    stranger = open_screen()
    stranger.go()
    expect(stranger.page.locator(".games")).to_contain_text("No games yet")
    assert game not in str(stranger.server.get("/store/games?limit=100"))
    wrong = join(open_screen, f"{black.server.url}/play/{game}#1-{'a' * 24}")
    wrong.cell("a1").click()
    expect(wrong.page.get_by_text("Only who has the link of a side")).to_be_visible()
    black.go(f"/play/{game}")
    black.shows(stones=1)


def test_both_leave_and_the_server_restarts(open_screen: OpenScreen, tmp_path: Path) -> None:
    with running_server(tmp_path) as first:
        black = open_screen(on=first)
        link, _ = invite(black, clock="blitz")
        close_dialog(black)
        white = join(open_screen, link, on=first)
        black.play("e5")
        white.shows(stones=1)
        port, address = first.port, black.page.url
        black.page.goto("about:blank")
        expect(white.test("away")).to_be_visible()
        white.page.goto("about:blank")
        game = address.rsplit("/", 1)[1]
        until(lambda: first.get(f"/store/games/{game}")["data"]["between"]["stands"], "the clocks stand")
    with running_server(tmp_path, port=port) as second:
        for one in (black, white):
            one.troubles = [trouble for trouble in one.troubles if "WebSocket" not in trouble]
            one.server = second
            one.page.goto(address)
            one.shows(stones=1)
        white.play("d5")
        black.shows(stones=2)
        assert min(clock["leftS"] for clock in second.get(f"/store/games/{game}")["data"]["clocks"]) > 100
        for one in (black, white):
            one.troubles = [trouble for trouble in one.troubles if "WebSocket" not in trouble]
            one.page.context.close()


@every_look
def test_it_looks_right(
    open_screen: OpenScreen, server: RunningServer, options: dict[str, Any], locale: str, scheme: str
) -> None:
    screen = open_screen(**options, locale=locale, color_scheme=scheme)
    link, _ = invite(screen)
    assert overflow(screen) == 0
    assert violations(screen) == []
    close_dialog(screen)
    friend = join(open_screen, link, **PHONE, locale=locale, color_scheme=scheme)
    if options:
        screen.cell("e5").tap()
        screen.test("confirm-move").tap()
    else:
        screen.cell("e5").click()
    friend.shows(stones=1)
    screen.test("undo").click()
    expect(friend.test("accept")).to_be_visible()
    for one in (screen, friend):
        assert overflow(one) == 0
        assert violations(one) == []
