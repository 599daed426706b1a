"""Completing a net's card: how it was trained, how strong and how sure it is, what it sees, where it fails.

The measured part is computed only: training from the run's folder, the rest from games against named anchors
and from positions with one right answer.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from wuzi.arena import Entry, GameResult, TournamentConfig, default_openings
from wuzi.arena.provenance import commit, machine
from wuzi.arena.rating import rate, score_interval, tally, wilson
from wuzi.arena.tournament import OnProgress, run_tournament
from wuzi.core import Color, Game, Rules, parse_moves
from wuzi.core.lines import WIN_LENGTHS
from wuzi.errors import ConfigError, RecordError
from wuzi.nets import Evaluator, NetFile, PlaneEncoder, open_net, records_of, scalar_value
from wuzi.training.evaluation.policy_quiz import run_quiz
from wuzi.training.methods.registry import stored_plan
from wuzi.training.run.directory import RunDirectory

ANCHORS: Mapping[str, str] = {
    "random": "random",
    "weight": "weight",
    "minimax-s0": "minimax:preset=s0",
    "mcts-s0": "mcts:preset=s0",
}
"""The players that a net is measured against."""

ANCHOR = ("weight", 1000.0)
"""The player whose rating is fixed, and the rating."""

BINS = 10
_METRICS = "metrics.jsonl"
_KINDS = {"win": "a win", "block": "a block", "open_four": "an open four"}
_SURE = 0.9
"""Share of a kind of position that a net should answer at a glance, below which that is a weakness."""


def training_facts(folder: Path) -> dict[str, Any]:
    """How a net was made, from the folder of its run."""
    directory = RunDirectory(folder)
    notes, rows = directory.notes(), directory.rows(_METRICS)
    last: Mapping[str, Any] = rows[-1] if rows else {}
    plan = stored_plan(folder)
    environment = notes.get("environment", {})
    planned = getattr(getattr(plan.settings, "run", None), "iterations", None)
    method = notes.get("method", plan.method.name)
    done = last.get("round", last.get("iteration"))  # distillation plans rounds of several iterations
    games, positions = totals(method, rows)
    return {
        "preset": notes.get("preset", plan.preset),
        "method": method,
        "seed": getattr(getattr(plan.settings, "run", None), "seed", None),
        "start": getattr(getattr(plan.settings, "net", None), "start", None),
        "games": games,
        "positions": positions,
        "hours": None if "seconds" not in last else round(float(last["seconds"]) / 3600, 5),
        "iterations": last.get("iteration"),
        "schedule_share": None if not planned or done is None else round(done / planned, 4),
        "machine": f"{environment.get('cores')} cores, {environment.get('gpu') or 'no GPU'}",
        "begun": notes.get("begun"),
    }


def measure(
    net: NetFile,
    spec_net: str,
    *,
    player: str,
    games: int,
    seed: int = 1,
    concurrency: int = 1,
    out: Path | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Play a net against the anchors and look at it; everything but ``training``.

    ``player`` plays it, with ``{net}`` for its name or file; so many games against each anchor, and of the
    anchors among themselves. ``out`` is a new folder for the games; they are not kept without one.
    """
    rules = net.card.rules
    anchors = [Entry(spec, name) for name, spec in ANCHORS.items()]
    entries = (Entry(player.format(net=spec_net), "net"), *anchors)
    book = default_openings(rules)
    config = TournamentConfig(entries, rules, games, openings=book, transform=True, seed=seed)
    played = run_tournament(
        config, out, concurrency=concurrency, allow_command=True, on_progress=on_progress
    ).records
    now = datetime.datetime.now(datetime.UTC)
    evaluator = open_net(net)
    seen = run_quiz(evaluator, rules) if rules.win_length in WIN_LENGTHS else {}
    own = [game for game in played if "net" in (game.black, game.white)]
    data: dict[str, Any] = {
        "rating": {
            **rate(played, anchor=ANCHOR).of("net").rounded(4),
            "anchors": dict(ANCHORS),
            "fixed": dict([ANCHOR]),
            "player": player.format(net=Path(spec_net).stem),
            "games": len(own),
            "openings": book,
        },
        "matches": [_match(own, name) for name in ANCHORS],
        "tactics": {kind: {"positions": a.positions, "right": a.right} for kind, a in seen.items()},
        "first_player": _first_player(own),
        "calibration": calibration(evaluator, rules, own),
        "measured": {"at": now.isoformat(timespec="milliseconds"), "commit": commit(), "machine": machine()},
    }
    data["weaknesses"] = weaknesses(data)
    return data


