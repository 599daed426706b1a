"""The thinking half of ``pbrain-wuzi``: players loaded in the background, a thread that always answers."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from wuzi.apps.gomocup.jobs import WIN_LENGTH, ThinkAnswer, ThinkJob, ThinkProgress, fallback_answer
from wuzi.errors import WuziError
from wuzi.protocols.gomocup.requests import GomocupTask, Request

if TYPE_CHECKING:
    from wuzi.contract import Player
    from wuzi.core.rules import Rules

logger = logging.getLogger(__name__)

_WAIT_SHARE = 0.5
"""Part of a move's time that is spent waiting for a player that is still loading."""

_WORTH_WAITING_S = 10.0
"""With less time for a move, kernels that have to be compiled first are not waited for."""

_MARKER = "*.engine_search-*.nbi"
"""The engine's kernel that is compiled last."""


class _Slot:
    """One player, loaded in a thread of its own; ``cold`` says that kernels have to be compiled.

    ``made`` is the player as soon as there is one to describe, ``player`` once it is ready to think.
    """

    def __init__(self, spec: str, on_failure: Callable[[Exception], None]) -> None:
        self._spec = spec
        self._on_failure = on_failure
        self._thread: threading.Thread | None = None
        self.made: Player | None = None
        self.player: Player | None = None
        self.done = threading.Event()
        self.cold = threading.Event()

    def start(self) -> None:
        """Begin to load, once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._load, name="pbrain_load", daemon=True)
            self._thread.start()

    def _load(self) -> None:
        try:
            self.player = self._make()
            logger.info("%s is ready", self.player.name)
        except Exception as error:
            logger.exception("cannot load %s", self._spec)
            self._on_failure(error)
        self.done.set()
        if self.player is not None and self.cold.is_set():
            from wuzi.core.jit import load_kernels  # the rest, behind the first answer

            load_kernels()

    def _make(self) -> Player:
        from wuzi.core.jit import cache_dir, load_kernels

        if next(cache_dir().rglob(_MARKER), None) is None:
            self.cold.set()
        from wuzi.contract import Limit
        from wuzi.core.game import Game
        from wuzi.core.rules import Rules
        from wuzi.players.registry import create_player

        player = self.made = create_player(self._spec, allow_command=True)
        rules = Rules(size=15)
        if player.capabilities.why_not(rules) is None:
            # A first short search loads what the player imports only when it thinks.
            player.think(Game(rules).play("h8"), Limit(time_s=0.01, nodes=1))
        if not self.cold.is_set():
            load_kernels()
        return player


class Thinker:
    """Thinks in one background thread; the players are loaded in others.

    Of the players, given as specs in order of preference, the first that plays the rules answers. It is
    loaded at once, the others when rules ask for them. Until one is ready (its kernels may have to be
    compiled), moves come from the score table. From the background ``tell`` hears answers, progress, and why
    a player cannot be made.
    """

    def __init__(
        self, specs: Sequence[str], tell: Callable[[ThinkAnswer | ThinkProgress | Exception], None]
    ) -> None:
        self._tell = tell
        self.spec = specs[0]
        self._slots = [_Slot(spec, tell) for spec in specs]
        self._jobs: queue.Queue[ThinkJob] = queue.Queue()
        self._current: ThinkJob | None = None
        self._forget = threading.Event()
        self._expected: int | None = None

    def start(self) -> None:
        """Begin to load the player."""
        self._slots[0].start()
        threading.Thread(target=self._work, name="pbrain_think", daemon=True).start()

    def wait_until_ready(self, until: float, *, to_think: bool = True) -> None:
        """Wait for the player until a monotonic time, unless its kernels have to be compiled."""
        slot = self._slots[0]
        while not slot.done.is_set() and not slot.cold.is_set() and time.monotonic() < until:
            if slot.made is not None and not to_think:
                return
            slot.done.wait(0.01)

    def think(self, request: Request, arrived: float, *, ponder: bool = False) -> None:
        """Begin to think; ``arrived`` is the monotonic time from which the budget counts."""
        self.stop()
        self._current = ThinkJob(request, arrived, ponder)
        self._jobs.put(self._current)

    def stop(self) -> None:
        """Make the current thinking answer as soon as it can."""
        job = self._current
        if job is not None:
            job.stopped.set()
            if job.stop is not None:
                job.stop.set()

    @property
    def pondering(self) -> bool:
        """Whether the opponent's time is being used."""
        return self._current is not None and self._current.ponder and not self._current.stopped.is_set()

    def net_name(self, rules: Rules) -> str | None:
        """The net of the preferred player under these rules, ``none`` where it lacks one.

        None while the player is loaded, and for players without a net.
        """
        player = self._slots[0].made
        if player is None or not hasattr(player, "net_name"):
            return None
        try:
            found: str | None = player.net_name(rules)
        except WuziError:
            return "none"
        return found

    def forget(self) -> None:
        """Let the next search begin with empty tables."""
        self._forget.set()

    def best_so_far(self, request: Request) -> ThinkAnswer:
        """What to answer when time is up: the search's best move so far, else the score table's."""
        job = self._current
        if job is not None and job.request is request and job.best is not None:
            return ThinkAnswer(request, (job.best,))
        return ThinkAnswer(request, fallback_answer(request), self._why_no_player())

    def close(self) -> None:
        """Release the players."""
        self.stop()
        for slot in self._slots:
            if slot.player is not None:
                slot.player.close()

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                answer = self._answer(job)
            except Exception as error:
                logger.exception("thinking failed")
                text = " ".join(str(error).split())[:200]
                answer = ThinkAnswer(
                    job.request, fallback_answer(job.request), f"{type(error).__name__}: {text}"
                )
            if not job.ponder:
                self._tell(answer)

    def _answer(self, job: ThinkJob) -> ThinkAnswer:
        request = job.request
        if request.task is GomocupTask.FORBIDDEN:
            from wuzi.apps.gomocup import asking

            return ThinkAnswer(request, asking.forbidden_cells(request))
        player = self._wait_for_player(job)
        if player is None:
            return ThinkAnswer(request, fallback_answer(request), self._why_no_player())
        from wuzi.apps.gomocup import asking  # now that its kernels are compiled

        if self._forget.is_set():
            self._forget.clear()
            asking.forget(player)
        if job.ponder:
            asking.ponder(player, job, self._expected)
            return ThinkAnswer(request, None)
        self._expected = None
        answer = asking.ask(player, job, self._tell)
        if answer.info is not None and answer.info.lines and answer.info.lines[0].pv[1:]:
            self._expected = int(answer.info.lines[0].pv[1])
        return answer

    def _why_no_player(self) -> str:
        """Why the score table answers."""
        first = self._slots[0]
        if first.done.is_set():
            return "the time was over before the search" if first.player else "the player cannot be loaded"
        return f"the player is loaded{', its kernels are compiled for this machine' * first.cold.is_set()}"

    def _wait_for_player(self, job: ThinkJob) -> Player | None:
        from wuzi.core.rules import Opening, Rules

        request = job.request
        opening = Opening.SWAP2 if request.task is GomocupTask.OPENING else Opening.FREE
        rules = Rules(request.size, WIN_LENGTH, request.rule, opening)
        until = job.arrived + request.budget.soft_s * _WAIT_SHARE
        first = self._slots[0]
        while True:
            player, settled = self._find(rules)
            cold = first.cold.is_set() and not first.done.is_set()
            too_long = cold and request.budget.soft_s < _WORTH_WAITING_S
            over = job.stopped.is_set() or time.monotonic() >= until
            if player is not None or settled or too_long or over:
                return player
            time.sleep(0.005)

    def _find(self, rules: Rules) -> tuple[Player | None, bool]:
        """The player for these rules, None while it is loaded or if it cannot be; whether that is final."""
        for slot in self._slots:
            slot.start()
            done = slot.done.is_set()  # looked at first: the player is there before it is set
            if slot.player is None or slot.player.capabilities.why_not(rules) is None:
                return slot.player, done
        return self._slots[-1].player, True
