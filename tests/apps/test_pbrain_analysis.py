"""pbrain-wuzi as graphical interfaces use it: positions, candidates, marks, pondering; with the engine."""

from __future__ import annotations

import time

import pytest

from tests.apps.test_pbrain import brain
from tests.engine_script import EngineScript
from wuzi.core import Game, Rules

pytestmark = [pytest.mark.kernels, pytest.mark.slow]

FOUR = ("7,7,1", "0,0,2", "8,7,1", "2,0,2", "9,7,1", "4,0,2", "10,7,1", "6,0,2")
"""Black to move wins at once at 6,7 or 11,7."""


def lines_until_move(engine: EngineScript) -> list[str]:
    """Everything the engine says up to its move, which is the last line."""
    lines: list[str] = []
    while not lines or not lines[-1][0].isdigit():
        lines.append(engine.process.read(60.0))
    return lines


def started(*lines: str) -> EngineScript:
    engine = brain()
    engine.send("START 15", "INFO timeout_turn 60000", *lines).expect("OK")
    return engine


def test_candidates_with_raw_lines() -> None:
    with started("INFO max_depth 3", "INFO show_detail 2") as engine:
        engine.send("yxboard", *FOUR, "done", "yxnbest 2")
        lines = lines_until_move(engine)
        assert lines[-1] in ("6,7", "11,7")
        values = {
            key: value for key, value in (line[5:].split(" ", 1) for line in lines if "INFO" in line[:4])
        }
        assert values["NUMPV"] == "2"
        evals = [line.split()[-1] for line in lines if line.startswith("INFO EVAL")]
        assert "+M1" in evals
        best = [line for line in lines if line.startswith("INFO BESTLINE")]
        assert best[0].split()[2] in ("6,7", "11,7")
        assert any(line.startswith("MESSAGE (2) ") for line in lines)


def test_marks_on_the_board() -> None:
    with started("INFO max_depth 5", "INFO show_detail 1") as engine:
        engine.send("yxboard", "7,7,1", "8,8,2", "done", "yxnbest 1")
        lines = lines_until_move(engine)
        assert "MESSAGE REALTIME REFRESH" in lines
        assert f"MESSAGE REALTIME BEST {lines[-1]}" in lines


def test_blocked_points_are_not_played() -> None:
    with started("INFO max_depth 2") as engine:
        engine.send("yxblock", "6,7", "done", "yxboard", *FOUR, "done", "yxnbest 1")
        assert engine.move(15) == 7 * 15 + 11
        engine.send("yxblock", "11,7", "done", "yxboard", *FOUR, "done", "yxnbest 1")
        assert engine.move(15) not in (7 * 15 + 11, 7 * 15 + 6)
        engine.send("yxblockreset", "yxboard", *FOUR, "done", "yxnbest 1")
        assert engine.move(15) in (7 * 15 + 11, 7 * 15 + 6)


def test_forbidden_points_of_renju() -> None:
    with started("INFO rule 4") as engine:
        # Two open threes cross at 7,7.
        engine.send("yxboard", "5,7,1", "0,0,2", "6,7,1", "2,0,2", "7,5,1", "4,0,2", "7,6,1", "6,0,2", "done")
        engine.send("yxshowforbid").expect("FORBID 0707.")


def test_stop_answers_soon_and_the_table_can_be_cleared() -> None:
    with started("INFO timeout_turn 2000000", "INFO timeout_match 100000000") as engine:
        engine.send("yxboard", "7,7,1", "8,8,2", "done", "yxnbest 3")
        time.sleep(0.3)
        engine.send("yxstop")
        assert 0 <= engine.move(15) < 225
        engine.send("yxhashclear", "TURN 3,3", "STOP")
        assert 0 <= engine.move(15) < 225


