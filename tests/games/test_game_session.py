"""The session: whose turn, undo, redo, swap phases, resignation, searches that come too late."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wuzi.core import (
    Color,
    Game,
    Keep,
    Opening,
    Place,
    PlaceSeveral,
    Reason,
    Rules,
    Swap,
    parse_moves,
)
from wuzi.errors import ConfigError, GameOverError, IllegalMoveError, NotationError
from wuzi.games import (
    GameSession,
    Seat,
    SeatKind,
    TurnError,
    session_from_json,
    session_to_json,
)

RULES = Rules(size=9)
HUMAN = Seat()
ENGINE = Seat(SeatKind.ENGINE, player="random")


def text(session: GameSession) -> str:
    return str(session.game.position)


def cell(name: str, size: int = 9) -> Place:
    return Place(parse_moves(name, size)[0])


def reply(session: GameSession, name: str, **more: object) -> None:
    assert session.answer(session.begin_search(), cell(name), **more)  # type: ignore[arg-type]


def code(error: pytest.ExceptionInfo[TurnError]) -> str:
    return error.value.code


def against_engine() -> GameSession:
    """Black is a person; two stones each."""
    session = GameSession(RULES, [HUMAN, ENGINE])
    for mine, theirs in (("e5", "e6"), ("d5", "d6")):
        session.play(mine)
        reply(session, theirs)
    return session


def test_engine_acts_only_on_its_turn() -> None:
    session = GameSession(RULES, [HUMAN, ENGINE])
    assert session.engine_to_act is None
    session.play("e5", ply=0)
    assert session.engine_to_act == 1
    with pytest.raises(TurnError) as error:
        session.play("d5", ply=1)
    assert code(error) == "not_your_turn"
    reply(session, "d5")
    assert session.engine_to_act is None
    with pytest.raises(TurnError):
        session.begin_search()


def test_double_click_is_a_ply_mismatch_and_changes_nothing() -> None:
    session = GameSession(RULES, [HUMAN, HUMAN])
    session.play("e5", ply=0)
    seq = session.seq
    for again in ("e5", "d5"):
        with pytest.raises(TurnError) as error:
            session.play(again, ply=0)
        assert code(error) == "ply_mismatch"
    assert (session.game.ply, session.seq) == (1, seq)


@pytest.mark.parametrize(
    ("move", "kind"), [("e5", IllegalMoveError), ("z9", NotationError), ("", NotationError)]
)
def test_bad_moves_change_nothing(move: str, kind: type[Exception]) -> None:
    session = GameSession(RULES, [HUMAN, HUMAN])
    session.play("e5")
    seq = session.seq
    with pytest.raises(kind):
        session.play(move)
    assert (session.game.ply, session.seq) == (1, seq)


def test_undo_against_an_engine_goes_back_to_my_turn() -> None:
    session = against_engine()
    session.undo()
    assert session.game.ply == 2
    assert session.engine_to_act is None
    session.undo()
    assert session.game.ply == 0
    assert not session.can_undo
    with pytest.raises(TurnError) as error:
        session.undo()
    assert code(error) == "nothing_to_undo"


def test_undo_while_the_engine_thinks_takes_only_my_stone_and_drops_the_answer() -> None:
    session = against_engine()
    session.play("c5")
    search = session.begin_search()
    session.undo()
    assert session.game.ply == 4
    assert not session.answer(search, cell("c6"))
    assert session.game.ply == 4


def test_undo_does_not_remove_the_first_stone_of_an_engine() -> None:
    session = GameSession(RULES, [ENGINE, HUMAN])
    reply(session, "e5")
    assert not session.can_undo
    session.play("d5")
    session.undo()
    assert session.game.ply == 1


def test_redo_replays_my_move_and_the_recorded_answer_until_a_new_move() -> None:
    session = against_engine()
    before = text(session)
    session.undo()
    session.undo()
    session.redo()
    assert session.game.ply == 2
    session.redo()
    assert text(session) == before
    assert not session.can_redo
    session.undo()
    session.play("i9")
    assert not session.can_redo
    with pytest.raises(TurnError) as error:
        session.redo()
    assert code(error) == "nothing_to_redo"


def test_redo_past_the_recorded_answers_lets_the_engine_think_again() -> None:
    session = against_engine()
    session.play("c5")
    session.undo()
    session.redo()
    assert session.game.ply == 5
    assert session.engine_to_act == 1


def test_steps_by_count_pause_the_engine_until_resumed_or_played() -> None:
    session = against_engine()
    session.undo(1)
    assert session.game.ply == 3
    assert session.paused
    assert session.engine_to_act is None
    session.resume()
    assert session.engine_to_act == 1
    session.undo(3)
    assert not session.paused
    with pytest.raises(TurnError):
        session.undo(1)
    session.redo(4)
    assert session.game.ply == 4
    with pytest.raises(TurnError):
        session.redo(1)


def test_a_lost_game_can_be_taken_back() -> None:
    session = GameSession(RULES, [HUMAN, ENGINE])
    for mine, theirs in (("a1", "a9"), ("b2", "b9"), ("c1", "c9"), ("d2", "d9"), ("e1", "e9")):
        session.play(mine)
        reply(session, theirs)
    assert session.is_over
    assert session.winrate == 0.0
    with pytest.raises(GameOverError):
        session.play("i1")
    session.undo()
    assert session.game.ply == 8
    assert not session.is_over
    session.redo()
    assert session.is_over


def test_undo_of_a_resignation_only_reopens_the_game() -> None:
    session = against_engine()
    session.resign()
    outcome = session.game.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (Color.WHITE, Reason.RESIGNATION)
    session.undo()
    assert session.game.ply == 4
    assert not session.is_over


def test_resignation_of_an_empty_game_can_be_undone() -> None:
    session = GameSession(RULES, [HUMAN, HUMAN])
    session.resign()
    session.undo()
    assert not session.is_over
    session.play("e5")


def test_resigning_while_the_engine_thinks_is_the_persons_resignation() -> None:
    session = against_engine()
    session.play("c5")
    search = session.begin_search()
    session.resign()
    assert session.game.outcome is not None
    assert session.game.outcome.winner is Color.WHITE
    assert not session.answer(search, cell("c6"))


def test_nobody_resigns_for_an_engine() -> None:
    session = GameSession(RULES, [HUMAN, ENGINE])
    with pytest.raises(TurnError):
        session.resign(Color.WHITE)
    with pytest.raises(TurnError):
        GameSession(RULES, [ENGINE, ENGINE]).resign()


def test_an_engine_may_resign() -> None:
    session = GameSession(RULES, [HUMAN, ENGINE])
    session.play("e5")
    assert session.answer(session.begin_search(), Keep(), resigned=True)
    assert session.game.outcome is not None
    assert session.game.outcome.winner is Color.BLACK
    session.undo()
    assert session.game.ply == 0


@pytest.mark.parametrize(("winrate", "accepted"), [(0.5, True), (0.59, True), (0.7, False), (None, False)])
def test_an_engine_takes_a_draw_only_when_even(winrate: float | None, accepted: bool) -> None:
    session = GameSession(RULES, [HUMAN, ENGINE])
    session.play("e5")
    reply(session, "e6", winrate=winrate)
    if accepted:
        session.offer_draw()
        assert session.winrate == 0.5
    else:
        with pytest.raises(TurnError) as error:
            session.offer_draw()
        assert code(error) == "draw_refused"


def test_people_agree_on_a_draw() -> None:
    session = GameSession(RULES, [HUMAN, HUMAN])
    session.offer_draw()
    assert session.game.outcome is not None
    assert session.game.outcome.reason is Reason.AGREEMENT
    with pytest.raises(GameOverError):
        session.offer_draw()


def test_an_illegal_answer_raises_and_leaves_the_search_open() -> None:
    session = GameSession(RULES, [HUMAN, ENGINE])
    session.play("e5")
    search = session.begin_search()
    with pytest.raises(IllegalMoveError):
        session.answer(search, cell("e5"))
    assert session.fail(search, "engine_illegal", "it played an occupied cell")
    assert session.failure is not None
    assert session.engine_to_act is None
    session.resume()
    assert session.engine_to_act == 1


def test_stale_failures_are_dropped() -> None:
    session = GameSession(RULES, [HUMAN, ENGINE])
    session.play("e5")
    old = session.begin_search()
    session.begin_search()
    assert not session.fail(old, "engine_crashed", "late")
    assert session.failure is None


def test_pause_drops_the_search_and_a_person_who_plays_goes_on() -> None:
    session = GameSession(RULES, [HUMAN, ENGINE])
    session.pause()
    assert session.paused
    session.play("e5")
    assert not session.paused
    search = session.begin_search()
    session.pause()
    assert session.paused
    assert not session.answer(search, cell("d5"))
    session.undo()
    assert not session.paused
    session.play("d5")
    assert session.engine_to_act == 1


def test_winrates_by_ply_follow_the_engine_and_undo() -> None:
    session = GameSession(RULES, [HUMAN, ENGINE])
    session.play("e5")
    reply(session, "e6", winrate=0.6)
    session.play("d5")
    assert session.winrates == [None, 0.6, 0.6, None]
    assert session.winrate == 0.6
    reply(session, "d6", winrate=0.3)
    assert session.winrates == [None, 0.6, 0.6, 0.3, 0.3]
    session.undo()
    assert session.winrates == [None, 0.6, 0.6]
    session.redo()
    assert session.winrates == [None, 0.6, 0.6, 0.3, 0.3]
    session.undo()
    session.play("a1")
    assert session.winrates == [None, 0.6, 0.6, None]


def test_swap2_with_both_kinds_of_seats() -> None:
    rules = Rules(size=15, opening=Opening.SWAP2)
    session = GameSession(rules, [HUMAN, ENGINE])
    with pytest.raises(IllegalMoveError):
        session.play("h8")
    session.act(PlaceSeveral(parse_moves("h8h9j10", 15)), ply=0)
    assert session.engine_to_act == 1
    assert session.answer(session.begin_search(), PlaceSeveral(parse_moves("a1o15", 15)))
    session.act(Swap(), ply=5)
    assert session.game.color_of(0) is Color.BLACK
    assert session.engine_to_act == 1
    session.undo()
    assert session.game.ply == 5
    assert session.game.seat_to_act == 0
    session.undo()
    assert session.game.ply == 0
    session.redo()
    assert session.game.ply == 5


def test_restart_keeps_rules_seats_and_a_set_up_start() -> None:
    session = against_engine()
    again = session.restarted()
    assert (again.rules, again.seats, again.game.ply) == (session.rules, session.seats, 0)
    empty = GameSession(RULES, [HUMAN, HUMAN])
    empty.resign()
    assert not empty.restarted().is_over


def test_restart_keeps_the_opening_that_a_game_began_with() -> None:
    session = GameSession(RULES, [HUMAN, ENGINE], Game(RULES).play("e5").play("d5"))
    session.begun = 2
    session.play("e6")
    assert session.restarted().game.moves == session.game.moves[:2]
    assert session.restarted(swap_sides=True).seats == (ENGINE, HUMAN)
    session.undo(3)
    assert session.restarted().game.ply == 2, "it can be replayed"
    assert session_from_json(session_to_json(session)).restarted().restarted().game.ply == 2
    session.play("a1")
    assert session.restarted().game.ply == 0, "another game by now"


def test_constructor_refuses_nonsense() -> None:
    with pytest.raises(ConfigError, match="1 seats: expected 2"):
        GameSession(RULES, [HUMAN])
    with pytest.raises(ConfigError, match="15x15"):
        GameSession(RULES, [HUMAN, HUMAN], Game(Rules(size=15)))


def test_an_engine_ponders_only_about_the_turn_of_the_person_against_it() -> None:
    session = GameSession(RULES, [HUMAN, replace(ENGINE, ponders=True)])
    assert session.pondering_seat == 1
    session.pause()
    assert session.pondering_seat is None
    session.play("e5")
    assert session.pondering_seat is None, "its own turn"
    assert GameSession(RULES, [HUMAN, ENGINE]).pondering_seat is None
    assert GameSession(RULES, [ENGINE, replace(ENGINE, ponders=True)]).pondering_seat is None
