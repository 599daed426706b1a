"""Pictures of every screen of the page: both languages, desktop and phone, light and dark.

    python scripts/screenshots.py                        # those of the docs, in docs/images
    python scripts/screenshots.py --only "film*"          # only the moving picture of the README
    python scripts/screenshots.py --folder DIR --all     # every screen in every dress
    python scripts/screenshots.py --folder DIR --all --only 'play*-zh-phone-*'

Real servers with data folders of their own, and a real browser. Games and positions are given, and searches
are limited by positions, so the pictures are the same each time, except for a match that is being played.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from itertools import product
from pathlib import Path
from typing import Any

from browsers import CHROMIUM
from build_page import ROOT
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import Error as BrowserError
from screens import SHOTS, TABLES, Servers, Shot, perform, servers

IMAGES = ROOT / "docs" / "images"
QUALITY = 82
FILM_SIZE = 960, 645
DEVICES: dict[str, dict[str, Any]] = TABLES["devices"]
"""A desktop, a phone, and the phone on its side."""

STEP_S = 90.0
"""For what a screen shows."""

LOCALES = {"en": "en-US", "zh": "zh-CN"}
THEMES = ("light", "dark")
DOCS = TABLES["docs"]
"""What the docs show: screen, language, device, theme, file."""


@contextmanager
def opened(browser: Browser, on: Servers, shot: Shot, dress: tuple[str, str, str]) -> Iterator[Page]:
    """A screen after its steps, in a language, on a device, in a theme."""
    language, device, theme = dress
    server = getattr(on, shot.on)
    getattr(server, shot.needs)
    place = server.address_of(shot.path)
    context = browser.new_context(
        locale=LOCALES[language],
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
        timezone_id="UTC",
        service_workers="allow" if shot.installs else "block",
        **DEVICES[device],
    )
    page = context.new_page()
    page.set_default_timeout(STEP_S * 1000)
    for key, value in (("settings", shot.settings), ("analysis", shot.analyst)):
        page.add_init_script(f"localStorage.setItem('wuzi.{key}', {json.dumps(json.dumps(value))})")
    if shot.cut:
        page.route_web_socket(re.compile(shot.cut), lambda socket: socket.close())
    try:
        page.goto(place)
        page.get_by_role("main").wait_for()
        page.wait_for_load_state("networkidle")
        for step in shot.steps:
            perform(page, step)
        page.mouse.move(0, 0)
        yield page
    finally:
        context.close()


def seen(page: Page, *, whole: bool = False) -> Image.Image:
    """What is on the screen when it has come to rest, or all of the page."""
    page.wait_for_timeout(400)
    return Image.open(io.BytesIO(page.screenshot(full_page=whole))).convert("RGB")


def photograph(
    browser: Browser, on: Servers, shot: Shot, dress: tuple[str, str, str], file: Path, *, whole: bool
) -> None:
    """One picture."""
    with opened(browser, on, shot, dress) as page:
        keep([(seen(page, whole=whole), 0)], file)


def film(browser: Browser, on: Servers, language: str, file: Path) -> None:
    """The moving picture: scenes one after the other, each a screen and the steps on it with their time."""
    frames = []
    for name, steps in TABLES["film"]:
        with opened(browser, on, SHOTS[name], (language, "desktop", "light")) as page:
            for step, duration_ms in steps:
                if step:
                    perform(page, step)
                frames.append((seen(page).resize(FILM_SIZE, Image.Resampling.LANCZOS), duration_ms))
    keep(frames, file)


def keep(frames: list[tuple[Image.Image, int]], file: Path) -> None:
    """Write pictures and the time that each is shown, in milliseconds, as one file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    images, durations = zip(*frames, strict=True)
    more = {"save_all": True, "append_images": images[1:], "duration": durations} if len(images) > 1 else {}
    images[0].save(file, quality=QUALITY, method=6, loop=0, **more)
    print(f"{file.name}: {file.stat().st_size // 1024} KB", flush=True)


def main() -> int:
    """Make the pictures of the docs, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--folder", type=Path, default=IMAGES)
    parser.add_argument("--all", action="store_true", help="every screen in every dress")
    parser.add_argument("--only", default="*", help="patterns of names of pictures, with commas between")
    chosen = parser.parse_args()
    chromium = CHROMIUM.find()
    if chromium is None:
        print(f"screenshots: error: {CHROMIUM.missing}", file=sys.stderr)
        return 1
    if chosen.all:
        every = product(SHOTS, LOCALES, DEVICES, THEMES)
        wanted = [(*one, f"{'-'.join(one)}.webp") for one in every]
    else:
        wanted = DOCS
    patterns = [f"{pattern}.webp" for pattern in chosen.only.split(",")]
    failed = []
    with servers() as on, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, *dress, file in wanted:
            if any(fnmatch(file, pattern) for pattern in patterns):
                language, device, theme = dress
                path = chosen.folder / file
                try:
                    if name == "film":
                        film(browser, on, language, path)
                    else:
                        photograph(
                            browser, on, SHOTS[name], (language, device, theme), path, whole=chosen.all
                        )
                except BrowserError as error:
                    failed.append(file)
                    print(f"screenshots: error: {file}: {error.message.splitlines()[0]}", file=sys.stderr)
        browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
