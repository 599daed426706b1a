"""Training runs as clients see them."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from wuzi.apps.web.engines import run_engine_id
from wuzi.apps.web.schemas_training import MetricsOut, RunGames, RunNetOut, RunOut, RunSummary, ScoreOut
from wuzi.apps.web.states import when
from wuzi.apps.web.trainer import Trainer
from wuzi.arena.rating import wilson
from wuzi.core import format_moves
from wuzi.errors import RecordError
from wuzi.training.data.games import SelfPlayGame
from wuzi.training.run.directory import BEST, CURRENT, RunDirectory
from wuzi.training.run.health import HealthFinding
from wuzi.training.run.reader import EvaluationScore, RunReader, read_games
from wuzi.training.run.status import State

STALLED_S = 600.0
"""A run at work that writes nothing for so long is stuck."""

_WINNERS = {1: "B", 0: None, -1: "W"}


def run_summary(reader: RunReader, trainer: Trainer) -> RunSummary:
    """What lists show of a run; the trainer knows whether this server started its process."""
    return RunSummary.model_validate(_summary(reader, trainer))


def run_out(reader: RunReader, trainer: Trainer) -> RunOut:
    """A run with what does not change."""
    environment = reader.notes.get("environment", {})
    more = {
        "parameters": {
            section: {
                name: value if isinstance(value, str | int | float) else str(value)
                for name, value in table.items()
            }
            for section, table in reader.tables.items()
        },
        "environment": {
            name: value
            for name, value in environment.items()
            if value is None or isinstance(value, str | int)
        },
        "version": str(reader.notes.get("wuzi", "")),
    }
    return RunOut.model_validate(_summary(reader, trainer) | more)


def _state(reader: RunReader, trainer: Trainer) -> tuple[str, str]:
    """What became of a run, and why."""
    name, state = reader.path.name, reader.state
    if state is State.RUNNING:
        return state, ""
    if trainer.owns(name):
        return "starting", ""
    if not reader.notes:
        return State.FAILED, trainer.failure(name)
    return state, reader.status.text if reader.status is not None and state is State.FAILED else ""


def _summary(reader: RunReader, trainer: Trainer) -> dict[str, Any]:
    work = {} if reader.status is None else reader.status.work
    state, reason = _state(reader, trainer)
    evaluations = list(reader.evaluations.values())
    games = reader.last("total_games")
    iteration = reader.rows[-1]["iteration"] if reader.rows else 0
    return {
        "id": reader.path.name,
        "method": reader.method,
        "preset": reader.preset,
        "rules": reader.rules,
        "net": _net(reader.tables),
        "state": str(state),
        "reason": reason,
        "can_stop": trainer.can_stop(reader.path.name),
        "iteration": iteration,
        "iterations": reader.iterations,
        "games": None if games is None else int(games),
        "seconds": reader.last("seconds") or 0.0,
        "begun_at": str(reader.notes.get("begun", "")),
        "updated_at": when(reader.updated),
        "elo": reader.last("elo"),
        "score": score_out(evaluations[-1]) if evaluations else None,
        "work": work if state == State.RUNNING and "stage" in work else None,
        "findings": _findings(reader),
    }


def _net(tables: Mapping[str, Mapping[str, Any]]) -> str:
    for section, key in (("net", "architecture"), ("ppo", "net"), ("distill", "net")):
        if key in tables.get(section, {}):
            return str(tables[section][key])
    return ""


def _findings(reader: RunReader) -> list[HealthFinding]:
    found = list(reader.findings)
    silent_s = time.time() - reader.updated
    if reader.state is State.RUNNING and silent_s > STALLED_S:
        minutes = round(silent_s / 60)
        found.insert(
            0, HealthFinding("stalled", f"nothing was written for {minutes} min", {"minutes": minutes})
        )
    return found


def score_out(found: EvaluationScore) -> ScoreOut:
    """An evaluation with its interval."""
    games, points = found.wins + found.losses + found.draws, found.wins + found.draws / 2
    interval = wilson(points, games)
    rate = points / games if games else 0.0
    return ScoreOut.model_validate(asdict(found) | {"rate": rate, "low": interval.low, "high": interval.high})


def metrics_out(reader: RunReader, points: int) -> MetricsOut:
    """The figures in at most so many rows: each stands for several, by the latest value of every figure."""
    count = len(reader.rows)
    stride = max(1, -(-count // points))
    ends = range(count, 0, -stride)
    merged = [
        {name: value for row in reader.rows[max(0, end - stride) : end] for name, value in row.items()}
        for end in reversed(ends)
    ]
    return MetricsOut(version=reader.version, count=count, stride=stride, rows=merged)


def run_games(reader: RunReader, first: int | None, count: int) -> RunGames:
    """Games of self-play; none for methods that keep them otherwise."""
    if reader.method == "ppo":
        total, start, games = 0, 0, list[SelfPlayGame]()
    else:
        try:
            total, start, games = read_games(reader.path, first, count)
        except RecordError:
            if reader.method == "selfplay":
                raise
            total, start, games = 0, 0, []  # labelled games of distillation
    return RunGames.model_validate(
        {
            "total": total,
            "first": start,
            "rules": reader.rules,
            "games": [_game(number, game, reader.rules.size) for number, game in enumerate(games, start)],
        }
    )


def _game(number: int, game: SelfPlayGame, size: int) -> dict[str, Any]:
    return {
        "number": number,
        "net": game.net,
        "moves": format_moves(game.moves.tolist(), size),
        "ply": len(game.moves),
        "opening": game.opening,
        "winner": _WINNERS[game.result],
        "reason": game.reason,
    }


def run_nets(reader: RunReader) -> list[RunNetOut]:
    """The nets of a run, the latest first."""
    directory = RunDirectory(reader.path)
    pointed = {pointer: (directory.pointed(pointer) or {}).get("net") for pointer in (CURRENT, BEST)}
    found = []
    for card in (reader.path / "nets").glob("*.json"):
        weights = card.with_suffix(".safetensors")
        try:
            data, size = json.loads(card.read_bytes()), weights.stat().st_size
            recipe = data["recipe"]
            net = {
                "name": card.stem,
                "engine": run_engine_id(reader.path, card.stem),
                "iteration": recipe.get("iteration"),
                "games": recipe.get("games"),
                "parameters": data["parameters"],
                "bytes": size,
                "current": card.stem == pointed[CURRENT],
                "best": card.stem == pointed[BEST],
            }
        except (OSError, ValueError, KeyError, AttributeError):  # deleted meanwhile, or no net
            continue
        found.append(RunNetOut.model_validate(net))
    return sorted(found, key=lambda net: (net.iteration or 0, net.games or 0, net.name), reverse=True)
