"""What the first visit costs, and what Lighthouse would look at."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenScreen
from tests.browser.test_looks import PHONE
from tests.web_server import RunningServer

MOST_SCRIPT = {"/": 130 * 1024, "/analysis": 180 * 1024}
"""A board that is analysed needs the rule book, and the page's own part."""
PAGES = ("/", "/analysis", "/review", "/puzzles", "/settings", "/help", "/p/h8h9i7", "/no/such/page")
SHIFTS = """() => new Promise((done) => {
    let total = 0
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) total += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => done(total), 300)
})"""


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("path", ["/", "/analysis"])
def test_the_first_load_is_small(open_screen: OpenScreen, path: str, locale: str) -> None:
    screen = open_screen(locale=locale)
    scripts: dict[str, int] = {}
    screen.page.on(
        "requestfinished",
        lambda request: (
            scripts.update({request.url: request.sizes()["responseBodySize"]})
            if request.resource_type == "script"
            else None
        ),
    )
    screen.go(path)
    expect(screen.page.get_by_role("main")).to_be_visible()
    screen.settle()
    assert 50 * 1024 < sum(scripts.values()) < MOST_SCRIPT[path], scripts
    languages = {found[1] for url in scripts if (found := re.search(r"/texts\.(en|zh-CN)-", url))}
    assert languages == {"en" if locale == "en-US" else locale}, "only the language that is read"


@pytest.mark.parametrize(("device", "locale"), [("desktop", "en-US"), ("phone", "zh-CN")])
def test_pages_are_well_made(open_screen: OpenScreen, device: str, locale: str) -> None:
    options: dict[str, Any] = PHONE if device == "phone" else {}
    screen = open_screen(**options, locale=locale)
    titles = set()
    for path in PAGES:
        screen.go(path)
        expect(screen.page.get_by_role("main")).to_be_visible()
        screen.settle()
        page = screen.page
        assert page.evaluate("document.documentElement.lang") == ("en" if locale == "en-US" else locale)
        assert page.evaluate("document.doctype.name") == "html"
        assert page.locator("h1").count() == 1, path
        titles.add(page.title())
        description = page.locator('meta[name="description"]').get_attribute("content")
        assert description is not None and len(description) > 20
        zoom = page.locator('meta[name="viewport"]').get_attribute("content") or ""
        assert "user-scalable" not in zoom and "maximum-scale" not in zoom
        assert page.evaluate(SHIFTS) < 0.1, path
        small = page.evaluate(
            """() => [...document.querySelectorAll('button, a, input, select, summary')]
                .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
                .map((one) => [one.closest('label') ?? one, one.outerHTML.slice(0, 120)])
                .map(([one, html]) => [one.getBoundingClientRect(), html])
                .filter(([box]) => box.width > 1 && (box.width < 24 || box.height < 24))
                .map(([box, html]) => `${box.width}x${box.height} ${html}`)"""
        )
        assert small == [], path
    assert len(titles) == len(PAGES)


def test_nothing_moves_where_people_asked_for_less_motion(open_screen: OpenScreen) -> None:
    screen = open_screen(reduced_motion="reduce")
    for path in ("/", "/analysis"):
        screen.go(path)
        expect(screen.page.get_by_role("main")).to_be_visible()
        moving = screen.page.evaluate(
            """() => [...document.querySelectorAll('*')].flatMap((one) => {
                const style = getComputedStyle(one)
                const longest = (text) => Math.max(...text.split(',').map(parseFloat))
                const moves = style.animationName !== 'none' && longest(style.animationDuration) > 0.01
                return moves || longest(style.transitionDuration) > 0.01 ? [one.outerHTML.slice(0, 100)] : []
            })"""
        )
        assert moving == [], path


def test_files_are_compressed_and_cached(server: RunningServer) -> None:
    client = server.client
    index = client.get("/")
    assert index.headers["content-encoding"] == "gzip"
    assert index.headers["cache-control"] == "no-cache"
    assert index.headers["etag"]
    again = client.get("/", headers={"if-none-match": index.headers["etag"]})
    assert again.status_code == 304
    worker = client.get("/sw.js")
    assert worker.headers["cache-control"] == "no-cache"
    assert "javascript" in worker.headers["content-type"]
    assert "__FILES__" not in worker.text
    names = [name for name in worker.text.split('"') if name.startswith("/assets/")]
    assert len(names) > 20
    for name in names:
        answer = client.get(name)
        assert "immutable" in answer.headers["cache-control"]
        if name.endswith((".js", ".css")) and len(answer.content) > 2000:
            assert answer.headers["content-encoding"] == "gzip", name
    assert client.get("/api/v1/version").headers["cache-control"] == "no-store"
