"""The attacks of :mod:`breaking.attack`: each sends bad input, or too much of it, and counts the answers."""

from __future__ import annotations

import json
import random
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import httpx
from websockets.exceptions import WebSocketException

if TYPE_CHECKING:
    from research.hardening.attack import Site

JSON = {"content-type": "application/json"}
API = "/api/v1"
POST_PATHS = (
    *(
        f"{API}/{name}"
        for name in ("arenas", "results", "records/parse", "records/convert", "records/review", "analyze")
    ),
    *("/move", "/api/game/new", f"{API}/runs"),
)
PATHS = (
    *("/../../etc/passwd", "/assets/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/%00"),
    *(
        "//etc/passwd",
        "/api/v1/store/games/%2e%2e%2f",
        "/api/v1/store/games/" + "a" * 3000,
        "/api/v1/results/%00",
    ),
    "/api/v1/runs/..%2f..%2fetc",
    *(
        "/api/v1/store/reviews/'; DROP TABLE games; --",
        "/play/<script>",
        "/api/v1/store/games?limit=1e99",
        "/openapi.json",
    ),
)
HUGE = 3 << 20
HOST_LINE = b"Host: play.example.org\r\n"


def bad_values(rng: random.Random) -> Any:
    """A JSON value that no field expects."""
    texts = ("", "\u0000", "a" * 5000, "../../x", "cmd=sh -c id")
    value: Any = rng.choice((None, True, -1, 10**30, 1e308, [], {}, ["h8"] * 700, *texts))
    for _ in range(rng.choice((0, 0, 1, 3))):
        value = rng.choice(([value], {"size": value}, {"rules": value}, {"moves": [value, value]}))
    return value


def bodies(site: Site, rng: random.Random, count: int, seen: Counter[str]) -> None:
    """Bodies that are no JSON, nested deeply, of the wrong types, or with fields of their own."""
    good = {"rules": {"size": 9}, "seats": [{"kind": "human"}, {"kind": "engine", "engine": "weight"}]}
    with site.client() as client:
        for _ in range(count):
            deep = rng.randrange(1, 20_000)
            field = rng.choice(("rules", "seats", "x", "clock", "setup", "record", "position", "players"))
            mixed = json.dumps(good | {field: bad_values(rng)})
            broken = ("[" * deep, '{"rules":' * deep, "\ud800".encode("utf-8", "surrogatepass"), "NaN")
            body = rng.choice((*broken, mixed, mixed, mixed[: rng.randrange(len(mixed))]))
            answer = client.post(rng.choice(POST_PATHS), content=body, headers=JSON)
            seen[str(answer.status_code)] += 1
            if answer.status_code == 429:
                time.sleep(0.3)


def paths(site: Site, rng: random.Random, count: int, seen: Counter[str]) -> None:
    """Addresses that lead out of folders, hold zero bytes, or are very long; methods nobody offers."""
    for _ in range(count):
        path, method = rng.choice(PATHS), rng.choice(("GET", "GET", "PUT", "DELETE", "TRACE", "BREW"))
        head = f"{method} {path} HTTP/1.1\r\n".encode() + HOST_LINE
        said = site.raw(head + b"Connection: close\r\n\r\n")
        seen[said[9:12].decode("latin-1") or "closed"] += 1
        if b"root:" in said:
            seen["500"] += 1
        time.sleep(0.06)


def nonsense(site: Site, rng: random.Random, count: int, seen: Counter[str]) -> None:
    """Bytes that are no request: noise, two lengths, endless headers, half a request."""
    heads = (b"", b"GET / HTTP/1.1\r\n" + HOST_LINE, b"POST /api/game/new HTTP/1.1\r\n" + HOST_LINE)
    tails = (
        *(rng.randbytes(300), b"Content-Length: 5\r\nContent-Length: 50\r\n\r\nhello", b"\r\n" * 500),
        *(b"X: " + b"a" * 70_000 + b"\r\n\r\n", b"Content-Length: -1\r\n\r\n", b"Host: elsewhere\r\n\r\n"),
        b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\nffffffff\r\n",
        b"Content-Length: 99999999999\r\n\r\n",
    )
    for _ in range(min(count, 200)):
        said = site.raw(rng.choice(heads) + rng.choice(tails), wait_s=0.5)
        seen[said[9:12].decode("latin-1") if said.startswith(b"HTTP") else "closed or silent"] += 1


