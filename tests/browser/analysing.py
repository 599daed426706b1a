"""What the tests of the analysis screen share: opening it, and finding its parts."""

from __future__ import annotations

import json

from playwright.sync_api import Locator, expect

from tests.browser.screen import STEP_MS, Screen

LINK = "?size=9&winLength=5&rule=freestyle"
OPEN = f"/analysis/e5e6d5d6c5{LINK}"
MCTS = json.dumps(
    {"engine": "mcts-tactical", "level": "strong", "multipv": 5, "limitKind": "time", "limit": 60}
)
SGF = "(;FF[4]GM[4]SZ[9];B[ee]C[the centre](;W[fe];B[ff])(;W[dd]C[or here];B[cc]))"


def analysis(screen: Screen, path: str = OPEN, stones: int = 5, config: str = "") -> None:
    """Open the screen; ``config`` is a stored choice of the engine."""
    if config:
        screen.page.add_init_script(f"localStorage.setItem('wuzi.analysis', {json.dumps(config)})")
    screen.go(path)
    expect(screen.board).to_be_visible()
    expect(screen.stones).to_have_count(stones)
    screen.page.wait_for_url("**/analysis")


def layer(screen: Screen, name: str) -> None:
    screen.choose("layer", name)


def rows(screen: Screen) -> Locator:
    return screen.test("candidate")


def nodes(screen: Screen) -> Locator:
    return screen.page.locator('[data-test="tree-node"], [data-test="tree-current"]')


def status(screen: Screen, phase: str) -> None:
    expect(screen.test("analysis-status")).to_have_attribute("data-phase", phase, timeout=STEP_MS)


def candidates(screen: Screen, count: int = 5) -> None:
    expect(rows(screen)).to_have_count(count, timeout=STEP_MS)
