"""The commands that graphical interfaces add to the Gomocup protocol: their names begin with YX."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from wuzi.core.rules import Rule
from wuzi.core.types import Color
from wuzi.protocols.gomocup.limits import printable
from wuzi.protocols.gomocup.requests import Event, Forget, GomocupReply, GomocupTask
from wuzi.protocols.gomocup.wire import format_forbidden, parse_whole

if TYPE_CHECKING:
    from wuzi.protocols.gomocup.session import Handler, Session

MAX_CANDIDATES = 100


def analysis_commands(session: Session) -> dict[str, Handler]:
    """The handlers of a session's analysis commands by name.

    Blocks of lines (YXBOARD, YXBLOCK, YXBLOCKUNDO) and YXSTOP are dealt with by the session itself.
    """
    commands = _Commands(session)
    return {
        "YXSHOWINFO": commands.show_info,
        "YXNBEST": commands.best_moves,
        "YXSHOWFORBID": commands.show_forbidden,
        "YXHASHCLEAR": commands.clear_table,
        "YXBLOCKRESET": commands.unblock,
        "YXBALANCEONE": lambda args: commands.balance(GomocupTask.BALANCE_ONE, args),
        "YXBALANCETWO": lambda args: commands.balance(GomocupTask.BALANCE_TWO, args),
    }


class _Commands:
    def __init__(self, session: Session) -> None:
        self._session = session

    def show_info(self, args: str) -> list[Event]:
        """The greeting of a graphical interface: what the engine can be told to use."""
        about = self._session.about
        return [
            GomocupReply(f"MESSAGE {about.title}"),
            GomocupReply(f"MESSAGE INFO MAX_THREAD_NUM {about.max_threads}"),
            GomocupReply(f"MESSAGE INFO MAX_HASH_SIZE {about.max_hash_log2_kb}"),
        ]

    def best_moves(self, args: str) -> list[Event]:
        """Think about several candidates; the answer is the best one."""
        count = parse_whole(args)
        if count is None or not 1 <= count <= MAX_CANDIDATES:
            return [
                GomocupReply(f"ERROR YXNBEST {printable(args)}: expected 1 to {MAX_CANDIDATES} candidates")
            ]
        return self._with_board(lambda: self._session.think(multipv=count))

    def show_forbidden(self, args: str) -> list[Event]:
        """The forbidden points; none unless Black is to move in renju."""
        session = self._session
        if not session.size:
            return [session.no_board()]
        if session.limits.rule() is not Rule.RENJU or session.stones.mover() is not Color.BLACK:
            return [GomocupReply(format_forbidden((), session.size))]
        return session.ask_forbidden()

    def clear_table(self, args: str) -> list[Event]:
        """Forget what earlier searches learned."""
        return [Forget()]

    def unblock(self, args: str) -> list[Event]:
        """Consider all cells again."""
        self._session.blocked.clear()
        return []

    def balance(self, task: GomocupTask, args: str) -> list[Event]:
        """Look for a position in which both sides stand alike, or differ by the score that is named."""
        bias = parse_whole(args) if args.strip() else 0
        if bias is None:
            return [GomocupReply(f"ERROR balance {printable(args)}: expected a score")]
        return self._with_board(lambda: self._session.think(task, bias=bias))

    def _with_board(self, think: Callable[[], list[Event]]) -> list[Event]:
        if not self._session.size:
            return [self._session.no_board()]
        self._session.stones.analyse()
        return think()
