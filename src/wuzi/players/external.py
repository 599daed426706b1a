"""Another program as a player: any engine that speaks the Gomocup protocol.

The engine's process is started when first needed and kept for the next moves and games. Whatever
goes wrong (it does not start, crashes, hangs, answers nonsense) is one error with the log attached,
after which the process is gone and the next question starts a new one.
"""

from __future__ import annotations

import contextlib
import logging
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from wuzi.base.atomic import write_atomic
from wuzi.base.schema import option
from wuzi.contract import Capabilities, Limit, PlayResult, Stop
from wuzi.core import Action, Game, Keep, Opening
from wuzi.errors import ConfigError, PlayerError, ProtocolError, UnsupportedError
from wuzi.players.base import BasePlayer, ThinkRequest
from wuzi.players.engines_file import Engine, find_engine, parse_command, resolve_program
from wuzi.players.gomocup_client import GomocupClient

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ExternalConfig:
    """Options of :class:`ExternalPlayer`; one of ``name``, ``cmd`` and ``own`` is given."""

    name: str | None = option(None, "name of the engine in engines.toml", "engines.toml 中的引擎名")
    start_s: float = option(10.0, "seconds it may take to start", "启动时限（秒）", minimum=0.01, maximum=600)
    move_s: float = option(
        5.0, "seconds a move where the game sets no time", "未设时限时每步的秒数", minimum=0, maximum=86400
    )
    tolerance_s: float = option(
        1.0, "seconds over its time before it counts as hanging", "超时宽限（秒）", minimum=0, maximum=600
    )
    file: str | None = option(
        None, "file with the engine's table, instead of engines.toml", "代替 engines.toml 的文件", local=True
    )
    memory_mb: int | None = option(None, "memory limit it is told", "告知引擎的内存上限（MB）", minimum=1)
    log_dir: str | None = option(None, "folder for logs of failures", "故障日志目录", local=True)
    cmd: str | None = option(None, "command line that runs the engine", "运行引擎的命令行", local=True)
    own: str | None = option(
        None,
        "wuzi's own player that answers in a pbrain-wuzi process",
        "以 pbrain-wuzi 进程应答的五子棋手",
        local=True,
    )


class ExternalPlayer(BasePlayer[ExternalConfig]):
    """An engine in another process.

    Attributes:
        engine: how it is run.
        think_time_s: seconds of its last answer by its own clock: neither the start of the process nor
            that of a game is part of it.

    Raises:
        ConfigError: no such engine, or not exactly one of ``name``, ``cmd`` and ``own`` is given.
    """

    registered_name = "external"
    config_type = ExternalConfig
    supports = Capabilities(min_size=5, win_lengths=frozenset({5}), deterministic=False)

    def __init__(self, config: ExternalConfig) -> None:
        super().__init__(config)
        self.engine = _engine(config)
        self._client: GomocupClient | None = None
        self.think_time_s: float | None = None

    @property
    def name(self) -> str:
        """The name in engines.toml, or the program's file name."""
        return self.engine.name

    @property
    def capabilities(self) -> Capabilities:
        """What ``engines.toml`` says the engine supports."""
        engine = self.engine
        return replace(self.supports, rules=engine.rules, min_size=engine.min_size, max_size=engine.max_size)

    @property
    def about(self) -> dict[str, str]:
        """The engine's answer to ABOUT; empty before its first move."""
        return dict(self._client.about) if self._client is not None else {}

    @property
    def log(self) -> str:
        """The conversation with the running process; empty if there is none."""
        return self._client.log if self._client is not None else ""

    def prepare(self, game: Game) -> None:
        """Start the process and a game in it; otherwise :meth:`think` does, with the same errors."""
        with self._reporting():
            self._running().prepare(game.rules.size)

    def answer(self, request: ThinkRequest, rng: np.random.Generator) -> PlayResult:
        """Ask the engine, in a swap phase too if it knows that opening.

        Raises:
            PlayerTimeout: it did not start or answer in time, or not after ``stop``.
            PlayerCrashed: it cannot be started, or ended.
            ProtocolError: its answer cannot be played.
            UnsupportedError: it refuses the board size.
        """
        limit = request.limit
        if limit.time_s is None and limit.clock_s is None:
            limit = replace(limit, time_s=self.config.move_s)
        self.think_time_s = None
        with self._reporting():
            client = self._running()
            action, info = client.ask(request.game, limit, request.stop or Stop(), request.on_info)
        self.think_time_s = client.think_time_s
        return PlayResult(action, replace(info, time_s=client.think_time_s))

    @contextlib.contextmanager
    def _reporting(self) -> Iterator[None]:
        """What goes wrong inside ends the process and is raised with the log attached."""
        try:
            yield
        except UnsupportedError:
            self.close()
            raise
        except (PlayerError, ProtocolError) as error:
            self._bury(error)
            raise

    def opening_action(self, game: Game, limit: Limit = Limit(), stop: Stop | None = None) -> Action | None:
        """What is answered in a swap phase that the engine has no word for; None where it answers itself."""
        by_engine = self.engine.swap2 and game.rules.opening is Opening.SWAP2
        action = None if by_engine else super().opening_action(game, limit, stop)
        if isinstance(action, Keep):
            logger.debug("%s keeps White: it does not know the %s opening", self.name, game.rules.opening)
        return action

    def _running(self) -> GomocupClient:
        if self._client is None:
            self._client = GomocupClient(
                self.engine, start_s=self.config.start_s, tolerance_s=self.config.tolerance_s
            )
        return self._client

    def _bury(self, error: Exception) -> None:
        """Attach the log to an error, keep it in ``log_dir``, and end the process."""
        log = self.log
        self.close()
        error.add_note(f"--- log of {self.name} ---\n{log}")
        if self.config.log_dir is not None:
            text = f"{type(error).__name__}: {error}\n{log}\n"
            error.add_note(f"log written to {_write_log(Path(self.config.log_dir), self.name, text)}")

    def close(self) -> None:
        """End the process."""
        client, self._client = self._client, None
        if client is not None:
            client.close()


def _engine(config: ExternalConfig) -> Engine:
    if [config.name, config.cmd, config.own].count(None) != 2:
        raise ConfigError("external: expected one of name= (of engines.toml), cmd= and own=")
    if config.name is not None:
        shared = config.file is not None
        engine = find_engine(config.name, Path(config.file) if config.file else None, shared=shared)
    elif config.own is not None:
        engine = Engine("pbrain-wuzi", (sys.executable, "-m", "wuzi.apps.gomocup", "--player", config.own))
    else:
        command = resolve_program(parse_command(config.cmd or ""), Path.cwd())
        engine = Engine(Path(command[0]).stem, command)
    return engine if config.memory_mb is None else replace(engine, memory_mb=config.memory_mb)


def _write_log(folder: Path, name: str, text: str) -> Path:
    stem = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:60]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}-{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 10**9:09d}.log"
    write_atomic(path, text.encode())
    return path
