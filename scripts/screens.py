"""Every screen of the page and its states, on real servers, for ``screenshots.py``."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
from build_page import ROOT
from playwright.sync_api import Page

from wuzi.training.run.directory import RunDirectory

WAIT_S = 600.0
"""For what a server is asked."""

STEP_S = 90.0
"""For what a screen shows."""

GAME = ["h8", "i9", "g7", "f6", "h7", "i7", "h9", "h10", "g9", "i8"]
PLAYED = ["h8", "f8", "g10", "f9", "i10", "g6", "e6"]
"""A person's moves; the engine's answers to them are always the same."""

RENJU = ["h8", "h9", "i8", "f10", "g9", "i11", "g10", "k10"]
WON = [*"h8 i9 h9 h7 i8 g8 j7 g10 g9 i7 k6 f11 h6 e12 l5".split()]
FOUR = ["h8", "a1", "i8", "a3", "j8"]
"""White must stop three in a row, or it is a mistake."""
WINS = ["h8", "a1", "i8", "a3", "j8", "a5", "k8", "a7"]

RECORD = ROOT / "tests" / "review" / "games" / "missed_vcf.sgf"
RUNS = ROOT / "docs" / "results" / "training"
BEGUN = datetime(2026, 11, 22, 0, 38, tzinfo=UTC)
ENDED = datetime(2026, 11, 22, 1, 18, tzinfo=UTC)
"""When s1 was trained: its published files do not say."""

SMALL = {
    "selfplay": {"games": 4, "concurrency": 1, "workers": 1, "simulations": 8},
    "learn": {"batch": 32, "batches": 2, "epochs": 1, "threads": 1},
    "evaluate": {"games": 2, "interval": 2, "playouts": 20, "simulations": 8},
    "promote": {"interval": 2, "games": 2, "simulations": 8},
    "run": {"iterations": 12},
}
PLAYERS = ("minimax:preset=s1,depth=2", "minimax:preset=s0", "weight")
ANALYST = {"engine": "engine", "level": "", "multipv": 5, "limitKind": "nodes", "limit": 100_000}
TREE_SEARCH = {"engine": "mcts-tactical", "level": "", "multipv": 5, "limitKind": "visits", "limit": 10_000}
STUDY = f"/analysis/{''.join(GAME)}?size=15&winLength=5&rule=freestyle"
SMALL_STUDY = "/analysis/e5f6d4c3e4f4e6e7?size=9&winLength=5&rule=freestyle"
"""On the board of the nets that come with wuzi."""

TREE = "(;FF[4]GM[4]SZ[15];B[hh]C[The centre.](;W[ig];B[gi];W[fj](;B[hi];W[ii])(;B[ih]))(;W[hg];B[ii]))"
CRASHING = """
import json, sys
CAPABILITIES = {
    "rules": ["freestyle"], "minSize": 3, "maxSize": 26, "winLengths": None, "openings": ["free"],
    "deterministic": True,
}
def say(**message):
    print(json.dumps(message), flush=True)
say(type="ready")
for line in sys.stdin:
    request = json.loads(line)
    kind, id = request["type"], request.get("id")
    if kind == "warm":
        say(type="warmed", id=id)
    elif kind == "ping":
        say(type="pong", id=id)
    elif kind == "describe":
        say(type="described", id=id, name="crashing", capabilities=CAPABILITIES)
    elif kind == "start":
        print("MemoryError: cannot allocate the hash table", file=sys.stderr, flush=True)
        sys.exit(3)
"""
SERVE = """
import json, sys
from pathlib import Path
import logging
import uvicorn
from wuzi.apps.web import Settings, create_app
from wuzi.apps.web.server import listen
logging.disable(logging.WARNING)
given = json.loads(sys.argv[1])
for name in ("data_dir", "runs_dir", "web_root"):
    if name in given:
        given[name] = Path(given[name])
listener = listen("127.0.0.1", 0)
print(listener.getsockname()[1], flush=True)
config = uvicorn.Config(create_app(Settings(**given)), log_level="warning")
uvicorn.Server(config).run(sockets=[listener])
"""


@contextmanager
def serving(**settings: Any) -> Iterator[str]:
    """A server at a free port; its address."""
    given = json.dumps(settings, default=str)
    command = [sys.executable, "-c", SERVE, given]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.terminate()
        process.wait(60)


def seat(engine: str | None) -> dict[str, str]:
    """A person's seat, or that of an engine (``id`` or ``id/level``)."""
    if engine is None:
        return {"kind": "human"}
    name, _, level = engine.partition("/")
    return {"kind": "engine", "engine": name} | ({"level": level} if level else {})


