"""External engines as players: real child processes, well and badly behaved."""

from __future__ import annotations

import shlex
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from wuzi.contract import Limit, SearchInfo, Stop
from wuzi.core import Color, Game, Keep, Phase, Place, PlaceSeveral, Position, Rules, Stone, Swap
from wuzi.errors import ConfigError, PlayerCrashed, PlayerTimeout, ProtocolError, UnsupportedError, WuziError
from wuzi.players import create_player
from wuzi.players.engines_file import Engine, find_engine, load_engines
from wuzi.players.external import ExternalConfig, ExternalPlayer

ENGINE = Path(__file__).with_name("fake_engine.py")
QUICK = Limit(time_s=0.0)


def command(mode: str) -> str:
    return shlex.join([sys.executable, str(ENGINE), mode])


def engine(mode: str = "good", **options: object) -> ExternalPlayer:
    return ExternalPlayer(ExternalConfig(cmd=command(mode), **options))  # type: ignore[arg-type]


def sent(player: ExternalPlayer) -> list[str]:
    return [line.split(" > ", 1)[1] for line in player.log.splitlines() if " > " in line]


def test_a_game_is_told_move_by_move() -> None:
    game = Game(Rules(size=7))
    with engine() as player:
        for _ in range(3):
            game = game.play(player.think(game, Limit(time_s=5)).move)
            game = game.play(next(move for move in reversed(game.position.legal_moves)))
        lines = [line for line in sent(player) if not line.startswith("INFO")]
        assert player.about == {"name": "Fake", "version": "1.0"}
    assert lines == ["START 7", "ABOUT", "BEGIN", "TURN 6,6", "TURN 5,6"]


def test_a_jump_to_another_position_is_told_as_a_board() -> None:
    rules = Rules(size=7)
    with engine() as player:
        first = Game.from_moves(rules, ["d4", "e5"])
        player.think(first, Limit(time_s=5))
        player.think(first.undo().play("e3"), Limit(time_s=5))
        lines = [line for line in sent(player) if not line.startswith("INFO")]
    assert lines == [
        *("START 7", "ABOUT", "BOARD", "3,3,1", "4,2,2", "DONE"),
        *("START 7", "BOARD", "3,3,1", "4,4,2", "DONE"),
    ]


def test_limits_are_told() -> None:
    game = Game(Rules(size=9, rule="renju"))  # type: ignore[arg-type]
    with engine(memory_mb=100) as player:
        player.think(game, Limit(time_s=0.5, clock_s=20, nodes=1000))
        told = sent(player)
    for line in (
        *("INFO rule 4", "INFO timeout_turn 500", "INFO timeout_match 20000", "INFO time_left 20000"),
        *(f"INFO max_memory {100 << 20}", "INFO max_node 1000"),
    ):
        assert line in told


def test_set_up_positions() -> None:
    rules = Rules(size=6)
    cells = [0] * 36
    cells[0], cells[7], cells[14] = Stone.BLACK, Stone.WHITE, Stone.BLACK
    with engine() as player:
        assert player.think(Game(rules, Position.from_cells(rules, cells)), QUICK).move == 1
        assert "0,0,2" in sent(player)
        with pytest.raises(UnsupportedError, match="cannot express"):
            player.think(Game(rules, Position.from_cells(rules, cells, Color.BLACK)), QUICK)


def test_a_suggested_move_is_taken() -> None:
    with engine("suggests") as player:
        game = Game(Rules(size=15)).play("h8")
        first = player.think(game, Limit(time_s=5)).move
        assert "PLAY 0,0" in sent(player)
        # The engine has put the stone: what follows is told as one move.
        game = game.play(first).play("h9")
        assert player.think(game, Limit(time_s=5)).move == 1
        assert "TURN 7,6" in sent(player)


def test_reports_are_read_from_the_side_to_move() -> None:
    game = Game(Rules(size=9)).play("e5")
    with engine("chatty") as player:
        info = player.think(game, Limit(time_s=5)).info
    line = info.lines[0]
    assert (info.depth, info.max_depth, info.nodes, info.color) == (17, 31, 379_000, Color.WHITE)
    assert (line.value, line.winrate, line.score) == (-0.5, 0.75, -12.0)


