"""The page that models a run on 1, 8 and 100 machines from measured rates.

    python scripts/cluster_model.py benchmarks/cluster.json --into docs/cluster-model.md

Nothing on the page is typed: what was measured is in the file (``scripts/cluster_bench.py`` writes it), what
is assumed is an option.
"""

from __future__ import annotations

import argparse
import json
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wuzi.jobs.ray_executor import RayExecutor
from wuzi.training.fleet import AHEAD, SLICE_S

NODES = (1, 8, 100)


@dataclass(frozen=True)
class Assumed:
    """What was not measured.

    Attributes:
        cores: processors of a node that play.
        mbit: megabits a second of the head's network.
        learner: how many times as fast as the measured processor the learner is.
    """

    cores: int = 16
    mbit: float = 1000.0
    learner: float = 1.0


@dataclass(frozen=True)
class Modelled:
    """A run on so many nodes, an iteration on average.

    Attributes:
        nodes: how many.
        playing_games_per_s: games a second of all processors, before the head and its network bound them.
        bounded_games_per_s: and with these bounds.
        games: games an iteration.
        play_s, pause_s, learn_s: what an iteration's time goes to.
        up_bytes_per_s, down_bytes: games and states to the head; weights from it for each net.
        head_share: part of one processor of the head that taking games in needs.
        in_flight: games going on at any moment.
        bottleneck: what takes most of the time, or bounds the games.
    """

    nodes: int
    playing_games_per_s: float
    bounded_games_per_s: float
    games: int
    play_s: float
    pause_s: float
    learn_s: float
    up_bytes_per_s: float
    down_bytes: float
    head_share: float
    in_flight: int
    bottleneck: str

    @property
    def games_per_s(self) -> float:
        """Games a second of the whole iteration."""
        return self.games / (self.play_s + self.pause_s + self.learn_s)


def model(measured: dict[str, Any], assumed: Assumed, nodes: int, games: int) -> Modelled:
    """The model; every rate grows with its number of processors until the head bounds it."""
    workers = nodes * assumed.cores
    each = measured["evaluations_per_s_alone"] * min(1.0, measured["ray_share"])
    bounds = {
        "self-play": workers * each / measured["evaluations_per_game"],
        "the head's processor": 1 / measured["head_s_per_game"],
        "the head's network": assumed.mbit * 125_000 / measured["game_bytes"],
    }
    first = min(bounds, key=lambda name: bounds[name])
    rate = bounds[first]
    weights = nodes * measured["weights_bytes"]
    in_flight = workers * measured["concurrency"]
    states = in_flight * measured["game_bytes"] / 2 / RayExecutor.snapshot_s
    parts = {
        first: games / rate,
        "pausing and a new net": AHEAD * SLICE_S
        + weights / (assumed.mbit * 125_000)
        + measured["ray_request_s"],
        "the learner": measured["learn_s_per_iteration"]
        * games
        / measured["games_per_iteration"]
        / assumed.learner,
    }
    play, pause, learn = parts.values()
    return Modelled(
        nodes,
        bounds["self-play"],
        rate,
        games,
        play,
        pause,
        learn,
        rate * measured["game_bytes"] + states,
        weights,
        rate * measured["head_s_per_game"],
        in_flight,
        max(parts, key=lambda name: parts[name]),
    )


def page(measured: dict[str, Any], assumed: Assumed) -> str:
    """The page."""
    preset = int(measured["games_per_iteration"])
    small = [model(measured, assumed, nodes, preset) for nodes in NODES]
    large = [model(measured, assumed, one.nodes, max(preset, one.in_flight)) for one in small]
    fast = [
        model(measured, Assumed(assumed.cores, assumed.mbit, 20 * assumed.learner), one.nodes, one.games)
        for one in large
    ]
    inputs = [f"| `{key}` | {_shown(value)} |" for key, value in measured.items()]
    parts = [
        "# Model: a run on 1, 8 and 100 machines",
        _origin(measured),
        f"Assumed: {assumed.cores} processors a node, each as fast as the measured one; {assumed.mbit:g} "
        "Mbit/s "
        "at the head; one head, which learns while nobody plays, as `wuzi train` does.",
        f"## The preset as it is: {preset} games an iteration",
        _table(small),
        _STALE,
        "## As many games an iteration as are going on",
        _table(large),
        "## The same with a learner twenty times as fast",
        "As a graphics card might be; the factor is assumed.",
        _table(fast),
        "## How it is computed",
        "\n".join(map(_item, _HOW)),
        "## Measured inputs",
        "\n".join(["| input | value |", "|---|--:|", *inputs]),
    ]
    return "\n\n".join(part if part[0] in "|#-" else textwrap.fill(part, 110) for part in parts) + "\n"


