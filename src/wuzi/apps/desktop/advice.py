"""A game at the window with what a person may ask for: analysis and hints; no drawing."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from wuzi.analysis import HintReason, hint_area, hint_reason
from wuzi.contract import Limit, Line
from wuzi.core import Game, Move, Phase, Rule, parse_move
from wuzi.core.lines import WIN_LENGTHS
from wuzi.games import GameSession, Search
from wuzi.games.driver import CANDIDATES, GameDriver, PoolClient, Question
from wuzi.protocols.analysis.queries import Start
from wuzi.protocols.analysis.replies import parse_lines

ENGINE_PAUSE_S = 0.6
"""Least seconds a move when two engines play, so that people can follow."""

HINT_LIMIT = Limit(time_s=1.5)
ANALYSIS_LIMIT = Limit(time_s=20)
_FITTED = (Rule.FREESTYLE, Rule.STANDARD, Rule.RENJU)
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class SearchReport:
    """What a search knows of a position so far."""

    game: Game
    candidates: tuple[Line, ...]
    nodes: int
    depth: int


@dataclass(frozen=True, slots=True)
class Hint:
    """A suggestion: at first only ``area``; once ``told`` the move and why."""

    game: Game
    area: tuple[Move, ...]
    move: Move
    reason: HintReason
    told: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """A message for the status bar: a catalogue key and its values."""

    key: str
    values: dict[str, object] = field(default_factory=dict)
    is_bad: bool = False


def engine_failed(why: str) -> Notice:
    """An engine gave no answer."""
    return Notice("note.engine_failed", {"why": why}, is_bad=True)


class AdvisedGame(GameDriver):
    """A session whose engines, analyses and hints are searched in a pool of processes.

    ``report`` and ``hint`` are of the position now; ``message`` is shown until the next change. ``on_change``
    is called after every change that can be seen.
    """

    def __init__(self, session: GameSession, pool: PoolClient, on_change: Callable[[], None]) -> None:
        super().__init__(session, pool, ENGINE_PAUSE_S)
        self.report: SearchReport | None = None
        self.hint: Hint | None = None
        self.message: Notice | None = None
        self.on_change = on_change
        self._asking: Question | None = None
        self.is_analysing = self._asks_hint = False

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
    def is_person_to_act(self) -> bool:
        """Whether a person may place a stone now."""
        session = self.session
        return not session.is_over and session.seats[self.game.seat_to_act].is_human

    @property
    def can_hint(self) -> bool:
        """Whether a hint may be asked for: a person is to place one stone."""
        return self.is_person_to_act and self.game.phase is Phase.PLAY

    @property
    def winrate(self) -> float | None:
        """Black's win rate as far as known, the running search included."""
        if not self.session.is_over and self.report is not None and self.report.candidates:
            return self.report.candidates[0].winrate
        return self.session.winrate

    def tell(self, message: Notice | None) -> None:
        """Show a message, or none."""
        self.message = message
        self.on_change()

    def toggle_analysis(self) -> None:
        """Analyse positions as they come, or no longer."""
        self.is_analysing = not self.is_analysing
        self.changed()

    def analyse(self) -> None:
        """Search the position, if that is wanted and no engine is to act."""
        if self.is_analysing and self.session.engine_to_act is None and not self.session.is_over:
            self._search(ANALYSIS_LIMIT)

    def ask_hint(self) -> None:
        """Where to look; asked again, which move and why."""
        if self.hint is not None and self.hint.game is self.game:
            self.hint = replace(self.hint, told=True)
            self.on_change()
        elif self.can_hint and not self.waits_for_hint:
            self.session.hints += 1
            self._search(HINT_LIMIT, is_hint=True)
            self.on_change()

    def drop_asking(self) -> None:
        """Cancel the search for a hint or an analysis."""
        if self._asking is not None:
            self._asking.cancel()
        self._asking, self._asks_hint = None, False

    def _search(self, limit: Limit, *, is_hint: bool = False) -> None:
        self.drop_asking()
        self._asks_hint = is_hint
        asked, rules = self.game, self.game.rules
        fitted = rules.rule in _FITTED and rules.win_length in WIN_LENGTHS
        spec = "engine" if fitted else "mcts:preset=s0"
        # In an opening phase the stones are looked at as in a game without one: which move, not which side.
        searched = asked if asked.phase is Phase.PLAY else Game.from_moves(rules, asked.moves)
        self._asking = self.asker.ask(
            Start(f"ask-{next(_numbers)}", spec, searched, limit, CANDIDATES),
            on_done=lambda reply: self._looked(asked, reply, is_hint),
            on_failed=lambda code, message, log: self._not_looked(message),
            on_info=self._reported if not is_hint or self.is_analysing else None,
        )

    def _looked(self, asked: Game, reply: dict[str, Any], is_hint: bool) -> None:
        self._asking, self._asks_hint = None, False
        if asked is self.game:
            report = _read_report(asked, reply)
            best = report.candidates[0] if report.candidates else None
            if best is not None and best.winrate is not None:
                self.session.known_winrates[asked.ply] = best.winrate
            if is_hint:
                size = asked.rules.size
                move = parse_move(reply["action"]["moves"][0], size)
                self.hint = Hint(asked, hint_area(move, size), move, hint_reason(asked, move, best))
            if self.is_analysing:
                self.report = report
                if is_hint:
                    self._search(ANALYSIS_LIMIT)
        self.on_change()

    def _not_looked(self, why: str) -> None:
        self._asking, self._asks_hint, self.is_analysing = None, False, False
        self.tell(engine_failed(why))

    def _reported(self, reply: dict[str, Any]) -> None:
        if reply.get("turnNumber") == self.game.ply and reply["moveInfos"]:
            self.report = _read_report(self.game, reply)
            self.on_change()

    def changed(self) -> None:
        """As every driver; what belongs to another position is dropped."""
        if self.hint is not None and self.hint.game is not self.game:
            self.hint = None
        if self.report is not None and self.report.game is not self.game:
            self.report = None
        self.drop_asking()
        super().changed()

    def close(self) -> None:
        """Drop all searches: nobody looks at the game any more."""
        super().close()
        self.drop_asking()

    def queued(self) -> None:
        """Nothing: one window, one line."""

    def reported(self, search: Search, reply: dict[str, Any]) -> None:
        """Show what the search knows."""
        self._reported(reply)


def _read_report(game: Game, reply: dict[str, Any]) -> SearchReport:
    """What an ``info`` or ``done`` reply of a worker reports about that game."""
    root = reply["rootInfo"]
    nodes = max(root["nodes"], root["simulations"])
    return SearchReport(game, parse_lines(reply, game), nodes, root["depth"])