def test_balanced_moves() -> None:
    with started("INFO max_node 2000") as engine:
        engine.send("yxboard", "7,7,1", "8,8,2", "done", "yxbalancetwo 0")
        first, second = engine.cells(15)
        game = Game(Rules(size=15)).play(7 * 15 + 7).play(8 * 15 + 8)
        assert game.play(first).play(second).outcome is None
        engine.send("yxbalanceone 0")
        assert engine.move(15) not in (first, second, 112, 128)


@pytest.mark.parametrize("thinks", ["TURN 3,3", "BOARD\n7,7,2\nDONE", "START 15", "yxstop", "END"])
def test_pondering_gives_way_to_any_command(thinks: str) -> None:
    with started("INFO max_node 2000", "INFO pondering 1") as engine:
        engine.send("TURN 7,7")
        assert engine.move(15) != 112
        engine.send(*thinks.split("\n"))
        if thinks == "END":
            assert engine.wait_for_end(20) == 0
        elif thinks.startswith("START"):
            engine.expect("OK")
        elif thinks != "yxstop":
            assert engine.move(15) >= 0
        else:
            engine.send("TAKEBACK 7,7").expect("OK")


def test_other_rules_are_played_by_another_player() -> None:
    with started("INFO rule 9", "INFO max_depth 2") as engine:
        engine.send("TURN 7,7")
        assert engine.move(15) != 112
        engine.send("INFO rule 0", "TURN 3,3")
        assert engine.move(15) not in (112, 48)


def told(engine: EngineScript, last: str) -> list[str]:
    """The lines about an opening up to the one that begins with ``last``, without their first word."""
    lines: list[str] = []
    while not lines or not lines[-1].startswith(last):
        word, _, text = engine.process.read(60.0).partition(" ")
        assert word == "MESSAGE", text
        lines += [text] if text.startswith(("SWAP2", "SOOSORV")) else []
    return lines


def test_the_openings_of_yixin_board_are_played_with_the_engine() -> None:
    with brain() as engine:
        engine.send("info show_detail 1", "yxshowinfo", "START 15 15", "INFO rule 1", "INFO timeout_turn 700")
        assert [engine.process.read(60.0).split()[0] for _ in range(4)] == ["MESSAGE"] * 3 + ["OK"]
        three = [line.split()[2:] for line in told(engine.send("yxswap2step1"), "SWAP2 MOVE3")]
        assert len({tuple(cell) for cell in three}) == 3
        position = ["start 15 15", "yxboard", *(f"{x},{y},{2 - i % 2}" for i, (x, y) in enumerate(three))]
        engine.send(*position, "done").expect("OK")
        assert told(engine.send("yxswap2step2"), "SWAP2 ")[0].split()[1] in ("SWAP1", "MOVE4")
        engine.send("INFO rule 2", "start 15 15").expect("OK")
        stones = [",".join(line.split()[2:]) for line in told(engine.send("yxsoosorvstep1"), "SOOSORV MOVE3")]
        assert stones[:2] == ["7,7", "7,6"]
        engine.send("yxsoosorvstep2", *stones, "done")
        assert told(engine, "SOOSORV SWAP1")[-1].split()[2] in ("Y", "N")
        engine.send("yxsoosorvstep3", *stones, "done")
        *_, x, y, count = told(engine, "SOOSORV MOVE4")[-1].split()
        assert count == "1"
        stones.append(f"{x},{y}")
        engine.send("yxsoosorvstep4 2", *stones, "done")
        assert told(engine, "SOOSORV SWAP2")[-1].split()[2] in ("Y", "N")
        engine.send("yxsoosorvstep5 2", *stones, "done")
        _, first, second, _ = told(engine, "SOOSORV MOVE5 DONE")
        fifths = [",".join(line.split()[2:]) for line in (first, second)]
        assert len({*stones, *fifths}) == 6
        engine.send("yxsoosorvstep6", *stones, *fifths, "done")
        assert ",".join(told(engine, "SOOSORV MOVE5C")[-1].split()[2:]) in fifths
