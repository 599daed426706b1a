"""The figures of a study for machines: ``figures.json``, which claims are judged from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from wuzi.arena.rating import Estimate
from wuzi.studies.agreement import Agreement
from wuzi.studies.figures import PartFigures, StudyFigures
from wuzi.studies.methods import MethodRow
from wuzi.studies.pairs import PairFigures

SCHEMA = 1


def figures_json(figures: StudyFigures, rows: Sequence[MethodRow]) -> dict[str, Any]:
    """Everything that claims and pages need, JSON-compatible; what is undefined is null."""
    return {
        "v": SCHEMA,
        "nets": figures.nets,
        "runs": [asdict(run) for run in figures.runs],
        "stages": {part.part.folder: _part(part) for part in figures.parts},
        "methods": {row.method.name: _row(row) for row in rows},
        "agreement": {"repeat": _agreement(figures.repeat), "seed": _agreement(figures.seed)},
    }


def _part(part: PartFigures) -> dict[str, Any]:
    stage, ratings = part.part.stage, part.ratings
    rated = zip(ratings.labels, ratings.estimates, strict=True) if ratings else ()
    return {
        "kind": str(stage.kind),
        "size": part.part.rules.size,
        "win_length": part.part.rules.win_length,
        "time_s": stage.time,
        "games": len(part.records),
        "hours": round(part.hours, 3),
        "pairs": [_pair(pair) for pair in part.pairs],
        "ratings": {name: _estimate(estimate) for name, estimate in rated},
        "bounded": bool(ratings and ratings.bounded),
        "black": _estimate(part.black),
        "white": _estimate(part.white),
        "drawn": _estimate(part.drawn),
        "black_score": _estimate(part.score),
        "conduct": {
            name: {
                "games": play.games,
                "move_s": _rounded(play.conduct.mean_s),
                "black": _estimate(play.black),
                "white": _estimate(play.white),
                "late": play.conduct.late,
                "slowest_s": _rounded(play.conduct.slowest_s),
                "forfeits": sum(play.conduct.forfeits.values()),
            }
            for name, play in part.plays.items()
        },
    }


def _pair(pair: PairFigures) -> dict[str, Any]:
    score = _estimate(pair.score) or {}
    return {
        **{name: getattr(pair, name) for name in ("first", "second", "games", "wins", "draws", "losses")},
        **{"score": score.get("value"), "low": score.get("low"), "high": score.get("high")},
        **{name: getattr(pair, name) for name in ("won", "level", "lost", "distinct")},
        **{"p": pair.p, "adjusted": pair.adjusted, "significant": pair.significant},
    }


def _row(row: MethodRow) -> dict[str, Any]:
    return {
        "rating": _estimate(row.rating),
        "stars": row.stars,
        "parameters": row.parameters,
        "move_s": _rounded(row.move_s),
        "shift": _estimate(row.shift),
        "explains": None if row.explains is None else str(row.explains),
        "learns": row.learns,
        "net": row.method.net or None,
        "schedule_share": row.schedule_share,
    }


def _agreement(found: Agreement | None) -> dict[str, Any] | None:
    if found is None:
        return None
    data = asdict(found)
    for key in ("correlation", "tau"):
        data[key] = None if math.isnan(data[key]) else round(data[key], 4)
    return data


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 6)


def _estimate(estimate: Estimate | None) -> dict[str, float] | None:
    if estimate is None or math.isnan(estimate.value):
        return None
    return {name: round(getattr(estimate, name), 6) for name in ("value", "low", "high")}
