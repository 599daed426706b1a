"""The engine's side of the Gomocup protocol as a state machine: lines in, events out. No input or output.

The owner passes each line to :meth:`Session.receive` and does what the events say. After a
:class:`Think` it answers with :meth:`Session.answer`; meanwhile STOP, END, INFO and ABOUT are heard
at once and every other command waits for the answer. Names of commands that graphical interfaces add
begin with YX.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from wuzi.core.rules import MAX_SIZE
from wuzi.core.types import Color
from wuzi.protocols.gomocup import wire
from wuzi.protocols.gomocup.requests import (
    About,
    Event,
    Exit,
    Forget,
    GomocupReply,
    GomocupTask,
    Limits,
    Ponder,
    Request,
    StopThinking,
    Think,
)
from wuzi.protocols.gomocup.steps import MAX_FIFTHS, STEPS, OpeningStep, first_two, third_cells
from wuzi.protocols.gomocup.stones import BLOCKS, OWN, THEIRS, Block, Stones

MIN_SIZE = 5
MAX_LINE = 4096
"""Characters of a line that are looked at."""
MAX_CANDIDATES = 100

_MAX_WAITING = 4096
_NEW_GAME = ("START", "RECTSTART", "RESTART")

_PLAYED = (GomocupTask.MOVE, GomocupTask.BALANCE_ONE, GomocupTask.BALANCE_TWO)
"""Requests whose answers are stones that stand on the board from then on."""

_NO_BOARD = "there is no board: send START first"


class Session:
    """One engine process's conversation; ``size`` is the board's, 0 while there is none."""

    def __init__(self, about: About) -> None:
        self.about = about
        self.size = 0
        self._stones = Stones()
        self.limits = Limits()
        self._blocked: set[int] = set()
        self._block: Block | None = None
        self._request: Request | None = None
        self._step: OpeningStep | None = None
        self._skips = False
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
            "YXSHOWINFO": self._show_info,
            "YXNBEST": self._best_moves,
            "YXSHOWFORBID": self._show_forbidden,
            "YXHASHCLEAR": lambda args: [Forget()],
            "YXBLOCKRESET": self._unblock,
            "YXBALANCEONE": lambda args: self._balance(GomocupTask.BALANCE_ONE, args),
            "YXBALANCETWO": lambda args: self._balance(GomocupTask.BALANCE_TWO, args),
            "YXSOOSORVSTEP1": self._soosorv_three,
            **{f"YXSWAP2STEP{number}": partial(self._swap2_step, number) for number in (1, 2, 3)},
        }

    @property
    def thinking(self) -> bool:
        """Whether an answer is owed."""
        return self._request is not None

    def receive(self, line: str) -> list[Event]:
        """Take one line; any text is survived."""
        command = wire.parse_command(line[:MAX_LINE])
        if command is None:
            return []
        if command.name == "END":
            return [Exit()]
        if command.name == "INFO":
            return self._info(command.args)
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
                ``GomocupTask.FORBIDDEN`` the forbidden points.
            used_s: seconds it took.

        Returns:
            The reply, and what the commands that waited for it cause.

        Raises:
            ValueError: the answer is not playable.
        """
        request = self._request
        if request is None:
            raise ValueError("nothing was asked")
        request.check(cells)
        self._request = None
        step, self._step = self._step, None
        events: list[Event] = [GomocupReply(text) for text in _reply_lines(request, step, cells)]
        if request.task is not GomocupTask.FORBIDDEN:
            self._used_s += used_s
        if cells is not None and step is None and request.task in _PLAYED:
            for index, cell in enumerate(cells):
                self._stones.put(cell, THEIRS if index else OWN)
            events += self._ponder(request)
        while self._waiting and self._request is None:
            events += self.receive(self._waiting.popleft())
        return events

    def _info(self, args: str) -> list[Event]:
        pondered = self.limits.pondering
        if (problem := self.limits.set(args)) is not None:
            return [GomocupReply(f"MESSAGE {problem}")]
        # While an answer is owed nobody ponders, and the search for it goes on.
        return [StopThinking()] if pondered and not (self.limits.pondering or self.thinking) else []

    def _ponder(self, request: Request) -> list[Event]:
        """Use the opponent's time, if that is wanted and nothing waits."""
        wanted = self.limits.pondering and not self._waiting and self.limits.rule_in_force() is not None
        if not wanted or request.task is not GomocupTask.MOVE or request.multipv > 1:
            return []
        if len(self._stones.who) >= self.size**2 - 1:
            return []
        return [Ponder(self._make_request(request.me, self._stones.colored(request.me)))]

    def _wait(self, command: wire.Command, line: str) -> list[Event]:
        if len(self._waiting) >= _MAX_WAITING:
            return _error("too many commands while thinking")
        self._waiting.append(line)
        return [StopThinking()] if command.name in _NEW_GAME else []

    def _run(self, command: wire.Command) -> list[Event]:
        if command.name.startswith("YX"):
            self.limits.graphical = True
        if self._skips and (command.name == "DONE" or wire.is_cell_line(command.name)):
            self._skips = command.name != "DONE"
            return []
        self._skips = False
        if command.name in BLOCKS:
            self._block = Block(command.name, self.size, args=command.args)
            return []
        handler = self._commands.get(command.name)
        if handler is None:
            # Unknown commands of graphical interfaces may bring lines of cells along: one answer is enough.
            self._skips = command.name.startswith("YX")
            return [GomocupReply(f"UNKNOWN command {wire.printable(command.name)}")]
        problem = self.limits.take_problem()
        if problem is not None and command.name in _NEW_GAME:
            return _error(problem)
        return [*_told(problem), *handler(command.args)]

    def _start(self, args: str) -> list[Event]:
        numbers = [wire.parse_whole(word) for word in args.split()]
        size = numbers[0] if numbers else None
        if size is None or None in numbers or len(numbers) > 2:
            return _error(f"START {wire.printable(args)}: expected a board size")
        if numbers[-1] != size:
            return _error(f"START {wire.printable(args)}: rectangular board is not supported")
        if not MIN_SIZE <= size <= MAX_SIZE:
            return _error(f"unsupported board size {size}: expected {MIN_SIZE} to {MAX_SIZE}")
        self.size = size
        return self._restart("")

    def _rectstart(self, args: str) -> list[Event]:
        width, _, height = args.partition(",")
        if wire.parse_whole(width) is not None and wire.parse_whole(width) == wire.parse_whole(height):
            return self._start(width)
        return _error("rectangular board is not supported")

    def _restart(self, args: str) -> list[Event]:
        if not self.size:
            return _error(_NO_BOARD)
        self._block = None
        self._stones.clear()
        self._blocked.clear()
        self.limits.time_left = None
        self._used_s = 0.0
        return [GomocupReply("OK")]

    def _begin(self, args: str) -> list[Event]:
        if self._stones.who:
            return _error("BEGIN: the board is not empty")
        return self._ask_move()

    def _turn(self, args: str) -> list[Event]:
        return self._place(args, THEIRS) or self._ask_move()

    def _play(self, args: str) -> list[Event]:
        done = self._place(args, OWN)
        return done or [GomocupReply(wire.format_cell(next(reversed(self._stones.who)), self.size))]

    def _takeback(self, args: str) -> list[Event]:
        if not self.size:
            return _error(_NO_BOARD)
        cell = wire.parse_cell(args, self.size)
        if cell is None or cell not in self._stones.who:
            return _error(f"TAKEBACK {wire.printable(args)}: there is no stone")
        self._stones.remove(cell)
        return [GomocupReply("OK")]

    def _block_line(self, block: Block, line: str) -> list[Event]:
        if not block.add(line[:MAX_LINE]):
            return []
        self._block = None
        told = _told(self.limits.take_problem())
        problem = block.error if self.size else _NO_BOARD
        return [*told, *(self._use_block(block) if problem is None else _error(problem))]

    def _use_block(self, block: Block) -> list[Event]:
        if block.name == "SWAP2BOARD":
            if len(block.stones) not in (0, 3, 5):
                return _error(f"SWAP2BOARD with {len(block.stones)} stones: expected 0, 3 or 5")
            me, opening = (Color.WHITE if block.stones else Color.BLACK), tuple(block.stones)
            return self._ask(self._make_request(me, (), GomocupTask.OPENING, opening=opening))
        if block.name in STEPS:
            return self._soosorv_step(STEPS[block.name], tuple(block.stones), block.args)
        if block.name in ("YXBLOCK", "YXBLOCKUNDO"):
            change = self._blocked.update if block.name == "YXBLOCK" else self._blocked.difference_update
            change(block.stones)
            return []
        if len(block.stones) == self.size**2:
            return _error("the board is full")
        self._stones.set_up(block.stones, analysis=block.name == "YXBOARD")
        return self._ask_move() if block.name == "BOARD" else []

    def _swap2_step(self, number: int, args: str) -> list[Event]:
        """A step of swap2, with the stones that are set up; the first begins with none."""
        if not self.size:
            return _error(_NO_BOARD)
        if number == 1:
            self._stones.clear()
        step, stones = STEPS[f"YXSWAP2STEP{number}"], tuple(self._stones.who)
        if not step.fits(len(stones)):
            return _error(f"YXSWAP2STEP{number} with {len(stones)} stones: expected {step.stones}")
        me = Color.WHITE if stones else Color.BLACK
        return self._ask(self._make_request(me, (), GomocupTask.OPENING, opening=stones), step)

    def _soosorv_three(self, args: str) -> list[Event]:
        """Three stones of an opening of renju, the third where both sides stand alike."""
        if not self.size:
            return _error(_NO_BOARD)
        self._stones.clear()
        stones = tuple(zip(first_two(self.size), Color, strict=True))
        outside = frozenset(range(self.size**2)) - third_cells(self.size)
        request = self._make_request(Color.BLACK, stones, GomocupTask.BALANCE_ONE)
        return self._ask(replace(request, blocked=outside), STEPS["YXSOOSORVSTEP1"])

    def _soosorv_step(self, step: OpeningStep, cells: tuple[int, ...], args: str) -> list[Event]:
        """A later step of Soosõrv's opening, with its stones in the order of play."""
        name = f"YXSOOSORVSTEP{step.number}"
        if not step.fits(len(cells)):
            return _error(f"{name} with {len(cells)} stones: expected {step.stones}")
        count = wire.parse_whole(args) if step.counts else 1
        if count is None or not 1 <= count <= MAX_FIFTHS:
            return _error(f"{name} {wire.printable(args)}: expected 1 to {MAX_FIFTHS} fifth moves")
        known = cells[:4] if step.task is GomocupTask.PICK else cells
        stones = tuple(zip(known, (Color.BLACK, Color.WHITE) * 2, strict=False))
        me = Color.BLACK if step.stones == 4 else Color.WHITE
        request = self._make_request(me, stones, step.task, multipv=count)
        return self._ask(replace(request, choices=cells[len(known) :]), step)

    def _show_info(self, args: str) -> list[Event]:
        """The greeting of a graphical interface: what the engine can be told to use."""
        threads, hash_size = self.about.max_threads, self.about.max_hash_log2_kb
        said = (self.about.title, f"INFO MAX_THREAD_NUM {threads}", f"INFO MAX_HASH_SIZE {hash_size}")
        return [GomocupReply(f"MESSAGE {text}") for text in said]

    def _best_moves(self, args: str) -> list[Event]:
        """Think about several candidates; the answer is the best one."""
        count = wire.parse_whole(args)
        if count is None or not 1 <= count <= MAX_CANDIDATES:
            return _error(f"YXNBEST {wire.printable(args)}: expected 1 to {MAX_CANDIDATES} candidates")
        self._stones.analyse()
        return self._ask_move(multipv=count)

    def _balance(self, task: GomocupTask, args: str) -> list[Event]:
        """Look for a position in which both sides stand alike, or differ by the score that is named."""
        bias = wire.parse_whole(args) if args.strip() else 0
        if bias is None:
            return _error(f"balance {wire.printable(args)}: expected a score")
        self._stones.analyse()
        return self._ask_move(task, bias=bias)

    def _show_forbidden(self, args: str) -> list[Event]:
        """The forbidden points; none unless Black is to move in renju."""
        if not self.size:
            return _error(_NO_BOARD)
        rule = self.limits.rule_in_force()
        if rule is None or not rule.forbids or self._stones.mover() is not Color.BLACK:
            return [GomocupReply(wire.format_forbidden((), self.size))]
        black = Color.BLACK if self._stones.black() == OWN else Color.WHITE
        return self._ask(self._make_request(Color.BLACK, self._stones.colored(black), GomocupTask.FORBIDDEN))

    def _unblock(self, args: str) -> list[Event]:
        self._blocked.clear()
        return []

    def _ask_move(
        self, task: GomocupTask = GomocupTask.MOVE, *, multipv: int = 1, bias: int = 0
    ) -> list[Event]:
        """Ask for a move of the side to move."""
        if not self.size:
            return _error(_NO_BOARD)
        needed = 2 if task is GomocupTask.BALANCE_TWO else 1
        if len(self._stones.who) + needed > self.size**2:
            return _error("the board is full")
        self._stones.take_turn()
        me = self._stones.own_color()
        return self._ask(self._make_request(me, self._stones.colored(me), task, multipv=multipv, bias=bias))

    def _ask(self, request: Request, step: OpeningStep | None = None) -> list[Event]:
        self._request, self._step = request, step
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
        rule = limits.rule_in_force()
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
            blocked=frozenset(self._blocked),
            bias=bias,
        )

    def _place(self, text: str, who: int) -> list[Event]:
        """Put a stone on the cell that is named; an error if that cannot be done, else nothing to say."""
        if not self.size:
            return _error(_NO_BOARD)
        cell = wire.parse_cell(text, self.size)
        if cell is None:
            return _error(f"{wire.printable(text)}: expected x,y on the board")
        if cell in self._stones.who:
            return _error(f"{wire.format_cell(cell, self.size)} is occupied")
        self._stones.put(cell, who)
        return []


def _reply_lines(request: Request, step: OpeningStep | None, cells: tuple[int, ...] | None) -> list[str]:
    if step is not None:
        return step.answer(cells, [cell for cell, _ in request.stones], request.size)
    if cells is None:
        return ["SWAP"]
    write = wire.format_forbidden if request.task is GomocupTask.FORBIDDEN else wire.format_cells
    return [write(cells, request.size)]


def _told(problem: str | None) -> list[Event]:
    return [] if problem is None else [GomocupReply(f"MESSAGE {problem}; the rule before it stays in force")]


def _error(text: str) -> list[Event]:
    return [GomocupReply(f"ERROR {text}")]
