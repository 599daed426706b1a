"""Swap1 and swap2 as scripts: who acts, with which colour, and what is refused in each phase."""

from __future__ import annotations

import pytest

from wuzi.core import (
    Action,
    Color,
    Game,
    Keep,
    Move,
    Opening,
    Outcome,
    Phase,
    Place,
    PlaceSeveral,
    Reason,
    Rules,
    Stone,
    Swap,
    parse_moves,
)
from wuzi.errors import GameOverError, IllegalMoveError

pytestmark = pytest.mark.kernels

SWAPS = (Opening.SWAP1, Opening.SWAP2)


def stones(text: str) -> PlaceSeveral:
    return PlaceSeveral(parse_moves(text, 15))


def opened(opening: Opening) -> Game:
    return Game(Rules(opening=opening)).act(stones("h8h9i7"))


def who(game: Game) -> tuple[Phase, int, Color, int]:
    """Phase, seat to act, colour of the next stone, the seat that has Black."""
    return game.phase, game.seat_to_act, game.to_move, game.seat_of(Color.BLACK)


@pytest.mark.parametrize("opening", SWAPS)
def test_three_stones_begin(opening: Opening) -> None:
    game = Game(Rules(opening=opening))
    assert who(game) == (Phase.PLACE_THREE, 0, Color.BLACK, 0)
    assert game.legal_actions_text() == "three stones (black, white, black)"
    game = opened(opening)
    assert who(game) == (Phase.CHOOSE, 1, Color.WHITE, 0)
    cells = game.position.cells.reshape(15, 15)
    assert (cells[7, 7], cells[6, 7], cells[8, 8]) == (Stone.BLACK, Stone.WHITE, Stone.BLACK)
    assert game.ply == 3
    assert game.moves == parse_moves("h8h9i7", 15)
    assert game.actions == (stones("h8h9i7"),)


@pytest.mark.parametrize("opening", SWAPS)
def test_the_chooser_takes_black(opening: Opening) -> None:
    game = opened(opening).act(Swap())
    assert who(game) == (Phase.PLAY, 0, Color.WHITE, 1)
    assert game.ply == 3
    assert (game.color_of(0), game.color_of(1)) == (Color.WHITE, Color.BLACK)
    game = game.play("j9")
    assert who(game) == (Phase.PLAY, 1, Color.BLACK, 1)


@pytest.mark.parametrize("opening", SWAPS)
def test_the_chooser_keeps_white(opening: Opening) -> None:
    kept = opened(opening).act(Keep())
    assert who(kept) == (Phase.PLAY, 1, Color.WHITE, 0)
    placed = opened(opening).act(Place(Move(0, 15)))
    assert who(placed) == (Phase.PLAY, 0, Color.BLACK, 0)
    assert placed == opened(opening).play("a15")
    assert kept.play("a15").position == placed.position
    assert kept.play("a15") != placed, "the actions differ"


def test_two_more_stones_in_swap2() -> None:
    game = opened(Opening.SWAP2).act(stones("a1a2"))
    assert who(game) == (Phase.CHOOSE_AFTER_FIVE, 0, Color.WHITE, 1)
    cells = game.position.cells.reshape(15, 15)
    assert (cells[14, 0], cells[13, 0]) == (Stone.WHITE, Stone.BLACK)
    assert game.ply == 5
    swapped = game.act(Swap())
    assert who(swapped) == (Phase.PLAY, 1, Color.WHITE, 0)
    kept = game.act(Keep())
    assert who(kept) == (Phase.PLAY, 0, Color.WHITE, 1)
    placed = game.play("o15")
    assert who(placed) == (Phase.PLAY, 1, Color.BLACK, 1)
    assert game.legal_actions_text() == "swap, keep, one stone"


def test_what_the_chooser_may_do_in_words() -> None:
    assert opened(Opening.SWAP1).legal_actions_text() == "swap, keep, one stone"
    assert opened(Opening.SWAP2).legal_actions_text() == "swap, keep, one stone, two stones (white, black)"
    assert opened(Opening.SWAP2).act(Keep()).legal_actions_text() == "one stone"


THREE = "three stones (black, white, black)"
CHOICE = "swap, keep, one stone"


@pytest.mark.parametrize("opening", SWAPS)
@pytest.mark.parametrize(
    ("action", "message"),
    [
        (Place(Move(0, 15)), "one stone"),
        (Swap(), "swap"),
        (Keep(), "keep"),
        (stones("a1a2"), "2 stones"),
        (stones("a1a2a3a4"), "4 stones"),
        (PlaceSeveral(()), "0 stones"),
    ],
)
def test_only_three_stones_can_begin(opening: Opening, action: Action, message: str) -> None:
    with pytest.raises(IllegalMoveError) as failed:
        Game(Rules(opening=opening)).act(action)
    assert str(failed.value) == f"{message}: expected {THREE}"


