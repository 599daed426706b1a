"""The openings, with a server and on a site without one: found, shared, played from, analysed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import OpenScreen
from tests.browser.file_host import FileHost, opened
from tests.browser.screen import Screen
from tests.browser.test_looks import PHONE, every_look, overflow, violations


def looks_around(screen: Screen, locale: str) -> None:
    """From the 26 of renju to a game, an analysis, the proof and a swap."""
    page = screen.page
    screen.go("/openings")
    expect(page.locator('[data-test="opening-list"] li')).to_have_count(26)
    expect(page.get_by_role("heading", level=1)).to_have_text("Openings" if locale == "en-US" else "开局")
    screen.test("opening-d4").click()
    page.wait_for_url("**/openings/renju26/d4*")
    card = screen.test("opening")
    expect(card.get_by_role("heading")).to_contain_text("Kagetsu")
    expect(card.get_by_role("heading")).to_contain_text("花月")
    expect(screen.test("opening-engine")).to_contain_text(re.compile(r"\d+%.*\d"))
    expect(screen.test("opening-proof")).to_have_count(0)
    screen.test("rule-freestyle").click()
    expect(screen.test("opening-proof")).to_be_visible()
    screen.test("opening-line").click()
    expect(screen.test("line")).to_be_visible()
    screen.test("opening-order").select_option("black")
    address = page.url

    screen.test("opening-play").click()
    page.wait_for_url("**/p/h8h9i9?*")
    page.locator("[name=opponent-level]").select_option("novice")
    expect(screen.test("play-to-move")).to_contain_text("Novice" if locale == "en-US" else "新手")
    screen.test("open-two").click()
    page.wait_for_url("**/play/*")
    screen.shows(stones=3)

    page.goto(address)
    page.reload()
    expect(card.get_by_role("heading")).to_contain_text("Kagetsu")
    screen.test("opening-analyse").click()
    page.wait_for_url(re.compile("/analysis"))
    expect(screen.stones).to_have_count(3)

    screen.go("/openings/proof")
    expect(page.locator('[data-test="opening-list"] li')).to_have_count(35)
    expect(screen.test("opening-proof")).to_have_class("proved")
    screen.test("opening-walk").click()
    page.wait_for_url("**/proof/h8*")
    expect(screen.stones).to_have_count(3)

    screen.go("/openings/freestyle-9")
    expect(page.locator('[data-test="opening-list"] li')).to_have_count(150)
    screen.go("/openings/freestyle-9/nothing")
    expect(page.get_by_role("link", name=re.compile("Openings|开局")).last).to_be_visible()
    screen.go("/openings/swap")
    screen.test("set-up-swap2").click()
    expect(screen.test("start")).to_be_visible()
    expect(page.locator('input[name="opening"][value="swap2"]')).to_be_checked()


@pytest.mark.parametrize(("options", "locale"), [({}, "en-US"), (PHONE, "zh-CN")], ids=["desktop", "phone"])
def test_with_a_server(open_screen: OpenScreen, options: dict[str, Any], locale: str) -> None:
    looks_around(open_screen(**options, locale=locale), locale)


def test_without_one(browser: Browser, host: FileHost) -> None:
    screen, failed = opened(browser, host, locale="en-US", service_workers="block")
    looks_around(screen, "en-US")
    assert (failed, screen.troubles) == ([], [])


@every_look
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    open_screen: OpenScreen, options: dict[str, Any], locale: str, scheme: str
) -> None:
    screen = open_screen(**options, color_scheme=scheme, locale=locale, reduced_motion="reduce")
    for path in ("/openings", "/openings/proof/a15", "/openings/freestyle-20", "/openings/swap"):
        screen.go(path)
        expect(screen.page.get_by_role("heading", level=1)).to_be_visible()
        screen.settle()
        assert (violations(screen), overflow(screen)) == ([], 0), path
