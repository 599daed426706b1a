from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes import FirstMovePlayer, ScriptedPlayer
from wuzi.contract import Limit, Line, Player, PlayResult, SearchInfo, Stop
from wuzi.core import Color, Game, Keep, Move, Place, Reason, Rules
from wuzi.errors import ConfigError, PlayerCrashed, PlayerTimeout, ProtocolError, UnsupportedError
from wuzi.games.referee import Adjudication, FinishedGame, Interrupted, Standing, play_game
from wuzi.players import create_player

FREE = (Limit(), Limit())


class Thinker(FirstMovePlayer):
    """Does what the test says, for each answer."""

    def __init__(self, answer: Callable[[Game, Limit], PlayResult]) -> None:
        self.answer = answer
        self.limits: list[Limit] = []

    def think(self, game: Game, limit: Limit = Limit(), **_: object) -> PlayResult:  # type: ignore[override]
        self.limits.append(limit)
        return self.answer(game, limit)


def first_free(game: Game, winrate: float | None = None) -> PlayResult:
    move = game.position.legal_moves[0]
    lines = () if winrate is None else (Line(move, 2 * winrate - 1, Color.BLACK),)
    return PlayResult(Place(move), SearchInfo(game.to_move, lines))


def played(black: Player, white: Player, rules: Rules = Rules(9), **more: object) -> FinishedGame:
    return play_game((black, white), Game(rules), FREE, **more)  # type: ignore[arg-type]


def outcome(result: FinishedGame) -> tuple[str, Reason]:
    assert result.game.outcome is not None
    return result.game.outcome.result, result.game.outcome.reason


@settings(max_examples=20)
@given(st.integers(3, 9), st.integers(0, 1000))
def test_random_games_end_as_the_rules_say(size: int, seed: int) -> None:
    rules = Rules(size, min(5, size))
    with create_player(f"random:seed={seed}") as player:
        result = played(player, player, rules)
    replayed = Game.from_moves(rules, result.game.moves)
    assert replayed.outcome == result.game.outcome
    assert result.detail == ""


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (Place(Move(40, 9)), Reason.ILLEGAL),
        (Place(5000), Reason.ILLEGAL),
        (Keep(), Reason.ILLEGAL),
        (ProtocolError("answered 'hello'"), Reason.ILLEGAL),
        (PlayerTimeout("no answer"), Reason.TIME),
        (PlayerCrashed("signal SIGSEGV"), Reason.CRASH),
        (ZeroDivisionError("a bug"), Reason.CRASH),
    ],
)
def test_a_failing_player_loses_and_the_reason_is_kept(
    seat: int, failure: Place | Keep | Exception, reason: Reason
) -> None:
    opening = Game(Rules(9)).play(40)
    failing = ScriptedPlayer([failure])
    players = (failing, FirstMovePlayer()) if seat == 0 else (FirstMovePlayer(), failing)
    game = opening if opening.seat_to_act == seat else opening.play(0)
    result = play_game(players, game, FREE)
    assert outcome(result) == ("white" if seat == 0 else "black", reason)
    assert result.detail
    assert result.game.moves == game.moves


def test_rules_a_player_does_not_know_are_no_forfeit() -> None:
    with pytest.raises(ConfigError, match="caro"):
        played(ScriptedPlayer([UnsupportedError("does not play caro")]), FirstMovePlayer())


def test_resigning_loses() -> None:
    quitter = Thinker(lambda game, limit: PlayResult(Keep(), SearchInfo(game.to_move), resigned=True))
    assert outcome(played(quitter, FirstMovePlayer())) == ("white", Reason.RESIGNATION)


def slow(seconds: float) -> Thinker:
    def answer(game: Game, limit: Limit) -> PlayResult:
        time.sleep(seconds)
        return first_free(game)

    return Thinker(answer)


