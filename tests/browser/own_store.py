"""The games of a page without a server: what the browser keeps, read and written as the page does."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

from tests.web_server import first_state, new_session, page_state

OPEN = """const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
})
const opening = indexedDB.open('wuzi', 1)
opening.onupgradeneeded = () => {
    for (const name of ['games', 'reviews'])
        opening.result.createObjectStore(name, { keyPath: 'id' }).createIndex('updatedAt', 'updatedAt')
}
const database = await done(opening)
"""
PUT = f"""async (game) => {{
    {OPEN}
    await done(database.transaction('games', 'readwrite').objectStore('games').put(game))
    database.close()
}}"""
GET = f"""async (id) => {{
    {OPEN}
    const found = await done(database.transaction('games').objectStore('games').get(id))
    database.close()
    return found
}}"""


class OwnStore:
    """In the place of a server for a :class:`~tests.browser.screen.Screen`.

    Attributes:
        url: what comes before the paths of the page.
        plain_file: a file of the site that runs no script; unlike about:blank it may use the site's storage.
    """

    def __init__(self, page: Page, url: str) -> None:
        self._page = page
        self.url = url
        self.plain_file = url.removesuffix("#") + "packages.txt"

    def new_game(self, *engines: str | None, size: int = 9, **more: Any) -> dict[str, Any]:
        """As that of the server; the tab then shows :attr:`plain_file`."""
        game_id = f"test{secrets.token_hex(6)}"
        now = time.time() * 1000
        data = new_session(*engines, size=size, **more)
        self._page.goto(self.plain_file)
        self._page.evaluate(PUT, {"id": game_id, "createdAt": now, "updatedAt": now, "data": data})
        return self.state(game_id)

    def state(self, game_id: str) -> dict[str, Any]:
        """What is kept of a game, through the rule book."""
        return page_state(self._page.evaluate(GET, game_id)["data"]) | {"id": game_id}

    def wait_for(self, game: dict[str, Any], what: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The first state of the game for which ``what`` holds."""
        return first_state(self.state, game["id"], what)
