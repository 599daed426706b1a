"""What a page needs beside the kernels to train a net: the preset, the nets as programs, a match."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from typing import Any

from wuzi.arena.schedule import Entry, TournamentConfig, book_of, schedule
from wuzi.core import Rules, format_moves
from wuzi.core.symmetry import cell_maps
from wuzi.evaluation.run_scores import WEIGHT_S0
from wuzi.nets.card import check_games
from wuzi.nets.fresh import expand_short, fresh_net
from wuzi.nets.graph import Weights
from wuzi.players.spec import parse_spec
from wuzi.search.tree.options import Tactics
from wuzi.training.data.replay import SOFT_POWER
from wuzi.training.learner.kernels.layout import OPERATION
from wuzi.training.learner.kernels.learner import learned_outputs
from wuzi.training.learner.kernels.program import Program
from wuzi.training.methods.registry import make_plan
from wuzi.training.run.attempts import MOST, STRIDE
from wuzi.training.run.config import TrainSettings
from wuzi.training.run.health import RECENT, unlearned_loss

PRESET = "tiny"
NETS = ("2b16", "3b24", "4b32")
SIZES = range(5, 9)
WIN_LENGTHS = (3, 4, 5)
TABLES = (4, 5)
"""Those for which threats have names."""
TACTICAL, PLAIN = "tactical18-v1", "board7-v1"
"""The planes for these win lengths, and for others."""

_SECTIONS = ("net", "selfplay", "replay", "learn", "run")

PAIRS = 60
"""Random beginnings of a match: those that ``wuzi match --games 120 --openings auto`` has."""


def text() -> str:
    """The generated file."""
    return json.dumps(recipes(), separators=(",", ":"), ensure_ascii=False) + "\n"


def recipes() -> dict[str, Any]:
    """All of it, as JSON-compatible data."""
    settings: TrainSettings = make_plan(PRESET).settings
    games = settings.selfplay
    options = {True: games.tree_options(), False: replace(games.tree_options(), tactics=Tactics.NONE)}
    return {
        "preset": {name: asdict(getattr(settings, name)) for name in _SECTIONS},
        "tree": {"tactical" if key else "plain": _numbers(value.record()) for key, value in options.items()},
        "softPower": SOFT_POWER,
        "rescue": {
            **{"iterations": RECENT, "attempts": MOST, "stride": STRIDE},
            "losses": {str(size): unlearned_loss(size) for size in SIZES},
        },
        "scores": WEIGHT_S0.table.tolist(),
        "planes": {str(n): TACTICAL if n in TABLES else PLAIN for n in WIN_LENGTHS},
        "operation": list(OPERATION.names or ()),
        "nets": {
            name: {planes: _net(name, planes, settings) for planes in (TACTICAL, PLAIN)} for name in NETS
        },
        "maps": {str(size): cell_maps(size).tolist() for size in SIZES},
        "boards": {f"{size}-{n}": _board(Rules(size, n)) for size in SIZES for n in WIN_LENGTHS},
    }


def _numbers(record: Any) -> dict[str, float]:
    return {name: record[name].item() for name in record.dtype.names}


def _net(name: str, planes: str, settings: TrainSettings) -> dict[str, Any]:
    """A net's card, how its weights begin, and its programs by size."""
    spec = parse_spec(expand_short(name))
    net = fresh_net(spec.name, {**spec.options, "planes": planes}, Rules(6, 4))
    card = net.card
    learned = learned_outputs(card.graph, settings.learn)
    programs = {
        size: Program(card.graph.pruned(learned), net.weights, card.channels, size, settings.learn.batch)
        for size in SIZES
    }
    places = programs[SIZES[0]].places
    return {
        "card": {key: value for key, value in card.to_json().items() if key not in ("rules", "name")},
        "channels": card.channels,
        "weights": [
            [
                key,
                list(value.shape),
                places[key].start,
                int(places[key].is_running),
                _beginning(key, net.weights),
            ]
            for key, value in net.weights.items()
        ],
        "programs": {str(size): program.plain() for size, program in programs.items()},
    }


def _beginning(name: str, weights: Weights) -> list[float]:
    """The least and the greatest number that a weight begins with, see :class:`wuzi.nets.fresh.DrawnNet`."""
    layer = weights[f"{name.rpartition('.')[0]}.weight"]
    if layer.ndim == 1:  # a norm's
        return [float(weights[name][0])] * 2
    bound = 1 / math.sqrt(layer[0].size)
    return [-bound, bound]


def _board(rules: Rules) -> dict[str, Any]:
    players = (Entry("policy", "policy"), Entry("weight", "weight"))
    match = TournamentConfig(players, rules, games=2 * PAIRS, openings="auto")
    pairs = [game.opening for game in schedule(match, book_of(match))[::2]]
    return {
        "pairs": [format_moves(one.moves, rules.size) for one in pairs],
        "checks": [format_moves(game.moves, rules.size) for game in check_games(rules)],
    }
