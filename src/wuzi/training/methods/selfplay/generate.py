"""Games of self-play without learning: data for other methods, for books, for looking at."""

from __future__ import annotations

import time
from pathlib import Path

from wuzi.core import Rules
from wuzi.evaluation.codebook import shipped_path
from wuzi.nets.codebook import NAME as CODEBOOK
from wuzi.nets.shelf import find_net
from wuzi.training.data.games import Shards
from wuzi.training.methods.selfplay.fleet import make_workers
from wuzi.training.methods.selfplay.workers import NO_LIMIT, SelfPlayTask
from wuzi.training.run.config import SelfPlaySection
from wuzi.training.run.context import Event, Observe
from wuzi.workers.crew import Executor


def generate(  # noqa: PLR0913 (options by keyword)
    net: str,
    rules: Rules,
    options: SelfPlaySection,
    folder: Path,
    *,
    games: int,
    finish: bool = False,
    seed: int = 1,
    observe: Observe = lambda _: None,
    executor: Executor | None = None,
) -> int:
    """Play until a folder of shards holds so many games; how many were played now, beside those there were.

    Slots are kept full to the end: games going on are written down for another time, and those that end
    together with the last one are kept too. With ``finish`` no more games than that are begun, and all of
    them are played to their end: the folder holds exactly so many, and none is there for being short.
    The net ``codebook`` is the engine's own.
    ``options.games`` and ``options.net`` are not looked at. A ConfigError where there is no net of that name
    or file, or it does not fit the rules.
    """
    own = net == CODEBOOK
    path = shipped_path(rules.rule, rules.win_length, rules.size) if own else find_net(net).path
    shards = Shards(folder)
    before, begun = shards.count, time.monotonic()
    most = max(0, games - before) if finish else NO_LIMIT
    task = SelfPlayTask(rules, options, seed, folder, frozenset(shards.numbers()), most=most)
    workers = make_workers(task, options.workers, executor)
    try:
        workers.use(path, 0)
        for ended in workers.games() if shards.count < games else ():
            if ended is not None:
                shards.append(ended.line)
            spent = max(1e-9, time.monotonic() - begun)
            rate = workers.evaluations / spent
            observe(Event("progress", f"{shards.count}/{games} games, {rate:,.0f} evaluations/s"))
            if shards.count >= games:
                break
        for ended in workers.pause():
            shards.append(ended.line)
    finally:
        workers.close()
    return shards.count - before
