"""Make the desktop's pictures: scripts/desktop_pictures.py [--folder DIR --all], default those of the docs.

The script drives the real window without a screen (SDL's dummy driver) by the events that a person would
cause. The engine searches a fixed number of positions, so the pictures are the same on every machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

import pygame
from PIL import Image

from wuzi.apps.desktop import advice
from wuzi.apps.desktop.game_scene import GameScene
from wuzi.apps.desktop.opponents import engine_seat
from wuzi.apps.desktop.storage import Storage
from wuzi.apps.desktop.window import Window
from wuzi.contract import Limit
from wuzi.core import Game, Move, Opening, PlaceSeveral, Rules, parse_moves
from wuzi.games import Clock, GameSession, Seat
from wuzi.protocols.analysis.queries import Start

ROOT = Path(__file__).resolve().parent.parent
WAIT_S = 600.0
TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
MIDDLE, RENJU, WON = (TABLES["games"][name] for name in ("middle", "renju", "won"))
VERSUS = (Seat(), engine_seat("levels", "strong"))


class Photographer:
    """A window that is operated and photographed."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        self.folder = folder
        self._rates: dict[tuple[Rules, tuple[Move, ...]], float] = {}
        self.window = Window(Storage(scratch / "config", scratch / "data"))

    def settle(self, seconds: float) -> None:
        """Let the window run for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.window.step(0.02)

    def until(self, what: Callable[[], object]) -> None:
        """Let the window run until something holds."""
        end = time.monotonic() + WAIT_S
        while not what():
            if time.monotonic() > end:
                raise SystemExit("the window did not get there in time")
            self.window.step(0.05)

    def key(self, *keys: int) -> None:
        """Press keys."""
        for key in keys:
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
            self.settle(0.05)

    def take(self, name: str) -> None:
        """Save what the window shows now."""
        self.settle(0.3)
        self.window.redraw()
        self.window.step(0.01)
        self.folder.mkdir(parents=True, exist_ok=True)
        data = pygame.image.tobytes(self.window.surface, "RGB")
        picture = Image.frombytes("RGB", self.window.size, data)
        picture.save(self.folder / f"{name}.webp", quality=86, method=6)
        sys.stdout.write(f"{name}.webp {self.window.size[0]}x{self.window.size[1]}\n")

    def game(self, moves: str, *seats: Seat, rules: Rules = Rules(15)) -> GameScene:
        """Show a game in the middle."""
        session = GameSession(rules, seats or (Seat(), Seat()), Game.from_moves(rules, moves.split()))
        return self.show(session)

    def show(self, session: GameSession) -> GameScene:
        """Show a game."""
        self.window.show_game(session)
        scene = self.window.scene
        assert isinstance(scene, GameScene)
        return scene

    def with_winrates(self, scene: GameScene) -> GameScene:
        """Fill the graph: the engine's win rate of every position of the game."""
        game = scene.match.game
        for ply in range(game.ply + 1):
            known = (game.rules, game.moves[:ply])
            if game.at(ply).outcome is None:
                if known not in self._rates:
                    self._rates[known] = self._winrate(game.at(ply))
                scene.match.session.known_winrates[ply] = self._rates[known]
        self.window.refresh()
        return scene

    def _winrate(self, game: Game) -> float:
        answers: list[dict[str, Any]] = []
        start = Start(f"rate-{game.ply}", "engine", game, Limit(nodes=10_000), report_every_s=None)
        self.window.pool.ask(start, answers.append, lambda _, message, log: sys.exit(message))
        self.until(lambda: answers)
        return float(answers[0]["rootInfo"]["winrate"])


def menu(it: Photographer) -> None:
    """The first screen."""
    it.window.show_menu()
    it.settle(2.5)


def analysis(it: Photographer) -> None:
    """Candidates of the engine and the threats on the board."""
    scene = it.with_winrates(it.game(MIDDLE))
    it.key(pygame.K_a)
    it.until(lambda: scene.match.report is not None and not scene.match.is_busy)


def hint(it: Photographer) -> None:
    """Both steps of a hint."""
    scene = it.with_winrates(it.game(MIDDLE, *VERSUS))
    it.key(pygame.K_h)
    it.until(lambda: scene.match.hint is not None)
    it.key(pygame.K_h, pygame.K_n)


