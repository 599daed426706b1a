"""The tables by which the page finds threats beside a server.

``frontend/tests/instant.test.ts`` reads the file of freestyle, too, and finds the threats of the same board.
``python -m tests.apps.web.test_threat_tables`` writes both anew.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.web_server import RunningServer
from wuzi.apps.web.site_facts import threat_tables
from wuzi.core import Game, Rule, Rules, parse_moves
from wuzi.tactics import find_threats

FOLDER = Path(__file__).parents[2] / "golden" / "files"
TABLES, BOARD = FOLDER / "threat-tables.gz", FOLDER / "threats.json"
MOVES = "j8 i7 g11 k6 i9 g5 i11 i6 f8 i8 f7 k7 f9 j7 e11 f5".split()


def test_the_server_has_the_tables(server: RunningServer) -> None:
    answer = server.client.get("/api/v1/tables?rule=freestyle&winLength=5")
    assert answer.headers["content-type"] == "application/gzip"
    plain = gzip.decompress(answer.content)
    assert plain == gzip.decompress(TABLES.read_bytes())
    sections = json.loads(plain.partition(b"\n")[0])["sections"]
    assert {one["record"] for one in sections} == {"TABLES"}
    assert len(plain) == len(plain.partition(b"\n")[0]) + 1 + sum(one["bytes"] for one in sections)
    for query, code in (("rule=renju&winLength=4", "unsupported_rule"), ("winLength=6", "validation")):
        refused = server.client.get(f"/api/v1/tables?{query}")
        assert (refused.status_code, refused.json()["code"]) == (422, code)


def test_the_golden_threats_are_those_of_python() -> None:
    assert json.loads(BOARD.read_text("utf-8")) == {"moves": MOVES, "threats": threats()}
    kinds = {(one["color"], one["kind"]) for one in threats()}
    assert len(kinds) > 3, kinds


def threats() -> list[dict[str, object]]:
    """The threats on the board, as the page shows them."""
    game = Game.from_moves(Rules(), parse_moves("".join(MOVES), 15))
    return [
        {
            "kind": str(threat.kind),
            "color": threat.color.letter,
            "stones": list(map(str, threat.stones)),
            "gains": list(map(str, threat.gains)),
        }
        for threat in find_threats(game.position)
    ]


def write() -> None:
    """The golden files, as Python has them now."""
    TABLES.write_bytes(threat_tables(Rule.FREESTYLE, 5))
    BOARD.write_text(json.dumps({"moves": MOVES, "threats": threats()}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()


def test_the_pages_own_engine_gets_facts_puzzles_and_data(server: RunningServer) -> None:
    facts = json.loads(gzip.decompress(server.client.get("/api/v1/data/facts").content))
    assert {one["id"] for one in facts["engines"]} >= {"levels", "engine"}
    for name in ("freestyle-5", "renju-5"):
        assert facts["data"][name]["file"] == f"api/v1/data/{name}"
        content = gzip.decompress(server.client.get(f"/{facts['data'][name]['file']}").content)
        assert len(content) > 100_000
    assert json.loads(gzip.decompress(server.client.get(f"/{facts['puzzles']}").content))
    assert server.get("/data/renju-4", 404)["code"] == "not_found"
    health = server.get("/health")
    assert (health["kernels"], health["compiled"]) == ("warm", health["toCompile"])


WITHOUT_KERNELS = """
from wuzi.apps.web.site_facts import FIRST_DATA, served
assert all(served(name) for name in FIRST_DATA)
from wuzi.core import jit
print(len(jit.KERNELS))
"""


def test_what_a_first_game_needs_is_there_before_any_kernel_is_compiled(tmp_path: Path) -> None:
    env = {**os.environ, "WUZI_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", WITHOUT_KERNELS]
    assert subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout == "0\n"
