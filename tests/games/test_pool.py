"""The pool: an analysis without an end keeps no other one waiting."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from wuzi.contract import Limit
from wuzi.core import Game, Rules
from wuzi.games.pool import PoolSearch, PoolSettings, WorkerPool
from wuzi.protocols.analysis.queries import Start

THINKS_UNTIL_STOPPED = """
import json, sys
def say(**message):
    print(json.dumps(message), flush=True)
say(type="ready")
for line in sys.stdin:
    request = json.loads(line)
    kind, id = request["type"], request.get("id")
    if kind in ("warm", "ping"):
        say(type={"warm": "warmed", "ping": "pong"}[kind], id=id)
    elif kind == "start":
        say(type="info", id=id)
    elif kind == "stop":
        say(type="done", id=id)
"""


def test_long_analyses_go_on_beside_others_and_the_oldest_gives_way(tmp_path: Path) -> None:
    script = tmp_path / "worker.py"
    script.write_text(THINKS_UNTIL_STOPPED, "utf-8")
    settings = PoolSettings(workers=2, long_s=0.1, worker_command=(sys.executable, str(script)))

    async def body() -> None:
        pool = WorkerPool(settings)
        begun: list[str] = []

        def analysis(name: str) -> PoolSearch:
            request = Start(name, "weight", Game(Rules(9)), Limit(time_s=500))
            return pool.submit(request, lambda reply: begun.append(reply["id"]), background=True)

        async def until_begun(*names: str) -> None:
            async with asyncio.timeout(60):
                while set(begun) != set(names):
                    await asyncio.sleep(0.01)

        first = analysis("first")
        await until_begun("first")
        second = analysis("second")
        await until_begun("first", "second")
        assert not first.answer.done()
        third = analysis("third")
        assert (await asyncio.wait_for(first.answer, 60))["id"] == "first"
        await until_begun("first", "second", "third")
        assert not second.answer.done() and not third.answer.done()
        assert [one.made_room for one in (first, second, third)] == [True, False, False]
        await pool.close()

    asyncio.run(body())
