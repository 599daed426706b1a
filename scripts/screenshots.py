"""Pictures of every screen of the page: both languages, desktop and phone, light and dark.

    python scripts/screenshots.py                        # those of the docs, in docs/images
    python scripts/screenshots.py --folder DIR --all     # every screen in every dress

A real server with a data folder of its own, and a real browser. Games and positions are given, and searches
are limited by positions, so the pictures come out the same again.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import httpx
from build_page import ROOT
from chromium import find_chromium
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

IMAGES = ROOT / "docs" / "images"
WAIT_S = 600.0
QUALITY = 82
DESKTOP = {"viewport": {"width": 1280, "height": 860}}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 1,
    "is_mobile": True,
    "has_touch": True,
}
DEVICES: dict[str, dict[str, Any]] = {"desktop": DESKTOP, "phone": PHONE}
LOCALES = {"en": "en-US", "zh": "zh-CN"}
THEMES = ("light", "dark")
DOCS = (
    ("play", "en", "desktop", "light", "play.webp"),
    ("play", "zh", "desktop", "light", "play-zh.webp"),
    ("analysis", "en", "desktop", "dark", "analysis.webp"),
    ("review", "en", "desktop", "light", "review.webp"),
    ("analysis", "zh", "phone", "light", "phone.webp"),
)
"""What the docs show: screen, language, device, theme, file."""

GAME = ["h8", "i9", "g7", "f6", "h7", "i7", "h9", "h10", "g9", "i8"]
RENJU = ["h8", "h9", "g7", "i9", "g9", "j9", "i7", "k9"]
WON = [*"h8 i9 h9 h7 i8 g8 j7 g10 g9 i7 k6 f11 h6 e12 l5".split()]
RECORD = ROOT / "tests" / "review" / "games" / "missed_vcf.sgf"
ANALYST = {"engine": "engine", "level": "", "multipv": 5, "limitKind": "nodes", "limit": 100_000}


class Server:
    """A real server, and what is on it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.http = httpx.Client(base_url=f"{address}/api/v1", timeout=WAIT_S)
        self.until(self.is_ready)
        self.game = self.new_game(15, "freestyle", GAME, "levels")
        self.renju = self.new_game(15, "renju", RENJU, None)
        self.over = self.new_game(15, "freestyle", WON, None)
        review = self.http.post("/reviews", json={"record": RECORD.read_text("utf-8"), "depth": "quick"})
        self.review = review.raise_for_status().json()["id"]
        self.until(lambda: self.http.get(f"/reviews/{self.review}").json()["status"] == "done")

    def is_ready(self) -> bool:
        """Whether it answers, and its engines too."""
        try:
            return self.http.get("/engines").is_success
        except httpx.ConnectError:
            return False

    def new_game(self, size: int, rule: str, moves: Sequence[str], engine: str | None) -> str:
        """The id of a game with these moves, in which a person is to move."""
        other = {"kind": "human"} if engine is None else {"kind": "engine", "engine": engine}
        body = {
            "rules": {"size": size, "rule": rule},
            "seats": [{"kind": "human"}, other],
            "moves": list(moves),
        }
        game = self.http.post("/games", json=body).raise_for_status().json()
        return str(game["id"])

    def until(self, what: Callable[[], bool]) -> None:
        """Wait for something on the server."""
        deadline = time.monotonic() + WAIT_S
        while not what():
            if time.monotonic() > deadline:
                raise TimeoutError("the server took too long")
            time.sleep(0.2)


@contextmanager
def serving() -> Iterator[Server]:
    """A server at a free port."""
    with tempfile.TemporaryDirectory() as folder:
        code = (
            "import sys; from pathlib import Path; import uvicorn;"
            "from wuzi.apps.web import Settings, create_app; from wuzi.apps.web.server import listen;"
            "listener = listen('127.0.0.1', 0); print(listener.getsockname()[1], flush=True);"
            "app = create_app(Settings(data_dir=Path(sys.argv[1])));"
            "uvicorn.Server(uvicorn.Config(app, log_level='warning')).run(sockets=[listener])"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code, folder], stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        try:
            assert process.stdout is not None
            yield Server(f"http://127.0.0.1:{int(process.stdout.readline())}")
        finally:
            process.terminate()
            process.wait(30)


