"""The first minute of a stranger, in seconds from `make play` on a fresh clone with an empty home.

When the page answers, when the engine has answered a first stone in a real browser, and when the server's
kernels are ready. The figures are those of this machine and of what else it does; nothing here is a bound.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from browsers import CHROMIUM
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
KEPT = ("PATH", "LANG", "PYENV_ROOT", "SYSTEMROOT")
"""What the stranger's environment has of ours, beside the settings of pip and of the network."""
PATIENCE_S = 1800.0


def stranger(home: Path) -> dict[str, str]:
    """An environment with an empty home."""
    ours = {name for name in os.environ if name in KEPT or name.startswith("PIP_") or "proxy" in name.lower()}
    kept = {name: value for name, value in os.environ.items() if name in ours}
    return {**kept, "HOME": str(home), "BROWSER": "true", "PYTHONUNBUFFERED": "1"}


def free_port() -> int:
    """A port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def asked(url: str) -> bytes | None:
    """What an address answers; None if nothing does."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bytes(answer.read())
    except OSError:
        return None


class Stopwatch:
    """Seconds since `make play`, noted when something is there."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.began = time.monotonic()
        self.figures: dict[str, float] = {}
        self._process = process

    def note(self, name: str) -> None:
        """It is there now."""
        self.figures[name] = round(time.monotonic() - self.began, 1)
        print(f"{name}: {self.figures[name]} s", file=sys.stderr, flush=True)

    def wait(self, name: str, url: str, text: bytes) -> None:
        """Note when an address answers with a text."""
        while text not in (asked(url) or b""):
            if self._process.poll() is not None or time.monotonic() - self.began > PATIENCE_S:
                raise SystemExit(f"first_minute: error: {url} did not answer {text.decode()!r}")
            time.sleep(0.1)
        self.note(name)


def play_a_stone(url: str) -> None:
    """Begin a game as a visitor does, and wait for the answer to a first stone."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM.find(), args=["--no-sandbox"])
        page = browser.new_page(locale="en-US")
        page.set_default_timeout(PATIENCE_S * 1000)
        page.goto(url)
        page.locator('[data-test="start"]').click()
        page.locator('[role="grid"] [data-cell="112"]').click()
        stones = page.locator('[role="grid"] [data-stone="B"], [role="grid"] [data-stone="W"]')
        expect(stones).to_have_count(2, timeout=PATIENCE_S * 1000)
        browser.close()


def measure(folder: Path, source: str, last: str) -> dict[str, float]:
    """The figures of a clone in a folder, as far as the last one wanted."""
    home, clone = folder / "home", folder / "wuzi"
    home.mkdir()
    subprocess.run(["git", "clone", "-q", "--depth", "1", source, str(clone)], check=True)
    port = free_port()
    command = [sys.executable, "scripts/dev.py", "play", "--port", str(port)]
    if not getattr(sys, "_base_executable", ""):
        raise SystemExit("first_minute: error: no Python outside of this environment")
    command[0] = str(sys._base_executable)  # type: ignore[attr-defined]
    with (folder / "log").open("wb") as log:
        playing = subprocess.Popen(
            command, cwd=clone, env=stranger(home), stdout=log, stderr=log, start_new_session=True
        )
    try:
        watch = Stopwatch(playing)
        watch.wait("page_s", f"http://127.0.0.1:{port}/", b'id="app"')
        play_a_stone(f"http://127.0.0.1:{port}/")
        watch.note("first_stone_s")
        if last == "kernels":
            watch.wait("kernels_s", f"http://127.0.0.1:{port}/api/v1/health", b'"warm"')
        return watch.figures
    except BaseException:
        print((folder / "log").read_text(encoding="utf-8", errors="replace")[-4000:], file=sys.stderr)
        raise
    finally:
        os.killpg(playing.pid, signal.SIGINT)
        playing.wait(60)


def main() -> None:
    """Print the figures as JSON, with what they were measured on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", default=f"file://{ROOT}", help="the repository to clone")
    parser.add_argument("--until", default="kernels", choices=("stone", "kernels"), help="the last figure")
    chosen = parser.parse_args()
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        figures = measure(Path(folder), chosen.source, chosen.until)
    load = {"load_before": round(before, 1), "load_after": round(os.getloadavg()[0], 1)}
    print(json.dumps({**figures, "processors": os.cpu_count(), **load}))


if __name__ == "__main__":
    main()
