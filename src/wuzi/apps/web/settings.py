"""What a server may use: folders, processes and limits."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from wuzi.apps.places import data_dir

WEB_ROOT = Path(__file__).resolve().parents[2] / "data" / "web"


def _default_workers() -> int:
    return max(1, min(4, (os.cpu_count() or 2) - 1))


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one server; every limit is a hard one.

    Attributes:
        data_dir: folder of the database.
        web_root: folder of the built page.
        workers: how many searches run at once, each in a process of its own.
        worker_command: how a worker is started; it speaks the analysis protocol.
        max_queue: searches that may wait for a worker.
        max_move_s: longest thinking time of one move, whatever a level says.
        grace_s: how much longer than its limit a search may take before its worker is replaced.
        start_s: longest start of a worker (compiling all kernels takes about a minute).
        max_body: bytes of a request body.
        max_games: games kept; the ones touched longest ago make room.
        keep_days: days that an untouched game is kept.
        max_sockets: open WebSockets.
        max_sockets_per_game: open WebSockets of one game.
        ping_s: seconds between the heartbeats of a WebSocket.
        idle_s: after so many seconds without a reader a game leaves memory, and two engines stop playing.
        engine_pause_s: least seconds a move when two engines play, so that people can follow.
        allowed_hosts: host names that requests may name; empty for any.
    """

    data_dir: Path = field(default_factory=data_dir)
    web_root: Path = WEB_ROOT
    workers: int = field(default_factory=_default_workers)
    worker_command: tuple[str, ...] = (sys.executable, "-m", "wuzi", "analysis")
    max_queue: int = 64
    max_move_s: float = 60.0
    grace_s: float = 10.0
    start_s: float = 600.0
    max_body: int = 1 << 20
    max_games: int = 2000
    keep_days: float = 90.0
    max_sockets: int = 200
    max_sockets_per_game: int = 20
    ping_s: float = 20.0
    idle_s: float = 120.0
    engine_pause_s: float = 0.3
    allowed_hosts: frozenset[str] = frozenset()
