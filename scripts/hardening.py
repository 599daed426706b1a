"""Long tests of what must not break: many arena games in one run, and tournaments killed at random moments.

    python scripts/hardening.py games --games 10000 --seed 1 --out memory.csv
    python scripts/hardening.py kills --kills 1000 --seed 1 --minutes 60

Everything runs on this machine, is bounded in count and time, and prints its seed and figures. The exit code
is 1 if anything was lost, doubled, illegal or forfeited. ``games`` writes the memory of both processes after
each game, as CSV and as a picture beside it.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import psutil

import wuzi
from wuzi.arena.journal import GAMES_FILE, load_games
from wuzi.core import Opening, Rule
from wuzi.games.player_process import Patience, PlayerProcess
from wuzi.games.referee import play_game
from wuzi.workers.local import worker_environment

PLAYERS = (
    "random",
    "weight",
    "minimax:depth=2",
    "engine:table_mb=1",
    "mcts:preset=s0",
    "az:net=9x9",
    "az:net=codebook",
    "policy:net=9x9",
    "solver",
)
SIZES = range(5, 23)
BUDGET = wuzi.Limit(nodes=200, simulations=16, time_s=5)
WARM_UP = 0.2
"""Part of the games after which memory may grow no more: by then everything is loaded."""
PER_PAIR = 40


def _megabytes(pid: int | None) -> float:
    return psutil.Process(pid).memory_info().rss / 2**20 if pid is not None else 0.0


def play_many(games: int, seed: int, seconds: float, out: Path) -> int:
    """Games of all players, rules, openings and sizes through one player process; how many went wrong."""
    rng, counted, wrong, rows = random.Random(seed), Counter[str](), 0, list[tuple[int, float, float]]()
    able = [(spec, wuzi.players.player_info(spec.partition(":")[0])) for spec in PLAYERS]
    end = time.monotonic() + seconds
    with PlayerProcess(Patience()) as process:
        while len(rows) < games and time.monotonic() < end:
            rules = wuzi.Rules(
                size=rng.choice(SIZES), rule=rng.choice(list(Rule)), opening=rng.choice(list(Opening))
            )
            specs = [rng.choice(able)[0] for _ in range(2)]
            game = wuzi.Game(rules)
            try:
                seats = [process.seat(seat, spec, game) for seat, spec in enumerate(specs)]
            except (wuzi.errors.ConfigError, wuzi.errors.UnsupportedError):
                counted["unsupported pairings, drawn again"] += 1
                continue
            played = play_game(seats, game, (BUDGET, BUDGET), tolerance_s=600)
            outcome = played.game.outcome
            if played.detail or outcome is None:
                wrong += 1
                print(f"game {len(rows)}: {specs} {rules.label}: {outcome}: {played.detail}", flush=True)
            counted[f"size {rules.size}"] += 1
            counted[rules.rule.label] += 1
            for spec in specs:
                counted[spec] += 1
            rows.append((len(rows) + 1, _megabytes(os.getpid()), _megabytes(process.pid)))
    with out.open("w", newline="") as file:
        csv.writer(file).writerows([("game", "referee_mb", "players_mb"), *rows])
    _draw(rows, out.with_suffix(".svg"))
    settled = rows[int(len(rows) * WARM_UP) :]
    print(f"seed {seed}: {len(rows)} games, {wrong} wrong")
    for column, name in ((1, "referee"), (2, "players")):
        values = [row[column] for row in settled]
        print(f"{name}: {values[0]:.0f} MB after {settled[0][0]} games, {values[-1]:.0f} MB at the end, "
              f"most {max(values):.0f} MB")  # fmt: skip
    print("; ".join(f"{name}: {count}" for name, count in sorted(counted.items())))
    return wrong


def _draw(rows: Sequence[tuple[int, float, float]], path: Path) -> None:
    from matplotlib.figure import Figure

    axes = (figure := Figure(figsize=(8, 4))).add_subplot()
    for column, name in ((1, "referee"), (2, "players")):
        axes.plot([row[0] for row in rows], [row[column] for row in rows], label=name)
    axes.set(xlabel="games", ylabel="memory, MB", ylim=(0, None))
    axes.legend()
    figure.savefig(path)


def kill_often(kills: int, seed: int, seconds: float) -> int:
    """Tournaments, killed at random moments and resumed until they end; how often something went wrong."""
    rng, killed, ended, wrong = random.Random(seed), 0, 0, 0
    end = time.monotonic() + seconds
    env = {**os.environ, **worker_environment()}
    while killed < kills and time.monotonic() < end:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            start = ["-m", "wuzi", "tournament", "-p", "weight", "-p", "minimax:depth=2", "-p", "random"]
            settings = ["--size", "9", "--games", str(PER_PAIR), "--seed", str(rng.randrange(1 << 30))]
            command = [sys.executable, *start, *settings, "--no-report", "--concurrency", "2", "--json"]
            before: dict[str, str] = {}
            while True:
                more = [
                    "--out",
                    str(folder),
                    *(["--resume"] if (folder / "tournament.json").exists() else []),
                ]
                process = subprocess.Popen(
                    [*command, *more], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
                )
                moment = rng.uniform(0, 15) if killed < kills and time.monotonic() < end else None
                try:
                    said, errors = process.communicate(timeout=moment)
                except subprocess.TimeoutExpired:
                    children = psutil.Process(process.pid).children(recursive=True)
                    process.send_signal(signal.SIGKILL)
                    process.communicate()
                    killed += 1
                    _, left = psutil.wait_procs(children, timeout=60)
                    wrong += bool(left)
                    wrong += _changed(before, folder, f"after kill {killed}")
                    continue
                count = json.loads(said)["games"] if process.returncode == 0 else errors.decode()[-300:]
                if count != 3 * PER_PAIR:
                    wrong += 1
                    print(f"tournament {ended + 1}: {count}: expected {3 * PER_PAIR} games", flush=True)
                wrong += _changed(before, folder, "at the end")
                ended += 1
                break
    print(f"seed {seed}: {killed} kills, {ended} tournaments of {3 * PER_PAIR} games ended, {wrong} wrong")
    return wrong


def _changed(before: dict[str, str], folder: Path, when: str) -> bool:
    """Whether a game that was saved is gone, doubled or another one now."""
    games = load_games(folder / GAMES_FILE)  # which refuses doubled ones
    now = {game.game_id: game.moves for game in games}
    if bad := [key for key, moves in before.items() if now.get(key) != moves]:
        print(f"{when}: {len(bad)} saved games are lost or changed: {bad[:3]}", flush=True)
    before.update(now)
    return bool(bad)


def main() -> int:
    """Run one of the tests."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("games", "kills"))
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=600)
    parser.add_argument("--out", type=Path, default=Path("memory.csv"))
    asked = parser.parse_args()
    if asked.what == "games":
        return int(play_many(asked.games, asked.seed, 60 * asked.minutes, asked.out) > 0)
    return int(kill_often(asked.kills, asked.seed, 60 * asked.minutes) > 0)


if __name__ == "__main__":
    sys.exit(main())
