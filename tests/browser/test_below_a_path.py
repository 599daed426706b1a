"""The page of a server below a path of a proxy: files, API, sockets, and the page without its server."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenScreen
from tests.browser.test_offline import READY
from tests.proxy import proxied
from tests.web_server import running_server, until


@pytest.mark.parametrize("strips", [True, False], ids=["the proxy strips the path", "the proxy keeps it"])
def test_a_game_below_a_path(open_screen: OpenScreen, tmp_path: Path, strips: bool) -> None:
    with running_server(tmp_path, root_path="/sub/wuzi") as server:
        until(lambda: server.client.get("/api/v1/engines").is_success, "the engines are ready")
        with proxied(server.port, "/sub/wuzi", strips=strips) as url:
            server.url = url
            screen = open_screen(server, service_workers="allow")
            page, failed = screen.page, list[str]()
            page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
            game = screen.open_game(None, None, size=9)
            screen.play("e5")
            until(lambda: server.state(game["id"])["ply"] == 1, "the move is on the server")
            screen.go("/")
            page.locator("li.game a").first.click()
            page.wait_for_url(f"{url}/play/{game['id']}")
            expect(screen.stones).to_have_count(1)
            screen.go("/training")
            expect(page.locator("h1")).to_be_visible()
            page.wait_for_function(READY)
            assert page.evaluate("navigator.serviceWorker.ready.then((it) => it.scope)") == f"{url}/"
            screen.settle()
            assert failed == []
        # Proxy and server are gone: what the page has kept of itself lies below the path, too.
        screen.go("/help")
        expect(page.locator("h1")).to_be_visible()
        screen.troubles.clear()
