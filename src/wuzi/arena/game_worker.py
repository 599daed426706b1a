"""Playing one scheduled game at a time, in a thread or on another machine."""

from __future__ import annotations

import datetime
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import wuzi
from wuzi.arena.live import LiveBoard
from wuzi.arena.openings import BookOpening
from wuzi.arena.results import GameResult, record_to_json
from wuzi.arena.schedule import ScheduledGame, TournamentConfig, config_from_settings, player_hash
from wuzi.contract import Player, Stop
from wuzi.core import Color, Game, Move, Outcome, Reason, format_moves
from wuzi.errors import PlayerError
from wuzi.games.player_process import PlayerProcess, WorkerTimeouts
from wuzi.games.referee import FinishedGame, Interrupted, play_game
from wuzi.players.net_transfer import nets_of, with_nets
from wuzi.players.registry import create_player
from wuzi.workers.crew import Executor, WorkerKind


def game_worker_kind(
    config: TournamentConfig,
    patience: WorkerTimeouts,
    executor: Executor,
    *,
    allow_command: bool,
    live: Path | None = None,
    here: bool = False,
) -> WorkerKind:
    """What a tournament's workers are; those that see this disk show their boards in ``live``.

    With ``here`` the players think in this process.
    """
    specs = [] if executor.shares_disk else [entry.spec for entry in config.entries]
    nets, files = nets_of(specs, config.rules)
    setup = {
        "config": config.settings(),
        "patience": asdict(patience),
        "allow_command": allow_command,
        "here": here,
        "nets": nets,
        "live": str(live) if live is not None and executor.shares_disk else None,
    }
    return WorkerKind("wuzi.arena.game_worker:GameWorker", setup, files, waits=True, silence_s=float("inf"))


def game_request(game: ScheduledGame) -> dict[str, Any]:
    """A scheduled game as plain data."""
    return {"game": asdict(game)}


class PlayersHere:
    """Players of this process, which cannot be killed: an answer that takes too long loses when it comes."""

    def __init__(self, allow_command: bool) -> None:
        self._allow_command = allow_command
        self._seats: dict[int, Player] = {}

    def seat(self, number: int, spec: str, game: Game) -> Player:
        """Put a player on a seat for a game; a ConfigError for a wrong spec."""
        if number in self._seats:
            self._seats.pop(number).close()
        self._seats[number] = create_player(spec, allow_command=self._allow_command)
        return self._seats[number]

    def close(self) -> None:
        """Close both players."""
        for player in self._seats.values():
            player.close()

    kill = close


class GameWorker:
    """Plays games with players in a process of its own, which can be killed, or in this one."""

    def __init__(self, setup: Mapping[str, Any], files: Mapping[str, Path]) -> None:
        """Nothing is started before the first game."""
        self._config = config_from_settings(setup["config"])
        self._nets = {text: str(files[name]) for text, name in setup["nets"].items()}
        self._stop = Stop()
        patience = WorkerTimeouts(**setup["patience"])
        self._live = LiveBoard(Path(setup["live"]) if setup["live"] else None)
        allow_command = setup["allow_command"]
        self._players: PlayerProcess | PlayersHere
        if setup["here"]:
            self._players = PlayersHere(allow_command)
        else:
            self._players = PlayerProcess(patience, allow_command=allow_command, stop=self._stop)

    def answer(self, request: dict[str, Any], shared: Sequence[bytes]) -> dict[str, Any]:
        """Play a game; its record, or nothing if it was stopped."""
        data = dict(request["game"])
        moves = tuple(Move(cell, self._config.rules.size) for cell in data["opening"]["moves"])
        data["opening"] = BookOpening(data["opening"]["id"], moves)
        data["seats"], data["specs"] = tuple(data["seats"]), tuple(data["specs"])
        try:
            return {"record": record_to_json(self._play(ScheduledGame(**data)))}
        except Interrupted:  # its board stays to be seen
            return {}

    def stop(self) -> None:
        """End the game that is being played."""
        self._stop.set()

    def close(self) -> None:
        """End the players' process."""
        self._live.close()
        if self._stop.is_set:
            self._players.kill()
        else:
            self._players.close()

    def _play(self, planned: ScheduledGame) -> GameResult:
        config = self._config
        game = planned.opening.game(config.rules) if planned.opening.moves else Game(config.rules)
        started_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        started = time.perf_counter()
        players: list[Player] = []
        played: FinishedGame | None = None
        for seat in (0, 1):
            try:
                players.append(self._players.seat(seat, with_nets(planned.specs[seat], self._nets), game))
            except PlayerError as error:
                if self._stop.is_set:
                    raise Interrupted from None
                lost = Outcome(game.color_of(1 - seat), Reason.CRASH)
                played = FinishedGame(game.end(lost), (0.0, 0.0), detail=str(error))
                break
            if seat == 1:
                started = time.perf_counter()
        if played is None:
            labels = (config.entries[planned.seats[0]].label, config.entries[planned.seats[1]].label)
            played = play_game(
                players,
                game,
                (config.limit_of(planned.seats[0]), config.limit_of(planned.seats[1])),
                adjudication=config.adjudication,
                tolerance_s=config.tolerance_s,
                stop=self._stop,
                on_turn=lambda now: self._live.show(planned.id, labels, now),
            )
        return self._record(planned, played, started_at, time.perf_counter() - started)

    def _record(
        self, planned: ScheduledGame, played: FinishedGame, started_at: str, duration_s: float
    ) -> GameResult:
        config, game = self._config, played.game
        assert game.outcome is not None
        size = config.rules.size
        sides: dict[str, Any] = {}
        for name, color in (("black", Color.BLACK), ("white", Color.WHITE)):
            seat = game.seat_of(color)
            sides |= {
                name: config.entries[planned.seats[seat]].label,
                f"{name}_time_s": round(played.times_s[seat], 6),
                f"{name}_hash": player_hash(config, planned.seats[seat]),
                f"{name}_slowest_s": round(played.slowest_s[seat], 6),
                f"{name}_late": played.late[seat],
            }
        return GameResult(
            game_id=planned.id,
            started_at=started_at,
            winner=game.outcome.result,
            reason=game.outcome.reason.label,
            plies=game.ply,
            duration_s=round(duration_s, 6),
            first_player=config.entries[planned.seats[0]].label,
            size=size,
            win_length=config.rules.win_length,
            rule=config.rules.rule.label,
            opening_id=planned.opening.id,
            seed=planned.seed,
            moves=format_moves(game.moves, size),
            version=wuzi.__version__,
            opening=format_moves(planned.opening.moves, size),
            detail=played.detail,
            **sides,
        )
