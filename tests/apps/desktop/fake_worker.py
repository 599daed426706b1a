"""A worker that answers at once, with nothing imported: the first free cell from the top left.

In a swap opening it takes Black when it may choose first (a score table adds two stones instead, in swap2),
and keeps White after five stones. The player's name in the request says how it behaves: at a minimax it
thinks until it is told to stop, at an mcts it ends itself.
"""

import json
import string
import sys

WINRATE = 0.61


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)


def free_cells(position: dict) -> list[str]:
    size = position["size"]
    taken = {move for action in position["actions"] for move in action.get("moves", ())}
    cells = (f"{string.ascii_lowercase[c]}{size - r}" for r in range(size) for c in range(size))
    return [cell for cell in cells if cell not in taken]


def info(request: dict) -> dict:
    position = request["position"]
    free = free_cells(position)[: request["multipv"]]
    return {
        "turnNumber": sum(len(action.get("moves", ())) for action in position["actions"]),
        "rootInfo": {"winrate": WINRATE, "nodes": 1234, "simulations": 0, "depth": 3},
        "moveInfos": [
            {"move": move, "winrate": WINRATE - i / 50, "visits": 9 - i, "winIn": None, "pv": free[i:]}
            for i, move in enumerate(free)
        ],
    }


def decide(request: dict) -> dict:
    """The action: a stone, or what the opening asks for."""
    position = request["position"]
    free, done = free_cells(position), position["actions"]
    if position["opening"] == "free" or len(done) > 2:
        return {"type": "place", "moves": free[:1]}
    if not done:
        return {"type": "place", "moves": free[:3]}
    stones = len(done[-1].get("moves", ()))
    if stones == 3 and position["opening"] == "swap2" and "weight" in request["player"]:
        return {"type": "place", "moves": free[:2]}
    if stones == 3:
        return {"type": "swap"}
    return {"type": "keep"} if stones == 2 else {"type": "place", "moves": free[:1]}


CAPABILITIES = {
    "rules": ["freestyle", "standard"],
    "minSize": 3,
    "maxSize": 15,
    "winLengths": [4, 5],
    "openings": ["free", "swap1", "swap2"],
    "deterministic": True,
}


def main() -> None:
    waiting: dict[str, dict] = {}
    say(type="ready", protocol=1, version="fake")
    for line in sys.stdin:
        request = json.loads(line)
        kind, name = request["type"], request.get("id")
        if kind == "quit":
            break
        if kind == "warm":
            say(type="warmed", id=name)
        elif kind == "ping":
            say(type="pong", id=name)
        elif kind == "describe":
            only = {"openings": ["free"]} if request["player"] == "random" else {}
            say(type="described", id=name, name="fake", capabilities=CAPABILITIES | only)
        elif kind in ("start", "stop"):
            waiting[name] = waiting.get(name) or request
            request = waiting[name]
            if kind == "start" and "minimax" in request["player"]:
                say(type="info", id=name, seq=1, isDuringSearch=True, **info(request))
                continue  # thinks until it is told to stop
            if "mcts" in request["player"]:
                sys.exit(3)
            report = info(waiting.pop(name))
            action, more = decide(request), {"isDuringSearch": False, "resigned": False}
            say(type="done", id=name, seq=2, action=action, **more, **report)


if __name__ == "__main__":
    main()