def completed(net: NetFile, measured: Mapping[str, Any], training: Mapping[str, Any] | None) -> NetFile:
    """The net with its card's measured part replaced; what is known of training stays if none is given."""
    card = net.card
    known = training or card.measured.get("training")
    if known is None:
        raise ConfigError(f"net {card.name}: nothing says how it was trained: expected the run's folder")
    full = {"training": dict(known), **measured}
    full["weaknesses"] = weaknesses(full)
    return replace(net, card=replace(card, measured=full))


def calibration(evaluator: Evaluator, rules: Rules, games: Sequence[GameResult]) -> dict[str, Any]:
    """Whether the net's value says how games end: positions before its own moves, in bins of expected score.

    ``bins`` hold positions, mean expected and mean real score, 0 to 1; ``error`` is the mean distance of the
    two weighted by positions (expected calibration error), None without positions.
    """
    positions, results = [], []
    for record in games:
        side = Color.BLACK if record.black == "net" else Color.WHITE
        game = Game(rules)
        opening = len(parse_moves(record.opening, rules.size)) if record.opening else 0
        for ply, move in enumerate(parse_moves(record.moves, rules.size)):
            if ply >= opening and game.to_move is side:
                positions.append(game)
                results.append(record.score("net"))
            game = game.play(move)
    if not positions:
        return {"positions": 0, "error": None, "bins": []}
    encoder = PlaneEncoder(evaluator.planes, rules)
    values = np.concatenate(
        [
            scalar_value(evaluator.evaluate(encoder.encode(records_of(positions[i : i + 256])))[1])
            for i in range(0, len(positions), 256)
        ]
    )
    expected = (1 + values.astype(np.float64)) / 2
    real = np.array(results)
    place = np.minimum((expected * BINS).astype(np.int64), BINS - 1)
    bins = [
        {
            "positions": int(here.sum()),
            "expected": round(float(expected[here].mean()), 4),
            "real": round(float(real[here].mean()), 4),
        }
        for here in (place == i for i in range(BINS))
        if here.any()
    ]
    error = sum(b["positions"] * abs(b["expected"] - b["real"]) for b in bins) / len(positions)
    return {"positions": len(positions), "error": round(error, 4), "bins": bins}


def weaknesses(data: Mapping[str, Any]) -> list[str]:
    """What the measurement shows to be weak, in sentences; empty if it shows nothing."""
    found = []
    for match in data["matches"]:
        if match["high"] < 0.5:
            found.append(f"weaker than {match['against']}: {match['score']:.0%} of {match['games']} games")
    for kind, answer in data["tactics"].items():
        if answer["positions"] and answer["right"] < _SURE * answer["positions"]:
            missed = answer["positions"] - answer["right"]
            found.append(f"without search it misses {_KINDS[kind]} in {missed} of {answer['positions']}")
    split = data["first_player"]
    if split["first"]["low"] > split["second"]["high"]:
        found.append(
            f"much weaker when moving second: wins {split['second']['value']:.0%}, "
            f"moving first {split['first']['value']:.0%}"
        )
    error = data["calibration"]["error"]
    if error is not None and error > 0.1:
        found.append(f"its value is off by {error:.0%} of the score on average")
    share = data.get("training", {}).get("schedule_share")
    if share is not None and share < 0.95:
        found.append(f"trained for {share:.0%} of its schedule")
    return found


def totals(method: str, rows: Sequence[Mapping[str, Any]]) -> tuple[int | None, int | None]:
    """Games and positions of a whole run, from its rows of metrics; None where there are none."""
    last: Mapping[str, Any] = rows[-1] if rows else {}
    if method == "ppo":
        found = (last.get("games"), last.get("moves"))
    elif method == "distill":
        games = sum(int(row.get("games") or 0) for row in rows)
        found = (games, max((int(row.get("positions") or 0) for row in rows), default=0))
    else:
        found = (last.get("total_games"), last.get("total_rows"))
    return found[0] or None, found[1] or None


def _match(games: Sequence[GameResult], anchor: str) -> dict[str, Any]:
    counted = tally(games, "net", anchor)
    if not counted.games:
        raise RecordError(f"no games against {anchor}")
    score = score_interval(counted).rounded(4)
    return {"against": anchor, **counted.counts, "score": score.pop("value"), **score}


def _first_player(games: Sequence[GameResult]) -> dict[str, Any]:
    found = {}
    for name, mine in (("first", True), ("second", False)):
        group = [game for game in games if (game.first_player == "net") is mine]
        wins = sum(game.score("net") == 1 for game in group)
        found[name] = {**wilson(wins, len(group)).rounded(4), "games": len(group)}
    return found
