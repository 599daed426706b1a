"""The engine's side of the Gomocup protocol as a state machine: lines in, events out. No input or output.

The owner passes each line to :meth:`Session.receive` and does what the events say. After a
:class:`Think` it answers with :meth:`Session.answer`; meanwhile STOP, END, INFO and ABOUT are heard
at once and every other command waits for the answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from wuzi.core.rules import MAX_SIZE, Rule
from wuzi.core.types import Color
from wuzi.protocols.gomocup import (
    Command,
    format_cell,
    format_cells,
    parse_cell,
    parse_command,
    parse_stone,
    parse_whole,
    rule_from_code,
)
from wuzi.protocols.gomocup_time import Budget, think_budget

MIN_SIZE = 5
MAX_LINE = 4096
"""Characters of a line that are looked at."""

_MAX_WAITING = 4096


@dataclass(frozen=True, slots=True)
class Request:
    """What the engine shall answer.

    Attributes:
        size: rows and columns.
        rule: the rule in force.
        stones: (cell, colour) on the board, as far as known in the order they were played.
        me: the engine's colour, which is to move.
        opening: None for a move; for SWAP2BOARD its 0, 3 or 5 cells in order (``stones`` is empty then).
        budget: how long it may take.
        max_nodes, max_depth: limits of the search, None for none.
        max_memory: bytes, 0 for no limit.
    """

    size: int
    rule: Rule
    stones: tuple[tuple[int, Color], ...]
    me: Color
    opening: tuple[int, ...] | None
    budget: Budget
    max_nodes: int | None = None
    max_depth: int | None = None
    max_memory: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """Send this line."""

    text: str


@dataclass(frozen=True, slots=True)
class Think:
    """Think, then call :meth:`Session.answer`."""

    request: Request


@dataclass(frozen=True, slots=True)
class StopThinking:
    """Answer as soon as possible."""


@dataclass(frozen=True, slots=True)
class Exit:
    """End the process now."""


Event = Reply | Think | StopThinking | Exit


@dataclass(slots=True)
class _Limits:
    """What INFO said, in the protocol's units."""

    rule: Rule = Rule.FREESTYLE
    timeout_turn: int | None = None
    timeout_match: int = 0
    time_left: int | None = None
    max_memory: int = 0
    max_node: int = 0
    max_depth: int = 0


@dataclass(slots=True)
class _Block:
    """The lines between BOARD or SWAP2BOARD and DONE."""

    swap: bool
    stones: dict[int, int] = field(default_factory=dict)
    error: str | None = None


