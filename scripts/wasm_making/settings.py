"""Budgets, shares and limits that a page without a server has in common with Python, in groups."""

from __future__ import annotations

from typing import Any

from wasm_making.exports import named

from wuzi import contract
from wuzi.analysis import explain, judgement_kernels, layers
from wuzi.analysis.review import judgement, model, output, results, strength, tasks, trial
from wuzi.analysis.review.strength import RATED_RULES as RATED
from wuzi.apps.web import schemas
from wuzi.games import driver, seats, session
from wuzi.players import engine, level, minimax, weight
from wuzi.players.levels import level_ratings
from wuzi.protocols.analysis import queries
from wuzi.records import words
from wuzi.records.formats import charset_guess, charsets, sgf_reader, sgf_writer
from wuzi.records.model import MarkKind
from wuzi.search import balance, time_management
from wuzi.search import layout as search_layout
from wuzi.search.minimax import searcher


def _budgets() -> dict[str, int | bool]:
    """The budgets of a review, as the page names them."""
    options = model.ReviewOptions()
    return {
        "quickNodes": options.quick_nodes,
        "deepNodes": options.deep_nodes,
        "verifyNodes": options.verify_nodes,
        "multipv": options.multipv,
        "proofNodes": options.proof_nodes,
        "strength": options.strength,
    }


SETTINGS: dict[str, dict[str, Any]] = {
    "PLAYERS": named({engine: "CHOICE_SHARE CHOICE_NODES OPENINGS_KEPT", level: "MINIMAX_DEPTH"}),
    "MINIMAX": named({searcher: "PROVEN INFINITY", minimax: "VALUE_DEPTH"})
    | {
        "PRESETS": minimax.MinimaxPlayer.presets,
        "REACH": minimax.MinimaxConfig().reach,
        "TRACE_FIELDS": search_layout.TRACE_FIELDS,
    },
    "WEIGHT": named({weight: "DIRECTION_NAMES CERTAIN"}),
    "BALANCE": named({balance: "GLANCED GLANCE_NODES STUDIED STUDY_NODES LEAST_S REACH"})
    | {"NODES": trial.BALANCE.nodes, "WORTH_NODES": trial.WORTH.nodes},
    "LAYERS": named(
        {layers: "FOUR_NODES THREAT_NODES TREE_WIDTH TREE_NODES REASONED", queries: "TREE_DEPTH"}
    ),
    "HINT": named({explain: "AREA_RADIUS SMALL_SIZE"}) | {"SECONDS": trial.HINT_S},
    "REVIEW": named(
        {
            model: "MAX_DEFENCES SHARES DEPTHS DOUBT_POINTS ANALYSTS",
            tasks: "DEFENCE_NODES",
            trial: "LIKELY_WON MAX_REPLIES",
            judgement_kernels: "MISTAKE",
            judgement: "WORST MUCH",
            strength: "ANY ASTRAY LIKELY LEAST_MOVES",
            output: "COLUMNS LINE_MOVES BETTER_MOVES",
        }
    )
    | {
        "KINDS": list(results.TaskKind),
        "OPTIONS": _budgets(),
        "LEVELS": [
            {"name": str(one.name), "elo": level_ratings()[one.name].elo, "haste": one.haste}
            for one in strength.RATED_LEVELS
        ],
        "RATED_RULES": {"size": RATED.size, "winLength": RATED.win_length, "rule": RATED.rule.label},
    },
    "GAME": named(
        {
            session: "DRAW_MARGIN MOVE_SHARE",
            driver: "CANDIDATES FLAG_S",
            seats: "REST_S",
            contract: "MAX_CLOCK_SHARE",
            time_management: "CLOCK_SHARE INCREMENT_SHARE LEAST_S",
        }
    ),
    "API": named({schemas: "MULTIPV RECENT"}),
    "FILES": named({sgf_writer: "LINE_WIDTH"})
    | {
        "NODE_NAMES": sorted(sgf_writer.NODE_NAMES),
        "RULE_NAMES": {rule.label: names for rule, names in words.RULE_NAMES.items()},
        "RENJU_BEGINS": list(words.RENJU_BEGINS),
        "HEADERS": sgf_reader.HEADERS,
        "MARKS": {kind.name.lower(): kind.value for kind in MarkKind},
        "CHARSETS": {name: more.split() for name, (_, more) in charsets.CHARSETS.items()},
        "FREQUENT": charset_guess.FREQUENT,
        "LETTERS": charset_guess.LETTERS,
    },
}
"""Each group is one object of the generated file."""