def too_large(site: Site, rng: random.Random, count: int, seen: Counter[str]) -> None:
    """Bodies over the limit, and records of the greatest allowed size that are expensive to read."""
    record = "(;FF[4]GM[4]SZ[15]" + ";B[hh];W[ii]" * 40_000 + ")"
    nested = "(;FF[4]GM[4]SZ[15]" + "(;B[hh]" * 50_000 + ")" * 50_000 + ")"
    with site.client() as client:
        for _ in range(min(count, 30)):
            pieces = (b"a" * (1 << 16) for _ in range(HUGE >> 16))  # names no length: sent in chunks
            texts = [
                record,
                nested,
                *(json.dumps({"record": one, "depth": "quick"}) for one in (record, nested)),
            ]
            choices: list[str | Iterator[bytes]] = [pieces, "a" * HUGE, *texts]
            with suppress(httpx.TransportError):
                answer = client.post(rng.choice(POST_PATHS[:6]), content=rng.choice(choices), headers=JSON)
                seen[str(answer.status_code)] += 1
            time.sleep(0.2)


def burst(site: Site, rng: random.Random, count: int, seen: Counter[str]) -> None:
    """As many requests at once as sixteen threads can send."""
    seats = [{"kind": "engine", "engine": "engine", "level": "normal"}] * 2
    game = json.dumps({"rules": {"size": 9}, "seats": seats})

    def one(number: int) -> str:
        with site.client() as client, suppress(httpx.TransportError):
            if number % 4 == 0:
                return str(client.post("/api/game/new", content=game, headers=JSON).status_code)
            return str(client.get(("/api/v1/store/games", "/api/v1/engines", "/")[number % 3]).status_code)
        return "closed"

    with ThreadPoolExecutor(16) as pool:
        seen.update(pool.map(one, range(count)))


def sockets(site: Site, rng: random.Random, count: int, seen: Counter[str]) -> None:
    """More sockets than the limit, and junk, large and endless messages over those that are let in."""
    junk = (
        "",
        "{",
        "[" * 5000,
        "null",
        '{"type":"start"}',
        '{"type":"ping"}',
        "x" * 60_000,
        b"\xff\x00" * 400,
    )
    long = {
        "position": {"size": 15, "moves": ["h8"]},
        "engine": "engine",
        "limit": {"time": 5},
        "type": "start",
    }
    with ExitStack() as stack:
        opened = []
        for _ in range(60):
            try:
                opened.append(stack.enter_context(site.socket("/ws/v1/analysis")))
                seen["socket opened"] += 1
            except (WebSocketException, OSError):
                seen["socket refused"] += 1
        for number in range(count):
            with suppress(WebSocketException, OSError):
                message = rng.choice((*junk, json.dumps(long | {"id": str(number)})))
                rng.choice(opened).send(message)
                seen["messages"] += 1
        with suppress(WebSocketException, OSError):
            opened[0].send("y" * (1 << 20))


def slow(site: Site, rng: random.Random, count: int, seen: Counter[str]) -> None:
    """Many connections that begin a request and never end it, while a person plays on."""
    with ExitStack() as stack:
        for _ in range(min(count, 300)):
            with suppress(OSError):
                line = socket.create_connection(("127.0.0.1", site.port), timeout=5)
                stack.enter_context(closing(line))
                line.sendall(
                    b"POST /api/game/new HTTP/1.1\r\n" + HOST_LINE + b"Content-Length: 1000\r\n\r\n{"
                )
                seen["held open"] += 1
        seen["a person waited, tenths of a second"] += round(10 * site.until_it_answers())


def strangers(site: Site, rng: random.Random, count: int, seen: Counter[str]) -> None:
    """Requests of other sites' pages and under other names."""
    for _ in range(min(count, 100)):
        hosts = ("evil.example", "", "a" * 900)
        more = rng.choice(({"origin": "http://evil.example"}, *({"host": name} for name in hosts)))
        with site.client(**more) as client, suppress(httpx.TransportError):
            answer = client.post("/api/game/new", json={"size": 9, "human_first": True})
            seen[str(answer.status_code) if answer.status_code != 201 else "500"] += 1
        time.sleep(0.06)


ATTACKS: Mapping[str, Callable[[Site, random.Random, int, Counter[str]], None]] = MappingProxyType(
    {one.__name__: one for one in (bodies, paths, nonsense, too_large, burst, sockets, slow, strangers)}
)
