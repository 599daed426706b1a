"""The players that answer for ``pbrain-wuzi``, loaded in the background."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wuzi.contract import Player
    from wuzi.core.rules import Rules

logger = logging.getLogger(__name__)

_MARKER = "*.engine_search-*.nbi"
"""The engine's kernel that is compiled last."""


class Roster:
    """Player specs in order of preference; for given rules the first that plays them answers.

    The first is loaded at once, the others when rules ask for them. Loading may take long, because
    kernels may have to be compiled; meanwhile there is no player.

    Args:
        specs: at least one spec string.
        on_failure: called from the background when a player cannot be made, with the reason.
    """

    def __init__(self, specs: Sequence[str], on_failure: Callable[[Exception], None]) -> None:
        self._slots = [_Slot(spec, on_failure) for spec in specs]

    def start(self) -> None:
        """Begin to load the first player."""
        self._slots[0].start()

    @property
    def is_cold(self) -> bool:
        """Whether kernels are being compiled for the first player, which takes long."""
        return self._slots[0].cold.is_set() and not self._slots[0].done.is_set()

    def find(self, rules: Rules) -> Player | None:
        """The player for these rules; None while it is being loaded, or if it cannot be."""
        player = None
        for slot in self._slots:
            slot.start()
            player = slot.player
            if player is None or player.capabilities.why_not(rules) is None:
                break
        return player

    def settled(self, rules: Rules) -> bool:
        """Whether waiting would not change what :meth:`find` says."""
        for slot in self._slots:
            if not slot.done.is_set():
                return False
            if slot.player is None or slot.player.capabilities.why_not(rules) is None:
                return True
        return True

    def wait_for_first(self, until: float) -> None:
        """Wait for the first player until a monotonic time, unless that takes a compilation."""
        slot = self._slots[0]
        while not slot.done.is_set() and not slot.cold.is_set() and time.monotonic() < until:
            slot.done.wait(0.01)

    def close(self) -> None:
        """Release the players (which may be other processes)."""
        for slot in self._slots:
            if slot.player is not None:
                slot.player.close()


class _Slot:
    """One player, loaded in a thread of its own."""

    def __init__(self, spec: str, on_failure: Callable[[Exception], None]) -> None:
        self._spec = spec
        self._on_failure = on_failure
        self._thread: threading.Thread | None = None
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

    def _make(self) -> Player:
        from wuzi.core.jit import cache_dir

        if next(cache_dir().rglob(_MARKER), None) is None:
            self.cold.set()
        from wuzi.contract import Limit
        from wuzi.core.game import Game
        from wuzi.core.rules import Rules
        from wuzi.players.registry import create_player

        player = create_player(self._spec, allow_command=True)
        rules = Rules(size=15)
        if player.capabilities.why_not(rules) is None:
            # A first short search loads what the player imports only when it thinks.
            player.think(Game(rules).play("h8"), Limit(time_s=0.01, nodes=1))
        return player
