"""The installed page: without its server, after an update, and on a server that only shows."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.apps.desktop.conftest import FAKE
from tests.apps.web.test_records import SHORT_GAME
from tests.browser.conftest import OpenScreen
from tests.browser.screen import STEP_MS, Screen
from tests.browser.test_looks import overflow, violations
from tests.web_server import RunningServer, running_server, until
from wuzi.apps.web.settings import WEB_ROOT

READY = "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)"
MOVES = ["e5", "e6", "d5", "d6", "c5"]
both_languages = pytest.mark.parametrize(
    "locale",
    ["en-US", pytest.param("zh-CN", marks=pytest.mark.ci("ten pages and two servers, again in Chinese"))],
)


def installed(screen: Screen) -> None:
    """Wait until the page has its own copy of everything."""
    wait(screen, READY)


def engines(server: RunningServer) -> None:
    until(lambda: server.client.get("/api/v1/engines").is_success, "the engines are ready")


def visited(server: RunningServer, screen: Screen) -> tuple[dict[str, Any], dict[str, Any]]:
    """Look at a game, a review and an analysis; the game and the review."""
    review_id, reviewed = server.new_review(SHORT_GAME)
    server.new_game(None, None, moves=["a1"])  # never opened
    game = screen.open_game(None, None, moves=MOVES)
    screen.play("c6")
    kept = f"caches.match('/kept/store/games/{game['id']}')"
    wait(
        screen, f"{kept}.then(one => one?.json()).then(one => one?.data.actions.length === {len(MOVES) + 1})"
    )
    screen.go(f"/review/{review_id}")
    expect(screen.stones).to_have_count(len(reviewed["moves"]))
    wait(screen, f"caches.match('/kept/store/reviews/{review_id}')")
    screen.go("/review")
    expect(screen.page.locator("a.words")).to_be_visible()
    screen.go("/analysis/e5e6d5?size=9&winLength=5&rule=freestyle")
    expect(screen.stones).to_have_count(3)
    screen.page.wait_for_url("**/analysis")
    screen.go("/")
    expect(screen.page.locator("li.game")).to_have_count(1)
    return game, reviewed | {"id": review_id}


@both_languages
def test_without_the_server_it_shows_what_was_opened(
    open_screen: OpenScreen, tmp_path: Path, locale: str
) -> None:
    with running_server(tmp_path) as server:
        engines(server)
        screen = open_screen(on=server, locale=locale, service_workers="allow")
        game, reviewed = visited(server, screen)
        installed(screen)
    page = screen.page
    screen.go("/")
    expect(screen.test("offline")).to_be_visible()
    expect(screen.page.locator("li.game")).to_have_count(1)
    for button in screen.page.locator('[data-test^="start"]').all():
        expect(button).to_be_disabled()
    assert overflow(screen) == 0
    assert violations(screen) == []
    page.locator("li.game a").click()
    expect(screen.stones).to_have_count(6)
    assert page.url.endswith(game["id"])
    page.keyboard.press("Home")
    expect(screen.stones).to_have_count(0)
    screen.go("/review")
    page.locator("a.words").click()
    expect(screen.stones).to_have_count(len(reviewed["moves"]))
    expect(screen.page.locator("section.progress")).to_have_count(0)
    screen.go("/analysis")
    expect(screen.stones).to_have_count(3)
    screen.play("d6")
    screen.go("/help")
    expect(page.get_by_role("main")).to_be_visible()
    with running_server(tmp_path, port=server.port):
        expect(screen.test("offline")).to_have_count(0, timeout=STEP_MS)
        screen.go("/")
        expect(page.locator("li.game")).to_have_count(1)  # what was never opened here is not in the list
        screen.troubles.clear()  # the browser logs every attempt to reconnect


def rebuilt(root: Path) -> None:
    """What an update does: other contents under other hashed names, and a new service worker."""
    (entry,) = (root / "assets").glob("page-*.js")
    entry.write_text(entry.read_text("utf-8") + "\ndocument.documentElement.dataset.build = 'new'\n", "utf-8")
    names = [path.name for path in (root / "assets").iterdir()]
    for path in root.rglob("*"):
        if path.suffix in (".js", ".css", ".html"):
            text = path.read_text("utf-8")
            for name in names:
                text = text.replace(name, f"new-{name}")
            path.write_text(text, "utf-8")
    for name in names:
        (root / "assets" / name).rename(root / "assets" / f"new-{name}")
    worker = root / "sw.js"
    worker.write_text(worker.read_text("utf-8").replace("'wuzi-shell-", "'wuzi-shell-new", 1), "utf-8")


def wait(screen: Screen, what: str) -> None:
    """Wait until an asynchronous expression of the page holds."""
    screen.page.evaluate(
        f"async () => {{ while (!(await {what})) await new Promise((go) => setTimeout(go, 50)) }}"
    )


def build(screen: Screen) -> Any:
    expect(screen.page.get_by_role("main")).to_be_visible()
    return screen.page.evaluate("document.documentElement.dataset.build ?? 'old'")


def test_an_update_is_seen_at_once_and_kept_for_offline(open_screen: OpenScreen, tmp_path: Path) -> None:
    root = tmp_path / "web"
    shutil.copytree(WEB_ROOT, root)
    with running_server(tmp_path / "data", web_root=root, worker_command=FAKE) as first:
        screen = open_screen(on=first, service_workers="allow")
        screen.go("/help")
        installed(screen)
        assert build(screen) == "old"
    rebuilt(root)
    with running_server(tmp_path / "data", web_root=root, worker_command=FAKE, port=first.port):
        screen.page.reload()
        assert build(screen) == "new"
        # The new worker waits until no page of the old build is open.
        screen.page.evaluate("navigator.serviceWorker.getRegistration().then((found) => found.update())")
        wait(screen, "navigator.serviceWorker.getRegistration().then((found) => found.waiting !== null)")
        context = screen.page.context
        screen.page.goto("about:blank")
        screen.page.close()
        screen.page = context.new_page()
        screen.page.set_default_timeout(STEP_MS)
        screen.go("/help")
        installed(screen)
        wait(screen, "caches.keys().then((all) => all.filter((name) => /shell/.test(name)).length === 1)")
    screen.go("/help")
    assert build(screen) == "new"
    screen.troubles.clear()


def test_the_browser_would_install_it(open_screen: OpenScreen, server: RunningServer) -> None:
    screen = open_screen(service_workers="allow")
    screen.go()
    installed(screen)
    session = screen.page.context.new_cdp_session(screen.page)
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [error["errorId"] for error in errors] in ([], ["in-incognito"])  # tests run in private windows
    found = session.send("Page.getAppManifest")
    assert found["errors"] == []
    manifest = json.loads(found["data"])
    for icon in manifest["icons"]:
        answer = server.client.get(icon["src"])
        assert answer.headers["content-type"] == icon["type"]
    for shortcut in manifest["shortcuts"]:
        assert server.client.get(shortcut["url"]).is_success


@both_languages
def test_a_read_only_server_offers_nothing_that_it_refuses(
    open_screen: OpenScreen, tmp_path: Path, locale: str
) -> None:
    with running_server(tmp_path) as server:
        engines(server)
        going = server.new_game(None, "weight", moves=["e5", "e6"])
        over = server.new_game(None, None, moves=["a1", "a9", "b1", "b9", "c1", "c9", "d1", "d9", "e1"])
        review_id, _ = server.new_review(SHORT_GAME)
    with running_server(tmp_path, read_only=True) as server:
        screen = open_screen(on=server, locale=locale)
        refused: list[str] = []
        screen.page.on("response", lambda one: refused.append(one.url) if one.status == 403 else None)
        paths = ["/", f"/play/{going['id']}", f"/play/{over['id']}", "/analysis", "/review"]
        for path in [*paths, f"/review/{review_id}", "/p/h8h9i7", "/settings", "/help"]:
            screen.go(path)
            expect(screen.test("read-only")).to_be_visible()
            expect(screen.page.locator("h1")).to_have_count(1)
            screen.settle()
            for name in (
                "start",
                "undo",
                "hint",
                "resign",
                "rematch",
                "record-open",
                "train",
                "open-two",
            ):
                expect(screen.test(name)).to_have_count(0)
            assert overflow(screen) == 0, path
            assert violations(screen) == [], path
        expect(screen.page.locator('a[href="/puzzles"]')).to_have_count(0)
        screen.go(f"/play/{going['id']}")
        expect(screen.stones).to_have_count(2)
        screen.page.keyboard.press("u")
        screen.page.keyboard.press("Home")
        expect(screen.stones).to_have_count(0)
        screen.page.keyboard.press("End")
        screen.cell("a1").click()
        expect(screen.page.locator(".pending")).to_have_count(0)
        screen.go("/analysis/e5e6?size=9&winLength=5&rule=freestyle")
        expect(screen.test("analyse")).to_be_disabled()
        screen.page.keyboard.press("Space")
        screen.play("d5")
        assert refused == []
        screen.page.context.close()
