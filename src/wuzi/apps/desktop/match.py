"""One game at the window: what people do, what engines answer, analysis and hints; no drawing."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable
from typing import Any

from wuzi.analysis import hint_area, hint_reason
from wuzi.apps.desktop.opponents import spec_of
from wuzi.apps.desktop.pool_thread import PoolThread
from wuzi.apps.desktop.reports import Hint, Notice, SearchReport, notice, played_moves, read_report
from wuzi.apps.desktop.storage import Storage
from wuzi.contract import Limit
from wuzi.core import Action, Game, Keep, Move, Opening, Phase, Place, PlaceSeveral, Swap
from wuzi.core.lines import WIN_LENGTHS
from wuzi.core.rules import Rule
from wuzi.errors import IllegalMoveError, WuziError
from wuzi.games import GameSession, Search, TurnError
from wuzi.games.driver import CANDIDATES, GameDriver
from wuzi.games.engine_process import OnReply
from wuzi.games.question import OnFailed, Question
from wuzi.players.opponents import seeded
from wuzi.protocols.analysis.queries import Start
from wuzi.tactics.threats import Threat, find_threats

ENGINE_PAUSE_S = 0.6
"""Least seconds a move when two engines play, so that people can follow."""

HINT_LIMIT = Limit(time_s=1.5)
ANALYSIS_LIMIT = Limit(time_s=20)
_FITTED = (Rule.FREESTYLE, Rule.STANDARD, Rule.RENJU)
_numbers = itertools.count(1)


class Match(GameDriver):
    """A session with the searches that it needs. Everything here runs in the window's loop.

    Args:
        session: the game.
        pool: who searches.
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
        pool: PoolThread,
        storage: Storage,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(session, ENGINE_PAUSE_S)
        self.report: SearchReport | None = None
        self.hint: Hint | None = None
        self.message: Notice | None = None
        self.is_analysing = False
        self.shows_threats = False
        self.draft: tuple[Move, ...] = ()
        self.on_change = on_change
        self._adds_two = False
        self._drafted: Game | None = None
        self._pool = pool
        self._storage = storage
        self._asking: Question | None = None
        self._asks_hint = False
        self._crashed_at = -1
        self._trouble: Notice | None = None
        self._threats: tuple[Game, tuple[Threat, ...]] | None = None

    # ------------------------------------------------------------ what is

    @property
    def game(self) -> Game:
        """The game now."""
        return self.session.game

    @property
    def is_busy(self) -> bool:
        """Whether any search runs for this match."""
        return self.is_thinking or self._asking is not None

    @property
    def waits_for_hint(self) -> bool:
        """Whether a hint was asked for and is not there yet."""
        return self._asks_hint and self._asking is not None

    @property
    def thinking_s(self) -> float:
        """Seconds that the engine has thought."""
        return 0.0 if self.thinking is None else self.thinking.elapsed_s

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

    def play(self, move: int) -> bool:
        """Place a stone for the person to act; False, with a message, where that cannot be."""
        if self.is_opening:
            return self._put_down(Move(move, self.game.rules.size))
        try:
            self.session.play(move, ply=self.game.ply, elapsed_s=self.elapsed_s)
        except TurnError as error:
            self._say(notice("note.not_your_turn", is_bad=False) if error.code == "not_your_turn" else None)
            return False
        except IllegalMoveError:
            self._say(notice("note.over" if self.session.is_over else "note.occupied"))
            return False
        self.changed()
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
        self.drop_thinking()
        self._drop_asking()
        self.session = self.session.restarted()
        self._store(self._storage.forget_running_game)
        self.changed()

    def resign(self) -> None:
        """Give up for the person."""
        self._try(self.session.resign, "note.over")

    def pause_or_resume(self) -> None:
        """Let the engines wait, or go on (also after a failure)."""
        if self.session.paused or self.session.failure is not None:
            self.session.resume()
        else:
            self.stop_clock()
            self.session.pause()
        self.changed()

    def toggle_analysis(self) -> None:
        """Analyse positions as they come, or no longer."""
        self.is_analysing = not self.is_analysing
        self.changed()

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
        self.stop_clock()
        super().close()
        self._drop_asking()
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
        self.changed()

    def _try(self, what: Callable[[], None], otherwise: str) -> None:
        self.stop_clock()
        try:
            what()
        except IllegalMoveError:
            self._say(notice(otherwise))
            return
        self.changed()

    def changed(self) -> None:
        """As every driver; what belongs to another position is dropped."""
        if self._drafted is not self.game:
            self._drafted, self.draft, self._adds_two = self.game, (), False
        if self.hint is not None and self.hint.game is not self.game:
            self.hint = None
        if self.report is not None and self.report.game is not self.game:
            self.report = None
        self._drop_asking()
        super().changed()

    def show(self) -> None:
        """Analyse if that is wanted, keep the game and show it."""
        if self.is_analysing and self.session.engine_to_act is None and not self.session.is_over:
            self._ask(ANALYSIS_LIMIT)
        self.message, self._trouble = self._trouble, None
        self._keep()
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

    def _drop_asking(self) -> None:
        self._asks_hint = False
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    # ------------------------------------------------------------ for the driver

    def ask(
        self, request: Start, on_done: OnReply, on_failed: OnFailed, on_info: OnReply, least_s: float
    ) -> Question:
        """Ask the pool in its thread."""
        return self._pool.ask(request, on_done, on_failed, on_info, least_s)

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        """A timer of the pool's thread; the driver ignores those that are outdated."""
        self._pool.after(seconds, call)

    def engine_spec(self, search: Search) -> str:
        """An engine of the list; games that begin alike go on alike."""
        spec = spec_of(self.session.seats[search.seat])
        return seeded(spec, zlib.crc32(repr(tuple(map(int, self.game.moves[:6]))).encode()) & 0xFFFF)

    def engine_is_starting(self) -> bool:
        """Whether the worker process is being started."""
        return self._pool.is_starting

    def reported(self, search: Search, reply: dict[str, Any]) -> None:
        """Show what the search knows."""
        self._reported(reply)

    def failed(self, code: str, message: str) -> None:
        """A process that died is replaced at once, the second time in a position only when asked for."""
        if code == "engine_crashed" and self._crashed_at != self.game.ply:
            self._crashed_at = self.game.ply
            self.session.resume()
            self._trouble = notice("note.engine_restarted", is_bad=True)
        else:
            self._trouble = notice("note.engine_failed", is_bad=True, why=message)

    # ------------------------------------------------------------ hints and analysis

    def _ask(self, limit: Limit, *, is_hint: bool = False) -> None:
        """Search the position for the person: for a hint, or to analyse."""
        self._drop_asking()
        self._asks_hint = is_hint
        fitted = self.game.rules.rule in _FITTED and self.game.rules.win_length in WIN_LENGTHS
        spec = "engine" if fitted else "mcts:preset=s0"
        asked = self.game
        # In an opening phase the stones are looked at as in a game without one: which move, not which side.
        searched = asked if asked.phase is Phase.PLAY else Game.from_moves(asked.rules, asked.moves)
        self._asking = self._pool.ask(
            Start(f"ask-{next(_numbers)}", spec, searched, limit, CANDIDATES),
            on_done=lambda reply: self._looked(asked, reply, is_hint),
            on_failed=lambda code, message, log: self._not_looked(message),
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
                self.hint = Hint(
                    asked, hint_area(move, asked.rules.size), move, hint_reason(asked, move, best)
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
