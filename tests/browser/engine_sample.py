"""What a browser's engine must find as native kernels find it: the benchmark's signature, moves of levels."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure_browser import GAMES, TABLE_BITS
from measure_browser import begin_engine as begin

from wuzi.core import parse_moves

ROOT = Path(__file__).resolve().parents[2]
SIGNATURE = 38835
"""As tests/search/test_engine_oracle.py has it."""

LEVELS = ("casual", "strong")
SAMPLE = slice(0, 50, 10)


def asked(rules: dict[str, Any], moves: str, spec: str, limit: dict[str, int], seed: int = 0) -> str:
    cells = [int(move) for move in parse_moves(moves, rules["size"])]
    actions = [{"type": "place", "moves": [cell]} for cell in cells]
    game = {"rules": rules, "start": None, "actions": actions}
    return json.dumps({"game": game, "spec": spec, "seed": seed, "limit": limit, "multipv": 1})


def check_engine(js: Callable[[str], Any], folder: Path) -> None:
    """Search in a browser that shows the site of ``folder``; ``js`` runs scripts there."""
    rules = {"size": 15, "winLength": 5, "rule": "freestyle", "opening": "free"}
    nodes = 0
    for moves in GAMES:
        js(begin(folder, TABLE_BITS))
        found = js(f"window.ask('think', {asked(rules, moves, 'engine', {'depth': 12})})")
        nodes += found["rootInfo"]["nodes"]
    assert nodes == SIGNATURE
    rows = json.loads(gzip.decompress((ROOT / "tests/golden/messages/levels.json.gz").read_bytes()))
    positions, answers = rows[:50], {row["level"]: row for row in rows[50:]}
    for level in LEVELS:
        row = answers[level]
        expected = row["moves"][SAMPLE]
        limit = {"nodes": row["nodes"]}
        played = []
        for one in positions[SAMPLE]:
            question = asked(one["rules"], one["moves"], f"level:name={level}", limit, one["seed"])
            played.append(js(f"window.ask('think', {question})"))
        assert [one["moveInfos"][0]["move"] for one in played] == expected, level
