"""A child process of the arena: it holds two players and lets them think when asked.

``python -m wuzi.arena.worker [--allow-command]`` reads one JSON object a line and answers each with one::

    -> {"op":"player","seat":0,"spec":"minimax:preset=s0,seed=7","position":{...}}   <- {"name":...}
    -> {"op":"think","seat":0,"position":{...},"limit":{...}}
    <- {"action":{...},"resigned":false,"winrate":0.61,"time_s":0.0123}
    <- {"error":"timeout","message":"..."}        also: crash, illegal, config

It ends with its input, so that no child outlives a killed parent. Only the arena speaks to it.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import re
import sys
import threading
import time
from dataclasses import replace
from typing import IO, Any

from wuzi.contract import Limit, Player, PlayResult
from wuzi.core.game import Game
from wuzi.core.rules import Opening
from wuzi.errors import (
    ConfigError,
    IllegalMoveError,
    MissingExtraError,
    NotationError,
    PlayerTimeout,
    ProtocolError,
    WuziError,
)
from wuzi.players import create_player
from wuzi.protocols.wire import action_json, encode, parse_action, parse_position

logger = logging.getLogger(__name__)

WARM_LIMIT = Limit(time_s=0.05, nodes=1, depth=1, simulations=1)
"""Budget of the first answer, which compiles kernels or starts an engine and counts for nothing."""

ERROR_KINDS: tuple[tuple[str, tuple[type[BaseException], ...]], ...] = (
    ("config", (ConfigError, MissingExtraError)),
    ("illegal", (IllegalMoveError, NotationError, ProtocolError)),
    ("timeout", (PlayerTimeout,)),
)


class Worker:
    """The two seats of one game at a time.

    Args:
        allow_command: accept specs that run a program.
    """

    def __init__(self, *, allow_command: bool = False) -> None:
        self._allow_command = allow_command
        self._players: dict[int, tuple[str, Player]] = {}
        self._warm: set[tuple[str, Any]] = set()
        self._known: tuple[dict[str, Any], list[Any], Game] | None = None

    def serve(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one request; an error is an answer too."""
        seat = request.get("seat")
        try:
            if request["op"] == "player":
                return self._seat(request["seat"], request["spec"], request["position"])
            return self._think(request["seat"], request["position"], Limit(**request["limit"]))
        except Exception as error:  # whatever a player raises is its forfeit, not the worker's end
            kind = next((kind for kind, types in ERROR_KINDS if isinstance(error, types)), "crash")
            if not isinstance(error, WuziError):
                logger.warning("player failed", exc_info=error)
            self._dismiss(seat)
            text = str(error) if isinstance(error, WuziError) else f"{type(error).__name__}: {error}"
            return {"error": kind, "message": text}

    def close(self) -> None:
        """Close all players."""
        for seat in list(self._players):
            self._dismiss(seat)

    def _dismiss(self, seat: Any) -> None:
        """Forget a player; the next one on its seat starts afresh, and is warmed up again."""
        spec, player = self._players.pop(seat, ("", None))
        self._warm = {key for key in self._warm if key[0] != _without_seed(spec)}
        if player is not None:
            player.close()

    def _seat(self, seat: int, spec: str, position: dict[str, Any]) -> dict[str, Any]:
        old = self._players.get(seat)
        if old is None or old[0] != spec:
            if old is not None:
                self._players.pop(seat)[1].close()
            self._players[seat] = (spec, create_player(spec, allow_command=self._allow_command))
        player = self._players[seat][1]
        game = self._game(position)
        if (reason := player.capabilities.why_not(game.rules)) is not None:
            raise ConfigError(f"{player.name} {reason}")
        key = (_without_seed(spec), game.rules)
        if key not in self._warm:
            self._warm_up(player, game)
            self._warm.add(key)
        return {"name": player.name}

    def _warm_up(self, player: Player, game: Game) -> None:
        rules = game.rules
        if rules.opening is not Opening.FREE:
            rules = replace(rules, opening=Opening.FREE)
        middle = rules.size // 2 * rules.size + rules.size // 2
        try:
            player.think(Game(rules).play(middle), WARM_LIMIT)
        except ConfigError:
            raise
        except Exception as error:  # the game will show whether the player works
            logger.info("%s failed while warming up: %s", player.name, error)

    def _think(self, seat: int, position: dict[str, Any], limit: Limit) -> dict[str, Any]:
        player = self._players[seat][1]
        game = self._game(position)
        started = time.perf_counter()
        result = player.think(game, limit)
        elapsed_s = time.perf_counter() - started
        return {**self._result(result, game), "time_s": elapsed_s}

    def _result(self, result: PlayResult, game: Game) -> dict[str, Any]:
        lines = result.info.lines
        return {
            "action": action_json(result.action, game.rules.size),
            "resigned": result.resigned,
            "winrate": lines[0].winrate if lines else None,
        }

    def _game(self, position: dict[str, Any]) -> Game:
        """The game of a position; from the last one where that is its beginning."""
        setting = {key: value for key, value in position.items() if key != "actions"}
        actions = position["actions"]
        if self._known is not None:
            known_setting, known_actions, game = self._known
            n = len(known_actions)
            if known_setting == setting and known_actions == actions[:n] and game.outcome is None:
                for action in actions[n:]:
                    game = game.act(parse_action(action, game.rules.size))
                self._known = (setting, actions, game)
                return game
        game = parse_position(position)
        self._known = (setting, actions, game)
        return game


def _without_seed(spec: str) -> str:
    return re.sub(r"(?<=[:,])seed=-?\d+,?", "", spec)


def _read_lines(stream: IO[str], lines: queue.Queue[str]) -> None:
    for line in stream:
        lines.put(line)
    # The parent is gone or has closed us; a player in the middle of a thought must not keep us alive.
    os._exit(0)


def main(arguments: list[str] | None = None) -> int:
    """Serve until the input ends."""
    given = sys.argv[1:] if arguments is None else arguments
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    # What a player prints must not get between our lines.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    worker = Worker(allow_command="--allow-command" in given)
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_read_lines, args=(sys.stdin, lines), daemon=True).start()
    while True:
        request = json.loads(lines.get())
        if request["op"] == "quit":
            worker.close()
            return 0
        answers.write(encode(worker.serve(request)) + "\n")
        answers.flush()


if __name__ == "__main__":
    raise SystemExit(main())