class Server:
    """A server, and what is on it; everything is made when it is first asked for."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.http = httpx.Client(base_url=f"{address}/api/v1", timeout=WAIT_S)

    def until(self, what: Callable[[], bool]) -> None:
        """Wait for something on the server."""
        deadline = time.monotonic() + WAIT_S
        while not what():
            if time.monotonic() > deadline:
                raise TimeoutError("the server took too long")
            time.sleep(0.2)

    def is_ready(self) -> bool:
        """Whether it answers, and its engines too."""
        try:
            return self.http.get("/engines").is_success
        except httpx.ConnectError:
            return False

    def get(self, path: str) -> Any:
        """What it says."""
        return self.http.get(path).raise_for_status().json()

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """What it answers."""
        return self.http.post(path, json=body).raise_for_status().json()

    def new_game(self, moves: Sequence[str] = (), *engines: str | None, **more: Any) -> str:
        """The id of a game with these moves; each seat an engine or None for a person."""
        seats = [seat(one) for one in engines]
        rules = {"size": 15, "rule": "freestyle"} | more.pop("rules", {})
        body = {"rules": rules, "seats": seats or [{"kind": "human"}] * 2, "moves": list(moves)}
        return str(self.post("/games", body | more)["id"])

    @cached_property
    def game(self) -> str:
        """A game against the engine, in the middle, with its estimates."""
        game = self.new_game((), None, "engine/quick")
        for i, move in enumerate(PLAYED):
            self.post(f"/games/{game}/moves?wait=true&timeout=60", {"move": move, "ply": 2 * i})
        return game

    @cached_property
    def over(self) -> str:
        """A game that is over."""
        return self.new_game(WON)

    def placed(self) -> str:
        """A game whose three stones of swap2 lie."""
        game = self.new_game(rules={"opening": "swap2"})
        self.post(f"/games/{game}/actions", {"action": "place", "moves": ["h8", "h9", "j10"], "ply": 0})
        return game

    @cached_property
    def review(self) -> str:
        """A review that is done."""
        found = self.post("/reviews", {"record": RECORD.read_text("utf-8"), "depth": "quick"})["id"]
        self.until(lambda: self.get(f"/reviews/{found}")["status"] == "done")
        return str(found)

    @cached_property
    def reviewing(self) -> str:
        """A review that will take long."""
        return str(self.post("/reviews", {"record": RECORD.read_text("utf-8"), "depth": "deep"})["id"])

    @cached_property
    def arena(self) -> str:
        """A tournament that is over, with its charts in both languages."""
        players = self.offered(PLAYERS)
        body = {"players": players, "games": 12, "rules": {"size": 15}, "openings": "book"}
        found = self.post("/arenas", body)["id"]
        self.until(lambda: self.get(f"/arenas/{found}")["status"] == "done")
        self.draw("arenas", found)
        return str(found)

    @cached_property
    def results(self) -> str:
        """The same as an uploaded file."""
        table = self.http.get(f"/arenas/{self.arena}/export", params={"format": "csv"}).content
        found = self.http.post("/results", params={"name": "engines-2026.csv"}, content=table)
        id_ = str(found.raise_for_status().json()["id"])
        self.draw("results", id_)
        return id_

    def draw(self, kind: str, id_: str) -> None:
        """The charts of an arena or file."""
        for language in ("en", "zh"):
            path = f"/{kind}/{id_}/charts?lang={language}"
            self.post(path, {})
            self.until(lambda path=path: self.get(path)["status"] == "ready")  # type: ignore[misc]

    def offered(self, specs: Sequence[str]) -> list[dict[str, Any]]:
        """Players of its list, as the form would ask for them."""
        found = {one["spec"]: one for one in self.get("/arenas/players")}
        return [{"spec": spec, "label": found[spec]["name"]["en"]} for spec in specs]

    @cached_property
    def match(self) -> str:
        """A match that goes on."""
        players = self.offered(PLAYERS[:2])
        sprt = {"elo0": -30, "elo1": 30}
        body = {"players": players, "games": 2000, "rules": {"size": 15}, "openings": "book", "sprt": sprt}
        found = str(self.post("/arenas", body)["id"])
        self.until(lambda: self.get(f"/arenas/{found}")["done"] >= 12)
        return found


class Servers:
    """The servers whose screens are shown, each started when it is first asked for."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack

    def _start(self, name: str, **settings: Any) -> Server:
        server = Server(self._stack.enter_context(serving(data_dir=self._folder / name, **settings)))
        self._stack.callback(server.http.close)
        server.until(server.is_ready)
        return server

    @cached_property
    def usual(self) -> Server:
        """One with everything."""
        runs = self._folder / "runs"
        kept_runs(runs)
        return self._start("usual", runs_dir=runs, training_token="of the pictures")

    @cached_property
    def showing(self) -> Server:
        """One that only shows, with a game and a review."""
        before = self._folder / "showing"
        with serving(data_dir=before) as address:
            server = Server(address)
            server.until(server.is_ready)
            _ = server.game, server.over, server.review
        found = self._start("showing", read_only=True)
        found.__dict__.update(game=server.game, over=server.over, review=server.review)
        return found

    @cached_property
    def empty(self) -> Server:
        """One on which nothing has happened yet, whose engines crash."""
        worker = self._folder / "crashing.py"
        worker.write_text(CRASHING, "utf-8")
        return self._start("empty", worker_command=[sys.executable, str(worker)], show_engine_log=True)


