"""Games as pages store them on a server, for the tests and for the scripts that photograph and time pages."""

from __future__ import annotations

from typing import Any

from wuzi.apps.web.migration import game_data
from wuzi.core import Game
from wuzi.protocols.analysis.wire import position_json


def seat(name: str | None) -> dict[str, Any]:
    """That of an engine (``id`` or ``id/level``), or a person's."""
    if not name:
        return {"kind": "human", "engine": None, "level": None, "name": ""}
    engine, _, level = name.partition("/")
    return {"kind": "engine", "engine": engine, "level": level or None, "name": ""}


def page_session(game: Game, seats: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A game between two seats; ``clock`` has seconds and increment."""
    if (clock := more.pop("clock", None)) is not None:
        more["clocks"] = [{"leftS": clock["seconds"], "incrementS": clock.get("increment", 0)}] * 2
    clocks = more.pop("clocks", [None, None])
    found = game_data(position_json(game)) | {
        "end": None,
        "seats": seats,
        "redo": [],
        "paused": False,
        "failure": None,
        "winrates": [],
        "clocks": clocks,
        "begun": clocks,
        "seq": 0,
        "name": "",
        "opening": 0,
        "pace": None if any(one["kind"] == "human" for one in seats) else 0,
    }
    return found | more


def write(game_id: str, version: int, data: dict[str, Any]) -> dict[str, Any]:
    """The body of a request that stores a game."""
    names = [{"en": one["engine"] or "Human", "zh": one["engine"] or "玩家"} for one in data["seats"]]
    colors = ("B", "W")
    seats = [
        one | {"name": name, "color": color, "isUnnamed": one["kind"] == "human", "ponders": False}
        for one, name, color in zip(data["seats"], names, colors, strict=True)
    ]
    about = {"id": game_id, "rules": data["rules"], "seats": seats, "name": data["name"]}
    return {
        "version": version,
        "summary": about | {"ply": len(data["actions"]), "outcome": None},
        "data": data,
    }
