"""The referee: one game between two players. Whatever a player does, there is a result."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from wuzi.contract import Limit, Player, Stop
from wuzi.core import Color, Game, Outcome, Phase, Reason
from wuzi.errors import ConfigError, IllegalMoveError, NotationError, PlayerTimeout, ProtocolError


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When the referee ends a game that the board has not ended.

    A draw when ``draw_after`` stones are on the board; a win when both players give one colour at least the
    expected score ``winrate``, for ``winrate_plies`` answers in a row.
    """

    draw_after: int | None = None
    winrate: float | None = None
    winrate_plies: int = 6

    def __post_init__(self) -> None:
        if self.draw_after is not None and self.draw_after < 1:
            raise ConfigError(f"draw after {self.draw_after} stones: expected at least 1")
        if self.winrate is not None and not 0.5 < self.winrate <= 1:
            raise ConfigError(f"adjudication at win rate {self.winrate:g}: expected more than 0.5, up to 1")
        if self.winrate_plies < 2:
            raise ConfigError(f"adjudication after {self.winrate_plies} answers: expected at least 2")


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game that is over, with the times of each seat in seconds.

    Attributes:
        late: answers of each seat that took longer than its limit, within the tolerance or not.
        detail: what went wrong, when a player forfeited.
    """

    game: Game
    times_s: tuple[float, ...]
    slowest_s: tuple[float, ...] = (0.0, 0.0)
    late: tuple[int, ...] = (0, 0)
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """A game as it stands, for those who watch it; everything but the game is by seat.

    Attributes:
        times_s: seconds that each seat has taken so far.
        clocks_s: seconds left on each clock; None where there is none.
        winrates: Black's expected score by each seat's last answer, 0 to 1; None where it gave none.
    """

    game: Game
    times_s: tuple[float, ...] = (0.0, 0.0)
    clocks_s: tuple[float | None, ...] = (None, None)
    winrates: tuple[float | None, ...] = (None, None)


class Interrupted(Exception):
    """The game was stopped from outside before it had a result."""


def play_game(
    players: Sequence[Player],
    game: Game,
    limits: tuple[Limit, Limit],
    *,
    adjudication: Adjudication = Adjudication(),
    tolerance_s: float = 1.0,
    stop: Stop | None = None,
    on_turn: Callable[[Standing], None] | None = None,
) -> FinishedGame:
    """Play a game to its end.

    A time-out, a crash, an illegal action and a resignation lose; the record says which it was.

    Args:
        players: seat 0, which acts first, and seat 1.
        game: the game so far (an opening), not over.
        limits: the budget of each seat for one answer, or its clock for the rest of the game.
        adjudication: when to end the game early.
        tolerance_s: an answer may be so much late.
        stop: ends the game without a result.
        on_turn: called whenever a player is about to be asked, and at the end; the game waits for it.

    Raises:
        Interrupted: ``stop`` was set.
        ConfigError: a player does not support these rules.
    """
    table = _Table(players, game, limits, tolerance_s, stop)
    opinions: deque[float | None] = deque(maxlen=adjudication.winrate_plies)
    detail = ""
    while table.game.outcome is None and not detail:
        if stop is not None and stop.is_set:
            raise Interrupted
        if on_turn is not None:
            on_turn(table.standing())
        detail = table.ask(opinions)
        if not detail:
            table.adjudicate(adjudication, opinions)
    if on_turn is not None:
        on_turn(table.standing())
    return FinishedGame(table.game, tuple(table.used_s), tuple(table.slowest_s), tuple(table.late), detail)


class _Table:
    """A game being played."""

    def __init__(
        self,
        players: Sequence[Player],
        game: Game,
        limits: tuple[Limit, Limit],
        tolerance_s: float,
        stop: Stop | None,
    ) -> None:
        self.players, self.game, self.limits = players, game, limits
        self.tolerance_s, self.stop = tolerance_s, stop
        self.clocks_s = [limit.clock_s for limit in limits]
        self.used_s, self.slowest_s, self.late = [0.0, 0.0], [0.0, 0.0], [0, 0]
        self.winrates: list[float | None] = [None, None]

    def standing(self) -> Standing:
        """The game as it stands."""
        return Standing(self.game, tuple(self.used_s), tuple(self.clocks_s), tuple(self.winrates))

    def ask(self, opinions: deque[float | None]) -> str:
        """Ask the player to act and apply its answer; what it forfeited with, or an empty text."""
        game, stop, seat = self.game, self.stop, self.game.seat_to_act
        player, limit = self.players[seat], replace(self.limits[seat], clock_s=self.clocks_s[seat])
        started = time.perf_counter()
        try:
            result = player.think(game, limit, stop=stop)
            if late := self._charge(seat, seconds_of(player, started)):
                return self._forfeit(seat, Reason.TIME, late)
            if result.resigned:
                self.game = game.resign(game.color_of(seat))
                return ""
            self.game = game.act(result.action)
        except (IllegalMoveError, NotationError, ProtocolError) as error:
            return self._forfeit(seat, Reason.ILLEGAL, str(error))
        except PlayerTimeout as error:
            self._charge(seat, time.perf_counter() - started)
            return self._forfeit(seat, Reason.TIME, str(error))
        except (ConfigError, Interrupted):
            raise
        except Exception as error:  # a player's bug must not end the tournament
            if stop is not None and stop.is_set:
                raise Interrupted from None
            return self._forfeit(seat, Reason.CRASH, f"{type(error).__name__}: {error}")
        self.winrates[seat] = result.info.lines[0].winrate if result.info.lines else None
        opinions.append(self.winrates[seat])
        return ""

    def adjudicate(self, adjudication: Adjudication, opinions: deque[float | None]) -> None:
        """End the game early if that is agreed."""
        game, sure = self.game, adjudication.winrate
        if game.phase is not Phase.PLAY:
            return
        known = [opinion for opinion in opinions if opinion is not None]
        if adjudication.draw_after is not None and game.ply >= adjudication.draw_after:
            self.game = game.end(Outcome(None, Reason.ADJUDICATION))
        elif sure is None or len(known) < adjudication.winrate_plies:
            return
        elif min(known) >= sure:
            self.game = game.end(Outcome(Color.BLACK, Reason.ADJUDICATION))
        elif max(known) <= 1 - sure:
            self.game = game.end(Outcome(Color.WHITE, Reason.ADJUDICATION))

    def _charge(self, seat: int, elapsed_s: float) -> str:
        """Book the time of an answer; what is wrong with it, or an empty text."""
        limit, clock, tolerance_s = self.limits[seat], self.clocks_s[seat], self.tolerance_s
        self.used_s[seat] += elapsed_s
        self.slowest_s[seat] = max(self.slowest_s[seat], elapsed_s)
        allowed = [seconds for seconds in (limit.time_s, clock) if seconds is not None]
        self.late[seat] += bool(allowed) and elapsed_s > min(allowed)
        if limit.time_s is not None and elapsed_s > limit.time_s + tolerance_s:
            return f"took {elapsed_s:.3f} s of {limit.time_s:g} s (tolerance {tolerance_s:g} s)"
        if clock is None:
            return ""
        if elapsed_s > clock + tolerance_s:
            return f"took {elapsed_s:.3f} s with {clock:.3f} s on the clock (tolerance {tolerance_s:g} s)"
        self.clocks_s[seat] = max(0.0, clock - elapsed_s) + limit.increment_s
        return ""

    def _forfeit(self, seat: int, reason: Reason, detail: str) -> str:
        self.game = self.game.end(Outcome(self.game.color_of(1 - seat), reason))
        return " ".join(detail.split())[:500] or reason.label


def seconds_of(player: Player, started: float) -> float:
    """Seconds of the answer that was asked for at ``started`` (of ``time.perf_counter``).

    A player in another process knows it without the way there and back.
    """
    wall_s = time.perf_counter() - started
    known_s = getattr(player, "think_time_s", None)
    if known_s is not None:
        return min(wall_s, float(known_s))
    return wall_s
