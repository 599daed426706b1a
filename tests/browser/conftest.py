from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import CHROMIUM
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.file_host import FileHost
from tests.browser.own_store import OwnStore
from tests.browser.screen import Screen
from tests.web_server import RunningServer, running_server, until
from wuzi.apps.web.settings import WEB_ROOT
from wuzi.apps.web.site import write_site

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
OpenScreen = Callable[..., Screen]

expect.set_options(timeout=60_000)  # five seconds are too few for a process that starts on a busy machine


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Cases of modules with ``ON_A_SITE`` run on the page without a server, too, unless they need one."""
    if "face" in metafunc.fixturenames:
        faces: list[Any] = ["server"]
        marked = metafunc.definition.get_closest_marker("needs_server") is not None
        needs_one = marked or "server" in metafunc.fixturenames
        if getattr(metafunc.module, "ON_A_SITE", False) and not needs_one:
            faces.append(pytest.param("site", marks=pytest.mark.ci("the same cases, without a server")))
        metafunc.parametrize("face", faces, ids=[pytest.HIDDEN_PARAM, "site"][: len(faces)])


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for all browser tests; without the built page they are skipped (failed under CI=true)."""
    if not (WEB_ROOT / "index.html").is_file():
        pytest.skip("the page is not built: run `make page` (or npm run build in frontend/)")
    with running_server(tmp_path_factory.mktemp("data"), workers=2) as running:
        until(lambda: running.client.get("/api/v1/engines").is_success, "the engines are ready")
        yield running


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The system's Chromium; without one the tests are skipped (failed under CI=true)."""
    path = CHROMIUM.find()
    if path is None:
        pytest.skip(CHROMIUM.missing)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `wuzi site` writes."""
    if not (WEB_ROOT / "index.html").is_file():
        pytest.skip("the page is not built: run `make page`")
    folder = tmp_path_factory.mktemp("host") / "sub"
    write_site(folder)
    return folder


@pytest.fixture
def host(site: Path) -> Iterator[FileHost]:
    """A host of files that has it."""
    host = FileHost(site.parent)
    yield host
    host.cut()


@pytest.fixture(scope="package")
def site_url(site: Path) -> Iterator[str]:
    """What comes before the paths of a page without a server, on a host of files."""
    host = FileHost(site.parent)
    yield host.url
    host.cut()


@pytest.fixture
def open_screen(browser: Browser, face: str, request: pytest.FixtureRequest) -> Iterator[OpenScreen]:
    """Opens windows with storage, language and size of their own; none may end with script errors."""
    screens: list[Screen] = []
    place = request.getfixturevalue("server" if face == "server" else "site_url")

    def open_one(on: RunningServer | None = None, **options: Any) -> Screen:
        # The service worker has tests of its own; here it would only answer in the server's place.
        usual = {"locale": "en-US", "viewport": {"width": 1280, "height": 860}, "service_workers": "block"}
        chosen: dict[str, Any] = usual | options
        page = browser.new_context(**chosen).new_page()
        screen = Screen(page, OwnStore(page, place) if isinstance(place, str) else on or place)
        screens.append(screen)
        return screen

    failed_before = request.session.testsfailed
    yield open_one
    for number, screen in enumerate(screens):
        if request.session.testsfailed > failed_before:
            folder = ROOT / "test-results"
            folder.mkdir(exist_ok=True)
            name = re.sub(r"\W+", "-", request.node.name)
            screen.page.screenshot(path=folder / f"{name}-{number}.png")
        screen.page.context.close()
    assert [trouble for screen in screens for trouble in screen.troubles] == []


@pytest.fixture
def screen(open_screen: OpenScreen) -> Screen:
    """An English desktop window."""
    return open_screen()
