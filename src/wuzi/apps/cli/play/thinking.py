"""Letting a player think without making the terminal deaf to Ctrl-C."""

from __future__ import annotations

import threading

from wuzi.contract import Limit, OnInfo, Player, PlayResult, Stop
from wuzi.core import Game

_POLL_S = 0.1


def think(
    player: Player, game: Game, limit: Limit, *, multipv: int = 1, on_info: OnInfo | None = None
) -> PlayResult:
    """The player's answer. Ctrl-C ends the search with its best move so far; a second one interrupts.

    The search runs in a thread of its own, because a kernel does not notice a signal.

    Raises:
        Exception: whatever the player raised.
        KeyboardInterrupt: at the second Ctrl-C.
    """
    stop = Stop()
    results: list[PlayResult] = []
    errors: list[BaseException] = []

    def search() -> None:
        try:
            results.append(player.think(game, limit, multipv=multipv, stop=stop, on_info=on_info))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=search, name="thinking", daemon=True)
    thread.start()
    while thread.is_alive():
        try:
            thread.join(_POLL_S)
        except KeyboardInterrupt:
            if stop.is_set:
                raise
            stop.set()
    if errors:
        raise errors[0]
    return results[0]
