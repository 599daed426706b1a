"""The game in the terminal, played by script against real players."""

from __future__ import annotations

import io
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from tests.fakes import PatientPlayer, ScriptedPlayer
from wuzi.apps.cli import main
from wuzi.apps.cli.board import board
from wuzi.apps.cli.play.play import LevelChoice
from wuzi.apps.cli.play.terminal import TerminalGame
from wuzi.apps.cli.progress import stop_on_interrupt
from wuzi.contract import Limit, Player
from wuzi.core import Color, Game, Opening, Phase, Place, Reason, Rule, Rules, Style, parse_move
from wuzi.errors import PlayerCrashed
from wuzi.games import GameSession, Seat, SeatKind
from wuzi.players import create_player
from wuzi.players.levels import LEVELS

ME, AI = Seat(SeatKind.HUMAN), Seat(SeatKind.ENGINE, player="random:seed=1")


class Table:
    """A terminal game with what was typed and what was shown."""

    def __init__(self, tmp_path: Path, rules: Rules, *lines: str, me_first: bool = True) -> None:
        self.shown: list[str] = []
        self.prompts: list[str] = []
        self.unfinished = tmp_path / "data" / "unfinished.sgf"
        self.session = GameSession(rules, (ME, AI) if me_first else (AI, ME))
        self._lines: Iterator[str] = iter(lines)

    def _read(self, prompt: str) -> str:
        self.prompts.append(prompt)
        try:
            return next(self._lines)
        except StopIteration:
            raise EOFError from None

    def play(self, player: Player, language: str = "en", style: Style = Style.RENJU) -> bool:
        ways = {"read": self._read, "write": self.shown.append, "style": style}
        return TerminalGame(self.session, player, unfinished=self.unfinished, language=language, **ways).run()

    @property
    def text(self) -> str:
        return "\n".join(self.shown)


def scripted(*cells: str) -> Player:
    """Plays these cells of a 7x7 board, then crashes whenever asked."""
    moves = [Place(parse_move(cell, 7)) for cell in cells]
    return ScriptedPlayer([*moves, *[PlayerCrashed("the process ended")] * 3])


RULES = Rules(size=7, win_length=4)


def test_a_game_can_be_won(tmp_path: Path) -> None:
    table = Table(tmp_path, RULES, "d4", "c4", "e4", "b4")
    assert table.play(scripted("a7", "b7", "c7"))
    assert table.session.game.outcome is not None
    assert table.session.game.outcome.winner is Color.BLACK
    assert table.shown[-1] == "black wins (4 in a row) b4c4d4e4 - you win"
    assert not table.unfinished.exists()


def test_a_game_in_the_coordinates_of_document_000(tmp_path: Path) -> None:
    """Rows A to G from the top, columns 1 to 7 from the left: D4 is the centre, A7 the upper right corner."""
    table = Table(tmp_path, RULES, "D4", "A1", "d3", "moves", "D5", "d2")
    assert table.play(scripted("g7", "b7", "c7"), style=Style.MATRIX)
    assert table.session.game.moves[0] == parse_move("d4", 7)
    assert table.session.game.moves[2] == parse_move("a7", 7)
    assert ": A7" in table.text and "D4A7A1A2D3A3" in table.shown
    assert table.shown[1].splitlines()[1].split()[0] == "A"
    assert table.shown[1].splitlines()[-1].split() == [*"1234567"]


def test_a_game_can_be_lost_as_second_player(tmp_path: Path) -> None:
    table = Table(tmp_path, RULES, "a1", "b1", "d1", me_first=False)
    assert table.play(scripted("a7", "b7", "c7", "d7"))
    assert table.shown[-1].endswith("- you lose")


def test_a_game_in_chinese(tmp_path: Path) -> None:
    table = Table(tmp_path, RULES, "help", "moves", "save", "d4", "c4", "e4", "b4")
    assert table.play(scripted("a7", "b7", "c7"), "zh")
    assert "输入 help 查看命令" in table.shown[0]
    assert "（无）" in table.shown and "悔棋" in table.text and "! save：需要文件名" in table.text
    assert table.prompts[0] == "第 1 手，你（黑） > "
    assert table.shown[-1] == "黑方获胜（4 子连珠） b4c4d4e4 ——你赢了"
    left = Table(tmp_path, RULES, "d4", "hint")
    assert left.play(scripted("a7"), "zh")
    assert "继续：wuzi play --load" in left.shown[-1]