def kept_runs(folder: Path) -> None:
    """The published runs, a real small one with games and nets, and one whose figures are bad."""
    for source in sorted(path for path in RUNS.iterdir() if path.is_dir()):
        run = RunDirectory(folder / source.name)
        config = (source / "config.toml").read_text("utf-8")
        run.create(config, {"method": "selfplay", "preset": source.name, "begun": BEGUN.isoformat()})
        for name in ("metrics.jsonl", "evaluations.jsonl"):
            shutil.copyfile(source / name, run.path / name)
        for path in run.path.iterdir():
            os.utime(path, (ENDED.timestamp(), ENDED.timestamp()))
    small = [f"{table}.{name}={value}" for table, given in SMALL.items() for name, value in given.items()]
    command = [sys.executable, "-m", "wuzi", "train", "--preset", "s3-6x6", "--run-dir", str(folder / "six")]
    subprocess.run(
        [*command, *(part for one in small for part in ("--set", one))],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd=ROOT,
    )
    bad = RunDirectory(folder / "trouble")
    config = (folder / "six" / "config.toml").read_text("utf-8")
    bad.create(config.replace("iterations = 12", "iterations = 100"), {"method": "selfplay"})
    plain = {"games": 20, "new_rows": 400, "plies": 25.0, "black_wins": 20, "white_wins": 0, "draws": 0}
    more = {"games_seen": 200, "duplicates": 0.5, "policy_entropy": 1.5, "entropy": 1.2, "kl": 0.02}
    for iteration in range(1, 31):
        figures = {"loss": 4 / iteration, "lr": 10 ** -(2 + iteration / 15), "seconds": 10.0 * iteration}
        bad.append("metrics.jsonl", {"iteration": iteration, **plain, **more, **figures})
    status = {"schema": 1, "state": "running", "at": "2026-01-01T00:00:00+00:00", "pid": 1, "text": ""}
    (bad.path / "status.json").write_text(json.dumps(status | {"work": {}}), encoding="utf-8")


# ---------------------------------------------------------------------------- what is done on a screen


def seen(page: Page, name: str) -> None:
    """Wait for an element that the page marks for tests."""
    page.locator(f'[data-test="{name}"]').first.wait_for(timeout=STEP_S * 1000)


def _click(*names: str, then: str | None = None) -> Callable[[Page], None]:
    def do(page: Page) -> None:
        for name in names:
            page.locator(f'[data-test="{name}"]').first.click()
        if then is not None:
            seen(page, then)

    return do


def _wait(name: str) -> Callable[[Page], None]:
    return lambda page: seen(page, name)


def _cell(cell: int, then: str | None = None) -> Callable[[Page], None]:
    def do(page: Page) -> None:
        page.locator(f'[data-cell="{cell}"]').click()
        if then is not None:
            seen(page, then)

    return do


def _analysed(page: Page) -> None:
    page.locator('[data-test="analyse"]').click()
    page.locator('[data-test="analysis-status"][data-phase="done"]').wait_for(timeout=STEP_S * 1000)


def _layer(name: str, sign: str, *, analysed: bool = False) -> Callable[[Page], None]:
    def choose(page: Page) -> None:
        if analysed:
            _analysed(page)
        page.locator(f'label:has(input[name="layer"][value="{name}"])').click()
        seen(page, sign)

    return choose


