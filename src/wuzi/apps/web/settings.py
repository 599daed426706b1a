"""What a server may use: folders, processes and limits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from wuzi.base.machine import data_dir
from wuzi.errors import ConfigError
from wuzi.games.pool import PoolSettings

WEB_ROOT = Path(__file__).resolve().parents[2] / "data" / "web"
OWN = ("api", "ws", "assets", "move", "openapi.json")
"""What addresses of this server begin with, beside those of the page."""

_ROOT_PATH = re.compile(
    rf"(?!/(?:{'|'.join(map(re.escape, OWN))})(?:/|$))(?:/(?!\.+(?:/|$))[\w.~-]+)+", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Settings(PoolSettings):
    """Settings of one server, those of its worker processes included; every limit is a hard one.

    Attributes:
        max_client_searches: analyses of one client that run or wait.
        max_client_analysis_sockets: open sockets of one client that ask for analyses.
        max_visits: most simulations of one analysis, or of an arena's player a move: their tree stays in
            memory.
        max_table_mb: largest table of an arena's player.
        max_games, keep_days: games kept; the ones touched longest ago make room. Untouched ones last so long.
        ping_s: seconds between the heartbeats of a WebSocket.
        max_arenas: arenas that play at once, each as many games as there are workers; 0: none are started.
        allowed_hosts: host names in lower case that requests may name; empty for any.
        root_path: the path below which a proxy serves this server, such as ``/wuzi``; requests may come with
            it or without it.
        forwarded_allow_ips: proxies whose X-Forwarded-For, -Proto and -Host are believed: addresses and
            networks with commas, or ``*``, as uvicorn has it.
        show_engine_log: when an engine has failed, show its process's last lines, which may name files of
            this machine; :func:`wuzi.apps.web.server.serve` does so where nobody else reaches the server.
        runs_dir: folder of training runs that are shown; None for none.
        training_token: who names it may begin and end runs there; None: nobody may.
        read_only: a demo: stored games are shown, nothing is played, changed, searched or removed.
    """

    data_dir: Path = field(default_factory=data_dir)
    web_root: Path = WEB_ROOT
    max_client_searches: int = 6
    max_client_analysis_sockets: int = 20
    max_visits: int = 200_000
    max_table_mb: int = 256
    max_body: int = 1 << 20
    max_games: int = 2000
    keep_days: float = 90.0
    max_sockets: int = 1000
    max_sockets_per_game: int = 20
    ping_s: float = 20.0
    max_arenas: int = 2
    max_arena_players: int = 12
    max_arena_games: int = 5000
    max_results: int = 200
    allowed_hosts: frozenset[str] = frozenset()
    root_path: str = ""
    forwarded_allow_ips: str = "127.0.0.1"
    show_engine_log: bool = False
    runs_dir: Path | None = None
    training_token: str | None = field(default=None, repr=False)
    max_trainings: int = 1
    read_only: bool = False

    def __post_init__(self) -> None:
        if self.root_path and not _ROOT_PATH.fullmatch(self.root_path):
            raise ConfigError(
                f"root path {self.root_path!r}: expected one such as /wuzi, with no slash at its end, which "
                f"does not begin with one of this server's own: {', '.join(f'/{name}' for name in OWN)}"
            )

    @property
    def worker_start(self) -> tuple[str, ...]:
        """The whole command that starts a worker."""
        below = () if self.runs_dir is None else ("--files-below", str(self.runs_dir))
        return (*self.worker_command, *below)
