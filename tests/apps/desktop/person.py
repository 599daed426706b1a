"""A person at the window: posts real events and looks at what there is."""

from __future__ import annotations

import time
from collections.abc import Callable

import pygame

from wuzi.apps.desktop.game_scene import GameScene
from wuzi.apps.desktop.match import Match
from wuzi.apps.desktop.scene import Scene, say
from wuzi.apps.desktop.widgets import Button, ChoiceBox
from wuzi.apps.desktop.window import Window
from wuzi.core import parse_move

WAIT_S = 120.0
NAMED = {
    "enter": pygame.K_RETURN,
    "tab": pygame.K_TAB,
    "esc": pygame.K_ESCAPE,
    "left": pygame.K_LEFT,
    "right": pygame.K_RIGHT,
    "up": pygame.K_UP,
    "down": pygame.K_DOWN,
    "pageup": pygame.K_PAGEUP,
    "pagedown": pygame.K_PAGEDOWN,
    "home": pygame.K_HOME,
    "end": pygame.K_END,
    "f1": pygame.K_F1,
    "backspace": pygame.K_BACKSPACE,
}


class Person:
    """Operates a window by keys and mouse.

    Attributes:
        window: the window.
    """

    def __init__(self, window: Window) -> None:
        self.window = window
        self._closed = False

    # ------------------------------------------------------------ what there is

    @property
    def scene(self) -> Scene:
        return self.window.scene

    @property
    def game(self) -> GameScene:
        assert isinstance(self.scene, GameScene)
        return self.scene

    @property
    def match(self) -> Match:
        return self.game.match

    @property
    def cells(self) -> list[int]:
        return [int(cell) for cell in self.match.game.position.cells]

    def text(self, key: str, **values: object) -> str:
        return say(self.window.preferences.language, key, **values)

    def button(self, key: str) -> Button:
        """The button with that text."""
        label = self.text(key)
        found = [one for one in self.scene.widgets if isinstance(one, Button) and one.label == label]
        assert found, f"no button {label!r} among {[getattr(w, 'label', '') for w in self.scene.widgets]}"
        return found[0]

    def choice(self, key: str) -> ChoiceBox:
        label = self.text(key)
        return next(one for one in self.scene.widgets if isinstance(one, ChoiceBox) and one.label == label)

    # ------------------------------------------------------------ what a person does

    def key(self, *names: str) -> None:
        """Press keys, one after the other."""
        for name in names:
            code = NAMED.get(name) or pygame.key.key_code(name)
            mod = pygame.KMOD_SHIFT if name.isupper() else 0
            self.post(pygame.KEYDOWN, key=code, mod=mod, unicode=name if len(name) == 1 else "")

    def click(self, at: tuple[float, float], button: int = 1) -> None:
        """Move the mouse and click."""
        where = (round(at[0]), round(at[1]))
        self.post(pygame.MOUSEMOTION, pos=where, rel=(0, 0), buttons=(0, 0, 0), touch=False)
        self.post(pygame.MOUSEBUTTONDOWN, pos=where, button=button, touch=False)
        self.post(pygame.MOUSEBUTTONUP, pos=where, button=button, touch=False)

    def press(self, key: str) -> None:
        """Click the button with that text."""
        self.click(self.button(key).rect.center)

    def turn_to(self, key: str, value: str) -> None:
        """Click a choice of the menu until it says that."""
        for _ in range(20):
            if self.choice(key).value == self.text(value):
                return
            self.choice(key).turn(1)
        raise AssertionError(f"{self.text(key)} never was {self.text(value)}")

    def place(self, move: str) -> None:
        """Click on the board."""
        self.click(self.game.grid.point(parse_move(move, self.match.game.rules.size)))

    def place_by_keys(self, move: str) -> None:
        """Walk there with the arrow keys and press Enter."""
        size = self.match.game.rules.size
        row, col = divmod(parse_move(move, size), size)
        self.key("left")
        for _ in range(2 * size):
            assert self.game.cursor is not None
            at_row, at_col = divmod(self.game.cursor, size)
            if (at_row, at_col) == (row, col):
                break
            if at_row != row:
                self.key("up" if at_row > row else "down")
            else:
                self.key("left" if at_col > col else "right")
        self.key("enter")

    def resize(self, width: int, height: int) -> None:
        """Drag the window's corner: the system's own event tells the window."""
        self.window.resize((width, height))
        self.window.step(0.01)

    def post(self, kind: int, **values: object) -> None:
        """Post an event and let the window act on it."""
        pygame.event.post(pygame.event.Event(kind, **values))
        self.window.step(0.001)

    def until(self, what: Callable[[], object], name: str = "it") -> None:
        """Let the window run until something holds; fails after a long time, so that slow machines pass."""
        end = time.monotonic() + WAIT_S
        while not what():
            assert time.monotonic() < end, f"{name} did not come"
            self.window.step(0.02)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.window.shut()
