"""The manager's side of the Gomocup protocol: one engine process, asked for one action at a time."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from itertools import chain, zip_longest

from wuzi.contract import Limit, Line, OnInfo, SearchInfo, Stop
from wuzi.core import Action, Color, Game, Move, Phase, Place, PlaceSeveral, Stone, Swap, format_move
from wuzi.errors import PlayerCrashed, PlayerTimeout, ProtocolError, UnsupportedError
from wuzi.players.engines_file import Engine
from wuzi.protocols.gomocup import wire
from wuzi.workers.line_process import LineProcess

_ABOUT_S = 1.0
"""Seconds an engine gets to answer ABOUT; some never do."""
_STOP_S = 1.0
"""Seconds an engine gets to answer after it was asked to stop."""
_QUIET_S = 0.01
"""Seconds an engine is left alone after its answer: one whose search still winds down can miss a line."""
_POLL_S = 0.02
_END_S = 0.3

Stones = tuple[tuple[Move, Color], ...]


class GomocupClient:
    """A running engine: ``start_s`` to answer START, ``tolerance_s`` over its time.

    Attributes:
        about: its answer to ABOUT, once it is known.
        think_time_s: seconds of its last answer: from the position being sent to the answer being read.

    Raises:
        PlayerCrashed: the program cannot be started.
    """

    def __init__(self, engine: Engine, *, start_s: float, tolerance_s: float) -> None:
        self.engine = engine
        self.about: dict[str, str] = {}
        self._start_s = start_s
        self._tolerance_s = tolerance_s
        self._size = 0
        self.think_time_s = 0.0
        self._asked_about = False
        self._answered = 0.0
        self._board: Stones | None = None
        self._sent: dict[str, str] = {}
        try:
            self._process = LineProcess(engine.command, cwd=engine.dir, env=engine.env, max_line=64 << 10)
        except OSError as error:
            reason = error.strerror or error
            raise PlayerCrashed(f"{engine.name} cannot be started ({engine.command[0]}): {reason}") from None

    @property
    def log(self) -> str:
        """What was said so far."""
        return self._process.log_text()

    def prepare(self, size: int) -> None:
        """Give the engine an empty board: starting is no part of its first answer; errors as of ``ask``."""
        if self._size != size or self._board != ():
            self._start(size)

    def ask(self, game: Game, limit: Limit, stop: Stop, on_info: OnInfo | None) -> tuple[Action, SearchInfo]:
        """The engine's action and its report; ``limit`` has ``time_s`` or ``clock_s``."""
        stones = _stones(game)
        in_opening = game.phase in (Phase.PLACE_THREE, Phase.CHOOSE, Phase.CHOOSE_AFTER_FIVE)
        if in_opening or not stones or stones[:-1] != self._board or self._size != game.rules.size:
            self.prepare(game.rules.size)
        self._send_limits(game, limit)
        self._drain()
        asked = time.monotonic()
        self._send_position(game, stones, in_opening)
        self._board = None
        seconds = min(value for value in (limit.time_s, limit.clock_s) if value is not None)
        answer, report = self._await(game, asked, max(0.0, seconds), stop, on_info)
        self._answered = time.monotonic()
        self.think_time_s = self._answered - asked
        action = self._action(game, answer)
        if isinstance(action, Place) and not in_opening:
            self._board = (*stones, (action.move, game.to_move))
        return action, _info(game.to_move, report, action)

    def close(self) -> None:
        """End the process."""
        self._process.close("END", _END_S)

    def _start(self, size: int) -> None:
        self._leave_alone()
        self._drain()
        self._send(f"START {size}")
        deadline = time.monotonic() + self._start_s
        while True:
            answer = wire.parse_answer(self._read(deadline, "answer START", self._start_s), size)
            if answer.kind is wire.AnswerKind.OK:
                break
            if answer.kind is wire.AnswerKind.ERROR:
                raise UnsupportedError(f"{self.engine.name} refuses a {size}x{size} board: {answer.text}")
            if answer.kind is wire.AnswerKind.UNKNOWN:
                raise ProtocolError(f"{self.engine.name} does not know START: {answer.text}")
        # The engine may have forgotten what it was told before, so it is told again.
        self._size, self._board, self._sent = size, (), dict.fromkeys(self._sent, "")
        if not self._asked_about:
            self._ask_about()

    def _ask_about(self) -> None:
        self._asked_about = True
        self._send("ABOUT")
        deadline = time.monotonic() + _ABOUT_S
        with contextlib.suppress(TimeoutError, EOFError):
            refused = False
            while not self.about and not refused:
                line = self._process.read(deadline - time.monotonic())
                self.about = wire.parse_about(line)
                refused = wire.parse_answer(line, self._size).kind in (
                    wire.AnswerKind.UNKNOWN,
                    wire.AnswerKind.ERROR,
                )

    def _leave_alone(self) -> None:
        time.sleep(max(0.0, min(_QUIET_S, self._answered + _QUIET_S - time.monotonic())))

    def _send_limits(self, game: Game, limit: Limit) -> None:
        self._leave_alone()
        clock = limit.clock_s
        turn = limit.time_s if limit.time_s is not None else clock
        self._inform("rule", int(game.rules.rule))
        self._inform("game_type", 1)
        self._inform("timeout_turn", _ms(turn or 0.0))
        said = self._sent.get("timeout_match")
        if not said or (clock is None) == (said != "0"):
            self._inform("timeout_match", _ms(clock) if clock is not None else 0)
        self._inform("max_memory", self.engine.memory_mb << 20)
        if limit.depth is not None or "max_depth" in self._sent:
            self._inform("max_depth", limit.depth or 0)
        if limit.nodes is not None or "max_node" in self._sent:
            self._inform("max_node", limit.nodes or 0)
        for key, value in self.engine.info.items():
            self._inform(key, value)
        self._send(f"INFO time_left {wire.UNLIMITED_MS if clock is None else _ms(clock)}")

    def _inform(self, key: str, value: int | str) -> None:
        text = str(value)
        if self._sent.get(key) != text:
            self._send(f"INFO {key} {text}")
            self._sent[key] = text

    def _send_position(self, game: Game, stones: Stones, in_opening: bool) -> None:
        size = game.rules.size
        if in_opening:
            lines = ["SWAP2BOARD", *(wire.format_cell(cell, size) for cell, _ in stones), "DONE"]
        elif not stones:
            lines = ["BEGIN"]
        elif stones[:-1] == self._board:
            lines = [f"TURN {wire.format_cell(stones[-1][0], size)}"]
        else:
            lines = wire.format_board(stones, size, game.to_move)
        for line in lines:
            self._send(line)

    def _await(
        self, game: Game, asked: float, seconds: float, stop: Stop, on_info: OnInfo | None
    ) -> tuple[wire.EngineAnswer, wire.EngineReport | None]:
        """The engine's answer, and the last report before it."""
        allowed = seconds + self._tolerance_s
        deadline = asked + allowed
        stopped, report, last, shown = False, None, "", asked
        while True:
            if stop.is_set and not stopped:
                stopped = True
                deadline = min(deadline, time.monotonic() + _STOP_S)
                if self.engine.stop:
                    self._send(self.engine.stop)
            try:
                line = self._process.read(min(_POLL_S, deadline - time.monotonic()))
            except TimeoutError:
                if time.monotonic() < deadline:
                    continue
                late = f"did not answer in {allowed:.3g} s"
                why = "was asked to stop and did not answer" if stopped else late
                said = f", last line {last[:60]!r}" if last else ""
                raise PlayerTimeout(f"{self.engine.name} {why} (ply {game.ply}{said})") from None
            except EOFError as error:
                raise self._crashed(f"thinking at ply {game.ply}", error) from None
            last = line
            answer = wire.parse_answer(line, game.rules.size)
            if answer.kind in (wire.AnswerKind.CELLS, wire.AnswerKind.SWAP):
                return answer, report
            if answer.kind is wire.AnswerKind.SUGGEST:
                # The engine leaves the last word to its manager, which takes the move that it names.
                action = self._action(game, replace(answer, kind=wire.AnswerKind.CELLS))
                assert isinstance(action, Place)
                self._send(f"PLAY {wire.format_cell(action.move, game.rules.size)}")
                continue
            if (
                answer.kind in (wire.AnswerKind.ERROR, wire.AnswerKind.UNKNOWN)
                and game.phase is not Phase.PLAY
            ):
                raise ProtocolError(
                    f"{self.engine.name} does not understand SWAP2BOARD: {answer.text[:100]!r}"
                )
            report = wire.parse_report(line) or report
            if report is not None and on_info is not None and time.monotonic() - shown > 0.2:
                shown = time.monotonic()
                on_info(_info(game.to_move, report, None, shown - asked))

    def _action(self, game: Game, answer: wire.EngineAnswer) -> Action:
        """The action an answer means, if the game allows it."""
        choosing = game.phase in (Phase.CHOOSE, Phase.CHOOSE_AFTER_FIVE)
        if answer.kind is wire.AnswerKind.SWAP and choosing:
            return Swap()
        counts = {Phase.PLACE_THREE: (3,), Phase.CHOOSE: (1, 2)}.get(game.phase, (1,))
        cells = tuple(Move(cell, game.rules.size) for cell in answer.cells)
        if len(cells) not in counts:
            expected = f"{' or '.join(map(str, counts))} cells of the board{' or SWAP' if choosing else ''}"
            raise self._nonsense(game, answer, f"expected {expected}")
        for cell in cells:
            if game.position.cells[cell] != Stone.EMPTY or cells.count(cell) > 1:
                raise self._nonsense(game, answer, f"{format_move(cell, game.rules.size)} is occupied")
        return Place(cells[0]) if len(cells) == 1 else PlaceSeveral(cells)

    def _nonsense(self, game: Game, answer: wire.EngineAnswer, why: str) -> ProtocolError:
        return ProtocolError(f"{self.engine.name} answered {answer.text[:60]!r} at ply {game.ply}: {why}")

    def _send(self, line: str) -> None:
        try:
            self._process.send(line)
        except EOFError as error:
            raise self._crashed(f"before {line[:30]!r}", error) from None

    def _read(self, deadline: float, what: str, seconds: float) -> str:
        try:
            return self._process.read(deadline - time.monotonic())
        except TimeoutError:
            raise PlayerTimeout(f"{self.engine.name} did not {what} in {seconds:.3g} s") from None
        except EOFError as error:
            raise self._crashed(f"asked to {what}", error) from None

    def _drain(self) -> None:
        """Drop what was said unasked; an end is noticed by the next line that is sent or read."""
        with contextlib.suppress(TimeoutError, EOFError):
            while True:
                self._process.read(0)

    def _crashed(self, when: str, error: EOFError) -> PlayerCrashed:
        return PlayerCrashed(f"{self.engine.name} ended {when}: {error}")


