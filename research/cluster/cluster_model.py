"""The page that models a run on 1, 8 and 100 machines from measured rates.

    python -m research.cluster.cluster_model benchmarks/cluster.json --into docs/cluster-model.md

It writes the English page and, beside it, the Chinese one (``docs/cluster-model.zh.md``). The measured
figures come from the file that ``research/cluster/cluster_bench.py`` writes, the assumed ones are options.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wuzi.arena.text import table
from wuzi.training.methods.selfplay.fleet import AHEAD, SLICE_A_WORKER_S, SLICE_S, slice_s
from wuzi.workers.ray_executor import RayExecutor

NODES = (1, 8, 100)
LANGUAGES = {"en": 0, "zh": 1}
FAST = 20
"""How many times as fast the learner of the last table is."""


@dataclass(frozen=True)
class Assumed:
    """What was not measured: cores of a node, megabits a second at the head, how fast the learner is."""

    cores: int = 16
    mbit: float = 1000.0
    learner: float = 1.0


@dataclass(frozen=True)
class Modelled:
    """An average iteration of a run on these nodes, whose games are played while the net learns.

    It takes as long as the longer of the two. All games that were played meanwhile are in it, and where these
    are more than it asks for, a position is learned from that much less often.
    """

    nodes: int
    playing_games_per_s: float
    games_per_s: float  # bounded by the head and its network
    games: int
    play_s: float  # for as many games as it asks for
    learn_s: float
    used_share: float  # of the samples a position that the preset wants
    up_kb_per_s: float
    down_mb: float
    head_share: float
    answers_per_s: float
    in_flight: int
    bottleneck: str

    @property
    def seconds(self) -> float:
        """Of an iteration."""
        return max(self.play_s, self.learn_s)

    @property
    def iterations_a_game(self) -> float:
        """How many iterations a game is in flight."""
        return self.in_flight / self.games


def answer_s(measured: dict[str, Any], workers: int) -> float:
    """Processor seconds of the driver for an answer in a fleet of so many: Ray's part, and the fleet's."""
    few, many = (measured[f"fleet_s_per_answer_{n}"] for n in (16, 1600))
    return float(measured["ray_s_per_answer"] + few + max(0.0, many - few) * (workers - 16) / (1600 - 16))


def model(measured: dict[str, Any], assumed: Assumed, nodes: int, wanted: int) -> Modelled:
    """The model; every rate grows with its number of processors until the head bounds it.

    ``wanted`` games are asked for in an iteration.
    """
    workers = nodes * assumed.cores
    each = measured["evaluations_per_s_alone"] * min(1.0, measured["ray_share"])
    answers = workers / slice_s(workers)
    answering = answers * answer_s(measured, workers)
    bounds = {
        "self-play": workers * each / measured["evaluations_per_game"],
        "the head's processor": max(1e-9, 1 - answering) / measured["head_s_per_game"],
        "the head's network": assumed.mbit * 125_000 / measured["game_bytes"],
    }
    first = min(bounds, key=lambda name: bounds[name])
    rate = bounds[first]
    in_flight = workers * measured["concurrency"]
    states = in_flight * measured["game_bytes"] / 2 / RayExecutor.snapshot_s
    learn = measured["learn_s_per_iteration"] * wanted / measured["games_per_iteration"] / assumed.learner
    games = max(wanted, round(rate * learn))
    return Modelled(
        nodes,
        bounds["self-play"],
        rate,
        games,
        wanted / rate,
        learn,
        wanted / games,
        (rate * measured["game_bytes"] + states) / 1000,
        nodes * measured["weights_bytes"] / 1e6,
        rate * measured["head_s_per_game"] + answering,
        answers,
        in_flight,
        "the learner" if learn > wanted / rate else first,
    )


def page(measured: dict[str, Any], assumed: Assumed, language: str = "en") -> str:
    """The page in English (``en``) or Chinese (``zh``)."""
    at = LANGUAGES[language]
    preset = int(measured["games_per_iteration"])
    small = [model(measured, assumed, nodes, preset) for nodes in NODES]
    large = [model(measured, assumed, one.nodes, max(preset, one.in_flight)) for one in small]
    fast = [
        model(
            measured,
            Assumed(assumed.cores, assumed.mbit, FAST * assumed.learner),
            one.nodes,
            max(preset, one.in_flight),
        )
        for one in small
    ]
    named = {"small": small, "large": large, "fast": fast}
    facts = {
        **measured,
        "load_low": measured["load"][0],
        "load_high": measured["load"][1],
        "preset_games": preset,
        "cores": assumed.cores,
        "mbit": assumed.mbit,
        "times": FAST,
        "ahead": AHEAD,
        "slice": SLICE_S,
        "more": SLICE_A_WORKER_S * 1000,
    }
    tables = {f"{name}_table": _table(rows, at) for name, rows in named.items()}
    inputs = "\n".join(f"| `{key}` | {_shown(value)} |" for key, value in measured.items())
    text = Path(__file__).with_name(f"cluster_model.{language}.template").read_text("utf-8")
    return text.format(**facts, **tables, inputs=inputs)


_WORDS: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
"""The rows of the tables, each with its name in both languages and the form of its figure."""


def _table(runs: list[Modelled], at: int) -> str:
    heads = [(f"{run.nodes} node{'s' * (run.nodes > 1)}", f"{run.nodes} 个结点")[at] for run in runs]
    names = [(run.bottleneck, _WORDS["bottlenecks"][run.bottleneck])[at] for run in runs]
    rows = [[name[at], *map(form.format, runs, names)] for *name, form in _WORDS["rows"]]
    return table(["", *heads], rows)


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(f"{item:g}" for item in value)
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def main() -> None:
    """Write both pages."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("measured", type=Path)
    parser.add_argument("--into", type=Path, required=True, help="the English page")
    parser.add_argument("--cores", type=int, default=Assumed.cores)
    parser.add_argument("--mbit", type=float, default=Assumed.mbit)
    given = parser.parse_args()
    measured = json.loads(given.measured.read_text(encoding="utf-8"))
    assumed = Assumed(given.cores, given.mbit)
    for language, path in (("en", given.into), ("zh", given.into.with_suffix(".zh.md"))):
        path.write_text(page(measured, assumed, language), encoding="utf-8")


if __name__ == "__main__":
    main()
