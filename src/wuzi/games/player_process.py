"""Players that think in another process and can be killed; the referee asks them like any other."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import Any

from wuzi.contract import Capabilities, Limit, Line, OnInfo, PlayResult, SearchInfo, Stop, own_winrate
from wuzi.core import Game, Move, Place
from wuzi.errors import (
    ConfigError,
    IllegalMoveError,
    MissingExtraError,
    NotationError,
    PlayerCrashed,
    PlayerTimeout,
    ProtocolError,
    WuziError,
)
from wuzi.protocols.analysis.wire import parse_action, position_json
from wuzi.workers.crew import WorkerKind, checked
from wuzi.workers.local import WorkerProcess

_POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class WorkerTimeouts:
    """How long the parent waits for a worker."""

    start_s: float = 180.0  # for a new process to start, load its players and answer once
    move_s: float = 600.0  # for an answer where the limit sets no time
    tolerance_s: float = 1.0  # an answer may be so much late without losing
    # after that, before the process is killed: players may notice their own time-out and say so
    grace_s: float = 2.0

    def for_answer(self, limit: Limit) -> float:
        """Seconds to wait for an answer under this limit."""
        budgets = [seconds for seconds in (limit.time_s, limit.clock_s) if seconds is not None]
        return min(budgets) + self.tolerance_s + self.grace_s if budgets else self.move_s


class PlayerProcess(AbstractContextManager["PlayerProcess"]):
    """A process with two seats, started when needed and after it was killed; ``stop`` ends waiting."""

    def __init__(
        self, patience: WorkerTimeouts, *, allow_command: bool = False, stop: Stop | None = None
    ) -> None:
        self.patience = patience
        self.stop = stop
        self._kind = WorkerKind("wuzi.games.player_child:SeatedPlayers", {"allow_command": allow_command})
        self._child: WorkerProcess | None = None

    @property
    def pid(self) -> int | None:
        """Of the process, if it runs."""
        return None if self._child is None else self._child.pid

    def seat(self, number: int, spec: str, game: Game) -> SeatedPlayer:
        """Put a player on a seat for a game.

        ConfigError for a wrong spec or unsupported rules, PlayerError if the process failed or was late.
        """
        request = {"op": "player", "seat": number, "spec": spec, "position": position_json(game)}
        answer = self.ask(request, self.patience.start_s)
        return SeatedPlayer(self, number, spec, str(answer["name"]))

    def ask(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """The answer to a request. After PlayerTimeout the process was killed.

        PlayerCrashed if it ended or the player failed; ConfigError and IllegalMoveError as the player raised
        them.
        """
        if self._child is None:
            self._child = WorkerProcess(self._kind)
        try:
            self._child.ask(request)
            answer = self._read(self._child, time.monotonic() + timeout_s)
        except EOFError as error:
            self.kill()
            raise PlayerCrashed(f"the process ended: {error}") from None
        except TimeoutError:
            self.kill()
            raise PlayerTimeout(f"no answer within {timeout_s:.3g} s: killed") from None
        try:
            return checked(answer)
        except (ConfigError, IllegalMoveError, PlayerTimeout):
            raise
        except (NotationError, ProtocolError) as error:
            raise IllegalMoveError(str(error)) from None
        except WuziError as error:
            if answer["error"] == MissingExtraError.__name__:
                raise ConfigError(str(answer["message"])) from None
            raise PlayerCrashed(str(error)) from None

    def kill(self) -> None:
        """End the process now."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def close(self) -> None:
        """End the process; it may close its players first."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def __exit__(self, *error: object) -> None:
        self.close() if error[0] is None else self.kill()

    def _read(self, child: WorkerProcess, deadline: float) -> dict[str, Any]:
        while True:
            left = deadline - time.monotonic()
            try:
                return child.read(max(0.0, min(left, _POLL_S)))
            except TimeoutError:
                if self.stop is not None and self.stop.is_set:
                    raise EOFError("stopped") from None
                if left <= _POLL_S:
                    raise


class SeatedPlayer(AbstractContextManager["SeatedPlayer"]):
    """A player in a :class:`PlayerProcess`; ``think_time_s`` are the seconds its last answer took there."""

    capabilities = Capabilities()

    def __init__(self, process: PlayerProcess, seat: int, spec: str, name: str) -> None:
        self._process = process
        self._seat = seat
        self.spec = spec
        self.name = name
        self.think_time_s: float | None = None

    def think(
        self,
        game: Game,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: OnInfo | None = None,
    ) -> PlayResult:
        """Let the player think, as :meth:`PlayerProcess.ask` does; it reports nothing on the way."""
        self.think_time_s = None
        request = {"op": "think", "seat": self._seat, "position": position_json(game), "limit": asdict(limit)}
        answer = self._process.ask(request, self._process.patience.for_answer(limit))
        self.think_time_s = float(answer["time_s"])
        try:
            action = parse_action(answer["action"], game.rules.size)
        except WuziError as error:
            raise IllegalMoveError(str(error)) from None
        lines: tuple[Line, ...] = ()
        if (winrate := answer["winrate"]) is not None:
            cell = action.move if isinstance(action, Place) else Move(0, game.rules.size)
            lines = (Line(cell, 2 * own_winrate(winrate, game.to_move) - 1, game.to_move),)
        info = SearchInfo(game.to_move, lines, time_s=self.think_time_s)
        return PlayResult(action, info, resigned=bool(answer["resigned"]))

    def close(self) -> None:
        """Nothing: the process is closed by its owner."""

    def __exit__(self, *error: object) -> None:
        self.close()
