from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from wuzi.contract import Limit, Stop
from wuzi.core import Game, Reason, Rules
from wuzi.errors import ConfigError, IllegalMoveError, PlayerCrashed, PlayerTimeout
from wuzi.games.player_child import SeatedPlayers
from wuzi.games.player_process import PlayerProcess, WorkerTimeouts
from wuzi.games.referee import play_game
from wuzi.players import create_player
from wuzi.protocols.analysis.wire import position_json
from wuzi.workers.local import worker_environment

IMPATIENT = WorkerTimeouts(move_s=0.6, tolerance_s=0.1, grace_s=0.3)


@pytest.fixture(scope="module")
def process():
    with PlayerProcess(WorkerTimeouts()) as running:
        yield running


@pytest.mark.parametrize("spec", ["random:seed=5", "weight", "minimax:depth=2,seed=3"])
def test_a_player_in_a_worker_plays_as_it_does_here(process: PlayerProcess, spec: str) -> None:
    game = Game.from_moves(Rules(9), ["e5", "e6", "d5", "f6"])
    player = process.seat(0, spec, game)
    with create_player(spec) as here:
        for _ in range(4):
            action = here.think(game).action
            assert player.think(game).action == action
            game = game.act(action)
    assert player.think_time_s is not None and player.think_time_s >= 0


def test_a_worker_sees_swap_openings(process: PlayerProcess) -> None:
    rules = Rules(9, opening="swap2")  # type: ignore[arg-type]
    game = Game(rules)
    players = [process.seat(seat, f"random:seed={seat}", game) for seat in (0, 1)]
    result = play_game(players, game, (Limit(), Limit()))
    assert result.game.outcome is not None and result.detail == ""


def test_wrong_specs_and_rules_are_config_errors(process: PlayerProcess) -> None:
    with pytest.raises(ConfigError, match="unknown player"):
        process.seat(0, "nobody", Game(Rules(9)))
    with pytest.raises(ConfigError, match="command line only"):
        process.seat(0, "external:cmd=true", Game(Rules(9)))
    assert process.seat(0, "random", Game(Rules(9))).name.startswith("random")


def test_a_hanging_player_is_killed_and_loses_on_time() -> None:
    game = Game(Rules(15)).play("h8")
    with PlayerProcess(IMPATIENT) as process:
        black = process.seat(0, "random", game)
        white = process.seat(1, "minimax:depth=12", game)
        pid = process.pid
        assert pid is not None
        result = play_game((black, white), game, (Limit(), Limit()))
        assert result.game.outcome is not None
        assert (result.game.outcome.result, result.game.outcome.reason) == ("black", Reason.TIME)
        assert "killed" in result.detail
        assert not psutil.pid_exists(pid)
        # The next game has a new process.
        assert process.seat(0, "random", game).think(game).action is not None


def test_a_process_that_ends_is_a_crash() -> None:
    game = Game(Rules(9))
    with PlayerProcess(WorkerTimeouts()) as process:
        player = process.seat(0, "random", game)
        psutil.Process(process.pid).kill()
        with pytest.raises(PlayerCrashed, match="SIGKILL"):
            player.think(game)


