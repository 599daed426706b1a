"""The replies of the analysis protocol: reports of searches, errors, what a player supports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wuzi.contract import Capabilities, Line, PlayResult, SearchInfo, own_winrate
from wuzi.core.game import Game
from wuzi.core.notation import format_move, parse_move
from wuzi.core.rules import Opening, parse_rule
from wuzi.errors import ProtocolError
from wuzi.protocols.analysis.queries import Start
from wuzi.protocols.analysis.wire import action_json, parse_object, short


def report(
    kind: str, start: Start, info: SearchInfo, seq: int, result: PlayResult | None = None
) -> dict[str, Any]:
    """An ``info`` object, or a ``done`` object when ``result`` is given."""
    game = start.game
    message: dict[str, Any] = {
        "type": kind,
        "id": start.id,
        "seq": seq,
        "isDuringSearch": result is None,
        "turnNumber": game.ply,
        "rootInfo": _root_json(info),
        "moveInfos": [
            _line_json(line, order, game.rules.size) for order, line in enumerate(info.lines[: start.multipv])
        ],
    }
    if "extra" in start.include:
        message["extra"] = dict(info.extra)
    if result is not None:
        message["action"] = action_json(result.action, game.rules.size)
        message["resigned"] = result.resigned
    return message


def error_reply(code: str, message: str, request_id: str | None = None) -> dict[str, Any]:
    """An ``error`` object."""
    return {"type": "error", "id": request_id, "code": code, "message": " ".join(message.split())}


def parse_reply(line: str | bytes) -> dict[str, Any]:
    """The reply in a line, as a dict with a text ``type``; ProtocolError for anything else."""
    message = parse_object(line)
    if not isinstance(message.get("type"), str):
        raise ProtocolError(f"a reply without a type: {short(message)}")
    return message


def _root_json(info: SearchInfo) -> dict[str, Any]:
    best = info.lines[0] if info.lines else None
    return {
        "currentPlayer": info.color.letter,
        "visits": max(info.simulations, info.nodes),
        "winrate": best.winrate if best else None,
        "nodes": info.nodes,
        "simulations": info.simulations,
        "depth": info.depth,
        "maxDepth": info.max_depth,
        "nps": round(info.nodes_per_s, 1),
        "time": round(info.time_s, 4),
    }


def _line_json(line: Line, order: int, size: int) -> dict[str, Any]:
    return {
        "move": format_move(line.move, size),
        "order": order,
        "visits": line.visits,
        "winrate": line.winrate,
        "prior": line.prior,
        "value": line.value,
        "score": line.score,
        "pv": [format_move(move, size) for move in line.pv],
        "winIn": line.win_in,
    }


def parse_lines(reply: Mapping[str, Any], game: Game) -> tuple[Line, ...]:
    """The candidates of an ``info`` or ``done`` reply about that game, best first."""
    size, color = game.rules.size, game.to_move
    return tuple(
        Line(
            parse_move(info["move"], size),
            None if info["winrate"] is None else 2 * own_winrate(info["winrate"], color) - 1,
            color,
            visits=info["visits"],
            pv=tuple(parse_move(text, size) for text in info["pv"]),
            win_in=info["winIn"],
        )
        for info in reply["moveInfos"]
    )


def capabilities_json(capabilities: Capabilities) -> dict[str, Any]:
    """What a player supports, for ``described`` replies and engine lists."""
    lengths = capabilities.win_lengths
    return {
        "rules": [rule.label for rule in sorted(capabilities.rules)],
        "minSize": capabilities.min_size,
        "maxSize": capabilities.max_size,
        "winLengths": None if lengths is None else sorted(lengths),
        "openings": sorted(str(opening) for opening in capabilities.openings),
        "deterministic": capabilities.deterministic,
    }


def parse_capabilities(data: Mapping[str, Any]) -> Capabilities:
    """The inverse of :func:`capabilities_json`."""
    lengths = data["winLengths"]
    return Capabilities(
        rules=frozenset(map(parse_rule, data["rules"])),
        min_size=data["minSize"],
        max_size=data["maxSize"],
        win_lengths=None if lengths is None else frozenset(lengths),
        openings=frozenset(map(Opening, data["openings"])),
        deterministic=data["deterministic"],
    )