@pytest.mark.parametrize(
    ("mode", "error", "message"),
    [
        ("crash", PlayerCrashed, r"ended thinking at ply 1: exit status 1 \(segmentation fault\)"),
        ("dead", PlayerCrashed, "exit status 3"),
        ("deaf", PlayerTimeout, "did not answer START"),
        ("hang", PlayerTimeout, "did not answer in"),
        ("babble", PlayerTimeout, "last line 'lorem ipsum"),
        ("occupied", ProtocolError, "'4,4' at ply 1: e5 is occupied"),
        ("offboard", ProtocolError, "'9,9' at ply 1: expected 1 cells of the board"),
    ],
)
def test_misbehaviour_is_one_error_with_the_log(
    mode: str, error: type[WuziError], message: str, tmp_path: Path
) -> None:
    game = Game(Rules(size=9)).play("e5")
    start_s = 0.3 if mode == "deaf" else 20.0
    with engine(mode, start_s=start_s, tolerance_s=0.5, log_dir=str(tmp_path)) as player:
        for _ in range(2):
            with pytest.raises(error, match=message) as caught:
                player.think(game, QUICK)
            assert "START 9" in caught.value.__notes__[0]
    logs = list(tmp_path.iterdir())
    assert len(logs) == 2
    assert "START 9" in logs[0].read_text("utf-8")


def test_a_refused_size_is_unsupported() -> None:
    with engine("small") as player:
        with pytest.raises(UnsupportedError, match="refuses a 15x15 board"):
            player.think(Game(Rules(size=15)), QUICK)
        assert player.think(Game(Rules(size=9)), QUICK).move == 0


def test_stop_is_passed_on() -> None:
    stop = Stop()
    timer = threading.Timer(0.2, stop.set)
    with engine("waits_for_stop") as player:
        timer.start()
        assert player.think(Game(Rules(size=9)), Limit(time_s=600), stop=stop).move == 0


def test_an_engine_that_cannot_stop_is_ended() -> None:
    stop = Stop()
    stop.set()
    started = time.monotonic()
    with engine("hang") as player, pytest.raises(PlayerTimeout, match="asked to stop"):
        player.think(Game(Rules(size=9)), Limit(time_s=600), stop=stop)
    assert time.monotonic() - started < 60


