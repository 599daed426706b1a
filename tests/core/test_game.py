"""Game: history, ends, taking back, and the value it is. The opening phases have a file of their own."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.boards import position_of, random_game, rule_sets, seeds, shuffled_cells
from wuzi.core import (
    Color,
    Game,
    Keep,
    Move,
    Opening,
    Outcome,
    Phase,
    Place,
    PlaceSeveral,
    Position,
    Reason,
    Rule,
    Rules,
    Swap,
)
from wuzi.errors import ConfigError, GameOverError, IllegalMoveError, NotationError

pytestmark = pytest.mark.kernels

TIME = Outcome(Color.BLACK, Reason.TIME)


@settings(max_examples=40)
@given(rule_sets(sizes=(3, 12)), seeds, st.data())
def test_games_replay_their_positions(rules: Rules, seed: int, data: st.DataObject) -> None:
    positions = random_game(rules, seed)
    games = [Game(rules)]
    for position in positions[1:]:
        assert position.last_move is not None
        games.append(games[-1].play(position.last_move))
    for ply, (game, position) in enumerate(zip(games, positions, strict=True)):
        assert game.position == position
        assert game.outcome == position.outcome
        assert game.ply == len(game.moves) == len(game.actions) == ply
        assert game.phase is (Phase.OVER if position.outcome else Phase.PLAY)
    last = games[-1]
    assert last == Game.from_moves(rules, last.moves)
    back = data.draw(st.integers(0, len(positions) - 1))
    assert last.at(back) == games[back]
    assert last.undo(len(last.actions) - back) == games[back]
    assert last.undo() == games[-2]
    assert last.undo().play(last.moves[-1]) == last


def test_both_seats_in_turn() -> None:
    game = Game(Rules(size=9))
    assert (game.seat_to_act, game.to_move) == (0, Color.BLACK)
    game = game.play("e5")
    assert (game.seat_to_act, game.to_move) == (1, Color.WHITE)
    assert [game.color_of(seat) for seat in (0, 1)] == [Color.BLACK, Color.WHITE]
    assert [game.seat_of(color) for color in Color] == [0, 1]


def test_moves_as_cells_and_as_text_are_the_same() -> None:
    games = [Game(Rules(size=9)).play(move) for move in ("e5", "4,4", 40)]
    assert games[0] == games[1] == games[2] == Game(Rules(size=9)).act(Place(Move(40, 9)))
    assert len(set(games)) == 1
    assert games[0].actions == (Place(Move(40, 9)),)


def test_illegal_moves_change_nothing() -> None:
    game = Game(Rules(size=9)).play("e5")
    with pytest.raises(IllegalMoveError, match="e5 is occupied by black"):
        game.play("e5")
    with pytest.raises(NotationError, match="'j1' is no cell"):
        game.play("j1")
    assert game == Game.from_moves(Rules(size=9), ["e5"])


@pytest.mark.parametrize(
    ("action", "name"),
    [
        (Swap(), "swap"),
        (Keep(), "keep"),
        (PlaceSeveral((Move(0, 9), Move(1, 9))), "2 stones"),
        (PlaceSeveral((Move(0, 9),)), "1 stones"),
        (PlaceSeveral(()), "0 stones"),
    ],
)
def test_opening_actions_have_no_place_in_play(action: Swap | Keep | PlaceSeveral, name: str) -> None:
    with pytest.raises(IllegalMoveError, match=f"^{name}: expected one stone$"):
        Game(Rules(size=9)).act(action)


def won_game() -> Game:
    return Game.from_moves(Rules(size=5, win_length=3), ["a1", "a5", "b1", "b5", "c1"])


def test_nothing_happens_after_the_end() -> None:
    game = won_game()
    assert game.outcome == Outcome(Color.BLACK, Reason.LINE)
    assert game.phase is Phase.OVER
    assert game.legal_actions_text() == "nothing: the game is over"
    with pytest.raises(GameOverError, match=r"c5: the game is over \(black\)"):
        game.play("c5")
    for action in (Place(Move(2, 9)), Swap(), Keep(), PlaceSeveral((Move(2, 9),))):
        with pytest.raises(GameOverError, match=r"the game is over \(black\)"):
            game.act(action)
    for end in (lambda: game.resign(Color.WHITE), lambda: game.end(TIME)):
        with pytest.raises(GameOverError, match=r"cannot end the game twice: it is over \(black\)"):
            end()


@pytest.mark.parametrize("plies", [0, 1, 4])
def test_an_end_without_a_stone_and_taking_it_back(plies: int) -> None:
    game = Game.from_moves(Rules(size=9), ["e5", "e6", "f5", "f6"][:plies])
    for ended in (game.resign(Color.WHITE), game.end(TIME)):
        assert ended.phase is Phase.OVER
        assert ended.outcome is not None
        assert ended.outcome.winner is Color.BLACK
        assert (ended.position, ended.actions) == (game.position, game.actions)
        assert ended != game
        assert ended.at(plies) == game
        assert ended.undo(0) == game
        assert ended.at(plies).outcome is None
        if plies:
            assert ended.undo() == game.undo()
        with pytest.raises(GameOverError):
            ended.play("a1")
    assert game.resign(Color.BLACK).outcome == Outcome(Color.WHITE, Reason.RESIGNATION)


def test_a_stone_that_ended_the_game_stays() -> None:
    game = won_game()
    assert game.at(5).outcome == game.undo(0).outcome == Outcome(Color.BLACK, Reason.LINE)
    assert game.undo().outcome is None


@pytest.mark.parametrize("ply", [-1, 6])
def test_there_is_no_game_before_the_first_or_after_the_last_action(ply: int) -> None:
    with pytest.raises(IllegalMoveError, match=f"no game after {ply} actions: there are 5"):
        won_game().at(ply)
    with pytest.raises(IllegalMoveError, match="no game after -1 actions: there are 5"):
        won_game().undo(6)


def test_games_from_a_set_up_position() -> None:
    start = position_of(
        """
        . . . . .
        . X O . .
        . X . . .
        . . . . .
        . . . . .
        """,
        Rule.FREESTYLE,
        win_length=4,
    )
    game = Game(start.rules, start).play("b2").play("c2")
    assert game.moves == (16, 17)
    assert game.ply == 5
    assert game.at(0) == Game(start.rules, start)
    assert game.at(0).position == start
    with pytest.raises(IllegalMoveError, match="there are 2"):
        game.undo(3)
    white = Position.from_cells(start.rules, start.cells, Color.WHITE)
    assert Game(start.rules, white).seat_to_act == 1
    assert Game(start.rules, white) != Game(start.rules, start)


def test_a_set_up_position_may_be_over_already() -> None:
    start = Position.from_cells(Rules(size=5), [1] * 5 + [0] * 20)
    game = Game(start.rules, start)
    assert (game.phase, game.outcome) == (Phase.OVER, start.outcome)
    assert game.at(0) == game


def test_start_positions_must_fit() -> None:
    with pytest.raises(ConfigError, match="start position is freestyle 9x9: expected freestyle 15x15"):
        Game(Rules(), Position(Rules(size=9)))
    rules = Rules(opening=Opening.SWAP2)
    with pytest.raises(ConfigError, match="a set-up position cannot begin with the swap2 opening"):
        Game(rules, Position.from_cells(rules, [1] + [0] * 224))
    assert Game(rules, Position(rules)).phase is Phase.PLACE_THREE


def test_from_moves_ignores_the_opening() -> None:
    game = Game.from_moves(Rules(opening=Opening.SWAP2), ["h8", "h9"])
    assert game.rules == Rules()
    assert game.phase is Phase.PLAY


def test_a_forbidden_point_ends_the_game() -> None:
    moves = ["e5", "a1", "f5", "a3", "g6", "a5", "g7", "a7"]
    game = Game.from_moves(Rules(size=9, rule="renju"), moves).play("g5")
    assert game.outcome == Outcome(Color.WHITE, Reason.FORBIDDEN)
    assert game.undo().position.forbidden_kind("g5").label == "double_three"


def test_games_are_values() -> None:
    game = won_game()
    with pytest.raises(AttributeError, match="Game is immutable: cannot set phase"):
        game.phase = Phase.PLAY
    assert game != "nothing"
    assert repr(game) == "<Game freestyle 5x5, 3 in a row: a1a5b1b5c1, black>"
    assert repr(Game(Rules())) == "<Game freestyle 15x15: empty>"
    assert str(game) == str(game.position)


def test_a_long_game_is_taken_back_and_compared_without_trouble() -> None:
    rules = Rules(size=26, win_length=26)
    moves = shuffled_cells(rules, 1)
    game = Game.from_moves(rules, moves)
    assert game.outcome == Outcome(None, Reason.DRAW_FULL)
    assert game.at(1).moves == (moves[0],)
    assert len({game, game.at(3), Game.from_moves(rules, moves)}) == 2


def test_legal_moves_are_those_that_can_be_played() -> None:
    game = Game(Rules(size=5, win_length=3)).play("c3")
    assert [str(move) for move in game.legal_moves[:3]] == ["a5", "b5", "c5"] and len(game.legal_moves) == 24
    assert all(game.play(move).ply == 2 for move in game.legal_moves)
    assert game.resign(Color.WHITE).legal_moves == []
    assert Game(Rules(size=5, opening=Opening.SWAP1)).legal_moves == []
