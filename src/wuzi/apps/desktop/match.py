"""One game at the window: what people do, what engines answer, analysis and hints; no drawing."""

from __future__ import annotations

import itertools
import time
import zlib
from collections.abc import Callable
from typing import Any

from wuzi.analysis import hint_area, hint_reason
from wuzi.apps.desktop.opponents import spec_of
from wuzi.apps.desktop.reports import Hint, Notice, Report, notice, played_moves, read_report
from wuzi.apps.desktop.storage import Storage
from wuzi.apps.desktop.thinker import Question, Thinker
from wuzi.apps.web.engines import seeded
from wuzi.contract import Limit, Line
from wuzi.core import Action, Game, Keep, Move, Opening, Phase, Place, PlaceSeveral, Swap
from wuzi.core.lines import WIN_LENGTHS
from wuzi.core.rules import Rule
from wuzi.errors import ConfigError, IllegalMoveError, WuziError
from wuzi.games import GameSession, Search, TurnError
from wuzi.protocols.analysis.queries import Start
from wuzi.protocols.analysis.wire import parse_action
from wuzi.tactics.threats import Threat, find_threats

CANDIDATES = 5
ENGINE_PAUSE_S = 0.6
"""Least seconds a move when two engines play, so that people can follow."""

HINT_LIMIT = Limit(time_s=1.5)
ANALYSIS_LIMIT = Limit(time_s=20)
WATCH_S = 0.25
"""Seconds between two looks at the clock of an engine, whose process may have to be started first."""

FLAG_S = 0.02
"""A clock is looked at so long after it has run out, so that it has."""

_FITTED = (Rule.FREESTYLE, Rule.STANDARD, Rule.RENJU)
_numbers = itertools.count(1)


