"""One game at the window: what people do and what engines answer; no drawing."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable

from wuzi.apps.desktop.advice import AdvisedGame, Notice, engine_failed
from wuzi.apps.desktop.storage import Storage
from wuzi.core import Action, Game, Keep, Move, Opening, Phase, Place, PlaceSeveral, Swap
from wuzi.core.lines import WIN_LENGTHS
from wuzi.errors import IllegalMoveError, WuziError
from wuzi.games import GameSession, Search, TurnError
from wuzi.games.driver import PoolClient
from wuzi.players.opponents import find_engine
from wuzi.players.registry import seeded
from wuzi.tactics import Threat, find_threats


class Match(AdvisedGame):
    """A game that people play, kept in ``storage``. Everything here runs in the window's loop.

    Attributes:
        shows_threats: whether the board shows threats.
        draft: opening stones that the person has put down and not handed over yet.
    """

    def __init__(
        self, session: GameSession, pool: PoolClient, storage: Storage, on_change: Callable[[], None]
    ) -> None:
        super().__init__(session, pool, on_change)
        self.shows_threats = False
        self.draft: tuple[Move, ...] = ()
        self._adds_two = False
        self._drafted: Game | None = None
        self._storage = storage
        self._crashed_at = -1
        self._trouble: Notice | None = None
        self._threats: tuple[Game, tuple[Threat, ...]] | None = None

    @property
    def thinking_s(self) -> float:
        """Seconds that the engine has thought."""
        return 0.0 if self.thinking is None else self.thinking.elapsed_s

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
        game = self.game
        return self.is_opening and game.phase is Phase.CHOOSE and game.rules.opening is Opening.SWAP2

    @property
    def can_undo(self) -> bool:
        """Whether :meth:`undo` would do anything."""
        return bool(self.draft) or self._adds_two or self.session.can_undo

    @property
    def last_ply(self) -> int:
        """Stones on the board once everything that was taken back is replayed."""
        return self.game.ply + sum(map(_stones, self.session.redo_actions))

    @property
    def threats(self) -> tuple[Threat, ...]:
        """The threats on the board, where they have names (four or five in a row)."""
        if self.game.rules.win_length not in WIN_LENGTHS:
            return ()
        if self._threats is None or self._threats[0] is not self.game:
            self._threats = (self.game, find_threats(self.game.position))
        return self._threats[1]

    def play(self, move: int) -> None:
        """Place a stone for the person to act, or say why that cannot be."""
        if self.is_held:
            self.tell(Notice("status.held"))
            return
        if self.is_opening:
            self._put_down(Move(move, self.game.rules.size))
            return
        try:
            self.session.play(move, ply=self.game.ply, elapsed_s=self.elapsed_s)
        except TurnError as error:
            self.tell(Notice("note.not_your_turn") if error.code == "not_your_turn" else None)
        except IllegalMoveError:
            self.tell(Notice("note.over" if self.session.is_over else "note.occupied"))
        else:
            self.changed()

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
            self.tell(None)

    def undo(self) -> None:
        """Take back a stone of the draft, the wish to add two, or all to the person's last turn."""
        if self.draft or self._adds_two:
            self._adds_two = self._adds_two and bool(self.draft)
            self.draft = self.draft[:-1]
            self.tell(None)
        else:
            self._try(GameSession.undo, "note.nothing_to_undo")

    def redo(self) -> None:
        """Replay what was taken back."""
        self._try(GameSession.redo, "note.nothing_to_redo")

    def step(self, actions: int) -> None:
        """Step back (negative) or forward through what was done, as far as that goes; engines wait."""
        back = min(-actions, len(self.game.actions))
        forward = min(actions, len(self.session.redo_actions))
        if back > 0:
            self._try(lambda session: session.undo(back), "note.nothing_to_undo")
        elif forward > 0:
            self._try(lambda session: session.redo(forward), "note.nothing_to_redo")

    def go_to_ply(self, ply: int) -> None:
        """Step to the last position with at most ``ply`` stones."""
        actions = (*self.game.actions, *reversed(self.session.redo_actions))
        plies = itertools.accumulate(map(_stones, actions), initial=self.game.start.ply)
        self.step(sum(reached <= ply for reached in plies) - 1 - len(self.game.actions))

    def restart(self) -> None:
        """Play the same game again from its start."""
        self.drop_thinking()
        self.drop_asking()
        self.session = self.session.restarted()
        self._store(self._storage.forget_running_game)
        self.changed()

    def resign(self) -> None:
        """Give up for the person."""
        self._try(GameSession.resign, "note.over")

    @property
    def is_held(self) -> bool:
        """Whether the clocks stand still in the middle of a game, in which nobody steps back."""
        session = self.session
        return session.paused and not session.is_over and any(session.clocks) and not session.redo_actions

    def pause_or_resume(self) -> None:
        """Let the engines wait, or let them continue (also after a failure)."""
        if self.session.paused or self.session.failure is not None:
            self.session.resume()
        else:
            self.interrupt(GameSession.pause)
        self.changed()

    def toggle_threats(self) -> None:
        """Show threats on the board, or no longer."""
        self.shows_threats = not self.shows_threats
        self.on_change()

    def save(self) -> None:
        """Write the game into the folder of saved games."""
        try:
            path = self._storage.save_game(self.session)
        except (OSError, WuziError) as error:
            self.tell(_not_saved(error))
        else:
            self.tell(Notice("note.saved", {"file": path.name}))

    def close(self) -> None:
        """Drop all searches, stop the clock and keep the game: nobody looks at it any more."""
        self.stop_clock()
        super().close()
        self.session.search = None
        self._keep()

    def _put_down(self, move: Move) -> None:
        """Add a stone to the draft."""
        if not self.stones_due:
            self.tell(Notice("note.choose_first"))
        elif len(self.draft) == self.stones_due:
            self.tell(Notice("note.hand_over"))
        elif int(self.shown.position.cells[move]):
            self.tell(Notice("note.occupied"))
        else:
            self.draft = (*self.draft, move)
            self.tell(None)

    def _decide(self, action: Action) -> None:
        ply, elapsed_s = self.game.ply, self.elapsed_s
        self._do(lambda: self.session.act(action, ply=ply, elapsed_s=elapsed_s), "note.opening_ends")

    def _try(self, what: Callable[[GameSession], object], otherwise: str) -> None:
        self._do(lambda: self.interrupt(what), otherwise)

    def _do(self, what: Callable[[], None], otherwise: str) -> None:
        try:
            what()
        except IllegalMoveError:
            self.tell(Notice(otherwise))
        else:
            self.changed()

    def _keep(self) -> None:
        if self.session.is_over:
            self._store(self._storage.forget_running_game)
        elif self.game.actions:
            self._store(lambda: self._storage.keep_running_game(self.session))

    def _store(self, what: Callable[[], None]) -> None:
        try:
            what()
        except OSError as error:
            self.message = _not_saved(error)

    def changed(self) -> None:
        """As every driver; what belongs to another position is dropped."""
        if self._drafted is not self.game:
            self._drafted, self.draft, self._adds_two = self.game, (), False
        super().changed()

    def show(self) -> None:
        """Analyse if that is wanted, keep the game and show it."""
        self.analyse()
        self.message, self._trouble = self._trouble, None
        self._keep()
        self.on_change()

    def engine_spec(self, search: Search) -> str:
        """An engine of the list; its random seed follows from the first moves, so equal games stay equal."""
        seat = self.session.seats[search.seat]
        spec = find_engine(seat.player).level(seat.level or None).spec
        return seeded(spec, zlib.crc32(repr(tuple(map(int, self.game.moves[:6]))).encode()) & 0xFFFF)

    def failed(self, code: str, message: str) -> None:
        """A process that died is replaced at once, the second time in a position only when asked for."""
        if code == "engine_crashed" and self._crashed_at != self.game.ply:
            self._crashed_at = self.game.ply
            self.session.resume()
            self._trouble = Notice("note.engine_restarted", is_bad=True)
        else:
            self._trouble = engine_failed(message)


def _not_saved(error: Exception) -> Notice:
    return Notice("note.not_saved", {"why": str(error)}, is_bad=True)


def _stones(action: Action) -> int:
    """How many stones an action puts on the board."""
    return len(action.moves) if isinstance(action, PlaceSeveral) else int(isinstance(action, Place))