def threats(it: Photographer) -> None:
    """Threats and forbidden points in renju."""
    scene = it.with_winrates(it.game(RENJU, rules=Rules(15, 5, "renju")))  # type: ignore[arg-type]
    it.key(pygame.K_t, pygame.K_LEFT, pygame.K_UP)
    scene.focus = None


def placing(it: Photographer) -> None:
    """Three opening stones being put down, the cursor of the keys on the next cell."""
    put_down(opening(it), "h8 i9")
    it.key(pygame.K_DOWN, pygame.K_DOWN)


def adding(it: Photographer) -> None:
    """Two more stones put down in swap2."""
    scene = opening(it, "h8 i9 f9")
    scene.match.add_two()
    put_down(scene, "g7 h10")


def put_down(scene: GameScene, cells: str) -> None:
    """Play on these cells."""
    for move in parse_moves(cells, 15):
        scene.match.play(move)


def opening(it: Photographer, three: str = "", clocks: tuple[float, float] = (180, 180)) -> GameScene:
    """A swap2 game of two people after its first stones, with these seconds on their clocks."""
    game = Game(Rules(15, opening=Opening.SWAP2))
    if three:
        game = game.act(PlaceSeveral(parse_moves(three, 15)))
    return it.show(timed_session(GameSession(game.rules, (Seat(), Seat()), game), clocks))


def clocks(it: Photographer) -> None:
    """A game with clocks against a level, little time left."""
    session = it.with_winrates(it.game(MIDDLE, *VERSUS)).match.session
    it.show(timed_session(session, (9.6, 134)))


def timed_session(session: GameSession, clocks: tuple[float, float]) -> GameSession:
    """The session with these seconds left for each seat."""
    session.clocks = [Clock(left_s, 2) for left_s in clocks]
    return session


def files(it: Photographer) -> None:
    """Saved games."""
    for moves in (MIDDLE, WON):
        it.game(moves, Seat(), engine_seat("levels", "casual"))
        it.key(pygame.K_s)
    it.key(pygame.K_o)


def failure(it: Photographer) -> None:
    """An engine that failed."""
    scene = it.game(MIDDLE, *VERSUS)
    it.key(pygame.K_1)
    search_is_due = scene.match.session
    put_down(scene, "g6")
    it.settle(0.05)
    if search_is_due.search is not None:
        scene.match.close()
        search_is_due.fail(search_is_due.search, "engine_failed", "the net file is gone")
    it.window.refresh()


def helping(it: Photographer) -> None:
    """The help over a game."""
    it.game(MIDDLE)
    it.key(pygame.K_F1)


POSES: dict[str, Callable[[Photographer], object]] = {
    "menu": menu,
    "game": lambda it: it.with_winrates(it.game(MIDDLE, *VERSUS)),
    "end": lambda it: it.with_winrates(it.game(WON, Seat(), engine_seat("levels", "casual"))),
    "analysis": analysis,
    "hint": hint,
    "threats": threats,
    "failure": failure,
    "placing": placing,
    "choosing": lambda it: opening(it, "h8 i9 f9", clocks=(171.4, 14.2)),
    "adding": adding,
    "clocks": clocks,
    "files": files,
    "help": helping,
}
PICTURES = {
    name: (tuple(dress["size"]), dress["theme"]) for dress in TABLES["dress"] for name in dress["pictures"]
}
"""Size and theme of each picture, whose name says the pose and the language."""


def main() -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="pictures to make; default: the docs'")
    parser.add_argument("--all", action="store_true", help="make every picture")
    parser.add_argument("--folder", type=Path, default=ROOT / "docs" / "images" / "desktop")
    given = parser.parse_args()
    if unknown := sorted(set(given.names) - set(PICTURES)):
        parser.error(f"no picture {unknown[0]!r}: expected some of {', '.join(PICTURES)}")
    advice.ANALYSIS_LIMIT = advice.HINT_LIMIT = Limit(nodes=60_000)
    with tempfile.TemporaryDirectory() as scratch:
        it = Photographer(given.folder, Path(scratch))
        try:
            for name in PICTURES if given.all else given.names or TABLES["documented"]:
                pose, language, _ = name.split("-")
                it.window.preferences.numbers = False
                it.window.preferences.theme = PICTURES[name][1]
                it.window.set_language("zh" if language == "zh" else "en")
                it.window.resize(PICTURES[name][0])
                it.settle(0.1)
                POSES[pose](it)
                it.take(name)
                it.window.storage.forget_running_game()
        finally:
            it.window.shut()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