def _line(page: Page) -> None:
    _analysed(page)
    page.locator('[data-test="candidate"]').nth(1).locator("button.move").focus()
    seen(page, "line")


def _variations(page: Page) -> None:
    page.locator('[data-test="study-share"]').click()
    page.locator('[data-test="study-text"]').fill(TREE)
    page.locator('[data-test="study-open"]').click()
    page.locator('[data-test="study-text"]').wait_for(state="hidden")
    for key in ("Home", "ArrowRight"):
        page.keyboard.press(key)


def _solved(page: Page) -> None:
    page.locator('[data-test="puzzle-solution"]').click()


def _open_all(page: Page) -> None:
    for one in page.locator("summary:visible").all():
        one.click()


def _mode(name: str) -> Callable[[Page], None]:
    return lambda page: page.locator(f'label:has(input[name="mode"][value="{name}"])').click()


def _offline(page: Page) -> None:
    page.evaluate("navigator.serviceWorker.ready.then(() => new Promise((go) => setTimeout(go, 1500)))")
    page.context.set_offline(True)
    page.reload()
    seen(page, "offline")


def _refused(page: Page) -> None:
    page.locator('[data-test="player-0"]').select_option(value="-1")
    page.locator('[data-test="spec-0"]').fill("external:cmd=/bin/true")
    page.locator('[data-test="arena-begin"]').click()
    seen(page, "refused")


def _charts(page: Page) -> None:
    for one in page.locator('[data-test="charts"] img').all():
        one.scroll_into_view_if_needed()
        one.evaluate("one => one.complete || new Promise((go) => (one.onload = go))")
    page.evaluate("scrollTo(0, 0)")


def _start_run(page: Page) -> None:
    page.locator('[data-test="start-run"] summary').first.click()


def _nothing(page: Page) -> None:
    del page


@dataclass(frozen=True, slots=True)
class Shot:
    """A screen in some state: its address, what is done there, settings, and connections that are cut."""

    place: Callable[[Servers], str]
    prepare: Callable[[Page], None] = _nothing
    settings: Mapping[str, Any] = field(default_factory=dict)
    analyst: Mapping[str, Any] = field(default_factory=lambda: ANALYST)
    cut: re.Pattern[str] | None = None
    installs: bool = False


def _on(
    path: str | Callable[[Server], str], server: str = "usual", needs: str | None = None
) -> Callable[[Servers], str]:
    def place(servers: Servers) -> str:
        on: Server = getattr(servers, server)
        if needs is not None:
            getattr(on, needs)
        return on.address + (path if isinstance(path, str) else path(on))

    return place


def _play(make: Callable[[Server], str]) -> Callable[[Servers], str]:
    return _on(lambda server: f"/play/{make(server)}")


