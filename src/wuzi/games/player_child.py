"""The worker that a :class:`wuzi.games.player_process.PlayerProcess` speaks to: it lets two players think.

::

    -> {"op":"player","seat":0,"spec":"minimax:preset=s0,seed=7","position":{...}}   <- {"name":...}
    -> {"op":"think","seat":0,"position":{...},"limit":{...}}
    <- {"action":{...},"resigned":false,"winrate":0.61,"time_s":0.0123}
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from wuzi.contract import Limit, Player
from wuzi.core import Game, Opening, Rules
from wuzi.errors import ConfigError
from wuzi.games.referee import seconds_of
from wuzi.players import create_player
from wuzi.protocols.analysis.wire import action_json, parse_action, parse_position

logger = logging.getLogger(__name__)

WARM_LIMIT = Limit(time_s=0.05, nodes=1, depth=1, simulations=1)
"""Budget of the first answer, which compiles kernels or starts an engine and counts for nothing."""


class _Seated:
    """A player and what it was made from.

    A program of its own (``is_process``) starts, and has to be told of each game. ``warm`` are the kinds of
    players that have thought once, with the rules: kernels are warm for all of a kind, a program for itself.
    """

    def __init__(self, spec: str, player: Player, warm: set[tuple[str, Rules]]) -> None:
        self.spec, self.player = spec, player
        self.kind = re.sub(r"(?<=[:,])seed=-?\d+,?", "", spec)
        self.is_process = hasattr(player, "prepare")
        self.warm = set() if self.is_process else warm


class SeatedPlayers:
    """The two seats of one game at a time; see :class:`wuzi.workers.crew.Worker`.

    A player who sits at the next game too, on whichever seat, stays: engines are not started anew.
    """

    def __init__(self, setup: Mapping[str, Any], files: Mapping[str, Path]) -> None:
        """Both seats are empty; ``setup["allow_command"]`` accepts specs that run a program."""
        self._allow_command = bool(setup["allow_command"])
        self._seats: dict[int, _Seated] = {}
        self._spare: list[_Seated] = []
        self._warm: set[tuple[str, Rules]] = set()
        self._known: tuple[dict[str, Any], list[Any], Game] | None = None

    def answer(self, request: dict[str, Any], shared: Sequence[bytes]) -> dict[str, Any]:
        """Do what is asked; a player that fails is dismissed."""
        try:
            if request["op"] == "player":
                return self._seat(request["seat"], request["spec"], request["position"])
            return self._think(request["seat"], request["position"], Limit(**request["limit"]))
        except Exception:
            self._dismiss(request.get("seat"))
            raise

    def stop(self) -> None:
        """Nothing: its process is killed."""

    def close(self) -> None:
        """Close all players."""
        self._clear()
        for seat in list(self._seats):
            self._dismiss(seat)

    def _dismiss(self, seat: Any) -> None:
        """Forget a player; the next one on its seat starts afresh, and is warmed up again."""
        seated = self._seats.pop(seat, None)
        if seated is not None:
            self._warm -= {key for key in self._warm if key[0] == seated.kind}
            seated.player.close()

    def _clear(self) -> None:
        """Close the players of earlier games that found no seat."""
        while self._spare:
            self._spare.pop().player.close()

    def _seat(self, seat: int, spec: str, position: dict[str, Any]) -> dict[str, Any]:
        leaving = list(self._seats) if seat == 0 else [seat] if seat in self._seats else []
        self._spare += [self._seats.pop(number) for number in leaving]
        seated = next((spare for spare in self._spare if spare.spec == spec), None)
        if seated is None:
            seated = _Seated(spec, create_player(spec, allow_command=self._allow_command), self._warm)
        else:
            self._spare.remove(seated)
        self._seats[seat] = seated
        if seat == 1:
            self._clear()
        game = self._game(position)
        if (reason := seated.player.capabilities.why_not(game.rules)) is not None:
            raise ConfigError(f"{seated.player.name} {reason}")
        if (seated.kind, game.rules) not in seated.warm:
            self._warm_up(seated, game.rules)
            seated.warm.add((seated.kind, game.rules))
        if seated.is_process:
            seated.player.prepare(game)  # type: ignore[attr-defined]
        return {"name": seated.player.name}

    def _warm_up(self, seated: _Seated, rules: Rules) -> None:
        """Let a player think once."""
        player = seated.player
        # A program might keep a limit of depth or nodes for the game.
        limit = Limit(time_s=WARM_LIMIT.time_s) if seated.is_process else WARM_LIMIT
        if rules.opening is not Opening.FREE:
            rules = replace(rules, opening=Opening.FREE)
        middle = rules.size // 2 * rules.size + rules.size // 2
        try:
            player.think(Game(rules).play(middle), limit)
        except ConfigError:
            raise
        except Exception as error:  # the game will show whether the player works
            logger.info("%s failed while warming up: %s", player.name, error)

    def _think(self, seat: int, position: dict[str, Any], limit: Limit) -> dict[str, Any]:
        player = self._seats[seat].player
        game = self._game(position)
        started = time.perf_counter()
        result = player.think(game, limit)
        lines = result.info.lines
        return {
            "action": action_json(result.action, game.rules.size),
            "resigned": result.resigned,
            "winrate": lines[0].winrate if lines else None,
            "time_s": seconds_of(player, started),
        }

    def _game(self, position: dict[str, Any]) -> Game:
        """The game of a position; from the last one where that is its beginning."""
        setting = {key: value for key, value in position.items() if key != "actions"}
        actions = position["actions"]
        known_setting, known_actions, game = self._known or ({}, [], None)
        n = len(known_actions)
        if game is not None and (known_setting, known_actions, game.outcome) == (setting, actions[:n], None):
            for action in actions[n:]:
                game = game.act(parse_action(action, game.rules.size))
        else:
            game = parse_position(position)
        self._known = (setting, actions, game)
        return game
