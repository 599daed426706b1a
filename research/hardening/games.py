"""Many arena games of all players, rules, openings and sizes in one run; the memory of every process."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import psutil

import wuzi
from research.hardening.ledger import Ledger, RunOptions, megabytes, processor_s
from wuzi.contract import Capabilities
from wuzi.core import Opening, Rule
from wuzi.games.player_process import PlayerProcess, WorkerTimeouts
from wuzi.games.referee import FinishedGame, play_game
from wuzi.players import create_player

PROGRAM = "external:tolerance_s=60,own=weight"
"""A program of its own, which speaks the Gomocup protocol; its start is dear, so it plays few games."""
PLAYERS = (
    *("random", "weight", "minimax:depth=2", "minimax:depth=2,preset=s0", "engine:table_mb=1", "solver"),
    *("mcts:preset=s0", "mcts:rollouts=tactical", "az:net=9x9", "az:net=codebook", "az:net=15x15"),
    *("az:net=9x9,preset=gumbel", "az:net=9x9,preset=vcf", "policy:net=9x9", "policy:net=s2-ppo"),
    *(f"level:name={name}" for name in ("novice", "casual", "skilled", "master")),
)
PROGRAM_SHARE = 0.02
SIZES = range(5, 23)
BUDGET = wuzi.Limit(nodes=200, simulations=8, time_s=60)
"""Positions and simulations decide; the time only ends what would never end."""
PROGRAM_BUDGET = wuzi.Limit(time_s=0.05)
BATCH = 100
GROWTH = 1.1
SETTLED, LEAST = 2000, 3000
"""Memory may not grow by a tenth after so many games of a run; of shorter runs nothing can be said."""


@dataclass
class Table:
    """Draws games by chance and remembers which players refuse which rules."""

    rng: random.Random
    can: dict[str, Capabilities] = field(default_factory=dict)
    refused: set[tuple[str, wuzi.Rules]] = field(default_factory=set)

    def draw(self) -> tuple[wuzi.Rules, list[str]]:
        """Two players, then rules that both know, so that the one for a single board plays as often."""
        while True:
            specs = [self._spec(), self._spec()]
            for _ in range(200):
                size = self.rng.choice(SIZES)
                rule, opening = self.rng.choice(list(Rule)), self.rng.choice(list(Opening))
                length = 4 if rule.win_length is None and self.rng.random() < 0.15 else 5
                rules = wuzi.Rules(size, length, rule, opening)
                if all(self._plays(spec, rules) for spec in specs):
                    return rules, self.rng.sample(specs, 2)

    def _spec(self) -> str:
        return PROGRAM if self.rng.random() < PROGRAM_SHARE else self.rng.choice(PLAYERS)

    def _plays(self, spec: str, rules: wuzi.Rules) -> bool:
        if spec not in self.can:
            with create_player(spec, allow_command=True) as player:
                self.can[spec] = player.capabilities
        return self.can[spec].why_not(rules) is None and (spec, rules) not in self.refused


def play_many(options: RunOptions) -> bool:
    """Play until the folder holds so many games; whether nothing went wrong and memory stayed flat."""
    ledger = Ledger(options.folder, "games")
    done, played, run = ledger.total("games"), 0, time.strftime("%Y%m%d-%H%M%S")
    with PlayerProcess(WorkerTimeouts(), allow_command=True) as process:
        while done < options.count and not options.is_over:
            rng = random.Random(f"{options.seed}/{done}")
            row = _batch(process, rng, min(BATCH, options.count - done), options)
            done, played = done + row["games"], played + row["games"]
            if row["games"]:
                ledger.add(seed=options.seed, run=run, played=played, **row)
    return report(ledger.rows())


def _batch(process: PlayerProcess, rng: random.Random, games: int, options: RunOptions) -> dict[str, Any]:
    """Some games, and what was seen."""
    table, wrong, counted = Table(rng), list[str](), Counter[str]()
    began, before = time.monotonic(), processor_s(os.getpid())
    most, played = dict.fromkeys(("referee_mb", "players_mb", "programs_mb"), 0.0), 0
    while played < games and not options.is_over:
        rules, specs = table.draw()
        done = _game(process, table, rules, specs)
        if done is None:
            continue
        played += 1
        if done.detail or done.game.outcome is None:
            wrong.append(f"{' - '.join(specs)}, {rules.label}, {rules.opening}: {done.detail}")
            print(wrong[-1], flush=True)
        counted.update([*specs, f"size {rules.size}", rules.rule.label, f"opening {rules.opening}"])
        programs = [] if process.pid is None else psutil.Process(process.pid).children(recursive=True)
        now = (megabytes(os.getpid()), megabytes(process.pid), megabytes(*(one.pid for one in programs)))
        most = {name: max(old, new) for (name, old), new in zip(most.items(), now, strict=True)}
    spent = {"seconds": time.monotonic() - began, "cpu_s": processor_s(os.getpid()) - before}
    rounded = {name: round(seconds, 1) for name, seconds in spent.items()}
    return {"games": played, "wrong": wrong, **rounded, **most, "counts": dict(counted)}


def _game(process: PlayerProcess, table: Table, rules: wuzi.Rules, specs: list[str]) -> FinishedGame | None:
    """One game; None where a player refuses the rules."""
    game, seats = wuzi.Game(rules), []
    for seat, spec in enumerate(specs):
        try:
            seats.append(process.seat(seat, spec, game))
        except (wuzi.errors.ConfigError, wuzi.errors.UnsupportedError):
            table.refused.add((spec, rules))
            return None
    limits = [PROGRAM_BUDGET if spec == PROGRAM else BUDGET for spec in specs]
    return play_game(seats, game, (limits[0], limits[1]), tolerance_s=600)


def growth(rows: list[dict[str, Any]], column: str) -> list[tuple[str, int, float]]:
    """Of each long run: its name, its games, and its last memory as part of that when it had settled."""
    found = []
    for run in dict.fromkeys(row["run"] for row in rows):
        own = [row for row in rows if row["run"] == run]
        games = sum(row["games"] for row in own)
        values = [row[column] for row in own if row["played"] > SETTLED]
        if games >= LEAST and min(values) > 0:
            part = max(1, len(values) // 3)
            early, late = values[:part], values[-part:]
            found.append((run, games, (sum(late) / len(late)) / (sum(early) / len(early))))
    return found


def report(rows: list[dict[str, Any]]) -> bool:
    """Print all that is in the folder; whether it is as it should be."""
    games, wrong = sum(row["games"] for row in rows), [line for row in rows for line in row["wrong"]]
    spent = sum(row["cpu_s"] for row in rows)
    print(f"{games:,} games in {len({row['run'] for row in rows})} runs, {spent / 3600:.2f} core hours, "
          f"{len(wrong)} wrong; seeds {sorted({row['seed'] for row in rows})}")  # fmt: skip
    flat = True
    for column in ("referee_mb", "players_mb"):
        for run, count, factor in growth(rows, column):
            flat &= factor <= GROWTH
            print(f"run {run} of {count} games: {column} at the end {factor:.3f} of that after the beginning")
    return flat and not wrong
