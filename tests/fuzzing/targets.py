"""What is fuzzed: functions of bytes that must return, or raise one of wuzi's errors, for every input."""

from __future__ import annotations

import json
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))  # where the reader of claims is, which is no part of the package
GOLDEN = ROOT / "tests" / "records" / "golden"
TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
SEPARATOR = b"\n\x00\n"
"""Stands between the card and the weights in the input of the target ``net``."""


@dataclass(frozen=True)
class Target:
    """A parser or protocol: what runs, inputs to begin with, words of its language."""

    run: Callable[[bytes], None]
    samples: Callable[[], Iterable[bytes]]
    tokens: tuple[bytes, ...] = ()


def record(name: str | None) -> Callable[[bytes], None]:
    """A format of game files; what was read must also survive being written."""

    def run(data: bytes) -> None:
        from wuzi.analysis.review import restore
        from wuzi.errors import RecordError
        from wuzi.records import dumps, loads_all

        for found in (tried(RecordError, loads_all, data, name) or ())[:3]:
            assert loads_all(dumps(found, "json"), "json")[0] == found
            with suppress(RecordError):  # a record may hold what is no game, such as stones set up later
                restore(found, found.game())
            assert loads_all(dumps(found, "sgf"), "sgf")[0].moves == found.moves

    return run


def code(data: bytes) -> None:
    """Position codes, of both origins and every size; and openings."""
    from wuzi.arena.openings import parse_openings
    from wuzi.core import Rules
    from wuzi.errors import NotationError, WuziError
    from wuzi.records import format_code, parse_code

    text = data[1:].decode("utf-8", "replace")
    size = 3 + (data[0] if data else 0) % 24
    for origin in ("bottom", "top"):
        moves = tried(NotationError, parse_code, text, size, origin)
        assert moves is None or parse_code(format_code(moves, size, origin), size, origin) == moves
    with suppress(WuziError):
        parse_openings(text, Rules(size, min(5, size)), "input", "p")


def gomocup(data: bytes) -> None:
    """A manager that says anything: the session answers lines and never fails."""
    from wuzi.protocols.gomocup.requests import About, GomocupReply, GomocupTask, Think
    from wuzi.protocols.gomocup.session import Session
    from wuzi.protocols.gomocup.wire import parse_about, parse_answer, parse_report

    session = Session(About('name="fuzz"', "fuzz 1"))
    for raw in data.split(b"\n")[:300]:
        line = raw.decode("utf-8", "replace")
        events = list(session.receive(line))
        while events:
            event = events.pop()
            if isinstance(event, GomocupReply):
                assert "\n" not in event.text, event.text
            elif isinstance(event, Think):
                request = event.request
                free = [cell for cell in range(request.size**2) if cell not in request.taken()]
                few = 2 if request.task is GomocupTask.FORBIDDEN else min(request.cells_asked())
                events += session.answer(request.choices[:1] or tuple(free[:few]))
        parse_answer(line, 15)
        parse_report(line)
        parse_about(line)


def analysis(data: bytes) -> None:
    """Requests and replies of the analysis protocol, a line each."""
    from wuzi.errors import ProtocolError
    from wuzi.protocols.analysis.queries import format_request, parse_request
    from wuzi.protocols.analysis.replies import parse_reply
    from wuzi.protocols.analysis.wire import RequestError

    for line in data.split(b"\n")[:50]:
        request = tried(RequestError, parse_request, line, "random")
        assert request is None or parse_request(format_request(request)) == request
        with suppress(ProtocolError):
            parse_reply(line)


def net(data: bytes) -> None:
    """A net's card and weights; the hash on the card is made to fit, so that the rest is reached."""
    from wuzi.errors import WuziError
    from wuzi.nets import load_net

    raw, _, weights = data.partition(SEPARATOR)
    with suppress(ValueError, RecursionError):
        card = json.loads(raw)
        if isinstance(card, dict):
            card["weights_sha256"] = sha256(weights).hexdigest()
            raw = json.dumps(card).encode()
    with tempfile.TemporaryDirectory(dir=_scratch()) as folder:
        Path(folder, "net.json").write_bytes(raw)
        Path(folder, "net.safetensors").write_bytes(weights)
        with suppress(WuziError):
            load_net(Path(folder, "net"))


def legacy(data: bytes) -> None:
    """Weight files of the AlphaZero_Gomoku family."""
    from wuzi.errors import RecordError
    from wuzi.nets.legacy_pickle import parse_arrays

    tried(RecordError, parse_arrays, data, "input")


