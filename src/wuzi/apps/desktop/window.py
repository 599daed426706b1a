"""The window: one loop that sleeps until something happens, the screens in it, and what they share.

The pool of worker processes runs in a thread of its own: the window's loop asks, and gets called back.
"""

from __future__ import annotations

import asyncio
import logging
import math
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pygame

from wuzi.apps.desktop import fonts, geometry, shapes
from wuzi.apps.desktop.game_scene import GameScene
from wuzi.apps.desktop.menu_scene import FilesScene, MenuScene
from wuzi.apps.desktop.scene import HelpScene, Scene, say
from wuzi.apps.desktop.storage import Storage
from wuzi.apps.desktop.theme import THEMES, WindowTheme
from wuzi.base.words import Language
from wuzi.errors import WuziError
from wuzi.games import GameSession
from wuzi.games.driver import Call, PoolClient
from wuzi.games.pool import PoolSettings, WorkerPool
from wuzi.players.opponents import find_engine
from wuzi.protocols.analysis.queries import Describe

logger = logging.getLogger(__name__)

SHARE_OF_SCREEN = 0.78

BUSY_LOOK_S, IDLE_LOOK_S = 0.004, 0.025
"""Seconds between two looks for events, soon after one and later; pygame itself looks every millisecond."""

BUSY_FOR_S = 0.5
CLOSE_S = 5.0