DIRECT = {"input": "direct"}
SHOTS: dict[str, Shot] = {
    "home": Shot(_on("/")),
    "home-two": Shot(_on("/"), _mode("two")),
    "home-watch": Shot(_on("/"), _mode("watch")),
    "home-empty": Shot(_on("/", "empty")),
    "home-nav": Shot(
        _on("/help"), lambda page: page.locator('[data-test="nav-more"]').evaluate("one => one.click()")
    ),
    "play": Shot(_play(lambda server: server.game), settings={"numbers": "all"}),
    "play-thinking": Shot(
        _play(lambda server: server.new_game((), None, "mcts-tactical/strong")), _cell(112, "stop"), DIRECT
    ),
    "play-renju": Shot(_play(lambda server: server.new_game(RENJU, rules={"rule": "renju"}))),
    "play-place": Shot(_play(lambda server: server.new_game(rules={"opening": "swap2"})), _cell(112), DIRECT),
    "play-choose": Shot(_play(lambda server: server.placed()), _wait("place-two")),
    "play-blunder": Shot(
        _play(lambda server: server.new_game(FOUR, "random", None)),
        _cell(14, "blunder"),
        DIRECT | {"blunderWarning": True},
    ),
    "play-hint": Shot(_play(lambda server: server.new_game(WINS)), _click("hint", then="hint-card")),
    "play-hint-move": Shot(
        _play(lambda server: server.new_game(WINS)), _click("hint", "hint", then="hint-card")
    ),
    "play-preview": Shot(_play(lambda server: server.new_game(GAME)), _cell(98), {"input": "confirm"}),
    "play-refused": Shot(_play(lambda server: server.new_game(GAME)), _cell(112), DIRECT),
    "play-clock": Shot(_play(lambda server: server.new_game(GAME, None, "weight", clock={"seconds": 600}))),
    "play-over": Shot(_play(lambda server: server.over), _wait("result"), {"numbers": "all"}),
    "play-lost": Shot(_play(lambda server: server.game), _wait("link-lost"), cut=re.compile("/ws/")),
    "play-crash": Shot(
        _on(lambda server: f"/play/{crashed(server)}", "empty"), _click("engine-log", then="engine-crash")
    ),
    "play-missing": Shot(_on("/play/abcdefghijkl")),
    "menu": Shot(_play(lambda server: server.game), _click("menu", then="menu-share")),
    "share": Shot(_play(lambda server: server.over), _click("menu", "menu-share", then="copy-link")),
    "shortcuts": Shot(_play(lambda server: server.game), lambda page: page.keyboard.press("?")),
    "resign": Shot(_play(lambda server: server.game), lambda page: page.keyboard.press("r")),
    "position": Shot(_on(f"/p/{''.join(GAME)}?size=15&winLength=5&rule=freestyle")),
    "analysis": Shot(_on(STUDY), _analysed),
    "analysis-empty": Shot(_on("/analysis")),
    "analysis-line": Shot(_on(STUDY), _line),
    "analysis-visits": Shot(_on(STUDY), _layer("visits", "heat", analysed=True), analyst=TREE_SEARCH),
    "analysis-policy": Shot(_on(SMALL_STUDY), _layer("policy", "heat")),
    "analysis-threats": Shot(_on(STUDY), _layer("threats", "threat-list")),
    "analysis-scores": Shot(_on(STUDY), _layer("scores", "score-reasons")),
    "analysis-tree": Shot(_on(STUDY), _layer("tree", "search-tree")),
    "analysis-editor": Shot(_on(STUDY), _click("edit-board", then="editor")),
    "analysis-share": Shot(_on(STUDY), _click("study-share", then="study-text")),
    "analysis-variations": Shot(_on(STUDY), _variations),
    "reviews": Shot(_on("/review", needs="review")),
    "review": Shot(_on(lambda server: f"/review/{server.review}"), _click("previous-mistake")),
    "review-retry": Shot(_on(lambda server: f"/review/{server.review}"), _click("train", then="training")),
    "review-missing": Shot(_on("/review/abcdefghijkl")),
    "puzzles": Shot(_on("/puzzles"), _wait("puzzle-message")),
    "puzzle-solved": Shot(_on("/puzzles"), _solved),
    "training": Shot(_on("/training"), _wait("run")),
    "training-start": Shot(_on("/training"), _start_run),
    "training-none": Shot(_on("/training", "empty"), _wait("training-no-folder")),
    "training-run": Shot(_on("/training/s1"), _wait("curves")),
    "training-nets": Shot(_on("/training/six"), _wait("net")),
    "training-open": Shot(_on("/training/six"), _open_all),
    "training-trouble": Shot(_on("/training/trouble"), _wait("findings")),
    "arenas": Shot(_on("/arena", needs="results"), _wait("arenas")),
    "arenas-empty": Shot(_on("/arena", "empty")),
    "arena-refused": Shot(_on("/arena"), _refused),
    "arena-done": Shot(_on(lambda server: f"/arena/{server.arena}"), _charts),
    "results": Shot(_on(lambda server: f"/results/{server.results}"), _charts),
    "settings": Shot(_on("/settings")),
    "help": Shot(_on("/help")),
    "missing": Shot(_on("/no/such/page")),
    "offline": Shot(_on("/"), _offline, installs=True),
    "show-home": Shot(_on("/", "showing")),
    "show-play": Shot(_on(lambda server: f"/play/{server.game}", "showing")),
    "show-analysis": Shot(_on(STUDY, "showing")),
    "show-review": Shot(_on(lambda server: f"/review/{server.review}", "showing")),
    "show-arena": Shot(_on("/arena", "showing")),
    "review-running": Shot(_on(lambda server: f"/review/{server.reviewing}"), _wait("progress")),
    "arena": Shot(_on(lambda server: f"/arena/{server.match}"), _wait("boards")),
}
"""All there are, by name. The last ones keep the machine busy."""


def crashed(server: Server) -> str:
    """A game whose engine has crashed."""
    game = server.new_game((), None, "weight")
    server.post(f"/games/{game}/moves", {"move": "h8", "ply": 0})
    server.until(lambda: server.get(f"/games/{game}")["engineError"] is not None)
    return game


@contextmanager
def servers() -> Iterator[Servers]:
    """Servers with data of their own."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        yield Servers(Path(folder), stack)
