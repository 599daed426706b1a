"""What the static site does in browsers: positions a second, answers of a level, the first board.

    python scripts/measure_browser.py speed           # the engine in Chromium and Firefox against native
    python scripts/measure_browser.py answers         # a level, with the browser held to a quarter of a core
    python scripts/measure_browser.py load            # until a board takes a stone, from an empty cache

Without a name it measures all three; nothing else should run meanwhile. ``speed`` asks native kernels and
both browsers in turn for the same searches, of a fixed number of positions, and compares what they found.
``answers`` and ``load`` hold Chromium by a control group of Linux (root may make one), because the tools of
browsers slow no workers. ``load`` shapes Chromium's network: 4 Mbit/s, 100 ms.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from browsers import CHROMIUM, FIREFOX
from firefox import firefox
from playwright.sync_api import Browser, Page, sync_playwright
from static_host import static_host

from wuzi.apps.web.site import write_site
from wuzi.arena.provenance import commit, machine
from wuzi.contract import Limit
from wuzi.core import Game, Position, Rules, format_move, parse_moves
from wuzi.players.registry import create_player
from wuzi.search.alphabeta.searcher import AlphaBetaSearch

GAMES = ("h8h9i8g7h7h6", "h8i9g9i7h7h9g8i8i6", "h8j9h10h9g8i10", "h8g9i9g7g8i10j8")
TABLE_BITS = 22
"""As the engine's own 64 MB."""
ENGINE = Path(__file__).with_name("browser_engine.js").read_text("utf-8")
RULES = {"size": 15, "winLength": 5, "rule": "freestyle", "opening": "free"}
NETWORK = {"offline": False, "latency": 100, "downloadThroughput": 500_000, "uploadThroughput": 500_000}
SHARE = 0.25
ANSWER = """(cell) => new Promise((done) => {
    const stones = (color) => document.querySelectorAll(`[role=grid] [data-stone=${color}]`)
    const [before, begun] = [stones('W').length, performance.now()]
    const watcher = new MutationObserver(() => {
        const over = document.querySelector('[data-test=result]')
        if (stones('W').length === before && !over) return
        watcher.disconnect()
        const white = [...stones('W')].map((one) => Number(one.dataset.cell))
        done([(performance.now() - begun) / 1000, white, over !== null])
    })
    watcher.observe(document.body, { subtree: true, childList: true, attributes: true })
    const point = document.querySelector(`[role=grid] [data-cell="${cell}"]`)
    point.dispatchEvent(new MouseEvent('click', { bubbles: true }))
})"""

Searched = tuple[int, float, str]
"""Positions, positions a second, and the move."""


def begin_engine(folder: Path, table_bits: int) -> str:
    """The script that starts the worker of a site; ``window.ask(name, asks)`` asks it."""
    worker = next(folder.glob("assets/worker-*.js")).relative_to(folder).as_posix()
    return f"({ENGINE})({json.dumps({'worker': worker, 'tableBits': table_bits})})"


def in_browser(js: Callable[[str], Any], game: Game, nodes: int) -> Searched:
    """One search by the page's worker."""
    actions = [{"type": "place", "moves": [int(move)]} for move in game.moves]
    asks = {"game": {"rules": RULES, "start": None, "actions": actions}, "spec": "engine", "seed": 0}
    asks |= {"limit": {"nodes": nodes}, "multipv": 1}
    found = js(f"window.ask('think', {json.dumps(asks)})")
    root = found["rootInfo"]
    return root["nodes"], root["nodes"] / root["time"], found["moveInfos"][0]["move"]


def natively(search: AlphaBetaSearch, position: Position, nodes: int) -> Searched:
    """The same search by native kernels."""
    info = search.run(position, Limit(nodes=nodes))
    return info.nodes, info.nodes / info.time_s, format_move(info.lines[0].move, 15)


def speed(folder: Path, nodes: int, rounds: int) -> None:
    """Positions a second of all three, one after the other; the first round only warms up."""
    games = [Game.from_moves(Rules(), parse_moves(code, 15)) for code in GAMES]
    with ExitStack() as stack:
        url = stack.enter_context(static_host(folder))
        page = stack.enter_context(chromium()).new_page()
        page.goto(url)
        tab = stack.enter_context(firefox(FIREFOX.find() or sys.exit(FIREFOX.missing)))
        tab.go(url)
        search = AlphaBetaSearch(Rules())
        hosts: dict[str, Callable[[Game], Searched]] = {
            "native": lambda game: natively(search, game.position, nodes),
            "Chromium": lambda game: in_browser(page.evaluate, game, nodes),
            "Firefox": lambda game: in_browser(tab.js, game, nodes),
        }
        page.evaluate(begin_engine(folder, TABLE_BITS))
        tab.js(begin_engine(folder, TABLE_BITS))
        rows = [{name: ask(game) for name, ask in hosts.items()} for _ in range(rounds + 1) for game in games]
    rows = rows[len(games) :]
    own = statistics.median(row["native"][1] for row in rows)
    print(f"native: {own:,.0f} positions/s (median of {len(rows)} searches of {nodes:,} positions)")
    for name in ("Chromium", "Firefox"):
        ratios = sorted(row[name][1] / row["native"][1] for row in rows)
        same = sum(row[name][::2] == row["native"][::2] for row in rows)
        rate = statistics.median(row[name][1] for row in rows)
        spread = f"{statistics.median(ratios):.2f} of native ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        print(f"{name}: {rate:,.0f} positions/s, {spread}; same move and positions in {same} of {len(rows)}")