class PoolThread(PoolClient):
    """Runs searches in worker processes; ``deliver`` runs a function in the window's loop, soon."""

    def __init__(self, deliver: Callable[[Call], None], settings: PoolSettings | None = None) -> None:
        super().__init__(WorkerPool(settings or PoolSettings(workers=1)))
        self._deliver = deliver
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="pool", daemon=True)
        self._thread.start()
        self.call(self._pool.preload)

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers."""
        return self._pool.pids

    def call(self, function: Call) -> None:
        """Run a function in the pool's thread; nothing after :meth:`close`."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function)

    def deliver(self, function: Call) -> None:
        """Run a function in the window's loop."""
        self._deliver(function)

    def close(self) -> None:
        """End all searches and processes."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._pool.close(), self._loop).result(CLOSE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSE_S)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()


class Window:
    """The program's window. Only :meth:`deliver` may be called from other threads.

    Scenes change ``preferences`` and call :meth:`refresh`; ``pool`` searches in processes of its own.
    """

    def __init__(self, storage: Storage, settings: PoolSettings | None = None) -> None:
        pygame.display.init()
        pygame.font.init()
        self.storage = storage
        self.preferences = storage.preferences()
        self.is_open = True
        self._calls: queue.SimpleQueue[Call] = queue.SimpleQueue()
        self._wake = threading.Event()
        self._last_event = time.monotonic()
        self._is_dirty, self._is_full = True, False
        self._next_frame: float | None = None
        self._capabilities: dict[str, dict[str, Any] | None] = {}
        self._arranged_for = (0, 0)
        self._window = self._open_window()
        self.pool = PoolThread(self.deliver, settings)
        self.scene: Scene = MenuScene(self)
        self.refresh()

    @property
    def surface(self) -> pygame.Surface:
        """What is drawn on."""
        return self._window.get_surface()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self._window.size

    @property
    def theme(self) -> WindowTheme:
        """The colours."""
        return THEMES["dark" if self.preferences.theme == "dark" else "light"]

    @property
    def unit(self) -> float:
        """Pixels of one design pixel."""
        return geometry.unit(self.size, self.preferences.zoom)

    def capabilities(self, opponent_id: str) -> dict[str, Any] | None:
        """What an opponent can play; None until its process has said so."""
        if opponent_id not in self._capabilities:
            self._capabilities[opponent_id] = None
            spec = find_engine(opponent_id).level().spec
            self.pool.ask(
                Describe(f"describe-{opponent_id}"[:100], spec),
                on_done=lambda reply: self._described(opponent_id, reply),
                on_failed=lambda code, message, log: logger.warning("%s: %s: %s", opponent_id, code, message),
            )
        return self._capabilities[opponent_id]

    def show(self, scene: Scene) -> None:
        """Go to another screen."""
        self.scene.leave()
        self.scene = scene
        self.refresh()

    def show_menu(self) -> None:
        """Go to the menu."""
        self.show(MenuScene(self))

    def show_game(self, session: GameSession, *, analysing: bool = False) -> None:
        """Go to a game."""
        self.show(GameScene(self, session, analysing=analysing))

    def show_files(self) -> None:
        """Go to the list of saved games."""
        self.show(FilesScene(self))

    def show_help(self) -> None:
        """Go to the help, which leads back to the screen shown now."""
        if not isinstance(self.scene, HelpScene):
            self.show_again(HelpScene(self, self.scene))

    def show_again(self, scene: Scene) -> None:
        """Go to a screen, or back to one, without leaving the one shown now."""
        self.scene = scene
        self.refresh()

    def open_file(self, path: Path) -> str | None:
        """Show the game of a file; a message if that is not possible."""
        try:
            self.show_game(self.storage.load_game(path))
        except (OSError, WuziError) as error:
            return str(error)
        return None

    def refresh(self) -> None:
        """Arrange and draw everything again; the preferences may have changed."""
        self._arranged_for = self.size
        self.scene.arrange()
        self.redraw()

    def resize(self, size: tuple[int, int]) -> None:
        """Make the window so large."""
        self._window.size = size

    def redraw(self) -> None:
        """Draw again before waiting for the next event."""
        self._is_dirty = True

    def close(self) -> None:
        """End the loop."""
        self.is_open = False

    def run(self) -> None:
        """Show the window until it is closed."""
        try:
            while self.is_open:
                self.step()
        finally:
            self.shut()

    def step(self, most_s: float | None = None) -> None:
        """Draw if needed, wait for the next event (or picture, or ``most_s``), and act on all that came."""
        now = time.monotonic()
        if self._next_frame is not None and now >= self._next_frame:
            self._is_dirty = True
        if self._is_dirty:
            self._draw()
            frame_s = self.scene.frame_s
            self._next_frame = None if frame_s is None else now + frame_s
        until = min(math.inf if most_s is None else now + most_s, self._next_frame or math.inf)
        for event in self._wait(until):
            self._handle(event)
        self._run_calls()

    def deliver(self, call: Call) -> None:
        """Run a call in the loop, soon; from any thread."""
        self._calls.put(call)
        self._wake.set()

    def shut(self) -> None:
        """Store what is to be kept and end all processes."""
        self.scene.leave()
        if not self._is_full:
            self.preferences.width, self.preferences.height = self.size
        self.storage.keep_preferences(self.preferences)
        self.pool.close()
        self._window.destroy()
        pygame.display.quit()
        fonts.close()

    def _open_window(self) -> pygame.Window:
        wanted = (self.preferences.width, self.preferences.height)
        if not all(wanted):
            screens = pygame.display.get_desktop_sizes()
            width, height = screens[0] if screens else geometry.USUAL_SIZE
            high = max(geometry.USUAL_SIZE[1], round(height * SHARE_OF_SCREEN))
            wide = max(geometry.USUAL_SIZE[0], round(high * geometry.USUAL_SIZE[0] / geometry.USUAL_SIZE[1]))
            wanted = (min(wide, width), min(high, height))
        size = (max(wanted[0], geometry.MIN_SIZE[0]), max(wanted[1], geometry.MIN_SIZE[1]))
        window = pygame.Window(say(self.preferences.language, "title"), size, resizable=True)
        window.minimum_size = geometry.MIN_SIZE
        window.set_icon(_icon())
        window.get_surface()
        pygame.key.set_repeat(350, 60)
        return window

    def _draw(self) -> None:
        if self.size != self._arranged_for:  # resized, and its event has not come yet
            self.refresh()
        self._is_dirty = False
        self.surface.fill(self.theme.ground)
        self.scene.draw()
        self._window.flip()

    def _wait(self, until: float) -> list[pygame.event.Event]:
        """The events since the last look; waits for some, for a call, or for a time (monotonic)."""
        while True:
            self._wake.clear()
            events = pygame.event.get()
            now = time.monotonic()
            if events:
                self._last_event = now
            if events or not self._calls.empty() or now >= until:
                return events
            is_busy = now - self._last_event < BUSY_FOR_S
            self._wake.wait(min(BUSY_LOOK_S if is_busy else IDLE_LOOK_S, until - now))

    def _run_calls(self) -> None:
        while not self._calls.empty():  # only this thread takes calls out
            self._calls.get_nowait()()

    def _described(self, opponent_id: str, reply: dict[str, Any]) -> None:
        self._capabilities[opponent_id] = reply["capabilities"]
        self.refresh()

    def _handle(self, event: pygame.event.Event) -> None:
        if event.type in (pygame.QUIT, pygame.WINDOWCLOSE):
            self.close()
        elif event.type == pygame.WINDOWSIZECHANGED:
            self.refresh()
        elif event.type in (pygame.WINDOWEXPOSED, pygame.WINDOWRESTORED):
            self.redraw()
        elif event.type == pygame.DROPFILE:
            self.open_file(Path(event.file))
        elif event.type == pygame.KEYDOWN and self._key(event):
            self.refresh()
        elif event.type == pygame.MOUSEMOTION:
            if self.scene.point(event.pos):
                self.redraw()
        elif event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEWHEEL, pygame.KEYDOWN):
            self.scene.handle(event)
            self.redraw()

    def _key(self, event: pygame.event.Event) -> bool:
        """Act on the keys that mean the same on every screen."""
        if event.key == pygame.K_F11:
            self._toggle_full_screen()
        elif event.key == pygame.K_F1:
            self.show_help()
        elif event.key == pygame.K_q and event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META):
            self.close()
        elif event.key == pygame.K_l:
            self.turn_language()
        elif event.key == pygame.K_d:
            self.turn_theme()
        elif event.unicode in ("+", "=", "-"):
            self._zoom(-1 if event.unicode == "-" else 1)
        else:
            return False
        return True

    def set_language(self, language: Language) -> None:
        """Show all texts in that language."""
        self.preferences.language = language
        self._window.title = say(language, "title")
        self.refresh()

    def turn_language(self) -> None:
        """Show all texts in the other language."""
        self.set_language("en" if self.preferences.language == "zh" else "zh")

    def turn_theme(self) -> None:
        """Show the other colours."""
        self.preferences.theme = "light" if self.preferences.theme == "dark" else "dark"
        self.refresh()

    def _zoom(self, by: int) -> None:
        near = min(range(len(geometry.ZOOMS)), key=lambda i: abs(geometry.ZOOMS[i] - self.preferences.zoom))
        self.preferences.zoom = geometry.ZOOMS[min(max(near + by, 0), len(geometry.ZOOMS) - 1)]

    def _toggle_full_screen(self) -> None:
        self._is_full = not self._is_full
        if self._is_full:
            self._window.set_fullscreen(desktop=True)
        else:
            self._window.set_windowed()


def _icon() -> pygame.Surface:
    """A black and a white stone."""
    image = pygame.Surface((64, 64), pygame.SRCALPHA)
    image.blit(shapes.box((64, 64), 14, (232, 190, 124)), (0, 0))
    image.blit(shapes.stone(36, black=True), (5, 6))
    image.blit(shapes.stone(36, black=False), (24, 23))
    return image