class Match:
    """A session with the searches that it needs. Everything here runs in the window's loop.

    Args:
        session: the game.
        thinker: who searches.
        storage: where the running game is kept.
        on_change: called after every change that can be seen.

    Attributes:
        report: the newest report of a search for the position now, if there is one.
        hint: the hint for the position now.
        message: what to tell the person, until the next change.
        is_analysing: whether positions are analysed as they come.
        shows_threats: whether the board shows threats.
        draft: opening stones that the person has put down and not handed over yet.
    """

    def __init__(
        self,
        session: GameSession,
        thinker: Thinker,
        storage: Storage,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.session = session
        self.report: Report | None = None
        self.hint: Hint | None = None
        self.message: Notice | None = None
        self.is_analysing = False
        self.shows_threats = False
        self.draft: tuple[Move, ...] = ()
        self.on_change = on_change
        self._adds_two = False
        self._drafted: Game | None = None
        self._turn: tuple[GameSession, int, int | None] | None = None
        self._turn_began = 0.0
        self._timer = 0
        self._thinker = thinker
        self._storage = storage
        self._thinking: Question | None = None
        self._asking: Question | None = None
        self._asks_hint = False
        self._crashed_at = -1
        self._threats: tuple[Game, tuple[Threat, ...]] | None = None

    # ------------------------------------------------------------ what is

    @property
    def game(self) -> Game:
        """The game now."""
        return self.session.game

    @property
    def is_thinking(self) -> bool:
        """Whether an engine thinks about its move."""
        return self._thinking is not None

    @property
    def is_busy(self) -> bool:
        """Whether any search runs for this match."""
        return self._thinking is not None or self._asking is not None

    @property
    def waits_for_hint(self) -> bool:
        """Whether a hint was asked for and is not there yet."""
        return self._asks_hint and self._asking is not None

    @property
    def thinking_s(self) -> float:
        """Seconds that the engine has thought."""
        return 0.0 if self._thinking is None else self._thinking.elapsed_s

    @property
    def is_person_to_act(self) -> bool:
        """Whether a person may place a stone now."""
        session = self.session
        return not session.is_over and session.seats[self.game.seat_to_act].is_human

    @property
    def shown(self) -> Game:
        """The game with the stones of the draft."""
        game = self.game
        return Game.from_moves(game.rules, (*game.moves, *self.draft)) if self.draft else game

    @property
    def stones_due(self) -> int:
        """How many stones the person to act puts down at once; 0 if nobody does, or a choice comes first."""
        if not self.is_person_to_act:
            return 0
        due = {Phase.PLACE_THREE: 3, Phase.CHOOSE: 2 * self._adds_two, Phase.PLAY: 1}
        return due.get(self.game.phase, 0)

    @property
    def is_opening(self) -> bool:
        """Whether a person has to decide something about the opening."""
        return self.is_person_to_act and self.game.phase is not Phase.PLAY

    @property
    def can_add_two(self) -> bool:
        """Whether the person may add two stones and leave the choice to the other side (swap2)."""
        rules = self.game.rules
        return self.is_opening and self.game.phase is Phase.CHOOSE and rules.opening is Opening.SWAP2

    @property
    def can_undo(self) -> bool:
        """Whether :meth:`undo` would do anything."""
        return bool(self.draft) or self._adds_two or self.session.can_undo

    @property
    def can_hint(self) -> bool:
        """Whether a hint may be asked for: a person is to place one stone."""
        return self.is_person_to_act and self.game.phase is Phase.PLAY

    @property
    def last_ply(self) -> int:
        """Stones on the board once everything that was taken back is replayed."""
        return self.game.ply + sum(map(_stones, self.session.redo_actions))

    @property
    def elapsed_s(self) -> float:
        """Seconds that the running clock has run in this turn; 0 while none runs."""
        return 0.0 if self.session.timed_seat is None else time.monotonic() - self._turn_began

    def time_left(self, seat: int) -> float | None:
        """Seconds on the clock of a seat now; None where nobody counts its time."""
        clock = self.session.clocks[seat]
        if clock is None:
            return None
        return clock.run(self.elapsed_s if self.session.timed_seat == seat else 0.0).left_s

    @property
    def winrate(self) -> float | None:
        """Black's win rate as far as known, the running search included."""
        if not self.session.is_over and (report := self.report) is not None and report.candidates:
            return report.candidates[0].winrate
        return self.session.winrate

    @property
    def threats(self) -> tuple[Threat, ...]:
        """The threats on the board, where they have names (four or five in a row)."""
        if self.game.rules.win_length not in WIN_LENGTHS:
            return ()
        if self._threats is None or self._threats[0] is not self.game:
            self._threats = (self.game, find_threats(self.game.position))
        return self._threats[1]

    # ------------------------------------------------------------ people

    def start(self) -> None:
        """Begin, or go on: an engine to act thinks."""
        self._changed()

    def play(self, move: int) -> bool:
        """Place a stone for the person to act; False, with a message, where that cannot be."""
        if self.is_opening:
            return self._put_down(Move(move))
        try:
            self.session.play(move, ply=self.game.ply, elapsed_s=self.elapsed_s)
        except TurnError as error:
            self._say(notice("note.not_your_turn", is_bad=False) if error.code == "not_your_turn" else None)
            return False
        except IllegalMoveError:
            self._say(notice("note.over" if self.session.is_over else "note.occupied"))
            return False
        self._changed()
        return True

    def hand_over(self) -> None:
        """The stones of the draft are the opening."""
        if len(self.draft) == self.stones_due > 1:
            self._decide(PlaceSeveral(self.draft))

    def choose_color(self, *, swap: bool) -> None:
        """Take Black (a swap), or stay White."""
        if self.is_opening and self.game.phase is not Phase.PLACE_THREE:
            self._decide(Swap() if swap else Keep())

    def add_two(self) -> None:
        """Add two stones (swap2); then the other side chooses."""
        if self.can_add_two:
            self._adds_two = True
            self._say(None)

    def undo(self) -> None:
        """Take back a stone of the draft, the wish to add two, or all to the person's last turn."""
        if self.draft or self._adds_two:
            self._adds_two = self._adds_two and bool(self.draft)
            self.draft = self.draft[:-1]
            self._say(None)
        else:
            self._try(self.session.undo, "note.nothing_to_undo")

    def redo(self) -> None:
        """Replay what was taken back."""
        self._try(self.session.redo, "note.nothing_to_redo")

    def go_to(self, ply: int) -> None:
        """Step to the position after so many actions; engines wait."""
        now = len(self.game.actions)
        most = now + len(self.session.redo_actions)
        target = min(max(ply, 0), most)
        if target < now:
            self._try(lambda: self.session.undo(now - target), "note.nothing_to_undo")
        elif target > now:
            self._try(lambda: self.session.redo(target - now), "note.nothing_to_redo")

    def go_to_ply(self, ply: int) -> None:
        """Step to the last position with at most so many stones."""
        reached, count = self.game.start.ply, 0
        for action in (*self.game.actions, *reversed(self.session.redo_actions)):
            reached += _stones(action)
            if reached > ply:
                break
            count += 1
        self.go_to(count)

    def step(self, actions: int) -> None:
        """Step back (negative) or forward through what was done."""
        self.go_to(len(self.game.actions) + actions)

    def restart(self) -> None:
        """Play the same game again from its start."""
        self._drop_searches()
        self.session = self.session.restarted()
        self._store(self._storage.forget_running_game)
        self._changed()

    def resign(self) -> None:
        """Give up for the person."""
        self._try(self.session.resign, "note.over")

    def pause_or_resume(self) -> None:
        """Let the engines wait, or go on (also after a failure)."""
        if self.session.paused or self.session.failure is not None:
            self.session.resume()
        else:
            self._stop_clock()
            self.session.pause()
        self._changed()

    def move_now(self) -> None:
        """Ask the engine for the best move that it has."""
        if self._thinking is not None:
            self._thinking.stop()

    def toggle_analysis(self) -> None:
        """Analyse positions as they come, or no longer."""
        self.is_analysing = not self.is_analysing
        self._changed()

    def toggle_threats(self) -> None:
        """Show threats on the board, or no longer."""
        self.shows_threats = not self.shows_threats
        self.on_change()

    def ask_hint(self) -> None:
        """Where to look; asked again, which move and why."""
        if self.hint is not None and self.hint.game is self.game:
            self.hint = Hint(self.hint.game, self.hint.area, self.hint.move, self.hint.reason, told=True)
            self.on_change()
        elif self.can_hint and not self.waits_for_hint:
            self.session.hints += 1
            self._ask(HINT_LIMIT, is_hint=True)
            self.on_change()

    def save(self) -> None:
        """Write the game into the folder of saved games."""
        try:
            path = self._storage.save_game(self.session)
        except (OSError, WuziError) as error:
            self._say(notice("note.not_saved", is_bad=True, why=str(error)))
        else:
            self._say(notice("note.saved", file=path.name))

    def close(self) -> None:
        """Drop all searches, stop the clock and keep the game: nobody looks at it any more."""
        self._stop_clock()
        self._turn = None
        self._timer += 1
        self._drop_searches()
        self.session.search = None
        self._keep()

    # ------------------------------------------------------------ inside

    def _say(self, message: Notice | None) -> None:
        self.message = message
        self.on_change()

    def _put_down(self, move: Move) -> bool:
        """Add a stone to the draft."""
        if not self.stones_due:
            self._say(notice("note.choose_first"))
        elif len(self.draft) == self.stones_due:
            self._say(notice("note.hand_over"))
        elif int(self.shown.position.cells[move]):
            self._say(notice("note.occupied"))
        else:
            self.draft = (*self.draft, move)
            self._say(None)
            return True
        return False

    def _decide(self, action: Action) -> None:
        try:
            self.session.act(action, ply=self.game.ply, elapsed_s=self.elapsed_s)
        except IllegalMoveError:
            self._say(notice("note.opening_ends"))
            return
        self._changed()

    def _try(self, what: Callable[[], None], otherwise: str) -> None:
        self._stop_clock()
        try:
            what()
        except IllegalMoveError:
            self._say(notice(otherwise))
            return
        self._changed()

    def _changed(self) -> None:
        """After each change of the session: drop what is outdated, start what is due, keep the game."""
        self.message = None
        if self._drafted is not self.game:
            self._drafted, self.draft, self._adds_two = self.game, (), False
        if self.session.search is None:
            self._drop_thinking()
        if self.hint is not None and self.hint.game is not self.game:
            self.hint = None
        if self.report is not None and self.report.game is not self.game:
            self.report = None
        self._drop_asking()
        if self.session.engine_to_act is not None:
            if self._thinking is None:
                self._think()
        elif self.is_analysing and not self.session.is_over:
            self._ask(ANALYSIS_LIMIT)
        self._keep()
        self._time_turn()
        self.on_change()

    def _keep(self) -> None:
        if self.session.is_over:
            self._store(self._storage.forget_running_game)
        elif self.game.actions:
            self._store(lambda: self._storage.keep_running_game(self.session))

    def _store(self, what: Callable[[], None]) -> None:
        try:
            what()
        except OSError as error:
            self.message = notice("note.not_saved", is_bad=True, why=str(error))

    def _stop_clock(self) -> None:
        """Take the time of a turn that ends without an action off its clock."""
        self.session.run_clock(self.elapsed_s)
        self._turn_began = time.monotonic()

    def _time_turn(self) -> None:
        """Begin the time of a new turn, and look again when its clock has run out.

        An engine is not charged for the start of its process.
        """
        session = self.session
        seat = session.timed_seat
        turn = (session, len(self.game.actions), seat)
        if turn != self._turn or (self.is_thinking and self._thinker.is_starting):
            self._turn, self._turn_began = turn, time.monotonic()
        self._timer += 1
        left_s = None if seat is None else self.time_left(seat)
        if left_s is not None:
            timer = self._timer
            wait_s = min(left_s, WATCH_S) if self.is_thinking else left_s
            self._thinker.after(wait_s + FLAG_S, lambda: self._look_at_clock(timer))

    def _look_at_clock(self, timer: int) -> None:
        if timer != self._timer:
            return
        if self.session.flag(self.elapsed_s):
            self._changed()
        else:
            self._time_turn()

    def _drop_searches(self) -> None:
        self._drop_thinking()
        self._drop_asking()

    def _drop_thinking(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None

    def _drop_asking(self) -> None:
        self._asks_hint = False
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    def _think(self) -> None:
        search = self.session.begin_search()
        try:
            spec = spec_of(self.session.seats[search.seat])
        except ConfigError as error:  # a net that is gone, in a stored game
            self.session.fail(search, "engine_failed", str(error))
            return
        start = Start(
            f"move-{next(_numbers)}",
            seeded(spec, zlib.crc32(repr(self.game.moves[:6]).encode()) & 0xFFFF),
            self.game,
            self.session.limit_for(search.seat),
            CANDIDATES,
        )
        self._thinking = self._thinker.ask(
            start,
            on_done=lambda reply: self._answered(search, reply),
            on_failed=lambda code, message: self._failed(search, code, message),
            on_info=self._reported,
            least_s=0.0 if self.session.human_seats else ENGINE_PAUSE_S,
        )

    def _answered(self, search: Search, reply: dict[str, Any]) -> None:
        self._thinking = None
        action = parse_action(reply["action"], self.game.rules.size)
        report = read_report(self.game, reply)
        played = [
            one for one in report.candidates if (one.move,) == played_moves(reply, self.game.rules.size)
        ]
        winrate = played[0].winrate if played else reply["rootInfo"]["winrate"]
        try:
            self.session.answer(
                search,
                action,
                winrate=winrate,
                resigned=bool(reply.get("resigned")),
                elapsed_s=self.elapsed_s,
            )
        except IllegalMoveError as error:
            self._failed(search, "engine_failed", str(error))
            return
        self._changed()

    def _failed(self, search: Search, code: str, message: str) -> None:
        """A process that died is replaced at once, the second time in a position only when asked for."""
        self._thinking = None
        self.session.fail(search, code, message)
        if code == "engine_crashed" and self._crashed_at != self.game.ply:
            self._crashed_at = self.game.ply
            self.session.resume()
            self._changed()
            self._say(notice("note.engine_restarted", is_bad=True))
            return
        self._changed()
        self._say(notice("note.engine_failed", is_bad=True, why=message))

    def _ask(self, limit: Limit, *, is_hint: bool = False) -> None:
        """Search the position for the person: for a hint, or to analyse."""
        self._drop_asking()
        self._asks_hint = is_hint
        fitted = self.game.rules.rule in _FITTED and self.game.rules.win_length in WIN_LENGTHS
        spec = "engine" if fitted else "mcts:preset=s0"
        asked = self.game
        # In an opening phase the stones are looked at as in a game without one: which move, not which side.
        searched = asked if asked.phase is Phase.PLAY else Game.from_moves(asked.rules, asked.moves)
        self._asking = self._thinker.ask(
            Start(f"ask-{next(_numbers)}", spec, searched, limit, CANDIDATES),
            on_done=lambda reply: self._looked(asked, reply, is_hint),
            on_failed=lambda _, message: self._not_looked(message),
            on_info=self._reported if not is_hint or self.is_analysing else None,
        )

    def _looked(self, asked: Game, reply: dict[str, Any], is_hint: bool) -> None:
        self._asking = None
        self._asks_hint = False
        report = read_report(asked, reply)
        if asked is self.game:
            best = report.candidates[0] if report.candidates else None
            if best is not None and best.winrate is not None:
                self.session.note_winrate(asked.ply, best.winrate)
            if is_hint:
                move = played_moves(reply, asked.rules.size)[0]
                line = Line(move, winrate=best.winrate, win_in=best.win_in) if best else None
                self.hint = Hint(
                    asked, hint_area(move, asked.rules.size), move, hint_reason(asked, move, line)
                )
            if self.is_analysing:
                self.report = report
                if is_hint:
                    self._ask(ANALYSIS_LIMIT)
        self.on_change()

    def _not_looked(self, why: str) -> None:
        self._asking = None
        self._asks_hint = False
        self.is_analysing = False
        self._say(notice("note.engine_failed", is_bad=True, why=why))

    def _reported(self, reply: dict[str, Any]) -> None:
        if reply.get("turnNumber") == self.game.ply and reply["moveInfos"]:
            self.report = read_report(self.game, reply)
            self.on_change()


def _stones(action: Action) -> int:
    """How many stones an action puts on the board."""
    return len(action.moves) if isinstance(action, PlaceSeveral) else int(isinstance(action, Place))