def _stones(game: Game) -> Stones:
    """All stones with their colours, as played; those of a set-up position as if they had alternated."""
    cells = game.start.cells
    by_color = [
        [(Move(cell, game.rules.size), color) for cell in (cells == color).nonzero()[0]] for color in Color
    ]
    pairs = chain.from_iterable(zip_longest(*by_color))
    stones = [stone for stone in pairs if stone is not None]
    color = game.start.to_move
    for move in game.moves:
        stones.append((move, color))
        color = color.opponent
    lead = sum(1 if color is Color.BLACK else -1 for _, color in stones)
    if lead != (0 if game.to_move is Color.BLACK else 1):
        raise UnsupportedError(
            f"{lead} more black than white stones and {game.to_move.name.lower()} to move: "
            "the Gomocup protocol cannot express it"
        )
    return tuple(stones)


def _ms(seconds: float) -> int:
    return int(min(max(seconds * 1000, -wire.UNLIMITED_MS), wire.UNLIMITED_MS))


def _info(
    color: Color, report: wire.EngineReport | None, action: Action | None, time_s: float = 0.0
) -> SearchInfo:
    """What the engine reported, from its side, in our terms."""
    said = report or wire.EngineReport()
    lines: tuple[Line, ...] = ()
    if isinstance(action, Place):
        value = None if said.winrate is None else 2 * said.winrate - 1
        lines = (Line(action.move, value, color, score=said.score, win_in=said.win_in, pv=(action.move,)),)
    depth, most = said.depth or 0, said.max_depth or said.depth or 0
    return SearchInfo(color, lines, nodes=said.nodes or 0, depth=depth, max_depth=most, time_s=time_s)