def toml(data: bytes) -> None:
    """Configuration files: engines, ladders, studies, claims, training presets; and spec strings."""
    from research.ablation.config import load_ablation
    from research.claims import load_claims
    from research.config import load_study
    from research.ladder.config import load_ladder
    from wuzi.errors import WuziError
    from wuzi.players.engines_file import load_engines
    from wuzi.players.spec import parse_spec
    from wuzi.training.methods.registry import make_plan

    def plan(path: Path) -> object:
        return make_plan(None, path)

    with tempfile.TemporaryDirectory(dir=_scratch()) as folder:
        path = Path(folder, "input.toml")
        path.write_bytes(data)
        readers: list[Callable[[Path], object]]
        readers = [load_engines, load_ladder, load_study, load_ablation, load_claims, plan]
        for read in readers:
            with suppress(WuziError):
                read(path)
    with suppress(WuziError):
        parse_spec(data.decode("utf-8", "replace"))


def results(data: bytes) -> None:
    """Recorded games of matches, and result tables."""
    from wuzi.arena.export import file_record
    from wuzi.arena.journal import load_games
    from wuzi.arena.results import read_csv
    from wuzi.errors import RecordError

    with tempfile.TemporaryDirectory(dir=_scratch()) as folder:
        path = Path(folder, "games.jsonl")
        path.write_bytes(data)
        for read in (load_games, read_csv):
            for game in (tried(RecordError, read, path) or ())[:3]:
                with suppress(RecordError):
                    file_record(game).game()


def stored(data: bytes) -> None:
    """Games of the server's database, and the journals of reviews."""
    from wuzi.analysis.review.model import ReviewJournal
    from wuzi.errors import RecordError
    from wuzi.games.stored import session_from_json, session_to_json

    with suppress(ValueError, RecursionError):
        found = json.loads(data)
        if isinstance(found, dict) and (session := tried(RecordError, session_from_json, found)) is not None:
            assert session_from_json(session_to_json(session)).game == session.game
    with tempfile.TemporaryDirectory(dir=_scratch()) as folder:
        path = Path(folder, "game.review.jsonl")
        path.write_bytes(data)
        with suppress(RecordError):
            ReviewJournal(path).read(_reviewed())


def web(data: bytes) -> None:
    """What browsers send to the server, in requests and over its sockets, and what is made of it."""
    from pydantic import ValidationError

    from wuzi.errors import WuziError

    for kind, use in _bodies().items():
        with suppress(ValidationError):
            found = kind.model_validate_json(data)
            with suppress(WuziError):
                use(found)


@cache
def _bodies() -> dict[type[Any], Callable[[Any], object]]:
    """All bodies of requests, and what the server does with each before a search or a process begins."""
    from wuzi.apps.web import schemas, schemas_jobs, schemas_sockets
    from wuzi.apps.web.analyst import game_of
    from wuzi.apps.web.arenas import config_of
    from wuzi.apps.web.migration import page_game
    from wuzi.apps.web.routes import legacy, records
    from wuzi.apps.web.settings import Settings
    from wuzi.apps.web.trainer import planned

    used: dict[type[Any], Callable[[Any], object]] = {kind: str for kind in _below(schemas.Incoming)}
    own: dict[type[Any], Callable[[Any], object]] = {
        schemas.PutIn: lambda body: page_game(body.data),
        schemas.ReviewFileIn: records._reviewed,
        schemas_sockets.GameIn: game_of,
        schemas_jobs.NewArena: lambda body: config_of(body, Settings()),
        schemas_jobs.NewRun: lambda body: planned(Path(), body.model_dump(exclude_none=True)),
        legacy.BoardIn: lambda body: game_of(legacy._position_of(body)),
    }
    placed = [kind for kind in used if "position" in kind.model_fields]
    return used | {kind: lambda body: game_of(body.position) for kind in placed} | own


def _below(kind: type[Any]) -> list[type[Any]]:
    """All classes that are derived from it."""
    return [one for child in kind.__subclasses__() for one in (child, *_below(child))]


def tried(error: type[Exception], read: Callable[..., Any], *arguments: object) -> Any:
    """What the reader returns, or None if it fails with that error, whose message must fit on a line."""
    try:
        return read(*arguments)
    except error as found:
        assert "\n" not in str(found), str(found)[:200]
        assert getattr(found, "code", "bad_request") not in ("engine_failed", "")
        return None