def _origin(measured: dict[str, Any]) -> str:
    return (
        "**This is a model, not a measurement.** No such cluster was used. It is computed by "
        "`scripts/cluster_model.py` from rates that `scripts/cluster_bench.py` measured on one "
        f"machine ({measured['machine']}, commit {measured['commit']}, load {measured['load'][0]:g} to "
        f"{measured['load'][1]:g}) with preset `{measured['preset']}` and a fresh "
        f"`{measured['architecture']}`."
    )


_STALE = (
    "Games go on from iteration to iteration. With many more of them at once than an iteration has, "
    "a game lasts "
    "many iterations and is played by many nets: the last row says how many. More machines then "
    "make iterations "
    "shorter and games staler; they want more games an iteration (`selfplay.games`) or fewer at once "
    "(`selfplay.concurrency`)."
)

_HOW = (
    "Self-play: processors x evaluations a second of one process x Ray's share of the local speed "
    "(at most 1), by "
    "evaluations a game. Bounded by what the head can read and write, and by its network.",
    "Up: games, and every minute the games going on, at half a game each. Down: the weights, once a "
    "node and net, "
    "all counted at the head, though Ray's stores pass them on among themselves.",
    f"Pausing: the {AHEAD} requests of {SLICE_S:g} s that a worker has, the weights' way, one request's way.",
    "Learning: the measured seconds of an iteration, in proportion to its games.",
    "The bottleneck is the part that takes most of an iteration; for self-play, what bounds it.",
)


def _item(text: str) -> str:
    return textwrap.fill(text, 110, initial_indent="- ", subsequent_indent="  ")


def _table(rows: list[Modelled]) -> str:
    lines = {
        "": [f"{row.nodes} node{'s' * (row.nodes > 1)}" for row in rows],
        "games/s of all processors": [f"{row.playing_games_per_s:,.1f}" for row in rows],
        "what the head can take in of them": [f"{row.bounded_games_per_s:,.1f}" for row in rows],
        "games an iteration": [f"{row.games:,}" for row in rows],
        "games/s, learning included": [f"{row.games_per_s:,.1f}" for row in rows],
        "seconds an iteration: playing": [f"{row.play_s:,.1f}" for row in rows],
        "pausing, new net": [f"{row.pause_s:,.1f}" for row in rows],
        "learning": [f"{row.learn_s:,.1f}" for row in rows],
        "to the head while playing, kB/s": [f"{row.up_bytes_per_s / 1000:,.0f}" for row in rows],
        "weights a net, MB": [f"{row.down_bytes / 1e6:,.1f}" for row in rows],
        "head's processor taking games in": [f"{row.head_share:.1%}" for row in rows],
        "**bottleneck**": [f"**{row.bottleneck}**" for row in rows],
        "games at once": [f"{row.in_flight:,}" for row in rows],
        "iterations a game lasts": [f"{row.in_flight / row.games:,.1f}" for row in rows],
    }
    text = [f"| {name} | {' | '.join(cells)} |" for name, cells in lines.items()]
    return "\n".join([text[0], "|---|" + "--:|" * len(rows), *text[1:]])


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(f"{item:g}" for item in value)
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("measured", type=Path)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--cores", type=int, default=Assumed.cores)
    parser.add_argument("--mbit", type=float, default=Assumed.mbit)
    given = parser.parse_args()
    measured = json.loads(given.measured.read_text(encoding="utf-8"))
    given.into.write_text(page(measured, Assumed(given.cores, given.mbit)), encoding="utf-8")


if __name__ == "__main__":
    main()