def swap2_engine(mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ExternalPlayer:
    text = f"[engines.fake]\ncommand = [{sys.executable!r}, {str(ENGINE)!r}, {mode!r}]\nswap2 = true\n"
    (tmp_path / "engines.toml").write_text(text, "utf-8")
    monkeypatch.setenv("WUZI_CONFIG_DIR", str(tmp_path))
    return ExternalPlayer(ExternalConfig(name="fake"))


def test_swap2_by_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(Rules(size=15, opening="swap2"))  # type: ignore[arg-type]
    with swap2_engine("adds_two", tmp_path, monkeypatch) as player:
        actions = []
        while game.phase is not Phase.PLAY:
            actions.append(player.think(game, Limit(time_s=5)).action)
            game = game.act(actions[-1])
        assert [type(action) for action in actions] == [PlaceSeveral, PlaceSeveral, Place]
        assert isinstance(player.think(game, Limit(time_s=5)).action, Place)
    with swap2_engine("good", tmp_path, monkeypatch) as player:
        assert isinstance(player.think(game.at(1), Limit(time_s=5)).action, Swap)
    with (
        swap2_engine("no_swap2", tmp_path, monkeypatch) as player,
        pytest.raises(ProtocolError, match="SWAP2BOARD"),
    ):
        player.think(game.at(1), Limit(time_s=5))


def test_swap_by_us_for_an_engine_without_swap2() -> None:
    game = Game(Rules(size=15, opening="swap1"))  # type: ignore[arg-type]
    with engine() as player:
        three = player.think(game, QUICK).action
        assert isinstance(three, PlaceSeveral)
        assert player.think(game.act(three), QUICK).action == Keep()


def test_intermediate_reports_and_display_name() -> None:
    seen: list[SearchInfo] = []
    with engine("chatty") as player:
        player.think(Game(Rules(size=9)), Limit(time_s=5), on_info=seen.append)
        assert player.name == Path(sys.executable).stem
        assert player.spec.startswith("external:cmd=")
    assert all(info.color is Color.BLACK for info in seen)


@pytest.mark.parametrize(
    "make",
    [
        lambda: create_player("external"),
        lambda: create_player("external:name=a,cmd=b", allow_command=True),
        lambda: create_player("external:cmd=./pbrain-x"),
        lambda: create_player("external:log_dir=/tmp,name=a"),
        lambda: create_player("external:name=missing"),
        lambda: create_player("external:cmd='unclosed", allow_command=True),
    ],
)
def test_wrong_specs(make: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WUZI_CONFIG_DIR", str(tmp_path))
    with pytest.raises(ConfigError):
        make()


def test_a_missing_program_is_a_crash() -> None:
    with ExternalPlayer(ExternalConfig(cmd="./no-such-engine")) as player:
        with pytest.raises(PlayerCrashed, match="cannot be started"):
            player.think(Game(Rules(size=9)), QUICK)


def test_preparing_is_no_part_of_the_answer_and_each_game_begins_once() -> None:
    rules = Rules(size=7)
    with engine() as player:
        for moves in (["d4"], ["d4", "e5", "c3"]):
            game = Game.from_moves(rules, moves)
            player.prepare(game)
            player.prepare(game)
            player.think(game, QUICK)
            assert player.think_time_s is not None and 0 <= player.think_time_s < 1
        lines = [line for line in sent(player) if not line.startswith("INFO")]
    assert lines == [
        *("START 7", "ABOUT", "TURN 3,3"),
        *("START 7", "BOARD", "3,3,2", "4,2,1", "2,4,2", "DONE"),
    ]


def test_an_engine_that_does_not_introduce_itself_is_asked_once() -> None:
    with engine("shy") as player:
        for cell in ("d4", "e5"):
            player.think(Game.from_moves(Rules(size=7), [cell]), QUICK)
        assert sent(player).count("ABOUT") == 1 and player.about == {}


def test_a_limit_of_one_question_is_taken_back_before_the_next() -> None:
    """Also after START, which an engine need not understand as forgetting what it was told."""
    rules = Rules(size=7)
    with engine() as player:
        player.think(Game(rules), Limit(time_s=5, depth=1, nodes=7, clock_s=9))
        player.think(Game(rules).play("d4"), Limit(time_s=5))
        asked = " / ".join(sent(player)).rpartition("START")[2]
    for told in ("max_depth 0", "max_node 0", "timeout_match 0", "timeout_turn 5000", "rule 0"):
        assert f"INFO {told} /" in asked


def test_an_engine_is_left_alone_after_its_answer() -> None:
    with engine() as player:
        player.think(Game(Rules(size=7)), QUICK)
        player.think(Game(Rules(size=7)).play("a7").play("d4"), QUICK)
        said = [line.split(maxsplit=2) for line in player.log.splitlines()]
    answered = next(i for i, words in enumerate(said) if words[1] == "<" and words[2] == "0,0")
    assert float(said[answered + 1][0]) - float(said[answered][0]) >= 0.009


def test_a_player_of_wuzi_as_a_program() -> None:
    game = Game(Rules(size=9)).play("e5")
    with create_player("external:own=minimax:preset=s0,depth=1", allow_command=True) as player:
        assert player.name == "pbrain-wuzi"
        assert player.spec == "external:own=minimax:preset=s0,depth=1"
        assert player.think(game, Limit(time_s=5)).move in game.position.legal_moves
    with pytest.raises(ConfigError, match="command line only"):
        create_player("external:own=weight")


def test_engines_of_another_file(tmp_path: Path) -> None:
    path = tmp_path / "ladder.toml"
    path.write_text(f'[ladder]\nx = 1\n[engines]\nfake = "{command("good")}"\n', "utf-8")
    with create_player(f"external:file={path},name=fake", allow_command=True) as player:
        assert player.think(Game(Rules(size=9)), QUICK).move == 0
    with pytest.raises(ConfigError, match="unknown table 'ladder'"):
        load_engines(path)
    with pytest.raises(ConfigError, match="command line only"):
        create_player(f"external:file={path},name=fake")


def test_engines_file(tmp_path: Path) -> None:
    path = tmp_path / "engines.toml"
    assert load_engines(path) == {}
    path.write_text(
        '[engines.pela]\ncommand = "./bin/pbrain-pela --x"\ndir = "data"\nrules = ["renju", "freestyle"]\n'
        'max_size = 15\ninfo = { thread_num = 2 }\n[engines.other]\ncommand = ["pbrain"]\n',
        "utf-8",
    )
    found = find_engine("pela", path)
    assert found.command == (str(tmp_path / "bin" / "pbrain-pela"), "--x")
    assert found.dir == tmp_path / "data"
    assert {rule.label for rule in found.rules} == {"renju", "freestyle"}
    assert (found.max_size, found.info) == (15, {"thread_num": "2"})
    assert load_engines(path)["other"] == Engine("other", ("pbrain",))
    with pytest.raises(ConfigError, match="unknown engine 'x': expected one of pela, other"):
        find_engine("x", path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[engines", "engines.toml: "),
        ("[motors.a]", "unknown table 'motors'"),
        ("engines = 3", "expected tables"),
        ("[engines.a]\nrules = []", "command is None"),
        ('[engines.a]\ncommand = "a"\nrulez = []', "unknown key 'rulez': expected one of command"),
        ('[engines.a]\ncommand = "a"\nrules = ["chess"]', "unknown rule 'chess'"),
        ('[engines.a]\ncommand = "a"\nmax_size = "big"', "expected a whole number"),
        ('[engines.a]\ncommand = "a"\nmax_size = 99', "expected 5 <= min_size"),
        ('[engines.a]\ncommand = "a"\nswap2 = 1', "expected true or false"),
    ],
)
def test_engines_file_errors(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "engines.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=message) as caught:
        load_engines(path)
    assert str(path) in str(caught.value)