@cache
def _scratch() -> str | None:
    """A folder in memory where there is one."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


# ---------------------------------------------------------------- samples


def golden(*suffixes: str) -> Callable[[], Iterable[bytes]]:
    """The game files of the tests with these endings."""
    return lambda: [path.read_bytes() for path in sorted(GOLDEN.iterdir()) if path.suffix in suffixes]


def written(name: str) -> Callable[[], Iterable[bytes]]:
    """The golden SGF files in another format, where it can hold them."""

    def samples() -> Iterable[bytes]:
        from wuzi.core import Game, Rules
        from wuzi.errors import RecordError
        from wuzi.records import dumps, find_format, loads

        encoding = find_format(name).encoding
        game = Game.from_moves(Rules(size=15), "h8 j9 h9 a1 h10 a2 h11 a3 h12".split())
        found = [dumps(game, name)]
        for content in golden(".sgf")():
            with suppress(RecordError):
                found.append(dumps(loads(content), name))
        return [text.encode(encoding) for text in found]

    return samples


def net_samples() -> Iterable[bytes]:
    """The small net of the tests."""
    paths = sorted((ROOT / "tests" / "nets" / "golden").glob("*.safetensors"))
    return [path.with_suffix(".json").read_bytes() + SEPARATOR + path.read_bytes() for path in paths]


def legacy_samples() -> Iterable[bytes]:
    """Sixteen small arrays in the family's form."""
    import numpy as np

    from wuzi.nets.legacy_pickle import dump_arrays

    shapes = [(2, 1, 3, 3), (2,), (4, 2), (4,)] * 4
    return [dump_arrays([np.zeros(shape, np.float32) for shape in shapes])]


def toml_samples() -> Iterable[bytes]:
    """Presets and configurations of the repository."""
    presets = sorted((ROOT / "src" / "wuzi" / "data" / "training").glob("*.toml"))
    return [
        path.read_bytes() for path in [*presets[:4], *sorted((ROOT / "research" / "configs").rglob("*.toml"))]
    ] + [
        b'[engines.pela]\ncommand = "./pbrain-pela"\n',
        b"minimax:preset=s0,seed=1",
    ]


def _reviewed() -> Any:
    """The game whose review is read."""
    from wuzi.core import Game, Rules

    return Game.from_moves(Rules(size=9), "e5 e6 d5 d6 c5".split())


def stored_samples() -> Iterable[bytes]:
    """A stored game, and the begin of a review."""
    from wuzi.analysis.review.model import Review, ReviewOptions
    from wuzi.games import GameSession, Seat
    from wuzi.games.stored import session_to_json

    game = _reviewed()
    session = GameSession(game.rules, [Seat(), Seat()], game)
    header = json.dumps(Review.of(game, ReviewOptions()).header())
    look = '{"quick 5":{"ply":5,"nodes":9,"lines":[{"move":"a1","winrate":0.5}]}}'
    return [json.dumps(session_to_json(session)).encode(), f"{header}\n{look}\n".encode()]


def listed(name: str) -> Iterable[bytes]:
    """The samples of a target in the table, and as one more the lines of them all."""
    found = [text.encode("latin-1") for text in TABLES["samples"][name]]
    return [*found, b"\n".join(found)]


_TARGETS: dict[str, tuple[Callable[[bytes], None], Callable[[], Iterable[bytes]]]] = {
    "any": (record(None), golden(".sgf", ".psq", ".rec")),
    "sgf": (record("sgf"), golden(".sgf")),
    "psq": (record("psq"), golden(".psq")),
    "rec": (record("rec"), golden(".rec")),
    **{name: (record(name), written(name)) for name in ("lib", "pos", "txt", "json")},
    "code": (code, partial(listed, "code")),
    "gomocup": (gomocup, partial(listed, "gomocup")),
    "analysis": (analysis, partial(listed, "analysis")),
    "net": (net, net_samples),
    "legacy": (legacy, legacy_samples),
    "toml": (toml, toml_samples),
    "results": (results, partial(listed, "results")),
    "stored": (stored, stored_samples),
    "web": (web, partial(listed, "web")),
}
TARGETS = {
    name: Target(run, samples, tuple(text.encode("latin-1") for text in TABLES["tokens"][name]))
    for name, (run, samples) in _TARGETS.items()
}
