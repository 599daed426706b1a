"""A plain host of files with a site of `wuzi site`, whose network a test can cut."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from tests.browser.screen import STEP_MS, Screen

HAS_ALL = "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)"


class FileHost:
    """``python -m http.server`` with the site below ``/sub/``; ``url`` comes before a screen's path."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        command = [sys.executable, "-m", "http.server", str(self.port), "--bind", "127.0.0.1", "-d", folder]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(list(map(str, command)), stdout=quiet, stderr=quiet)
        self.url = f"http://127.0.0.1:{self.port}/sub/#"
        deadline = time.monotonic() + STEP_MS / 1000
        while time.monotonic() < deadline:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise TimeoutError("the host of files does not answer")

    def cut(self) -> None:
        """From now on nothing answers."""
        self._process.terminate()
        self._process.wait(60)


GIVEN_UP = "net::ERR_ABORTED"


def opened(browser: Browser, host: Any, **options: Any) -> tuple[Screen, list[str]]:
    """A window, and the requests that fail in it; one that a page gives up because it is left is none."""
    page = browser.new_context(viewport={"width": 1280, "height": 860}, **options).new_page()
    failed: list[str] = []
    page.on("requestfailed", lambda one: failed.append(one.url) if one.failure != GIVEN_UP else None)
    page.on("response", lambda one: failed.append(one.url) if one.status >= 400 else None)
    return Screen(page, host), failed


def kept_whole(screen: Screen) -> None:
    """Wait until the service worker says that it has all."""
    screen.page.evaluate(
        f"async () => {{ while (!(await {HAS_ALL})) await new Promise((go) => setTimeout(go, 50)) }}"
    )