class Session:
    """One engine process's conversation.

    Args:
        about: the answer to ABOUT.
    """

    def __init__(self, about: str) -> None:
        self._about = about
        self._size = 0
        self._stones: dict[int, int] = {}
        self._limits = _Limits()
        self._problem: str | None = None
        self._block: _Block | None = None
        self._request: Request | None = None
        self._waiting: deque[str] = deque()
        self._used_s = 0.0
        self._commands: dict[str, Callable[[str], list[Event]]] = {
            "START": self._start,
            "RECTSTART": self._rectstart,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "PLAY": self._play,
            "TAKEBACK": self._takeback,
            "BOARD": self._board,
            "SWAP2BOARD": self._board,
        }

    @property
    def thinking(self) -> bool:
        """Whether an answer is owed."""
        return self._request is not None

    def receive(self, line: str) -> list[Event]:
        """Take one line; any text is survived."""
        command = parse_command(line[:MAX_LINE])
        if command is None:
            return []
        if command.name == "END":
            return [Exit()]
        if command.name == "INFO":
            self._info(command.args)
            return []
        if command.name in ("STOP", "YXSTOP"):
            return [StopThinking()] if self.thinking else []
        if command.name == "ABOUT":
            return [Reply(self._about)]
        if self.thinking:
            return self._wait(command, line[:MAX_LINE])
        if self._block is not None and command.name not in ("START", "RECTSTART", "RESTART"):
            return self._block_line(self._block, line)
        return self._run(command)

    def answer(self, cells: Sequence[int] | None, used_s: float = 0.0) -> list[Event]:
        """The engine's answer to the last :class:`Think`.

        Args:
            cells: the move; for SWAP2BOARD the cells to place, or None to swap.
            used_s: seconds it took.

        Returns:
            The reply, and what the commands that waited for it cause.

        Raises:
            ValueError: the answer is not playable, which is the caller's mistake.
        """
        request = self._request
        if request is None:
            raise ValueError("nothing was asked")
        self._check(request, cells)
        self._request = None
        self._used_s += used_s
        if cells is None:
            events: list[Event] = [Reply("SWAP")]
        else:
            events = [Reply(format_cells(cells, request.size))]
            if request.opening is None:
                self._stones[cells[0]] = 1
        while self._waiting and self._request is None:
            events += self.receive(self._waiting.popleft())
        return events

    @staticmethod
    def _check(request: Request, cells: Sequence[int] | None) -> None:
        taken = {cell for cell, _ in request.stones} | set(request.opening or ())
        counts = {None: {1}, 0: {3}, 3: {1, 2}, 5: {1}}
        asked = None if request.opening is None else len(request.opening)
        if cells is None and asked in (3, 5):
            return
        good = cells is not None and len(cells) in counts[asked] and len(set(cells)) == len(cells)
        if cells is None or not good:
            raise ValueError(f"answer {cells} to a request for {counts[asked]} cells")
        for cell in cells:
            if cell in taken or not 0 <= cell < request.size**2:
                raise ValueError(f"answer {format_cell(cell, request.size)} cannot be played")

    def _wait(self, command: Command, line: str) -> list[Event]:
        if len(self._waiting) >= _MAX_WAITING:
            return [Reply("ERROR too many commands while thinking")]
        self._waiting.append(line)
        return [StopThinking()] if command.name in ("START", "RECTSTART", "RESTART") else []

    def _run(self, command: Command) -> list[Event]:
        handler = self._commands.get(command.name)
        if handler is None:
            return [Reply(f"UNKNOWN command {_printable(command.name)}")]
        if command.name in ("BOARD", "SWAP2BOARD"):
            return handler(command.name)
        if self._problem is not None:
            return [self._report_problem()]
        return handler(command.args)

    def _report_problem(self) -> Reply:
        problem, self._problem = self._problem, None
        return Reply(f"ERROR {problem}")

    def _start(self, args: str) -> list[Event]:
        size = parse_whole(args)
        if size is None:
            return [Reply(f"ERROR START {_printable(args)}: expected a board size")]
        if not MIN_SIZE <= size <= MAX_SIZE:
            return [Reply(f"ERROR unsupported board size {size}: expected {MIN_SIZE} to {MAX_SIZE}")]
        self._size = size
        return self._restart("")

    def _rectstart(self, args: str) -> list[Event]:
        width, _, height = args.partition(",")
        if parse_whole(width) is not None and parse_whole(width) == parse_whole(height):
            return self._start(width)
        return [Reply("ERROR rectangular board is not supported")]

    def _restart(self, args: str) -> list[Event]:
        if not self._size:
            return [self._no_board()]
        self._block = None
        self._stones.clear()
        self._limits.time_left = None
        self._used_s = 0.0
        return [Reply("OK")]

    def _begin(self, args: str) -> list[Event]:
        if not self._size:
            return [self._no_board()]
        if self._stones:
            return [Reply("ERROR BEGIN: the board is not empty")]
        return self._think()

    def _turn(self, args: str) -> list[Event]:
        cell = self._free_cell(args)
        if isinstance(cell, Reply):
            return [cell]
        self._stones[cell] = 2
        if len(self._stones) == self._size**2:
            return [Reply("ERROR the board is full")]
        return self._think()

    def _play(self, args: str) -> list[Event]:
        cell = self._free_cell(args)
        if isinstance(cell, Reply):
            return [cell]
        self._stones[cell] = 1
        return [Reply(format_cell(cell, self._size))]

    def _takeback(self, args: str) -> list[Event]:
        if not self._size:
            return [self._no_board()]
        cell = parse_cell(args, self._size)
        if cell is None or cell not in self._stones:
            return [Reply(f"ERROR TAKEBACK {_printable(args)}: there is no stone")]
        del self._stones[cell]
        return [Reply("OK")]

    def _board(self, name: str) -> list[Event]:
        self._block = _Block(swap=name == "SWAP2BOARD")
        return []

    def _block_line(self, block: _Block, line: str) -> list[Event]:
        text = line[:MAX_LINE].strip()
        if text.upper() == "DONE":
            self._block = None
            return self._block_done(block)
        if block.error is None:
            block.error = self._add_stone(block, text)
        return []

    def _add_stone(self, block: _Block, text: str) -> str | None:
        """Put one line of a block on its board; what is wrong with it, if anything."""
        name = "SWAP2BOARD" if block.swap else "BOARD"
        if block.swap:
            cell = parse_cell(text, self._size)
            stone = None if cell is None else (cell, 1)
        else:
            stone = parse_stone(text, self._size)
        if stone is None:
            return f"{name} line {_printable(text)}: expected x,y{'' if block.swap else ',who'} on the board"
        if stone[0] in block.stones:
            return f"{name} line {_printable(text)}: the cell is taken"
        # 3 marks forbidden points in renju, which are empty cells.
        if stone[1] != 3:
            block.stones[stone[0]] = stone[1]
        return None

    def _block_done(self, block: _Block) -> list[Event]:
        if self._problem is not None:
            return [self._report_problem()]
        if not self._size:
            return [self._no_board()]
        if block.error is not None:
            return [Reply(f"ERROR {block.error}")]
        if block.swap:
            if len(block.stones) not in (0, 3, 5):
                return [Reply(f"ERROR SWAP2BOARD with {len(block.stones)} stones: expected 0, 3 or 5")]
            return self._think(opening=tuple(block.stones))
        if len(block.stones) == self._size**2:
            return [Reply("ERROR the board is full")]
        self._stones = block.stones
        return self._think()

    def _think(self, opening: tuple[int, ...] | None = None) -> list[Event]:
        limits = self._limits
        board = self._stones if opening is None else {}
        own = sum(who == 1 for who in board.values())
        me = Color.WHITE if own < len(board) - own or opening else Color.BLACK
        stones = tuple((cell, me if who == 1 else me.opponent) for cell, who in board.items())
        budget = think_budget(
            turn_ms=limits.timeout_turn,
            match_ms=limits.timeout_match,
            left_ms=limits.time_left,
            used_s=self._used_s,
            empty_cells=self._size**2 - len(board),
        )
        self._request = Request(
            size=self._size,
            rule=limits.rule,
            stones=stones,
            me=me,
            opening=opening,
            budget=budget,
            max_nodes=limits.max_node if limits.max_node > 0 else None,
            max_depth=limits.max_depth if limits.max_depth > 0 else None,
            max_memory=max(0, limits.max_memory),
        )
        return [Think(self._request)]

    def _info(self, args: str) -> None:
        key, _, text = args.partition(" ")
        key = key.lower()
        if key not in (
            "rule",
            "timeout_turn",
            "timeout_match",
            "time_left",
            "max_memory",
            "max_node",
            "max_depth",
        ):
            return
        value = parse_whole(text)
        if value is None:
            self._problem = f"INFO {key} {_printable(text)}: expected a whole number"
        elif key == "rule":
            rule = rule_from_code(value)
            if rule is None:
                self._problem = f"rule {value} is not supported: expected 0, 1, 4, 8 or 9"
            else:
                self._limits.rule = rule
        else:
            setattr(self._limits, key, value)

    def _free_cell(self, text: str) -> int | Reply:
        if not self._size:
            return self._no_board()
        cell = parse_cell(text, self._size)
        if cell is None:
            return Reply(f"ERROR {_printable(text)}: expected x,y on the board")
        if cell in self._stones:
            return Reply(f"ERROR {format_cell(cell, self._size)} is occupied")
        return cell

    @staticmethod
    def _no_board() -> Reply:
        return Reply("ERROR there is no board: send START first")


def _printable(text: str) -> str:
    """At most 40 printable ASCII characters of a text, to be repeated in an answer."""
    cut = "".join(char if " " <= char <= "~" else "?" for char in text[:40])
    return cut + "..." if len(text) > 40 else cut
