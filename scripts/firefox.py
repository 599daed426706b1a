"""A Firefox driven by WebDriver BiDi, which it speaks itself: no driver program is needed."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

WAIT_S = 60.0


class Firefox:
    """One tab."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.call("session.new", capabilities={})
        self._tab = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.errors: list[str] = []
        self.call("session.subscribe", events=["log.entryAdded"])

    def call(self, method: str, **params: Any) -> Any:
        """The result of a command."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(WAIT_S))
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.errors.append(str(message["params"]["text"]))
            if message.get("id") == number:
                assert message["type"] == "success", message
                return message["result"]

    def go(self, url: str) -> None:
        """Open an address and wait until it is loaded."""
        self.call("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def resize(self, width: int, height: int) -> None:
        """The size of the page."""
        self.call(
            "browsingContext.setViewport", context=self._tab, viewport={"width": width, "height": height}
        )

    def js(self, expression: str) -> Any:
        """The value of an expression, by way of JSON."""
        found = self.call(
            "script.evaluate",
            expression=f"Promise.resolve({expression}).then((found) => JSON.stringify(found))",
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert found["type"] == "success", found
        return json.loads(found["result"].get("value", "null"))

    def until(self, expression: str, value: Any = True) -> None:
        """Wait until an expression has a value."""
        deadline = time.monotonic() + WAIT_S
        while (found := self.js(expression)) != value:
            assert time.monotonic() < deadline, f"{expression}: {found!r}, expected {value!r}"
            time.sleep(0.05)

    def click(self, selector: str) -> None:
        """Move the mouse to the middle of an element and press its button."""
        self.until(f"document.querySelectorAll({selector!r}).length > 0")
        self.js(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
        box = self.js(f"document.querySelector({selector!r}).getBoundingClientRect()")
        x, y = int(box["x"] + box["width"] / 2), int(box["y"] + box["height"] / 2)
        moves = [{"type": "pointerMove", "x": x, "y": y}]
        presses = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        mouse = {"type": "pointer", "id": "mouse", "actions": moves + presses}
        self.call("input.performActions", context=self._tab, actions=[mouse])

    def press(self, key: str) -> None:
        """Press and release a key."""
        steps = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        actions = [{"type": "key", "id": "keys", "actions": steps}]
        self.call("input.performActions", context=self._tab, actions=actions)


@contextlib.contextmanager
def firefox(program: str) -> Iterator[Firefox]:
    """A Firefox with a fresh profile."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [program, "--headless", "--no-remote", "--profile", folder, "--remote-debugging-port", "0"]
        log = Path(folder, "firefox.log")
        with log.open("wb") as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + WAIT_S
            while not (
                found := re.search(r"BiDi listening on (ws://\S+)", log.read_text("utf-8", "replace"))
            ):
                assert process.poll() is None and time.monotonic() < deadline, log.read_text(
                    "utf-8", "replace"
                )
                time.sleep(0.05)
            with connect(found[1] + "/session", max_size=None) as socket:
                tab = Firefox(socket)
                yield tab
                with contextlib.suppress(Exception):
                    tab.call("browser.close")
        finally:
            process.kill()
            process.wait()
