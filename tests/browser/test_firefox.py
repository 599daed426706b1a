"""The main paths once more in Firefox: a game by mouse and by keys, and a live analysis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers import FIREFOX
from firefox import Firefox, firefox
from static_host import static_host

from tests.browser.engine_sample import check_engine
from tests.web_server import RunningServer
from wuzi.core import parse_move

STONES = """document.querySelectorAll('[role="grid"] :is([data-stone="B"], [data-stone="W"])').length"""


@pytest.fixture(scope="module")
def tab() -> Iterator[Firefox]:
    """The system's Firefox; without one the tests are skipped (failed under CI=true)."""
    program = FIREFOX.find()
    if program is None:
        pytest.skip(FIREFOX.missing)
    with firefox(program) as found:
        found.resize(1280, 900)
        yield found


def cell(move: str) -> str:
    return f'[role="grid"] [data-cell="{parse_move(move, 9):d}"]'


def test_a_game_is_played(tab: Firefox, server: RunningServer) -> None:
    tab.go(server.url + "/")
    tab.click('label:has(input[name="preset"][value="9"])')
    tab.click('[data-test="others"] > summary')
    tab.click('label:has(input[name="opponent"][value="weight"])')
    tab.click('[data-test="start"]')
    tab.until("""document.querySelectorAll('[role="grid"] [data-cell]').length""", 81)
    tab.click(cell("e5"))
    tab.until(STONES, 2)
    tab.click('[data-test="undo"]')
    tab.until(STONES, 0)
    tab.js("""document.querySelector('[role="grid"] [tabindex="0"]').focus()""")
    tab.press("\ue007")  # Enter plays the point under the cursor
    tab.until(STONES, 2)
    tab.click('[data-test="language"]')
    tab.until("document.documentElement.lang", "zh-CN")
    tab.click('[data-test="language"]')
    tab.until("document.documentElement.lang", "en")
    assert tab.errors == []


def test_a_position_is_analysed(tab: Firefox, server: RunningServer) -> None:
    tab.go(server.url + "/analysis/e5e6d5d6?size=9&winLength=5&rule=freestyle")
    tab.until(STONES, 4)
    tab.click('[data-test="analyse"]')
    tab.until("""document.querySelectorAll('[data-test="candidate"]').length > 2""")
    tab.until("""document.querySelector('[data-test="analysis-status"]').dataset.phase""", "done")
    assert tab.errors == []


def test_it_is_kept_for_offline(tab: Firefox, server: RunningServer) -> None:
    tab.go(server.url + "/help")
    tab.until("navigator.serviceWorker.ready.then((found) => found.active !== null)")
    tab.until("caches.match('/index.html').then((found) => found !== undefined)")
    assert tab.errors == []


def test_the_engine_of_a_site_finds_what_the_native_one_finds(tab: Firefox, site: Path) -> None:
    with static_host(site) as url:
        tab.go(url)
        check_engine(tab.js, site)