def _assert_ends(script: str) -> None:
    """The process whose id the script prints before it is killed ends as well."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **worker_environment()},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    pid = int(done.stdout)
    deadline = time.monotonic() + 20
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_worker_ends_with_its_parent() -> None:
    script = textwrap.dedent("""
        import os, sys, signal
        from wuzi.games.player_process import WorkerTimeouts, PlayerProcess
        from wuzi.core import Game, Rules
        process = PlayerProcess(WorkerTimeouts())
        process.seat(0, "random", Game(Rules(9)))
        print(process.pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    _assert_ends(script)


def test_an_engine_that_ignores_the_end_of_its_input_ends_with_the_arena(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(ENGINE + "\nwhile True:\n    time.sleep(1)\n", encoding="utf-8")
    script = textwrap.dedent(f"""
        import os, signal
        from wuzi.games.player_process import WorkerTimeouts, PlayerProcess
        from wuzi.core import Game, Rules
        process = PlayerProcess(WorkerTimeouts(), allow_command=True)
        process.seat(0, "external:cmd={sys.executable} {engine} good", Game(Rules(9)))
        import psutil
        print(*[child.pid for child in psutil.Process(process.pid).children()], flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    _assert_ends(script)


def test_players_change_seats_without_being_started_again(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(ENGINE, encoding="utf-8")
    spec = f"external:cmd={sys.executable} {engine} good"
    worker, position = SeatedPlayers({"allow_command": True}, {}), position_json(Game(Rules(9)))

    def seat(*specs: str) -> list[Any]:
        for number, one in enumerate(specs):
            answer = worker.answer({"op": "player", "seat": number, "spec": one, "position": position}, ())
            assert "name" in answer, answer
        return [worker._seats[number].player for number in range(len(specs))]

    first = seat(spec, "random:seed=1")
    second = seat("random:seed=1", spec)
    assert second == first[::-1]
    told = [line.split(" > ")[1] for line in second[1].log.splitlines() if " > " in line]
    assert (told.count("ABOUT"), told.count("START 9")) == (1, 2), "to warm up, and for the game"
    assert not any("max_depth" in line or "max_node" in line for line in told)
    twins = seat(spec, spec)
    assert twins[0] is first[0] and twins[1] is not twins[0]
    seat("weight", "random:seed=2")
    assert first[0].log == "", "who is gone is closed"
    worker.close()


def test_a_stop_ends_waiting() -> None:
    stop = Stop()
    game = Game(Rules(15)).play("h8")
    with PlayerProcess(WorkerTimeouts(), stop=stop) as process:
        player = process.seat(0, "minimax:depth=12", game)
        stop.set()
        with pytest.raises(PlayerCrashed, match="stopped"):
            player.think(game)


ENGINE = """
import sys, time
mode = sys.argv[1]
turn = 0
for line in sys.stdin:
    word = line.split()[0].upper() if line.split() else ""
    if word in ("START", "RESTART"):
        print("OK", flush=True)
    elif word == "ABOUT":
        print('name="fake"', flush=True)
    elif word in ("BEGIN", "TURN") or (word == "DONE"):
        turn += 1
        if turn > 1 and mode == "hang":
            time.sleep(3600)
        elif turn > 1 and mode == "crash":
            sys.exit(3)
        elif turn > 1 and mode == "nonsense":
            print("one, two", flush=True)
        elif turn > 1 and mode == "occupied":
            print("4,4", flush=True)
        else:
            print(f"{turn},8", flush=True)
    elif word == "END":
        break
"""


@pytest.mark.parametrize(
    ("mode", "reasons"),
    [
        ("hang", {Reason.TIME}),
        ("crash", {Reason.CRASH}),
        ("nonsense", {Reason.ILLEGAL, Reason.TIME}),
        ("occupied", {Reason.ILLEGAL}),
    ],
)
def test_a_broken_engine_loses_with_its_reason(tmp_path: Path, mode: str, reasons: set[Reason]) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(ENGINE, encoding="utf-8")
    spec = f"external:tolerance_s=0.2,cmd={sys.executable} {engine} {mode}"
    game = Game(Rules(9)).play("e5")
    limit = Limit(time_s=0.2)
    with PlayerProcess(WorkerTimeouts(), allow_command=True) as process:
        black, white = process.seat(0, "random", game), process.seat(1, spec, game)
        result = play_game((black, white), game, (limit, limit))
    assert result.game.outcome is not None
    assert result.game.outcome.result == "black"
    assert result.game.outcome.reason in reasons
    assert result.detail


def test_errors_keep_their_kind(process: PlayerProcess) -> None:
    game = Game(Rules(9))
    process.seat(0, "random", game)
    with pytest.raises(PlayerCrashed, match="KeyError"):
        process.ask({"op": "think", "seat": 7, "position": {}, "limit": {}}, 10)
    with pytest.raises(IllegalMoveError):
        position = {"size": 9, "actions": [{"type": "place", "moves": ["e5"]}] * 2}
        process.ask({"op": "player", "seat": 0, "spec": "random", "position": position}, 10)
    process.seat(0, "mcts", game)
    limit = dataclasses.asdict(Limit(time_s=30))
    request = {"op": "think", "seat": 0, "position": position_json(game), "limit": limit}
    with pytest.raises(PlayerTimeout):
        process.ask(request, 0.2)