@pytest.mark.parametrize("opening", SWAPS)
@pytest.mark.parametrize(("text", "cell"), [("h8h8i7", "h8"), ("h8h9h9", "h9"), ("h8h9h8", "h8")])
def test_opening_stones_need_a_cell_each(opening: Opening, text: str, cell: str) -> None:
    game = Game(Rules(opening=opening))
    with pytest.raises(IllegalMoveError, match=f"{cell} is occupied by"):
        game.act(stones(text))
    with pytest.raises(IllegalMoveError, match="cell 225 is off the 15x15 board"):
        game.act(PlaceSeveral((Move(0, 15), Move(1, 15), 225)))
    assert who(game) == (Phase.PLACE_THREE, 0, Color.BLACK, 0)


MORE = f"{CHOICE}, two stones (white, black)"


@pytest.mark.parametrize(
    ("opening", "script", "action", "message"),
    [
        (Opening.SWAP1, (), stones("a1a2"), f"2 stones: expected {CHOICE}"),
        (Opening.SWAP1, (), stones("a1a2a3"), f"3 stones: expected {CHOICE}"),
        (Opening.SWAP1, (), PlaceSeveral(()), f"0 stones: expected {CHOICE}"),
        (Opening.SWAP1, (Place(Move(0, 15)),), Swap(), "swap: expected one stone"),
        (Opening.SWAP2, (), stones("a1"), f"1 stones: expected {MORE}"),
        (Opening.SWAP2, (), stones("a1a2a3"), f"3 stones: expected {MORE}"),
        (Opening.SWAP2, (stones("a1a2"),), stones("b1b2"), f"2 stones: expected {CHOICE}"),
        (Opening.SWAP2, (stones("a1a2"),), stones("b1b2b3"), f"3 stones: expected {CHOICE}"),
        (Opening.SWAP2, (stones("a1a2"),), PlaceSeveral(()), f"0 stones: expected {CHOICE}"),
        (Opening.SWAP2, (stones("a1a2"), Keep()), Swap(), "swap: expected one stone"),
        (Opening.SWAP2, (Swap(),), Swap(), "swap: expected one stone"),
        (Opening.SWAP2, (Swap(),), Keep(), "keep: expected one stone"),
        (Opening.SWAP2, (Keep(),), stones("a1a2"), "2 stones: expected one stone"),
    ],
)
def test_what_a_phase_refuses(
    opening: Opening, script: tuple[Action, ...], action: Action, message: str
) -> None:
    game = opened(opening)
    for done in script:
        game = game.act(done)
    before = who(game)
    with pytest.raises(IllegalMoveError) as failed:
        game.act(action)
    assert str(failed.value) == message
    assert who(game) == before


@pytest.mark.parametrize("opening", SWAPS)
def test_an_occupied_cell_in_a_choice(opening: Opening) -> None:
    with pytest.raises(IllegalMoveError, match="h8 is occupied by black at ply 4"):
        opened(opening).play("h8")
    if opening is Opening.SWAP2:
        with pytest.raises(IllegalMoveError, match="i7 is occupied by black at ply 5"):
            opened(opening).act(stones("a1i7"))


def test_opening_stones_may_not_end_the_game() -> None:
    rules = Rules(size=5, win_length=3, opening=Opening.SWAP2)
    game = Game(rules).act(PlaceSeveral(parse_moves("a1a5b1", 5)))
    with pytest.raises(IllegalMoveError, match="opening stones b5c1: they may not end the game"):
        game.act(PlaceSeveral(parse_moves("b5c1", 5)))
    ended = game.act(Swap()).play("b5").play("c1")
    assert ended.outcome == Outcome(Color.BLACK, Reason.LINE)
    assert ended.color_of(1) is Color.BLACK


def test_taking_back_goes_through_the_phases() -> None:
    script: list[Action] = [stones("h8h9i7"), stones("a1a2"), Swap(), Place(Move(0, 15)), Place(Move(1, 15))]
    games = [Game(Rules(opening=Opening.SWAP2))]
    for action in script:
        games.append(games[-1].act(action))
    assert [game.phase for game in games] == [
        Phase.PLACE_THREE,
        Phase.CHOOSE,
        Phase.CHOOSE_AFTER_FIVE,
        Phase.PLAY,
        Phase.PLAY,
        Phase.PLAY,
    ]
    for ply, game in enumerate(games):
        again = games[-1].at(ply)
        assert again == game
        assert who(again) == who(game)
        assert again.moves == game.moves
    assert games[-1].undo(3).act(Keep()).seat_of(Color.BLACK) == 1


@pytest.mark.parametrize("opening", SWAPS)
def test_an_opening_may_be_resigned(opening: Opening) -> None:
    game = Game(Rules(opening=opening)).resign(Color.BLACK)
    assert (game.phase, game.outcome) == (Phase.OVER, Outcome(Color.WHITE, Reason.RESIGNATION))
    assert game.at(0) == Game(Rules(opening=opening))
    assert game.at(0).phase is Phase.PLACE_THREE
    for action in (stones("h8h9i7"), Swap(), Keep(), Place(Move(0, 15))):
        with pytest.raises(GameOverError):
            game.act(action)