def test_an_answer_beyond_the_tolerance_loses_on_time() -> None:
    limits = (Limit(time_s=0.01), Limit(time_s=0.01))
    result = play_game((slow(0.15), FirstMovePlayer()), Game(Rules(9)), limits, tolerance_s=0.05)
    assert outcome(result) == ("white", Reason.TIME)
    assert "of 0.01 s" in result.detail and result.times_s[0] >= 0.15
    result = play_game((slow(0.02), slow(0)), Game(Rules(3, 3)), limits, tolerance_s=5)
    assert outcome(result)[1] is not Reason.TIME


def test_a_clock_runs_down_and_gains_its_increment() -> None:
    player = slow(0.03)
    limits = (Limit(clock_s=0.1, increment_s=0.001), Limit())
    result = play_game((player, FirstMovePlayer()), Game(Rules(15)), limits, tolerance_s=0.0)
    assert outcome(result) == ("white", Reason.TIME)
    clocks = [limit.clock_s or 0.0 for limit in player.limits]
    assert clocks[0] == 0.1
    assert all(later < earlier for earlier, later in pairwise(clocks))
    assert len(clocks) <= 4


def test_the_budget_is_what_the_player_gets() -> None:
    seen = Thinker(lambda game, limit: first_free(game))
    budget = Limit(time_s=3, nodes=7, depth=2)
    play_game((seen, FirstMovePlayer()), Game(Rules(9)), (budget, Limit()))
    assert set(seen.limits) == {budget}


def test_a_draw_after_so_many_stones() -> None:
    result = played(FirstMovePlayer(), FirstMovePlayer(), adjudication=Adjudication(draw_after=6))
    assert (outcome(result), result.game.ply) == (("draw", Reason.ADJUDICATION), 6)


@pytest.mark.parametrize(("winrate", "winner"), [(0.99, "black"), (0.01, "white")])
def test_both_players_must_be_sure(winrate: float, winner: str) -> None:
    sure = Thinker(lambda game, limit: first_free(game, winrate))
    unsure = Thinker(lambda game, limit: first_free(game, 0.5))
    silent = Thinker(lambda game, limit: first_free(game))
    rule = Adjudication(winrate=0.95, winrate_plies=4)
    result = played(sure, sure, Rules(15), adjudication=rule)
    assert (outcome(result), result.game.ply) == ((winner, Reason.ADJUDICATION), 4)
    for other in (unsure, silent):
        assert outcome(played(sure, other, Rules(15), adjudication=rule))[1] is not Reason.ADJUDICATION


@pytest.mark.parametrize("opening", ["swap1", "swap2"])
@pytest.mark.parametrize("seed", range(4))
def test_swap_openings_are_played_through(opening: str, seed: int) -> None:
    rules = Rules(9, opening=opening)  # type: ignore[arg-type]
    with create_player(f"weight:seed={seed}") as one, create_player(f"random:seed={seed}") as two:
        result = played(one, two, rules)
    assert result.game.outcome is not None and result.detail == ""
    assert {result.game.seat_of(color) for color in Color} == {0, 1}


def test_who_watches_sees_each_turn_and_the_end() -> None:
    sure, silent = Thinker(lambda game, limit: first_free(game, 0.75)), slow(0.01)
    seen: list[Standing] = []
    limits = (Limit(clock_s=10), Limit())
    result = play_game((sure, silent), Game(Rules(5)), limits, on_turn=seen.append)
    assert [standing.game.ply for standing in seen] == list(range(result.game.ply + 1))
    assert seen[0] == Standing(Game(Rules(5)), clocks_s=(10, None))
    assert seen[1].winrates == (0.75, None) and seen[1].clocks_s[0] is not None and seen[1].clocks_s[0] < 10
    assert all(later.times_s >= earlier.times_s for earlier, later in pairwise(seen))
    assert (seen[-1].game, seen[-1].times_s) == (result.game, result.times_s)


def test_stopping_leaves_no_result() -> None:
    stop = Stop()
    stop.set()
    with pytest.raises(Interrupted):
        played(FirstMovePlayer(), FirstMovePlayer(), stop=stop)


@pytest.mark.parametrize(
    "values", [{"draw_after": 0}, {"winrate": 0.4}, {"winrate": 0.9, "winrate_plies": 1}]
)
def test_impossible_adjudication_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        Adjudication(**values)  # type: ignore[arg-type]
