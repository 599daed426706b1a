"""On a new machine the page plays while the server compiles its kernels, and then hands over."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.screen import Screen
from tests.browser.test_static_site import plays_a_game
from tests.web_server import page_state, until
from wuzi.apps.web.settings import WEB_ROOT
from wuzi.core import kernel_cache

pytestmark = pytest.mark.slow
PLACE = re.compile(r"wuzi is at (http://\S+)")


class NewMachine:
    """`wuzi serve` in a process of its own, with an empty cache of kernels."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache"
        names = {f"WUZI_{name}_DIR": str(folder / name.lower()) for name in ("CACHE", "DATA", "CONFIG")}
        command = [sys.executable, "-m", "wuzi", "serve", "--port", "0"]
        self._log = (folder / "log").open("w+", encoding="utf-8")
        env = {**os.environ, **names}
        self._process = subprocess.Popen(command, env=env, cwd=folder, stdout=self._log, stderr=self._log)
        found: list[str] = []

        def answers() -> bool:
            assert self._process.poll() is None, self.log()
            found[:] = PLACE.findall(self.log())
            return bool(found)

        until(answers, "the page is served")
        self.url = found[0]
        self.client = httpx.Client(base_url=self.url, timeout=120)

    def log(self) -> str:
        return Path(self._log.name).read_text(encoding="utf-8")

    @property
    def kernels(self) -> str:
        return str(self.client.get("/api/v1/health").json()["kernels"])

    def finish_compiling(self) -> None:
        """Put the kernels there, which another process of this machine has compiled; the mark comes last."""
        done = kernel_cache.cache_dir()
        assert kernel_cache.is_warm(), "run `wuzi warm` first"
        (there,) = (self.cache / "kernels").iterdir()
        assert there.name == done.name
        shutil.copytree(done, there, dirs_exist_ok=True, ignore=shutil.ignore_patterns("complete", "*.lock"))
        (there / "complete").touch()

    def end(self) -> None:
        self.client.close()
        self._process.terminate()
        self._process.wait(60)
        self._log.close()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[NewMachine]:
    if not (WEB_ROOT / "index.html").is_file():
        pytest.skip("the page is not built: run `make page`")
    new = NewMachine(tmp_path)
    yield new
    new.end()


def test_a_whole_game_is_played_while_kernels_compile_and_one_goes_on_after(
    browser: Browser, machine: NewMachine
) -> None:
    context = browser.new_context(locale="en-US", service_workers="block")
    screen = Screen(context.new_page(), machine)
    plays_a_game(screen)
    expect(screen.test("compiling")).to_be_visible()
    assert machine.kernels == "compiling", "the game was over before"
    # Arena and analysis say what they wait for.
    screen.go("/arena")
    expect(screen.test("compiling")).to_contain_text("tournament")
    screen.go("/analysis/e5e6d5d6c5?size=9&winLength=5&rule=freestyle")
    expect(screen.test("compiling")).to_contain_text("analyses")
    screen.test("analyse").click()
    expect(screen.test("candidate").first).to_be_visible()

    screen.go("/")
    screen.start("levels", level="novice")
    screen.play("e5")
    expect(screen.stones).to_have_count(2)
    begun = screen.game_id
    machine.finish_compiling()
    expect(screen.test("compiling")).to_have_count(0)
    screen.play(next(move for move in ("a1", "a2", "a3") if free(screen, move)))
    expect(screen.stones).to_have_count(4)
    # The address can be opened again, and the list has the games that the browser's engine began.
    screen.page.reload()
    expect(screen.stones).to_have_count(4)
    screen.play(next(move for move in ("i1", "i2", "i3") if free(screen, move)))
    expect(screen.stones).to_have_count(6)
    screen.go("/")
    expect(screen.page.locator(f'a[href$="/play/{begun}"]')).to_be_visible()
    screen.start("levels", level="novice")
    screen.play("e5")
    expect(screen.stones).to_have_count(2)
    stored = machine.client.get(f"/api/v1/store/games/{screen.game_id}").json()
    assert page_state(stored["data"])["ply"] == 2
    assert screen.troubles == []
    context.close()


def free(screen: Screen, move: str) -> bool:
    return screen.cell(move).get_attribute("data-stone") == "."
