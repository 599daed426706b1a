"""Games and reviews that earlier versions of the server kept, in the form in which pages keep them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic.alias_generators import to_camel

from wuzi.analysis.review.model import Review, ReviewJournal, progress
from wuzi.base.json_fields import MALFORMED
from wuzi.core import parse_moves
from wuzi.errors import WuziError
from wuzi.protocols.analysis.wire import outcome_json, position_json
from wuzi.records import GameRecord, load

_SIDES = {"B": 1, "W": 2, None: None}


def page_game(data: dict[str, Any]) -> dict[str, Any]:
    """A stored game as pages have it: a session of :mod:`wuzi.games.stored` rewritten, all else as it is."""
    if "position" not in data or data.get("schema") != 1:
        return data
    try:
        return _rewritten(data)
    except (*MALFORMED, WuziError):
        return data


def _rewritten(data: Mapping[str, Any]) -> dict[str, Any]:
    position, seats = data["position"], data["seats"]
    size, failure = position["size"], data["failure"]
    owed = data.get("owed", (0, 0))
    full = [_clock(seat) for seat in seats]
    clocks = [
        None if left is None else {**(clock or {"incrementS": 0}), "leftS": left, "owedS": owed_s}
        for left, clock, owed_s in zip(data["clocks"], full, owed, strict=True)
    ]
    return {
        **game_data(position),
        "end": _end(data["outcome"]),
        "seats": [_seat(seat) for seat in seats],
        "redo": [_action(action, size) for action in data["redo"]],
        "paused": data["paused"],
        "failure": failure and {"log": "", **failure},
        "winrates": [[int(ply), rate] for ply, rate in data["winrates"].items()],
        "clocks": clocks,
        "begun": full,
        "seq": data["seq"],
        "name": data.get("name", ""),
        "opening": data.get("begun", 0),
        "pace": data.get("pace"),
    }


def game_data(position: Mapping[str, Any]) -> dict[str, Any]:
    """Rules, start and actions of a ``position`` object, with numbers of cells in place of their names."""
    size, cells = position["size"], position.get("cells")
    start = None
    if cells is not None:
        start = {"cells": [".BW".index(one) for one in cells], "toMove": _SIDES[position["toMove"]]}
    rules = {name: position[name] for name in ("size", "winLength", "rule", "opening")}
    return {"rules": rules, "start": start, "actions": [_action(one, size) for one in position["actions"]]}


def _action(action: Mapping[str, Any], size: int) -> dict[str, Any]:
    if action["type"] != "place":
        return {"type": action["type"]}
    return {"type": "place", "moves": [int(move) for move in parse_moves("".join(action["moves"]), size)]}


def _end(outcome: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if outcome is None else {"winner": _SIDES[outcome["winner"]], "reason": outcome["reason"]}


def _seat(seat: Mapping[str, Any]) -> dict[str, Any]:
    about = {"kind": seat["kind"], "engine": seat["player"] or None, "level": seat["level"] or None}
    return about | {"name": seat["name"], "ponders": seat.get("ponders", False)}


def _clock(seat: Mapping[str, Any]) -> dict[str, Any] | None:
    """The clock with which a seat began."""
    limit, move_s = seat["limit"], seat.get("move_s")
    if move_s is not None:
        return {"leftS": move_s, "incrementS": 0, "moveS": move_s}
    if limit.get("clock_s") is None:
        return None
    return {"leftS": limit["clock_s"], "incrementS": limit.get("increment_s", 0)}


def earlier_reviews(folder: Path) -> Iterator[tuple[str, float, dict[str, Any], dict[str, Any]]]:
    """The reviews in a folder of records and results: id, time, what lists show, and the review.

    What cannot be read is left where it is.
    """
    for path in sorted(folder.glob("*.sgf"), key=lambda one: one.stat().st_mtime):
        try:
            record = load(path)
            review = ReviewJournal(path.with_suffix(".jsonl")).read(record.game())
        except (OSError, WuziError):
            continue
        if review is not None:
            about, data = page_review(record, review)
            yield path.stem, path.stat().st_mtime, {"id": path.stem, **about}, data


def page_review(record: GameRecord, review: Review) -> tuple[dict[str, Any], dict[str, Any]]:
    """A review as pages have it, and what lists show of it; the results are as Python writes them."""
    game, saved = record.game(), review.to_json()
    options = {to_camel(name): value for name, value in saved["options"].items()}
    done = progress(review).fraction
    data = {
        "schema": saved["schema"],
        "game": game_data(position_json(game)),
        "end": _end(outcome_json(game.outcome)),
        "players": {"B": record.black, "W": record.white},
        "date": record.date,
        "options": options,
        "results": {},
        "wire": saved["results"],
    }
    about = {"status": "done" if done == 1 else "stopped", "fraction": done, "ply": len(game.moves)}
    return about | {"players": data["players"], "rules": data["game"]["rules"]}, data