# ---------------------------------------------------------------------------- screens


def _seen(page: Page, name: str) -> None:
    page.locator(f'[data-test="{name}"]').first.wait_for(timeout=WAIT_S * 1000)


def _analysed(page: Page) -> None:
    page.locator('[data-test="analyse"]').click()
    page.locator('[data-test="analysis-status"][data-phase="done"]').wait_for(timeout=WAIT_S * 1000)


def _layer(name: str, sign: str) -> Callable[[Page], None]:
    def choose(page: Page) -> None:
        page.locator(f'label:has(input[name="layer"][value="{name}"])').click()
        _seen(page, sign)

    return choose


def _menu(page: Page) -> None:
    page.locator('[data-test="menu"]').click()
    _seen(page, "menu-share")


def _mistake(page: Page) -> None:
    page.locator('[data-test="previous-mistake"]').click()


def _nothing(page: Page) -> None:
    del page


def screens(server: Server) -> dict[str, tuple[str, Callable[[Page], None]]]:
    """Every screen: its address, and what is done there before the picture."""
    link = "?size=15&winLength=5&rule=freestyle"
    study = f"/analysis/{''.join(GAME)}{link}"
    return {
        "home": ("/", _nothing),
        "play": (f"/play/{server.game}", _nothing),
        "renju": (f"/play/{server.renju}", _nothing),
        "over": (f"/play/{server.over}", lambda page: _seen(page, "result")),
        "menu": (f"/play/{server.game}", _menu),
        "position": (f"/p/{''.join(GAME)}{link}", _nothing),
        "analysis": (study, _analysed),
        "threats": (study, _layer("threats", "threat-list")),
        "scores": (study, _layer("scores", "score-reasons")),
        "reviews": ("/review", lambda page: page.locator("a.words").first.wait_for()),
        "review": (f"/review/{server.review}", _mistake),
        "puzzles": ("/puzzles", _nothing),
        "settings": ("/settings", _nothing),
        "help": ("/help", _nothing),
        "missing": ("/no/such/page", _nothing),
    }


def photograph(
    browser: Browser, server: Server, name: str, dress: tuple[str, str, str], file: Path, *, whole: bool
) -> None:
    """One picture."""
    language, device, theme = dress
    context = browser.new_context(
        locale=LOCALES[language],
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
        timezone_id="UTC",
        service_workers="block",
        **DEVICES[device],
    )
    page = context.new_page()
    page.set_default_timeout(WAIT_S * 1000)
    settings = json.dumps({"numbers": "all" if name in ("play", "over") else "off"})
    page.add_init_script(f"localStorage.setItem('wuzi.settings', {json.dumps(settings)})")
    page.add_init_script(f"localStorage.setItem('wuzi.analysis', {json.dumps(json.dumps(ANALYST))})")
    path, prepare = screens(server)[name]
    page.goto(server.address + path)
    page.get_by_role("main").wait_for()
    page.wait_for_load_state("networkidle")
    prepare(page)
    page.mouse.move(0, 0)
    page.wait_for_timeout(400)
    image = Image.open(io.BytesIO(page.screenshot(full_page=whole))).convert("RGB")
    context.close()
    file.parent.mkdir(parents=True, exist_ok=True)
    image.save(file, quality=QUALITY, method=6)
    print(f"{file.name}: {file.stat().st_size // 1024} KB", flush=True)


def main() -> int:
    """Make the pictures of the docs, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=IMAGES)
    parser.add_argument("--all", action="store_true", help="every screen in every dress")
    parser.add_argument("--only", help="with --all: names of screens, with commas between")
    chosen = parser.parse_args()
    path = find_chromium()
    if path is None:
        print("screenshots: error: no Chromium found; install it or set WUZI_CHROMIUM", file=sys.stderr)
        return 1
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        if chosen.all:
            names = chosen.only.split(",") if chosen.only else list(screens(server))
            for name, dress in product(names, product(LOCALES, DEVICES, THEMES)):
                file = chosen.folder / f"{'-'.join((name, *dress))}.webp"
                photograph(browser, server, name, dress, file, whole=True)
        else:
            for name, language, device, theme, file_name in DOCS:
                dress = (language, device, theme)
                photograph(browser, server, name, dress, chosen.folder / file_name, whole=False)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
