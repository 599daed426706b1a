"""How quick the page is: until the board can be used, and until a clicked stone is on the screen.

A real server on this machine and a real browser. The clicks are those of a mouse upon a game of two people,
once with the server as it is and once with its answers held back: a stone must not wait for them.

    python scripts/page_speed.py --clicks 40
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from browsers import CHROMIUM
from load_web import head, line
from playwright.sync_api import Browser, CDPSession, Page, Route, sync_playwright
from serving import Server

HELD_S = 0.3
WATCH = Path(__file__).with_suffix(".js").read_text("utf-8")
"""Keeps in `stones` how long each clicked stone took until it was painted."""


def usable(browser: Browser, url: str) -> float:
    """Seconds from an empty cache until the board of a game takes a stone."""
    page = browser.new_context(service_workers="block").new_page()
    page.goto(url, wait_until="commit")
    page.wait_for_selector(".board.ready [data-cell]", state="attached")
    seconds: float = page.evaluate("performance.now()") / 1000
    page.context.close()
    return seconds


def clicks(browser: Browser, url: str, count: int, held_s: float) -> tuple[list[float], list[float]]:
    """Of each click: seconds until its stone was painted, and seconds of processor time of the page.

    The latter is for scripts, style and layout, also those of the server's answer, and depends less on what
    else the machine does.
    """

    def hold(route: Route) -> None:
        time.sleep(held_s)
        route.continue_()

    page = browser.new_context(service_workers="block", viewport={"width": 1280, "height": 860}).new_page()
    if held_s:
        page.route("**/store/games/*", hold)
    page.goto(url)
    page.wait_for_selector(".board.ready")
    page.evaluate(WATCH)
    meter = page.context.new_cdp_session(page)
    meter.send("Performance.enable", {"timeDomain": "threadTicks"})
    work = []
    for number in range(count):
        before = busy(meter)
        click(page, number)
        work.append(busy(meter) - before)
    seconds = [value / 1000 for value in page.evaluate("window.stones")]
    page.context.close()
    assert len(seconds) == count, f"{len(seconds)} stones after {count} clicks"
    return seconds, work


def busy(meter: CDPSession) -> float:
    """Seconds of processor time that the page has used for scripts, style and layout."""
    found = {one["name"]: one["value"] for one in meter.send("Performance.getMetrics")["metrics"]}
    return sum(float(found[name]) for name in ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration"))


def click(page: Page, number: int) -> None:
    """Click the next free point; no five arises."""
    row, col = divmod(number, 8)
    cell = page.locator(f'[data-cell="{row * 15 + (col * 2 + row // 2 % 2) % 15}"]')
    cell.click()
    page.wait_for_function("count => window.stones.length === count", arg=number + 1, polling=20)
    page.wait_for_function("() => !document.querySelector('.pending')", polling=20)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--clicks", type=int, default=40, choices=range(1, 61), metavar="1..60")
    parser.add_argument("--loads", type=int, default=10)
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(data_dir=folder, workers=1) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM.find(), args=["--no-sandbox"])

        def new_game() -> str:
            return f"http://{server.address}/play/{server.new_game()}"

        loads = [usable(browser, new_game()) for _ in range(chosen.loads)]
        plain, work = clicks(browser, new_game(), chosen.clicks, 0)
        held, _ = clicks(browser, new_game(), chosen.clicks, HELD_S)
        browser.close()
    print(head())
    print(line("board takes a stone, empty cache", loads))
    print(line("click to stone on the screen", plain))
    print(line(f"the same, answers held back {HELD_S * 1000:.0f} ms", held))
    print(line("processor time: scripts, style, layout", work))


if __name__ == "__main__":
    main()