def test_a_whole_game_against_a_real_player_ends(tmp_path: Path) -> None:
    rules = Rules(size=3, win_length=3)
    cells = [f"{letter}{number}" for letter in "abc" for number in "123"]
    table = Table(tmp_path, rules, *cells)
    with create_player("random:seed=3") as player:
        assert table.play(player)
    assert table.session.is_over


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("z9", "! 'z9' is no cell of a 7x7 board"),
        ("hello", "`help` lists the commands"),
        ("a1 b1", "! 2 stones: expected one stone"),
        ("swap", "expected one stone"),
        ("save", "! save: expected a file name"),
        ("save nowhere/x.sgf", "! "),
        ("undo", "! nothing to take back"),
        ("redo", "! 0 actions can be replayed"),
        ("help", "save FILE"),
        ("moves", "(none)"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(tmp_path: Path, typed: str, said: str) -> None:
    table = Table(tmp_path, RULES, typed)
    assert table.play(scripted())
    assert said in table.text
    assert table.session.game.actions == ()


def test_occupied_cell_is_refused(tmp_path: Path) -> None:
    table = Table(tmp_path, RULES, "d4", "d4", "a7")
    assert table.play(scripted("a7"))
    assert "d4 is occupied by black" in table.text
    assert "a7 is occupied by white" in table.text
    assert table.session.game.ply == 2


def test_undo_and_redo_take_both_plies(tmp_path: Path) -> None:
    table = Table(tmp_path, RULES, "d4", "undo", "redo", "moves")
    assert table.play(scripted("a7"))
    assert "d4a7" in table.shown


def test_gomocup_notation_is_understood(tmp_path: Path) -> None:
    table = Table(tmp_path, RULES, "0,0")
    assert table.play(scripted("d4"))
    assert table.session.game.moves[0] == 0


def test_hint_names_a_move_and_changes_nothing(tmp_path: Path) -> None:
    table = Table(tmp_path, RULES, "hint", "quit")
    with create_player("random:seed=1") as player:
        assert table.play(player)
    assert any(line.startswith("hint: ") for line in table.shown)
    assert table.session.game.ply == 0
    assert table.session.hints == 1


def test_resigning_ends_the_game(tmp_path: Path) -> None:
    table = Table(tmp_path, RULES, "d4", "resign")
    assert table.play(scripted("a7"))
    assert table.session.game.outcome is not None
    assert table.session.game.outcome.reason is Reason.RESIGNATION
    assert "you lose" in table.shown[-1]


def test_save_and_unfinished_game(tmp_path: Path) -> None:
    saved = tmp_path / "my game.sgf"
    table = Table(tmp_path, RULES, "d4", f"save {saved}", "quit")
    assert table.play(scripted("a7"))
    assert Game.load(saved).moves == table.session.game.moves
    assert Game.load(table.unfinished).moves == table.session.game.moves
    assert "--load" in table.shown[-1]


def test_a_failed_opponent_can_be_asked_again(tmp_path: Path) -> None:
    table = Table(tmp_path, RULES, "d4", "c4", "retry", "undo", "quit")
    assert table.play(scripted())
    assert "scripted failed: the process ended" in table.text
    assert table.text.count("failed") == 2
    assert table.session.game.ply == 0


def test_swap2_is_played_through(tmp_path: Path) -> None:
    rules = Rules(size=9, opening=Opening.SWAP2)
    table = Table(tmp_path, rules, "e5", "e5 d4 f6", "quit")
    with create_player("random:seed=1") as player:
        assert table.play(player)
    assert "three stones" in table.prompts[0]
    assert "! one stone: expected three stones" in table.text
    assert table.session.game.phase in (Phase.PLAY, Phase.CHOOSE_AFTER_FIVE)
    assert table.session.game.ply >= 3


def test_forbidden_points_are_shown_and_explained(tmp_path: Path) -> None:
    rules = Rules(size=15, rule=Rule.RENJU)
    start = ["f8", "a1", "g8", "c1", "h6", "e1", "h7", "g1"]
    table = Table(tmp_path, rules, "h8")
    table.session = GameSession(rules, (ME, AI), Game.from_moves(rules, start))
    assert table.play(scripted())
    assert " 8  .  .  .  .  .  X  X  *  .  .  .  .  .  .  ." in "\n".join(table.shown).splitlines()
    assert table.shown[-1] == "white wins: Black played a forbidden point (double_three) - you lose"


def test_board_shows_the_last_stone_in_brackets() -> None:
    lines = board(Game(RULES).play("a1").play("b1").position).plain.splitlines()
    assert lines[-2].rstrip() == " 1  X (O) .  .  .  .  ."
    assert lines[-1].rstrip() == "    a  b  c  d  e  f  g"


def test_ctrl_c_while_thinking_asks_for_the_move_now() -> None:
    def press() -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with stop_on_interrupt() as stop:
        threading.Timer(0.2, press).start()
        assert PatientPlayer().think(Game(RULES), Limit(time_s=600), stop=stop).move == 0
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_levels_are_chosen_by_name_and_hints_come_from_the_engine(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("wuzi.apps.cli.play.play.data_dir", lambda: tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("h8\nhint\nquit\n"))
    assert main(["play", "--level", "novice"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("level novice: Novice, 新手")
    assert "level:name=novice: " in out and "Black's chances" in out.split("hint: ")[1]
    assert main(["play", "--level", "nobody"]) == 2
    assert "'nobody' is not one of 'novice'" in capsys.readouterr().err
    assert main(["play", "--level", "club", "--player", "weight"]) == 2
    assert "expected one of the two" in capsys.readouterr().err


def test_the_levels_named_on_the_command_line_are_those_there_are() -> None:
    assert list(get_args(LevelChoice)) == list(LEVELS)