@contextmanager
def chromium(program: str | None = None) -> Iterator[Browser]:
    """The system's Chromium, or what starts it."""
    with sync_playwright() as playwright:
        chosen = program or CHROMIUM.find() or sys.exit(CHROMIUM.missing)
        browser = playwright.chromium.launch(executable_path=chosen, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@contextmanager
def held(share: float) -> Iterator[str]:
    """A program that starts Chromium, all its processes together held to a share of one core."""
    root = Path("/sys/fs/cgroup")
    group = (root / "cpu" if (root / "cpu").is_dir() else root) / f"wuzi-{os.getpid()}"
    group.mkdir()
    quota = f"{share * 100_000:.0f}"
    if (group / "cpu.max").exists():
        (group / "cpu.max").write_text(f"{quota} 100000")
    else:
        (group / "cpu.cfs_period_us").write_text("100000")
        (group / "cpu.cfs_quota_us").write_text(quota)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "held")
        script.write_text(f'#!/bin/sh\necho $$ > {group}/cgroup.procs\nexec {CHROMIUM.find()} "$@"\n')
        script.chmod(0o755)
        yield str(script)
    print(f"(held to {share:g} of a core: {(group / 'cpu.stat').read_text().split()})")
    while (group / "cgroup.procs").read_text().strip():
        time.sleep(0.1)
    group.rmdir()


def begin(page: Page, level: str) -> None:
    """Start a game against a level on 15x15, as the one who moves first."""
    page.wait_for_selector("[data-test=start]:not([disabled])")
    for name, value in (("preset", "15"), ("level", level), ("first", "human")):
        page.evaluate(f"document.querySelector('input[name={name}][value={json.dumps(value)}]')?.click()")
    page.click("[data-test=start]")
    page.wait_for_selector(".board.ready [data-cell]", state="attached")


def answers(folder: Path, level: str, count: int) -> None:
    """Seconds from a click to the level's stone, against a person who plays as the same level does."""
    found: list[float] = []
    with static_host(folder) as url, held(SHARE) as program, chromium(program) as browser:
        while len(found) < count:
            page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
            page.set_default_timeout(120_000)
            page.goto(url)
            begin(page, level)
            game, over = Game(Rules()), False
            with create_player(f"level:name={level},seed={len(found)}") as person:
                while not over and len(found) < count:
                    move = int(person.think(game, Limit(time_s=1)).info.lines[0].move)
                    game = game.play(move)
                    seconds, white, over = page.evaluate(ANSWER, move)
                    if not over:
                        found.append(seconds)
                        game = game.play(next(one for one in white if one not in map(int, game.moves)))
            page.context.close()
    print(f"{level}: {_seconds(found)}")


def load(folder: Path, count: int, share: float | None) -> None:
    """Seconds from an empty cache until a first game's board takes a stone."""
    found: list[float] = []
    with ExitStack() as stack:
        url = stack.enter_context(static_host(folder))
        program = stack.enter_context(held(share)) if share else None
        browser = stack.enter_context(chromium(program))
        for _ in range(count):
            page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
            network = page.context.new_cdp_session(page)
            network.send("Network.enable")
            network.send("Network.emulateNetworkConditions", NETWORK)
            page.goto(url, wait_until="commit")
            page.wait_for_selector("[data-test=start]:not([disabled])")
            page.evaluate("document.querySelector('[data-test=start]').click()")
            page.wait_for_selector(".board.ready [data-cell]", state="attached")
            found.append(page.evaluate("performance.now()") / 1000)
            page.context.close()
    how = f"{share:g} of a core" if share else "the whole machine"
    print(f"first board at 4 Mbit/s, 100 ms, {how}: {_seconds(found)}")


def _seconds(found: list[float]) -> str:
    ordered = sorted(found)
    median, worst = statistics.median(ordered), ordered[-1]
    return f"{median:.2f} s in the median, {worst:.2f} s at worst (n={len(ordered)})"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", nargs="*", choices=["speed", "answers", "load", []])
    parser.add_argument("--nodes", type=int, default=300_000, help="positions of a search")
    parser.add_argument("--rounds", type=int, default=3, help="of four searches each")
    parser.add_argument("--level", default="strong")
    parser.add_argument("--answers", type=int, default=20)
    parser.add_argument("--loads", type=int, default=10)
    chosen = parser.parse_args()
    what = chosen.what or ["speed", "answers", "load"]
    print(f"wuzi {commit()}, {machine()}, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "site")
        write_site(folder)
        if "speed" in what:
            speed(folder, chosen.nodes, chosen.rounds)
        if "answers" in what:
            answers(folder, chosen.level, chosen.answers)
        if "load" in what:
            load(folder, chosen.loads, None)
            load(folder, chosen.loads, SHARE)


if __name__ == "__main__":
    main()
