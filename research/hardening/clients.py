"""Many real browsers at one server: games, analyses, a review, a live arena; how late its event loop was.

Each client is a window of Chromium with storage of its own, which does with mouse and keys what people do.
The server, a process of its own, notes every five milliseconds how late its event loop comes to that, and
how much processor time its thread used meanwhile: the rest of a delay is waiting for a core.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from browsers import CHROMIUM
from playwright.async_api import Browser, Page, async_playwright
from serving import Server

from research.hardening.ledger import Ledger, RunOptions

MOST_LATE_MS = 50.0
ANALYSES, REVIEWS, WATCHERS = 0.3, 1, 0.2
"""Shares of clients that analyse and that watch the arena, and how many read the review; the others play."""
PAUSE_S = (1.0, 4.0)
"""Between two actions of a person."""
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
FREE = """[...document.querySelectorAll('[data-cell][data-stone="."]')].map(cell => cell.dataset.cell)"""
OPENING = "/analysis/e5e6d5d6c5?size=9&winLength=5&rule=freestyle"
GAME = "(;FF[4]GM[4]SZ[9];B[ee];W[fe];B[ff];W[dd];B[gg];W[hh];B[ef];W[eg];B[gf];W[hf];B[df];W[cf])"


class Crowd:
    """The clients, and what went wrong for any of them."""

    def __init__(self, server: Server, seed: int, end: float) -> None:
        self.server, self.end = server, end
        self.rng = random.Random(seed)
        self.wrong: list[str] = []
        self.done = Counter[str]()

    async def client(self, browser: Browser, name: str, act: Callable[[Page], Awaitable[None]]) -> None:
        """A window that acts until the time is over."""
        context = await browser.new_context(service_workers="block", viewport={"width": 1280, "height": 800})
        page = await context.new_page()
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda error: self.wrong.append(f"{name}: script error: {error}"))
        page.on("response", lambda got: self._answered(name, got.status, got.url))
        await asyncio.sleep(self.rng.uniform(0, 10))
        try:
            await act(page)
        except Exception as error:  # one client's error is noted, and the others continue
            if time.monotonic() < self.end:
                self.wrong.append(f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:300]}")
        await context.close()

    def _answered(self, name: str, status: int, url: str) -> None:
        self.done["answers"] += 1
        if status >= 400 and not (status == 409 and "/moves" in url):  # a click that came too late
            self.wrong.append(f"{name}: {status} for {url}")

    async def pause(self) -> None:
        """What a person takes before the next click."""
        await asyncio.sleep(self.rng.uniform(*PAUSE_S))

    async def play(self, page: Page) -> None:
        """Games against weak engines, one after another."""
        while time.monotonic() < self.end:
            seats = ("", self.rng.choice(("weight", "random")))
            game = await asyncio.to_thread(self.server.new_game, "", seats, rules={"size": 9})
            await page.goto(f"http://{self.server.address}/play/{game}")
            await page.wait_for_selector(".board.ready [data-cell]", state="attached")
            while time.monotonic() < self.end and not await page.locator('[data-test="result"]').count():
                free = await page.evaluate(FREE)
                if free:
                    await page.click(f'[data-cell="{self.rng.choice(free)}"]', force=True)
                    self.done["clicks"] += 1
                await self.pause()
            self.done["games"] += await page.locator('[data-test="result"]').count()

    async def analyse(self, page: Page) -> None:
        """Searches of a few seconds, and steps through the game."""
        await page.goto(f"http://{self.server.address}{OPENING}")
        await page.wait_for_selector(".board.ready [data-cell]", state="attached")
        while time.monotonic() < self.end:
            await page.keyboard.press("Space")
            await self.pause()
            await page.keyboard.press(self.rng.choice(("ArrowLeft", "ArrowRight")))
            self.done["steps of analyses"] += 1
            await self.pause()

    async def review(self, page: Page) -> None:
        """Reviews of a short game, each read to its end."""
        while time.monotonic() < self.end:
            await page.goto(f"http://{self.server.address}/review")
            await page.click('label:has(input[name="depth"][value="quick"])')
            await page.fill('[data-test="record-text"]', GAME)
            await page.click('[data-test="record-open"]')
            await page.wait_for_url("**/review/*")
            for _ in range(20):
                await page.keyboard.press(self.rng.choice(("ArrowLeft", "ArrowRight")))
                await self.pause()
            self.done["reviews"] += 1

    def watch(self, arena: str) -> Callable[[Page], Awaitable[None]]:
        """Watching a tournament as it is played."""

        async def act(page: Page) -> None:
            await page.goto(f"http://{self.server.address}/arena/{arena}")
            await asyncio.sleep(max(0.0, self.end - time.monotonic()))
            self.done["watchers"] += 1

        return act


async def _visit(server: Server, options: RunOptions, seconds: float) -> Crowd:
    crowd = Crowd(server, options.seed, time.monotonic() + seconds)
    players = [{"spec": "mcts:preset=s0,simulations=2000"}, {"spec": "weight"}]
    arena = server.post("/arenas", {"players": players, "rules": {"size": 9}, "games": 1000})
    analyses, watchers = round(ANALYSES * options.count), round(WATCHERS * options.count)
    acts = [("analysis", crowd.analyse)] * analyses + [("arena", crowd.watch(arena["id"]))] * watchers
    acts += [("review", crowd.review)] * REVIEWS
    acts += [("game", crowd.play)] * (options.count - len(acts))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM.find(), args=list(FLAGS))
        named = (crowd.client(browser, f"{name} {i}", act) for i, (name, act) in enumerate(acts))
        await asyncio.gather(*named)
        await browser.close()
    return crowd


def visit(options: RunOptions) -> bool:
    """Let so many clients act for so long; whether none met an error and the loop was hardly late."""
    ledger, most = Ledger(options.folder, "clients"), 4 * options.count
    limits = {"max_client_searches": most, "max_client_sockets": most}  # all come from one address
    with tempfile.TemporaryDirectory() as folder, Server(data_dir=Path(folder), **limits) as server:
        began = time.monotonic()
        crowd = asyncio.run(_visit(server, options, options.seconds))
        ended = time.monotonic()
        ticks, places = server.end()
    looks = [tick for tick in ticks if began <= tick.now <= ended]
    row: dict[str, Any] = {"clients": options.count, "seconds": round(ended - began, 1)}
    row["load"] = round(os.getloadavg()[0], 1)
    row["late_ms"] = milliseconds([tick.late_s for tick in looks])
    row["own_ms"] = milliseconds([tick.blocked_s for tick in looks])
    ledger.add(seed=options.seed, **row, looks=len(looks), wrong=crowd.wrong, done=dict(crowd.done))
    print("".join(f"{spent:6} ms in {place}\n" for place, spent in places.most_common(20)), end="")
    return report(ledger.rows())


def milliseconds(seconds: Sequence[float]) -> dict[str, float]:
    """Median, 99th percentile and worst."""
    ordered = sorted(max(0.0, 1000 * one) for one in seconds)
    at = {"median": len(ordered) // 2, "99 %": int(0.99 * len(ordered)), "worst": len(ordered) - 1}
    return {name: round(ordered[place], 1) for name, place in at.items()}


def report(rows: list[dict[str, Any]]) -> bool:
    """Print all that is in the folder; whether the last run was as it should be."""
    for row in rows:
        late, own = (", ".join(f"{name} {value:.1f}" for name, value in row.get(key, {}).items())
                     for key in ("late_ms", "own_ms"))  # fmt: skip
        print(f"{row['clients']} clients for {row['seconds']:.0f} s, load {row['load']}: event loop late by "
              f"{late} ms, own work {own or '?'} ms; {row['done']}; {len(row['wrong'])} wrong")  # fmt: skip
        print("".join(f"    {line}\n" for line in row["wrong"][:10]), end="")
    return not rows[-1]["wrong"] and bool(rows[-1]["late_ms"]["99 %"] < MOST_LATE_MS)
