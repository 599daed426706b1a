"""Choosing from what was found, and writing the files that are shipped."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from wuzi.base.atomic import write_atomic

KINDS = ("vcf", "vct", "no_vcf", "no_vct", "defence")
MOST = {"vcf": 1200, "vct": 400, "no_vcf": 200, "no_vct": 200, "defence": 260}


def write_suite(found: list[Path], out: Path) -> dict[str, int]:
    """Write ``out/KIND.jsonl`` for each kind; how many positions each holds.

    Longer lines go first, so that a kind with too many loses its shortest; the order in a file is that of
    the games. Positions with the same stones are kept once.
    """
    entries: dict[str, list[dict[str, Any]]] = defaultdict(list)
    seen: set[tuple[str, int, str]] = set()
    for path in found:
        for line in path.read_text(encoding="utf-8").splitlines():
            game = json.loads(line)
            for find in game["finds"]:
                cells = find["moves"].split()
                stones = " ".join([*sorted(cells[::2]), "/", *sorted(cells[1::2])])
                if (key := (find["rule"], find["size"], stones)) not in seen:
                    seen.add(key)
                    entries[find["kind"]].append(
                        {"game": (game.get("source", "engine"), game["game"]), **find}
                    )
    out.mkdir(parents=True, exist_ok=True)
    counts = {}
    for kind in KINDS:
        chosen = sorted(entries[kind], key=lambda e: (-e["plies"], e["game"]))[: MOST[kind]]
        chosen.sort(key=lambda e: (e["game"], e["moves"].count(" ")))
        lines = [json.dumps(_shipped(kind, i, entry)) for i, entry in enumerate(chosen, 1)]
        write_atomic(out / f"{kind}.jsonl", "".join(line + "\n" for line in lines).encode())
        counts[kind] = len(lines)
    return counts


def _shipped(kind: str, number: int, entry: dict[str, Any]) -> dict[str, Any]:
    """One line of a shipped file; readable by ``wuzi solve --positions``."""
    shipped = {
        "id": f"{kind}-{number:04d}",
        "size": entry["size"],
        "win_length": entry["win_length"],
        "rule": entry["rule"],
        "moves": entry["moves"],
    }
    return {**shipped, "line": entry["line"]} if entry["line"] else shipped
