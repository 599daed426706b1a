"""pbrain-wuzi as a real process: scripted referees, self-play, garbage."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest

import wuzi.apps
from tests.engine_script import EngineScript
from wuzi.contract import Limit
from wuzi.core import Game, Phase, Rules
from wuzi.core.jit import num_kernels
from wuzi.core.notation import Move
from wuzi.core.types import Action, Color, Place, PlaceSeveral, Swap
from wuzi.protocols.gomocup.wire import (
    AnswerKind,
    format_board,
    format_cell,
    parse_about,
    parse_answer,
)

pytestmark = pytest.mark.slow

SOURCE = str(Path(wuzi.apps.__file__).parents[2])
COMMAND = [sys.executable, "-m", "wuzi.apps.gomocup"]


def brain(*args: str, env: dict[str, str] | None = None) -> EngineScript:
    return EngineScript([*COMMAND, *args], env={"PYTHONPATH": SOURCE, **(env or {})})


def test_mandatory_commands() -> None:
    with brain("--player", "weight") as engine:
        engine.send("START 20", "INFO timeout_turn 1000", "INFO rule 0", "INFO game_type 1").expect("OK")
        assert parse_about(engine.send("about").reply())["name"] == "wuzi"
        engine.send("BEGIN")
        assert engine.move(20) == 9 * 20 + 9
        engine.send("TURN 10,10")
        second = engine.move(20)
        engine.send("RESTART").expect("OK").send(
            "BOARD", "0,0,2", "10,10,1", "1,1,2", "9,9,1", "2,2,2", "DONE"
        )
        assert engine.move(20) not in {0, 21, 42, 210, 189}
        assert second not in {210, 189}
        engine.send("WHAT", "RECTSTART 3,4", "TURN 77,1")
        assert [engine.reply().split()[0] for _ in range(3)] == ["UNKNOWN", "ERROR", "ERROR"]
        engine.send("END")
        assert engine.wait_for_end(20) == 0


def test_it_takes_the_win_once_it_is_loaded() -> None:
    with brain("--player", "minimax:preset=s1") as engine:
        engine.send("START 15", "INFO timeout_turn 60000").expect("OK")
        stones = [(112, 1), (0, 2), (113, 1), (2, 2), (114, 1), (4, 2), (115, 1), (6, 2)]
        engine.send("BOARD", *(f"{format_cell(cell, 15)},{who}" for cell, who in stones), "DONE")
        assert engine.move(15) in {111, 116}


def test_answers_do_not_wait_for_the_kernels(tmp_path: Path) -> None:
    with brain(env={"WUZI_CACHE_DIR": str(tmp_path)}) as engine:
        engine.send("START 15", "INFO timeout_turn 300").expect("OK")
        engine.send("TURN 7,7")
        assert engine.move(15) != 112
        assert len(list(tmp_path.rglob("*.nbi"))) < num_kernels()
        engine.send("END")
        assert engine.wait_for_end(20) == 0


@pytest.mark.parametrize("word", ["STOP", "YXSTOP"])
def test_stop_is_heard_while_thinking(word: str) -> None:
    with brain("--player", "mcts:simulations=100000000") as engine:
        engine.send("START 15", "INFO timeout_turn 2000000000", "INFO timeout_match 0").expect("OK")
        engine.send("TURN 7,7", "ABOUT")
        assert parse_about(engine.reply())
        engine.send(word)
        assert engine.move(15) != 112


def test_end_is_heard_while_thinking() -> None:
    with brain("--player", "mcts:simulations=100000000") as engine:
        engine.send("START 15", "INFO timeout_turn 2000000000").expect("OK")
        engine.send("TURN 7,7", "ABOUT")
        assert parse_about(engine.reply())
        engine.send("END")
        assert engine.wait_for_end(20) == 0
        with pytest.raises(AssertionError):
            engine.reply()


def test_end_of_input_ends_the_process() -> None:
    with brain("--player", "mcts:simulations=100000000") as engine:
        engine.send("START 15", "INFO timeout_turn 2000000000").expect("OK")
        engine.send("TURN 7,7", "ABOUT")
        assert parse_about(engine.reply())
        engine.process.close(grace_s=20.0)
        assert engine.process.returncode == 0


def test_a_wrong_player_is_one_line_and_status_two() -> None:
    with brain("--player", "nobody") as engine:
        engine.send("START 15").expect("OK")
        assert engine.wait_for_end(60) == 2
        deadline = time.monotonic() + 60
        while "\n" not in engine.process.errors and time.monotonic() < deadline:
            time.sleep(0.01)  # a thread reads what the process said last
        assert engine.process.errors.startswith(
            "pbrain-wuzi: unknown player 'nobody': expected one of random"
        )
        assert engine.process.errors.count("\n") == 1


def test_a_tiny_memory_limit_is_played_on_with() -> None:
    with brain("--player", "minimax") as engine:
        engine.send("START 15", "INFO max_memory 1000000", "INFO timeout_turn 500").expect("OK")
        engine.send("TURN 7,7")
        assert engine.move(15) != 112


@pytest.mark.kernels
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux's /proc")
def test_the_whole_process_stays_below_the_memory_limit() -> None:
    with brain() as engine:
        engine.send("START 20", "INFO timeout_turn 60000", "INFO max_node 400000").expect("OK")
        for limit in (350_000_000, 290_000_000):
            engine.send(f"INFO max_memory {limit}")
            engine.send("BOARD", "9,9,2", "10,10,1", "10,9,2", "DONE")
            engine.move(20)
            status = Path(f"/proc/{engine.process.pid}/status").read_text()
            (now_kb,) = (int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
            assert now_kb << 10 < limit


def test_continuing_after_the_end_still_answers() -> None:
    with brain("--player", "minimax") as engine:
        engine.send("START 15", "INFO timeout_turn 500").expect("OK")
        stones = [f"{x},7,2" for x in range(5)] + [f"{x},9,1" for x in (0, 2, 4, 6)]
        engine.send("BOARD", *stones, "DONE")
        assert engine.move(15) >= 0


def test_garbage_is_survived_and_answered_in_protocol_only() -> None:
    rng = random.Random(4)
    words = [
        *(b"START", b"BOARD", b"DONE", b"TURN", b"INFO", b"BEGIN", b"SWAP2BOARD", b"RESTART", b"\xff\xfe"),
        *(
            b"7,7",
            b"15",
            b"1,1,2",
            b"-1",
            b"rule",
            b"timeout_turn",
            b"\x00",
            b"9" * 5000,
            "五子".encode(),
            b"\r",
        ),
    ]
    with brain("--player", "weight") as engine:
        engine.send("INFO timeout_turn 0")
        stdin = engine.process._stdin
        for _ in range(300):
            stdin.write(
                b" ".join(rng.choices(words, k=rng.randint(0, 4))) + rng.choice([b"\n", b"\r\n", b"\r"])
            )
        stdin.write(b"x" * 3_000_000 + b"\n")
        stdin.flush()
        # A block may be open and a bad INFO pending: both end with these lines.
        engine.send("DONE", "RESTART", "DONE", "START 15", "START 15", "TAKEBACK 0,0")
        while not (reply := engine.reply()).startswith("ERROR TAKEBACK 0,0"):
            assert parse_answer(reply, 26).kind is not AnswerKind.OTHER, reply
        engine.send("BEGIN")
        assert engine.move(15) == 112


RENJU = Rules(size=15, rule="renju")  # type: ignore[arg-type]


@pytest.mark.kernels
@pytest.mark.parametrize("rules", [Rules(size=15), Rules(size=20), RENJU], ids=lambda rules: rules.label)
def test_self_play_between_two_processes(rules: Rules) -> None:
    size, opening = rules.size, ["h8", "i9", "j7"]
    game = Game.from_moves(rules, opening)
    with brain() as first, brain() as second:
        engines = {Color.BLACK: first, Color.WHITE: second}
        fresh = set(engines)
        for engine in engines.values():
            engine.send(f"START {size}", f"INFO rule {int(rules.rule)}", "INFO timeout_turn 200").expect("OK")
        while game.outcome is None and game.ply < 40:
            color, engine = game.to_move, engines[game.to_move]
            engine.send("INFO time_left 2147483647")
            if color in fresh:
                fresh.remove(color)
                stones = [(int(cell), Color(1 + index % 2)) for index, cell in enumerate(game.moves)]
                engine.send(*format_board(stones, size, color))
            else:
                engine.send(f"TURN {format_cell(game.moves[-1], size)}")
            game = game.play(engine.move(size))
    assert game.ply > 8


def swap2_action(engine: EngineScript, game: Game) -> Action:
    """What the engine does in a phase of a swap2 opening."""
    size = game.rules.size
    if game.phase is Phase.PLAY:
        stones = [(int(cell), Color(1 + index % 2)) for index, cell in enumerate(game.moves)]
        engine.send(*format_board(stones, size, game.to_move))
        return Place(Move(engine.move(size), size))
    engine.send("SWAP2BOARD", *(format_cell(cell, size) for cell in game.moves), "DONE")
    reply = engine.reply()
    if reply == "SWAP":
        return Swap()
    cells = tuple(Move(cell, size) for cell in parse_answer(reply, size).cells)
    return Place(cells[0]) if len(cells) == 1 else PlaceSeveral(cells)


@pytest.mark.kernels
def test_swap2_is_played_through() -> None:
    game = Game(Rules(size=15, opening="swap2"))  # type: ignore[arg-type]
    with brain() as first, brain() as second:
        seats = [first, second]
        for engine in seats:
            engine.send("START 15", "INFO timeout_turn 60000", "INFO max_node 5000").expect("OK")
        while game.outcome is None and game.ply < 12:
            game = game.act(swap2_action(seats[game.seat_to_act], game))
    assert isinstance(game.actions[0], PlaceSeveral)
    assert game.ply == 12


@pytest.mark.kernels
def test_swap2_after_five_stones_and_the_choice_between_colours() -> None:
    three = "7,7 8,7 0,14"
    with brain() as engine:
        engine.send("START 15", "INFO timeout_turn 60000", "INFO max_node 5000").expect("OK")
        engine.send("SWAP2BOARD", *three.split(), "14,14", "0,0", "DONE")
        assert parse_answer(engine.reply(), 15).kind in (AnswerKind.CELLS, AnswerKind.SWAP)
        # Black stands so well that White is not worth keeping.
        engine.send("SWAP2BOARD", "7,7", "0,0", "8,7", "14,14", "9,7", "DONE").expect("SWAP")


def test_external_player_over_our_own_brain() -> None:
    from wuzi.players.external import ExternalConfig, ExternalPlayer

    game = Game(Rules(size=15))
    command = f"{sys.executable} -m wuzi.apps.gomocup --player weight"
    with ExternalPlayer(ExternalConfig(cmd=command)) as player:
        while game.outcome is None:
            game = game.play(player.think(game, Limit(time_s=1.0)).move)
            if game.outcome is None:
                game = game.play(game.position.legal_moves[0])
        assert player.about["name"] == "wuzi"
    assert game.outcome.winner is Color.BLACK


def test_about_names_the_net_of_the_board() -> None:
    with brain("--player", "az:preset=s0") as engine:
        about = parse_about(engine.send("ABOUT").reply())
        assert (about["name"], about["player"]) == ("wuzi", "az:preset=s0")
        assert about["net"] == "codebook (freestyle 15x15)"
        for size, rule, net in (
            (8, 0, "s3-8x8 (freestyle 8x8)"),
            (9, 0, "codebook (freestyle 9x9)"),
            (7, 0, "none (freestyle 7x7)"),
            (15, 4, "none (renju 15x15)"),
        ):
            engine.send(f"START {size}", f"INFO rule {rule}").expect("OK")
            assert parse_about(engine.send("ABOUT").reply())["net"] == net
    with brain("--player", "weight") as engine:
        assert "net" not in parse_about(engine.send("ABOUT").reply())


def test_moves_of_the_score_table_are_told_as_such(tmp_path: Path) -> None:
    with brain(env={"WUZI_CACHE_DIR": str(tmp_path)}) as engine:
        engine.send("START 15", "INFO timeout_turn 300").expect("OK")
        said = engine.send("TURN 7,7").process.read(20.0)
        assert said.startswith("MESSAGE this move comes from a score table: the player is loaded")
        assert engine.move(15) != 112
