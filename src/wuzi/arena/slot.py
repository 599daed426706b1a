"""The parent's side of a worker: players that think in another process and can be killed."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from types import TracebackType
from typing import Any, Self

from wuzi.contract import Capabilities, Limit, Line, OnInfo, PlayResult, SearchInfo, Stop
from wuzi.core.game import Game
from wuzi.core.types import Move, Place
from wuzi.errors import (
    ConfigError,
    IllegalMoveError,
    PlayerCrashed,
    PlayerError,
    PlayerTimeout,
    ProtocolError,
    WuziError,
)
from wuzi.protocols.analysis.wire import encode, parse_action, position_json
from wuzi.workers.line_process import LineProcess
from wuzi.workers.local import worker_environment

_POLL_S = 0.2


@dataclasses.dataclass(frozen=True, slots=True)
class Patience:
    """How long the parent waits for a worker.

    Attributes:
        start_s: for a new process to start, load its players and answer once.
        move_s: for an answer where the limit sets no time.
        tolerance_s: an answer may be so much late without losing.
        grace_s: after limit and tolerance, before the process is killed. The referee judges the
            time; the grace is for players that notice their own time-out and say so.
    """

    start_s: float = 180.0
    move_s: float = 600.0
    tolerance_s: float = 1.0
    grace_s: float = 2.0

    def for_answer(self, limit: Limit) -> float:
        """Seconds to wait for an answer under this limit."""
        budgets = [seconds for seconds in (limit.time_s, limit.clock_s) if seconds is not None]
        return min(budgets) + self.tolerance_s + self.grace_s if budgets else self.move_s


class Slot:
    """One worker process; started when first needed, and again after it was killed.

    Args:
        patience: how long to wait.
        allow_command: let specs run programs.
        stop: ends waiting at once.
    """

    def __init__(self, patience: Patience, *, allow_command: bool = False, stop: Stop | None = None) -> None:
        self.patience = patience
        self.allow_command = allow_command
        self.stop = stop
        self._process: LineProcess | None = None

    def seat(self, number: int, spec: str, game: Game) -> WorkerPlayer:
        """Put a player on a seat for a game.

        Raises:
            ConfigError: wrong spec, or a player that does not support the rules.
            PlayerError: the process failed or did not answer in time.
        """
        request = {"op": "player", "seat": number, "spec": spec, "position": position_json(game)}
        answer = self.ask(request, self.patience.start_s)
        return WorkerPlayer(self, number, spec, str(answer["name"]))

    def ask(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send a request and wait for its answer.

        Raises:
            PlayerTimeout: none came in time; the process was killed.
            PlayerCrashed: the process ended, or the player failed.
            ConfigError, IllegalMoveError: as the player raised them.
        """
        process = self._running()
        try:
            process.send(encode(request))
            line = self._read(process, time.monotonic() + timeout_s)
        except EOFError as error:
            self.kill()
            raise PlayerCrashed(f"the process ended: {error}") from None
        except TimeoutError:
            self.kill()
            raise PlayerTimeout(f"no answer within {timeout_s:.3g} s: killed") from None
        answer = _decode(line)
        if "error" in answer:
            raise _ERRORS.get(answer["error"], PlayerCrashed)(str(answer["message"]))
        return answer

    def kill(self) -> None:
        """End the process now."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def close(self) -> None:
        """End the process; it may close its players first."""
        if self._process is not None:
            self._process.close(encode({"op": "quit"}), grace_s=2.0)
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.kill()

    def _running(self) -> LineProcess:
        if self._process is None:
            command = [sys.executable, "-m", "wuzi.arena.worker"]
            if self.allow_command:
                command.append("--allow-command")
            self._process = LineProcess(command, env=worker_environment())
        return self._process

    def _read(self, process: LineProcess, deadline: float) -> str:
        while True:
            left = deadline - time.monotonic()
            try:
                return process.read(max(0.0, min(left, _POLL_S)))
            except TimeoutError:
                if self.stop is not None and self.stop.is_set:
                    self.kill()
                    raise EOFError("stopped") from None
                if left <= _POLL_S:
                    raise


class WorkerPlayer:
    """A player in a worker process, as :class:`wuzi.contract.Player`.

    Attributes:
        think_time_s: seconds its last answer took there.
    """

    capabilities = Capabilities()

    def __init__(self, slot: Slot, seat: int, spec: str, name: str) -> None:
        self._slot = slot
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
        """Let the worker think; reports nothing on the way.

        Raises:
            PlayerTimeout: it hung and was killed.
            PlayerCrashed: it ended or failed.
            IllegalMoveError: its answer is no action.
        """
        self.think_time_s = None
        request = {
            "op": "think",
            "seat": self._seat,
            "position": position_json(game),
            "limit": dataclasses.asdict(limit),
        }
        answer = self._slot.ask(request, self._slot.patience.for_answer(limit))
        self.think_time_s = float(answer["time_s"])
        try:
            action = parse_action(answer["action"], game.rules.size)
        except (ProtocolError, WuziError) as error:
            raise IllegalMoveError(str(error)) from None
        winrate = answer["winrate"]
        cell = action.move if isinstance(action, Place) else Move(0)
        lines = () if winrate is None else (Line(cell, winrate=winrate),)
        info = SearchInfo(game.to_move, lines, time_s=self.think_time_s)
        return PlayResult(action, info, resigned=bool(answer["resigned"]))

    def close(self) -> None:
        """Nothing: the slot owns the process."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_ERRORS: dict[str, type[WuziError]] = {
    "config": ConfigError,
    "illegal": IllegalMoveError,
    "timeout": PlayerTimeout,
    "crash": PlayerCrashed,
}


def _decode(line: str) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except ValueError:
        raise PlayerCrashed(f"the process answered {line[:60]!r}: expected JSON") from None
    if not isinstance(answer, dict):
        raise PlayerError(f"the process answered {line[:60]!r}: expected an object")
    return answer
