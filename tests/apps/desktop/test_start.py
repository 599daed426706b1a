"""Starting: what is missing is said in one line; the real engine plays."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pygame
import pytest

from tests.apps.desktop.conftest import Open
from wuzi.apps.desktop import run
from wuzi.apps.desktop.storage import Storage
from wuzi.core import Color, Phase, Rules
from wuzi.errors import ConfigError, MissingExtraError, RecordError
from wuzi.games import GameSession, Seat, SeatKind
from wuzi.games.pool import PoolSettings


def test_without_pygame_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(MissingExtraError, match=r'pip install "wuzi\[desktop\]"'):
        run()


def test_without_a_screen_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "nonsense")
    with pytest.raises(ConfigError, match="no window can be opened here"):
        run()


@pytest.mark.skipif(sys.platform != "linux", reason="a screen is named by the environment on Linux only")
def test_a_window_that_nobody_could_see_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigError, match="there is no screen"):
        run()
    assert not pygame.display.get_init()


def test_a_file_that_is_no_game_is_refused_before_a_window_opens(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("nonsense", encoding="utf-8")
    with pytest.raises(RecordError, match=r"game\.sgf"):
        run(path)
    assert not pygame.display.get_init()


def test_stored_nonsense_gives_defaults(tmp_path: Path, open_window: Open) -> None:
    config, data = tmp_path / "config", tmp_path / "data"
    (data / "desktop").mkdir(parents=True)
    config.mkdir()
    (data / "desktop" / "running-game.json").write_text('{"schema": 99}', encoding="utf-8")
    wild = {"language": "xx", "theme": 5, "zoom": "big", "board": 99, "rule": "chess", "opponent": "net:gone"}
    (config / "desktop.json").write_text(json.dumps(wild), encoding="utf-8")
    it = open_window()
    assert it.window.preferences.opponent == "levels" and it.window.preferences.rule == "freestyle"
    assert Storage(config, data).running_game() is None


def test_an_opponent_that_is_gone_stops_the_game_with_a_message(open_window: Open) -> None:
    it = open_window()
    it.window.show_game(GameSession(Rules(9), [Seat(SeatKind.ENGINE, "net:gone", "normal"), Seat()]))
    it.window.step(0.01)
    failure = it.match.session.failure
    assert failure is not None and "net:gone" in failure.message


@pytest.mark.slow
def test_the_real_engine_answers_hints_and_analyses(open_window: Open) -> None:
    it = open_window(PoolSettings().worker_command)
    it.until(lambda: it.button("menu.first").enabled)
    it.press("menu.first")
    it.place("h8")
    it.until(lambda: it.match.game.ply == 2)
    it.key("h")
    it.until(lambda: it.match.hint)
    it.key("a")
    it.until(lambda: it.match.report and it.match.report.nodes > 0)
    assert it.match.winrate is not None and 0 < it.match.winrate < 1


@pytest.mark.slow
def test_the_real_engine_takes_part_in_swap2_on_its_clock(open_window: Open) -> None:
    it = open_window(PoolSettings().worker_command)
    it.turn_to("menu.opening", "opening.name.swap2")
    it.turn_to("menu.clock", "clock.rapid")
    it.until(lambda: it.window.capabilities("levels") and it.button("menu.second").enabled)
    it.press("menu.second")
    it.until(lambda: it.match.game.phase is Phase.CHOOSE)
    it.key("1")
    it.until(lambda: it.match.is_person_to_act)
    assert it.match.game.ply == 4 and it.match.game.color_of(1) is Color.BLACK
    assert all(clock is not None and clock.left_s > 500 for clock in it.match.session.clocks)
