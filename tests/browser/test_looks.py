"""Phones, sizes, themes and accessibility."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, OpenScreen
from tests.browser.screen import Screen
from tests.web_server import until

# Half-way through a change of its colours a button has a contrast that nobody is meant to read.
TRANSITIONS_ENDED = """Promise.allSettled(document.getAnimations()
    .filter(one => one.effect.getComputedTiming().endTime !== Infinity)
    .map(one => one.finished)).then(() => null)"""
AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
MOVES = ["e5", "e6", "d5", "d6", "c5"]
LOOKS = [
    ({}, "en-US", "light"),
    (PHONE, "zh-CN", "dark"),
    *(
        pytest.param(*rest, marks=pytest.mark.ci("six looks more; each part of them is in `make test`"))
        for rest in (
            ({}, "en-US", "dark"),
            ({}, "zh-CN", "light"),
            ({}, "zh-CN", "dark"),
            (PHONE, "en-US", "light"),
            (PHONE, "en-US", "dark"),
            (PHONE, "zh-CN", "light"),
        )
    ),
]
"""Devices, languages and colour schemes: the first two have each of them once."""
every_look = pytest.mark.parametrize(
    ("options", "locale", "scheme"),
    LOOKS,
    ids=lambda value: value if isinstance(value, str) else "phone" if value else "desktop",
)


def overflow(screen: Screen) -> int:
    """Pixels that one would have to scroll sideways."""
    width: int = screen.page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return width


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_on_a_phone_a_tap_shows_and_a_second_one_plays(open_screen: OpenScreen, locale: str) -> None:
    screen = open_screen(**PHONE, locale=locale)
    screen.go()
    assert overflow(screen) == 0
    screen.choose("preset", "9")
    screen.choose("opponent", "weight")
    screen.test("start").tap()
    expect(screen.board).to_be_visible()
    assert overflow(screen) == 0
    box = screen.board.bounding_box()
    assert box is not None
    assert box["width"] > 320
    assert box["y"] + box["height"] < 844
    screen.cell("e5").tap()
    expect(screen.page.locator("g.ghost.preview")).to_be_visible()
    screen.shows(stones=0)
    screen.cell("d5").tap()
    screen.shows(stones=0)
    screen.test("confirm-move").tap()
    screen.shows(stones=2)
    expect(screen.cell("d5")).to_have_attribute("data-stone", "B")
    screen.cell("a1").tap()
    screen.cell("a1").tap()
    screen.shows(stones=4)
    for name in ("undo", "hint", "menu"):
        button = screen.test(name).bounding_box()
        assert button is not None
        assert min(button["width"], button["height"]) >= 40


@pytest.mark.parametrize(
    ("width", "height"), [(320, 568), (390, 844), (844, 390), (768, 1024), (1024, 700), (1920, 1080)]
)
def test_no_size_scrolls_sideways_and_the_board_fits(
    open_screen: OpenScreen, width: int, height: int
) -> None:
    screen = open_screen(viewport={"width": width, "height": height})
    for path in ("/", "/help", "/settings", "/analysis"):
        screen.go(path)
        expect(screen.page.get_by_role("main")).to_be_visible()
        assert overflow(screen) == 0, path
    screen.open_game(None, None, moves=MOVES)
    assert overflow(screen) == 0
    box = screen.board.bounding_box()
    assert box is not None
    assert box["width"] <= width
    assert box["height"] <= height
    assert abs(box["width"] - box["height"]) < 2


def test_the_play_card_ends_with_the_choices(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport={"width": 1366, "height": 768})
    screen.go("/")
    expect(screen.test("rules")).to_be_visible()
    for hidden in screen.page.locator("details > summary").all():
        hidden.click()
    screen.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    card, games = (screen.page.locator(one).bounding_box() for one in (".start", ".games"))
    assert card and games and card["y"] + card["height"] <= games["y"]


def test_labels_are_not_cut(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport={"width": 1440, "height": 900})
    screen.go("/")
    expect(screen.page.locator(".colors .chip")).to_have_count(3)
    room = """all => all.map(one => one.getBoundingClientRect().right
        - one.lastElementChild.getBoundingClientRect().right)"""
    assert min(screen.page.locator(".colors .chip").evaluate_all(room)) >= 6, "pixels right of each colour"
    screen.go("/analysis/e5e6d5?size=9&winLength=5&rule=freestyle")
    layers = screen.page.locator("fieldset.bar")
    expect(layers).to_be_visible()
    assert layers.evaluate("one => one.scrollWidth - one.clientWidth") <= 0


@pytest.mark.parametrize("clock", [None, {"seconds": 5400, "increment": 30}])
@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_names_of_players_are_not_cut(
    open_screen: OpenScreen, width: int, height: int, clock: dict[str, int] | None
) -> None:
    screen = open_screen(viewport={"width": width, "height": height})
    screen.open_game(None, "mcts-tactical/strong", **({"clock": clock} if clock else {}))
    texts = screen.page.locator(".player :is(.name, .sub)")
    expect(texts).to_have_count(4)
    missing = """all => all.map(one =>
        Math.max(one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight))"""
    assert max(texts.evaluate_all(missing)) <= 0, "pixels of the text that are not shown"


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (360, 740)])
def test_a_phone_has_words_beside_its_icons(
    open_screen: OpenScreen, width: int, height: int, locale: str
) -> None:
    screen = open_screen(**{**PHONE, "viewport": {"width": width, "height": height}}, locale=locale)
    screen.go()
    start = screen.test("start").bounding_box()
    assert start and start["y"] + start["height"] <= height
    screen.open_game("mcts-s0/long", None)
    for name in ("move-now", "stop"):
        word = screen.test(name).locator("span")
        wide = "word => word.getBoundingClientRect().width > 20"
        until(partial(word.evaluate, wide), f"the word of {name}", 10)
    assert overflow(screen) == 0


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_the_header_fits_every_width(open_screen: OpenScreen, locale: str) -> None:
    screen = open_screen(locale=locale)
    screen.go("/help")
    expect(screen.page.get_by_role("main")).to_be_visible()
    for width in (320, 361, 390, 401, 431, 480, 521, 541, 600, 661, 700, 1024, 1121, 1181, 1221, 1280):
        screen.page.set_viewport_size({"width": width, "height": 700})
        assert overflow(screen) == 0, width


@pytest.mark.parametrize(("width", "height"), [(844, 390), (1280, 860)])
def test_where_the_panel_scrolls_the_page_does_not(open_screen: OpenScreen, width: int, height: int) -> None:
    screen = open_screen(viewport={"width": width, "height": height})
    game = screen.server.new_game(None, "random", moves=MOVES)
    for path in (f"/play/{game['id']}", "/analysis/e5e6d5?size=9&winLength=5&rule=freestyle"):
        screen.go(path)
        expect(screen.stones.first).to_be_visible()
        assert screen.page.evaluate("document.documentElement.scrollHeight") == height, path


def test_a_low_panel_scrolls_before_its_parts_overlap(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport={"width": 1280, "height": 500})
    game = screen.server.new_game(None, "random", moves=MOVES)
    screen.go(f"/play/{game['id']}")
    expect(screen.page.locator("figure.graph")).to_be_visible()
    steps, graph = (screen.page.locator(one).bounding_box() for one in (".moves .steps", "figure.graph"))
    assert steps and graph and steps["y"] + steps["height"] <= graph["y"] + 1


def violations(screen: Screen) -> list[Any]:
    """What axe-core finds once every transition has ended, with the places."""
    screen.page.evaluate(TRANSITIONS_ENDED)
    if not screen.page.evaluate("'axe' in window"):
        screen.page.evaluate(AXE.read_text("utf-8"))
    found = screen.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (violation["id"], [node["html"][:200] for node in violation["nodes"][:3]])
        for violation in found["violations"]
    ]


@every_look
def test_axe_finds_nothing(
    open_screen: OpenScreen, options: dict[str, Any], locale: str, scheme: str
) -> None:
    if not AXE.is_file():
        pytest.skip(f"axe-core is not installed: {AXE.relative_to(ROOT)} (npm ci in frontend/)")
    screen = open_screen(**options, color_scheme=scheme, locale=locale, reduced_motion="reduce")
    found = {}
    for path in ("/", "/help", "/settings", "/p/h8h9i7?size=15&winLength=5&rule=freestyle", "/no/such/page"):
        screen.go(path)
        expect(screen.page.get_by_role("main")).to_be_visible()
        screen.settle()
        found[path] = violations(screen)
    screen.open_game(None, None, moves=MOVES)
    found["game"] = violations(screen)
    screen.test("menu").click()
    expect(screen.test("menu-share")).to_be_visible()
    found["menu"] = violations(screen)
    screen.open_game(None, None, moves=["a1", "a9", "b1", "b9", "c1", "c9", "d1", "d9", "e1"])
    expect(screen.test("result")).to_be_visible()
    found["over"] = violations(screen)
    bad = {place: what for place, what in found.items() if what}
    assert not bad, json.dumps(bad, indent=1)


def test_the_theme_follows_the_system(open_screen: OpenScreen) -> None:
    colors = set()
    for scheme in ("light", "dark"):
        screen = open_screen(color_scheme=scheme)
        screen.go()
        expect(screen.page.get_by_role("main")).to_be_visible()
        colors.add(screen.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(colors) == 2


def test_the_shell_is_there_before_the_scripts(open_screen: OpenScreen) -> None:
    screen = open_screen(java_script_enabled=False)
    screen.go()
    expect(screen.page.locator("#app")).to_be_attached()
    expect(screen.page.locator("noscript")).to_be_attached()
