"""The engine's side of the Gomocup protocol as a state machine: lines in, events out. No input or output.

The owner passes each line to :meth:`Session.receive` and does what the events say. After a
:class:`Think` it answers with :meth:`Session.answer`; meanwhile STOP, END, INFO and ABOUT are heard
at once and every other command waits for the answer. The commands that graphical interfaces add
(their names begin with YX) live in :mod:`wuzi.protocols.gomocup.analysis`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from wuzi.core.rules import MAX_SIZE
from wuzi.core.types import Color
from wuzi.protocols.gomocup.analysis import analysis_commands
from wuzi.protocols.gomocup.blocks import BLOCKS, Block
from wuzi.protocols.gomocup.limits import Limits, printable
from wuzi.protocols.gomocup.requests import (
    Event,
    Exit,
    GomocupReply,
    GomocupTask,
    Ponder,
    Request,
    StopThinking,
    Think,
)
from wuzi.protocols.gomocup.stones import OWN, THEIRS, Stones
from wuzi.protocols.gomocup.wire import (
    Command,
    format_cell,
    format_cells,
    format_forbidden,
    parse_cell,
    parse_command,
    parse_whole,
)

MIN_SIZE = 5
MAX_LINE = 4096
"""Characters of a line that are looked at."""

_MAX_WAITING = 4096
_NEW_GAME = ("START", "RECTSTART", "RESTART")

Handler = Callable[[str], list[Event]]


@dataclass(frozen=True, slots=True)
class About:
    """What the engine says about itself.

    Attributes:
        line: the answer to ABOUT.
        title: name and version, for people.
        max_threads: threads that the search can use.
        max_hash_log2_kb: the largest transposition table, as the power of two of its kilobytes.
    """

    line: str
    title: str = ""
    max_threads: int = 1
    max_hash_log2_kb: int = 22


class Session:
    """One engine process's conversation."""

    def __init__(self, about: About) -> None:
        self.about = about
        self.size = 0
        self.stones = Stones()
        self.limits = Limits()
        self.blocked: set[int] = set()
        self._block: Block | None = None
        self._request: Request | None = None
        self._waiting: deque[str] = deque()
        self._used_s = 0.0
        self._commands: dict[str, Handler] = {
            "START": self._start,
            "RECTSTART": self._rectstart,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "PLAY": self._play,
            "TAKEBACK": self._takeback,
            **analysis_commands(self),
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
            self.limits.set(command.args)
            return []
        if command.name in ("STOP", "YXSTOP"):
            return [StopThinking()]
        if command.name == "ABOUT":
            return [GomocupReply(self.about.line)]
        if self.thinking:
            return self._wait(command, line[:MAX_LINE])
        if self._block is not None and command.name not in _NEW_GAME:
            return self._block_line(self._block, line)
        return self._run(command)

    def answer(self, cells: tuple[int, ...] | None, used_s: float = 0.0) -> list[Event]:
        """The engine's answer to the last :class:`Think`.

        Args:
            cells: the move or moves; for SWAP2BOARD the cells to place, or None to swap; for
                ``Task.FORBIDDEN`` the forbidden points.
            used_s: seconds it took.

        Returns:
            The reply, and what the commands that waited for it cause.

        Raises:
            ValueError: the answer is not playable, which is the caller's mistake.
        """
        request = self._request
        if request is None:
            raise ValueError("nothing was asked")
        request.check(cells)
        self._request = None
        events: list[Event] = [self._answer_line(request, cells)]
        if request.task is not GomocupTask.FORBIDDEN:
            self._used_s += used_s
        if cells is not None and request.task not in (GomocupTask.OPENING, GomocupTask.FORBIDDEN):
            for index, cell in enumerate(cells):
                self.stones.put(cell, THEIRS if index else OWN)
            events += self._ponder(request)
        while self._waiting and self._request is None:
            events += self.receive(self._waiting.popleft())
        return events

    @staticmethod
    def _answer_line(request: Request, cells: tuple[int, ...] | None) -> GomocupReply:
        if cells is None:
            return GomocupReply("SWAP")
        if request.task is GomocupTask.FORBIDDEN:
            return GomocupReply(format_forbidden(cells, request.size))
        return GomocupReply(format_cells(cells, request.size))

    def _ponder(self, request: Request) -> list[Event]:
        """Use the opponent's time, if that is wanted and nothing waits."""
        wanted = self.limits.pondering and not self._waiting and self.limits.rule() is not None
        if not wanted or request.task is not GomocupTask.MOVE or request.multipv > 1:
            return []
        if len(self.stones.who) >= self.size**2 - 1:
            return []
        return [Ponder(self._make_request(request.me, self.stones.colored(request.me)))]

    def _wait(self, command: Command, line: str) -> list[Event]:
        if len(self._waiting) >= _MAX_WAITING:
            return [GomocupReply("ERROR too many commands while thinking")]
        self._waiting.append(line)
        return [StopThinking()] if command.name in _NEW_GAME else []

    def _run(self, command: Command) -> list[Event]:
        if command.name.startswith("YX"):
            self.limits.graphical = True
        if command.name in BLOCKS:
            self._block = Block(command.name, self.size)
            return []
        handler = self._commands.get(command.name)
        if handler is None:
            return [GomocupReply(f"UNKNOWN command {printable(command.name)}")]
        if (problem := self.limits.take_problem()) is not None:
            return [GomocupReply(f"ERROR {problem}")]
        return handler(command.args)

    def _start(self, args: str) -> list[Event]:
        size = parse_whole(args)
        if size is None:
            return [GomocupReply(f"ERROR START {printable(args)}: expected a board size")]
        if not MIN_SIZE <= size <= MAX_SIZE:
            return [GomocupReply(f"ERROR unsupported board size {size}: expected {MIN_SIZE} to {MAX_SIZE}")]
        self.size = size
        return self._restart("")

    def _rectstart(self, args: str) -> list[Event]:
        width, _, height = args.partition(",")
        if parse_whole(width) is not None and parse_whole(width) == parse_whole(height):
            return self._start(width)
        return [GomocupReply("ERROR rectangular board is not supported")]

    def _restart(self, args: str) -> list[Event]:
        if not self.size:
            return [self.no_board()]
        self._block = None
        self.stones.clear()
        self.blocked.clear()
        self.limits.time_left = None
        self._used_s = 0.0
        return [GomocupReply("OK")]

    def _begin(self, args: str) -> list[Event]:
        if not self.size:
            return [self.no_board()]
        if self.stones.who:
            return [GomocupReply("ERROR BEGIN: the board is not empty")]
        return self.think()

    def _turn(self, args: str) -> list[Event]:
        cell = self._free_cell(args)
        if isinstance(cell, GomocupReply):
            return [cell]
        self.stones.put(cell, THEIRS)
        return self.think()

    def _play(self, args: str) -> list[Event]:
        cell = self._free_cell(args)
        if isinstance(cell, GomocupReply):
            return [cell]
        self.stones.put(cell, OWN)
        return [GomocupReply(format_cell(cell, self.size))]

    def _takeback(self, args: str) -> list[Event]:
        if not self.size:
            return [self.no_board()]
        cell = parse_cell(args, self.size)
        if cell is None or cell not in self.stones.who:
            return [GomocupReply(f"ERROR TAKEBACK {printable(args)}: there is no stone")]
        self.stones.remove(cell)
        return [GomocupReply("OK")]

    def _block_line(self, block: Block, line: str) -> list[Event]:
        if not block.add(line[:MAX_LINE]):
            return []
        self._block = None
        if (problem := self.limits.take_problem()) is not None:
            return [GomocupReply(f"ERROR {problem}")]
        if not self.size:
            return [self.no_board()]
        if block.error is not None:
            return [GomocupReply(f"ERROR {block.error}")]
        return self._block_done(block)

    def _block_done(self, block: Block) -> list[Event]:
        if block.name == "SWAP2BOARD":
            if len(block.stones) not in (0, 3, 5):
                return [GomocupReply(f"ERROR SWAP2BOARD with {len(block.stones)} stones: expected 0, 3 or 5")]
            return self._ask(self._opening_request(tuple(block.stones)))
        if block.name == "YXBLOCK":
            self.blocked |= set(block.stones)
            return []
        if block.name == "YXBLOCKUNDO":
            self.blocked -= set(block.stones)
            return []
        if len(block.stones) == self.size**2:
            return [GomocupReply("ERROR the board is full")]
        self.stones.set_up(block.stones, analysis=block.name == "YXBOARD")
        return self.think() if block.name == "BOARD" else []

    def think(self, task: GomocupTask = GomocupTask.MOVE, *, multipv: int = 1, bias: int = 0) -> list[Event]:
        """Ask for a move of the side to move."""
        needed = 2 if task is GomocupTask.BALANCE_TWO else 1
        if len(self.stones.who) + needed > self.size**2:
            return [GomocupReply("ERROR the board is full")]
        self.stones.take_turn()
        me = self.stones.own_color()
        return self._ask(self._make_request(me, self.stones.colored(me), task, multipv=multipv, bias=bias))

    def ask_forbidden(self) -> list[Event]:
        """Ask for the cells that Black may not play now."""
        black = Color.BLACK if self.stones.black() == OWN else Color.WHITE
        return self._ask(self._make_request(Color.BLACK, self.stones.colored(black), GomocupTask.FORBIDDEN))

    def _opening_request(self, opening: tuple[int, ...]) -> Request:
        me = Color.WHITE if opening else Color.BLACK
        return self._make_request(me, (), GomocupTask.OPENING, opening=opening)

    def _ask(self, request: Request) -> list[Event]:
        self._request = request
        return [Think(request)]

    def _make_request(
        self,
        me: Color,
        stones: tuple[tuple[int, Color], ...],
        task: GomocupTask = GomocupTask.MOVE,
        *,
        opening: tuple[int, ...] | None = None,
        multipv: int = 1,
        bias: int = 0,
    ) -> Request:
        limits = self.limits
        rule = limits.rule()
        assert rule is not None  # take_problem came first
        return Request(
            size=self.size,
            rule=rule,
            stones=stones,
            me=me,
            opening=opening,
            budget=limits.budget(self._used_s),
            max_nodes=limits.max_node if limits.max_node > 0 else None,
            max_depth=limits.max_depth if limits.max_depth > 0 else None,
            max_memory=max(0, limits.max_memory),
            hash_kb=max(0, limits.hash_size),
            threads=min(limits.thread_num, self.about.max_threads),
            task=task,
            multipv=multipv,
            blocked=frozenset(self.blocked),
            bias=bias,
        )

    def _free_cell(self, text: str) -> int | GomocupReply:
        if not self.size:
            return self.no_board()
        cell = parse_cell(text, self.size)
        if cell is None:
            return GomocupReply(f"ERROR {printable(text)}: expected x,y on the board")
        if cell in self.stones.who:
            return GomocupReply(f"ERROR {format_cell(cell, self.size)} is occupied")
        return cell

    @staticmethod
    def no_board() -> GomocupReply:
        """The answer to a command that needs a board before START."""
        return GomocupReply("ERROR there is no board: send START first")
