"""How the desktop window looks, and that it draws nothing while nothing happens."""

from __future__ import annotations

import pygame
import pytest

from tests.apps.desktop.person import Person
from tests.apps.desktop.test_window import play
from wuzi.apps.desktop.menu_scene import MenuScene
from wuzi.apps.desktop.scene import HelpScene
from wuzi.core import Opening, PlaceSeveral, Rules, parse_moves


@pytest.mark.parametrize("size", [(480, 560), (560, 860), (1060, 740), (1920, 1080)])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_everything_fits_at_every_size(it: Person, size: tuple[int, int], language: str) -> None:
    it.window.set_language(language)
    it.resize(*size)
    assert it.window.size == size
    inside = pygame.Rect(0, 0, *size)
    shown = (
        it.window.show_menu,
        lambda: play(it, moves="e5 e6"),
        lambda: play(it, rules=Rules(15, opening=Opening.SWAP2)),
        lambda: it.match.session.act(PlaceSeveral(parse_moves("a15b15c15", 15))) or it.match.changed(),
        it.window.show_help,
        it.window.show_menu,  # now with a game to continue
    )
    for show in shown:
        show()
        it.window.step(0.001)
        rects = [widget.rect for widget in it.scene.widgets]
        assert all(inside.contains(rect) for rect in rects)
        for index, rect in enumerate(rects):
            assert rect.collidelist(rects[index + 1 :]) == -1
            assert rect.height >= 24, "large enough to hit"


def test_zoom_makes_things_larger_and_stays_in_the_window(it: Person) -> None:
    it.resize(1400, 1000)
    before = it.window.unit
    it.key("+")
    assert it.window.unit > before
    it.key("-", "-")
    assert it.window.unit < before


def test_the_help_leads_back(it: Person) -> None:
    scene = play(it, moves="e5 e6")
    it.key("f1")
    assert isinstance(it.scene, HelpScene)
    it.key("esc")
    assert it.scene is scene


def test_an_opponent_that_cannot_play_is_refused_with_a_reason(it: Person) -> None:
    it.until(lambda: it.window.capabilities("levels"))
    it.turn_to("menu.rule", "rule.renju")
    assert not it.button("menu.first").enabled
    assert it.choice("menu.opponent").problem
    assert it.button("menu.two").enabled
    it.press("menu.first")
    assert isinstance(it.scene, MenuScene)


def test_nothing_is_drawn_while_nothing_happens(it: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    it.until(lambda: it.window.capabilities("levels") and it.window.capabilities("engine"))
    play(it, moves="e5 e6")
    it.until(lambda: it.scene.frame_s is None)
    it.window.step(0.05)
    drawn: list[int] = []
    monkeypatch.setattr(it.scene, "draw", lambda: drawn.append(1))
    for _ in range(5):
        it.window.step(0.05)
    assert not drawn
    it.post(pygame.MOUSEMOTION, pos=(3, 3), rel=(0, 0), buttons=(0, 0, 0), touch=False)
    it.key("n")
    it.window.step(0.01)
    assert drawn
