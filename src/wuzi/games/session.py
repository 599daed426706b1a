"""One game in progress: what people and engines did and may do next, and nothing of how it looks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

from wuzi.contract import Limit
from wuzi.core import Action, Color, Game, Outcome, Phase, Place, Reason, Rules
from wuzi.errors import ConfigError, GameOverError
from wuzi.games.seats import Clock, Failure, Search, Seat, TurnError, acting_seats

DRAW_MARGIN = 0.1
"""An engine takes a draw when its win rate is this near to one half."""
MOVE_SHARE = 0.9
"""An engine thinks for this part of the seconds that a clock gives one action: its answer must arrive."""


class GameSession:
    """A game between two seats, each a human or an engine.

    Mutable, not thread-safe, no clock and no input or output of its own. Every change raises :attr:`seq`.
    A face asks :attr:`engine_to_act`, opens a :class:`Search` with :meth:`begin_search`, lets the engine
    think wherever it likes, and hands the answer to :meth:`answer`. Anything that changes the game in the
    meantime (undo, resignation, pause) makes the search outdated, so a late answer changes nothing.

    Attributes:
        paused: all clocks stand, and an engine to act must wait for :meth:`resume`.
        failure: the last engine failure, until resumed, undone or restarted.
        search: the search that may answer now, if there is one.
        hints: how many hints were given.
        clocks: by seat; None where nobody counts the time.
        redo_actions: what was taken back and can be replayed, next one last.
        known_winrates: Black's win rate by ply, where it is known (plies that can be redone included).
        name: what people call the game.
        begun: how many actions the game began with, such as an opening of a book; a restart keeps them.
        pace_s: least seconds of a move where engines play each other; None for the face's own.
    """

    def __init__(self, rules: Rules, seats: Sequence[Seat], game: Game | None = None) -> None:
        if len(seats) != 2:
            raise ConfigError(f"{len(seats)} seats: expected 2")
        if game is not None and game.rules != rules:
            raise ConfigError(f"the game is {game.rules.label}: expected {rules.label}")
        self.seats: tuple[Seat, Seat] = (seats[0], seats[1])
        self.game = Game(rules) if game is None else game
        self.paused = False
        self.failure: Failure | None = None
        self.search: Search | None = None
        self.seq = 0
        self.hints = 0
        self.clocks: list[Clock | None] = [seat.clock() for seat in self.seats]
        self._searches = 0
        self._actors = acting_seats(self.game)
        self.redo_actions: list[Action] = []
        self.known_winrates: dict[int, float] = {}
        self.begun = 0
        self.name = ""
        self.pace_s: float | None = None

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.game.rules

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.game.outcome is not None

    @property
    def human_seats(self) -> tuple[int, ...]:
        """The seats where people act."""
        return tuple(index for index, seat in enumerate(self.seats) if seat.is_human)

    @property
    def engine_to_act(self) -> int | None:
        """The engine seat that should be thinking now, or None."""
        if self.is_over or self.paused or self.failure is not None:
            return None
        seat = self.game.seat_to_act
        return None if self.seats[seat].is_human else seat

    @property
    def pondering_seat(self) -> int | None:
        """The engine seat that may think about the turn of the person against it now, or None."""
        seat = 1 - self.game.seat_to_act
        waits = self.is_over or self.paused or self.failure is not None or self.game.phase is not Phase.PLAY
        return None if waits or self.human_seats != (1 - seat,) or not self.seats[seat].ponders else seat

    @property
    def timed_seat(self) -> int | None:
        """The seat whose clock runs now; None while the game waits, and where nobody counts the time."""
        seat = self.game.seat_to_act
        waits = self.is_over or self.paused or self.failure is not None
        return None if waits or self.clocks[seat] is None else seat

    @property
    def winrates(self) -> list[float | None]:
        """Black's win rate as far as known, for each ply from 0 to now."""
        return [self.known_winrates.get(ply) for ply in range(self.game.ply + 1)]

    @property
    def winrate(self) -> float | None:
        """Black's latest known win rate (1, 0 or 0.5 when the game is over)."""
        if (outcome := self.game.outcome) is not None:
            return 0.5 if outcome.winner is None else float(outcome.winner is Color.BLACK)
        known = [value for value in self.winrates if value is not None]
        return known[-1] if known else None

    @property
    def can_undo(self) -> bool:
        """Whether :meth:`undo` without a count would do anything."""
        return self._undo_target() is not None

    @property
    def can_redo(self) -> bool:
        """Whether :meth:`redo` would do anything."""
        return bool(self.redo_actions) and not self.is_over

    def limit_for(self, seat: int) -> Limit:
        """The budget of that seat's next answer, with what is left on its clock."""
        clock = self.clocks[seat]
        limit = self.seats[seat].limit
        if clock is None:
            return limit
        if clock.move_s is None:
            return replace(limit, clock_s=clock.left_s)
        left_s = MOVE_SHARE * clock.left_s
        return replace(limit, time_s=left_s if limit.time_s is None else min(left_s, limit.time_s))

    def act(self, action: Action, *, ply: int | None = None, elapsed_s: float = 0.0) -> None:
        """Do what a person at the seat to act decided, who took ``elapsed_s`` for it.

        ``ply`` are the stones that the person saw on the board; a different number now is an error, which
        makes double clicks and late clicks harmless.

        Raises:
            GameOverError, TurnError, IllegalMoveError: nothing has changed.
        """
        self._check_turn(ply)
        self._apply(self.game.seat_to_act, action, elapsed_s)
        self.paused = False

    def play(self, move: int | str, *, ply: int | None = None, elapsed_s: float = 0.0) -> None:
        """Place one stone for a person; see :meth:`act`."""
        self._check_turn(ply)
        self.act(Place(self.game.position.check(move)), ply=ply, elapsed_s=elapsed_s)

    def resign(self, color: Color | None = None) -> None:
        """Give up for a person: for that side, by default the person's to act, else the only person's.

        GameOverError and TurnError leave all as it was.
        """
        self._check_open("resign")
        humans = self.human_seats
        if color is None:
            if not humans:
                raise TurnError("not_your_turn", "no person plays this game: nobody to resign")
            seat = self.game.seat_to_act if self.game.seat_to_act in humans else humans[0]
            color = self.game.color_of(seat)
        elif self.game.seat_of(color) not in humans:
            raise TurnError("not_your_turn", f"{color.name.lower()} is an engine: it resigns for itself")
        self._end(self.game.resign(color))

    def flag(self, elapsed_s: float) -> bool:
        """End the game if the seat to act has used up its clock, ``elapsed_s`` into its turn; else False."""
        seat = self.game.seat_to_act
        clock = self.clocks[seat]
        if self.is_over or clock is None or not clock.spend(elapsed_s).has_flagged:
            return False
        self.clocks[seat] = clock.spend(elapsed_s)
        self._end(self.game.end(Outcome(self.game.color_of(seat).opponent, Reason.TIME)))
        return True

    def run_clock(self, elapsed_s: float) -> None:
        """Take the time of a turn that ends without an action (undo, pause, closing) off the running clock.

        A clock that runs out so ends the game at the next :meth:`flag`.
        """
        seat = self.timed_seat
        if seat is not None and (clock := self.clocks[seat]) is not None:
            self.clocks[seat] = clock.run(elapsed_s)
            self.seq += 1

    def offer_draw(self) -> None:
        """End as a draw if the other side agrees: a person always, an engine when the game is even.

        GameOverError and TurnError leave all as it was.
        """
        self._check_open("offer a draw")
        if not self.human_seats:
            raise TurnError("not_your_turn", "no person plays this game: nobody to offer a draw")
        rate = self.winrate
        if len(self.human_seats) == 1 and (rate is None or abs(rate - 0.5) > DRAW_MARGIN):
            seen = "an unknown win rate" if rate is None else f"{rate:.0%} for Black"
            raise TurnError("draw_refused", f"the engine plays on: it sees {seen}")
        self._end(self.game.end(Outcome(None, Reason.AGREEMENT)))

    def begin_search(self) -> Search:
        """Open the search of the engine to act, in place of any earlier one; TurnError if none is to act."""
        seat = self.engine_to_act
        if seat is None:
            raise TurnError("not_your_turn", "no engine is to act")
        self._searches += 1
        self.search = Search(self._searches, seat, self.game.ply)
        self.seq += 1
        return self.search

    def answer(
        self,
        search: Search,
        action: Action,
        *,
        winrate: float | None = None,
        resigned: bool = False,
        elapsed_s: float = 0.0,
    ) -> bool:
        """Do what an engine decided in ``elapsed_s``, with Black's win rate that it expects.

        Returns:
            False if the search is outdated; then nothing has changed.

        Raises:
            IllegalMoveError: the action is not allowed; the game is unchanged and the search still open.
        """
        if search != self.search:
            return False
        if resigned:
            self.run_clock(elapsed_s)
            self._end(self.game.resign(self.game.color_of(search.seat)))
            return True
        self._apply(search.seat, action, elapsed_s)
        if winrate is not None:
            self.known_winrates |= {search.ply: winrate, self.game.ply: winrate}
        return True

    def fail(self, search: Search, code: str, message: str, log: str = "") -> bool:
        """Record that an engine could not answer; False if the search is outdated."""
        if search != self.search:
            return False
        self._settle(paused=self.paused, failure=Failure(code, message, log))
        return True

    def pause(self) -> None:
        """Stop the clocks and the running search, until :meth:`resume` or an action.

        Nothing happens after a failure, or in a game that is over.
        """
        if not self.is_over and self.failure is None:
            self._settle(paused=True)

    def resume(self) -> None:
        """Let engines think again, after a pause or a failure."""
        self.paused = False
        self.failure = None
        self.seq += 1

    def undo(self, plies: int | None = None) -> None:
        """Take back actions; a running search is dropped, what was taken back can be redone.

        Without a count: against an engine back to the person's previous turn (their own stone only, while
        the engine thinks), else one action; a game that ended by resignation or agreement is only
        reopened. With a count exactly that many actions; engines then pause, so that one can step further
        back.

        The time used stays used; an action that is taken back gives back its increment, which a redo adds
        again. A game that had ended continues with its clocks as they stood. It continues without clocks
        where one had run out (that side would lose again at once), and after a step with a count (to look
        through a game that is over costs nobody time).

        Raises:
            TurnError: there is nothing (or not that much) to take back.
        """
        target = self._undo_target() if plies is None else len(self.game.actions) - plies
        if target is None or target < 0 or (plies is not None and plies < 1):
            wanted = "nothing to take back" if plies is None else f"{plies} actions to take back"
            raise TurnError("nothing_to_undo", f"{wanted}: {len(self.game.actions)} were made")
        has_flagged = any(clock is not None and clock.has_flagged for clock in self.clocks)
        if self.is_over and (has_flagged or plies is not None):
            self.clocks = [None, None]
        self._reckon(target, Clock.give_back)
        self.redo_actions.extend(reversed(self.game.actions[target:]))
        self.game = self.game.at(target)
        del self._actors[target:]
        self._rest_after_jump(stepped=plies is not None)

    def redo(self, plies: int | None = None) -> None:
        """Replay what was taken back: one action and the engine's recorded answers, or ``plies`` actions.

        TurnError if there is nothing (or not that much) to replay.
        """
        if not self.can_redo or (plies is not None and not 1 <= plies <= len(self.redo_actions)):
            raise TurnError("nothing_to_redo", f"{len(self.redo_actions)} actions can be replayed")
        game, count, before = self.game, 0, len(self.game.actions)
        while count < len(self.redo_actions) and game.outcome is None:
            if count and (count == plies or (plies is None and not self._acts_by_itself(game))):
                break
            game = game.act(self.redo_actions[-1 - count])
            count += 1
        del self.redo_actions[len(self.redo_actions) - count :]
        self.game = game
        self._actors = acting_seats(game)
        self._reckon(before, Clock.earn)
        self._rest_after_jump(stepped=plies is not None)

    def restarted(self, *, swap_sides: bool = False) -> GameSession:
        """A new session with the same rules, start, pace and seats, or with the seats exchanged."""
        actions = (*self.game.actions, *reversed(self.redo_actions))
        start = reduce(Game.act, actions[: self.begun], self.game.at(0))
        anew = GameSession(self.rules, self.seats[::-1] if swap_sides else self.seats, start)
        anew.begun, anew.pace_s = self.begun, self.pace_s
        return anew

    def _check_open(self, what: str) -> None:
        if self.is_over:
            raise GameOverError(f"cannot {what}: the game is over")

    def _check_turn(self, ply: int | None) -> None:
        self._check_open("play")
        if ply is not None and ply != self.game.ply:
            raise TurnError("ply_mismatch", f"ply {ply} was meant: the game is at ply {self.game.ply}")
        seat = self.game.seat_to_act
        if not self.seats[seat].is_human:
            raise TurnError("not_your_turn", f"it is the turn of seat {seat}, an engine")

    def _acts_by_itself(self, game: Game) -> bool:
        """Whether an engine that plays against a person is to act."""
        return len(self.human_seats) == 1 and not self.seats[game.seat_to_act].is_human

    def _apply(self, seat: int, action: Action, elapsed_s: float) -> None:
        game = self.game.act(action)
        clock = self.clocks[seat]
        if clock is not None:
            self.clocks[seat] = clock = clock.spend(elapsed_s)
            if clock.has_flagged:
                loser = self.game.color_of(seat)
                self._end(self.game.end(Outcome(loser.opponent, Reason.TIME)))
                return
        self.begun = min(self.begun, len(self.game.actions))
        self.game = game
        self._actors.append(seat)
        self.redo_actions.clear()
        self.known_winrates = {ply: value for ply, value in self.known_winrates.items() if ply < game.ply}
        self._settle(paused=self.paused)

    def _end(self, game: Game) -> None:
        self.game = game
        self._settle(paused=False)

    def _settle(self, *, paused: bool, failure: Failure | None = None) -> None:
        """Something has happened: no search runs any more."""
        self.search, self.failure, self.paused = None, failure, paused
        self.seq += 1

    def _reckon(self, since: int, change: Callable[[Clock], Clock]) -> None:
        """Change the clock for each action from there on; those that the game began with earned nothing."""
        for seat in self._actors[max(since, self.begun) :]:
            if (clock := self.clocks[seat]) is not None:
                self.clocks[seat] = change(clock)

    def _undo_target(self) -> int | None:
        """How many actions remain after a plain undo; None if there is nothing to take back."""
        count = len(self._actors)
        ended_off_board = self.is_over and self.game.position.outcome is None
        if ended_off_board and not self._acts_by_itself(self.game):
            return count
        if len(self.human_seats) != 1:
            return count - 1 if count else None
        turns = [index for index, seat in enumerate(self._actors) if seat == self.human_seats[0]]
        return turns[-1] if turns else None

    def _rest_after_jump(self, *, stepped: bool) -> None:
        """Settle after undo or redo: people act at once, engines wait where they would spoil stepping."""
        waits = stepped or not self.human_seats
        self._settle(paused=waits and not self.is_over and not self.seats[self.game.seat_to_act].is_human)
