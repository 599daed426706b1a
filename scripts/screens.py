"""Every screen of the page and its states, on real servers, for ``screenshots.py``."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from build_page import ROOT
from playwright.sync_api import Page
from serving import Server

import wuzi
from wuzi.analysis.review.model import DEPTHS
from wuzi.apps.web.migration import page_review
from wuzi.records import loads
from wuzi.training.run.directory import RunDirectory

TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
GAMES: dict[str, dict[str, Any]] = TABLES["games"]

RECORD = ROOT / "tests" / "analysis" / "review" / "games" / "missed_vcf.sgf"
RUNS = ROOT / "docs" / "results" / "training"
BEGUN = datetime(2026, 11, 22, 0, 38, tzinfo=UTC)
ENDED = datetime(2026, 11, 22, 1, 18, tzinfo=UTC)
"""When s1 was trained: its published files do not say."""

MADE: dict[str, Any] = TABLES["made"]


class Shown(Server):
    """A server, and what is on it; everything is made when it is first asked for."""

    def address_of(self, path: str) -> str:
        """The address of a path in which ``{name}`` is a new game of ``GAMES``, or an attribute of this."""
        made = re.sub(
            r"{(\w+)}",
            lambda m: self.new_game(**GAMES[m[1]]) if m[1] in GAMES else str(getattr(self, m[1])),
            path,
        )
        return f"http://{self.address}{made}"

    @cached_property
    def game(self) -> str:
        """A game against the engine, in the middle, with its estimates."""
        moves: list[str] = []
        rates: list[tuple[int, float]] = []
        for move in MADE["played"].split():
            if move in moves:
                continue
            moves.append(move)
            asked = {"position": {"size": 15, "moves": moves}, "engine": "engine", "level": "quick"}
            best = self.post("/analyze", asked)["moveInfos"][0]
            rates += [(len(moves), best["winrate"]), (len(moves) + 1, best["winrate"])]
            moves.append(best["move"])
        return self.new_game(" ".join(moves), ("", "engine/quick"), winrates=rates)

    @property
    def placed(self) -> str:
        """A game whose three stones of swap2 lie."""
        three = [{"type": "place", "moves": [112, 98, 84]}]
        return self.new_game(**GAMES["swap2"], actions=three)

    @property
    def crashed(self) -> str:
        """A game whose engine has crashed."""
        failure = {"code": "engine_crashed", "message": "the engine process ended: exit status 3", "log": ""}
        return self.new_game("h8", ("", "weight"), failure=failure)

    @cached_property
    def review(self) -> str:
        """A review that is done."""
        return self._review(len)

    @property
    def reviewing(self) -> str:
        """A review that is half made, elsewhere."""
        return self._review(lambda results: len(results) // 2)

    def _review(self, count: Callable[[dict[str, Any]], int]) -> str:
        record = loads(RECORD.read_text("utf-8"))
        quick, deep, verify = DEPTHS["quick"]
        made = wuzi.review(record.game(), quick_nodes=quick, deep_nodes=deep, verify_nodes=verify)
        about, data = page_review(record, made)
        data["wire"] = dict(list(data["wire"].items())[: count(data["wire"])])
        name = secrets.token_hex(6)
        body = {"version": 0, "summary": about | {"id": name}, "data": data | {"runs": True}}
        self.http.put(f"/store/reviews/{name}", json=body).raise_for_status()
        return name

    def _tournament(self, players: Sequence[str], **more: Any) -> str:
        """The id of a tournament of players of the server's list, as the form would ask for it."""
        known = {one["spec"]: one["name"]["en"] for one in self.get("/arenas/players")}
        listed = [{"spec": spec, "label": known[spec]} for spec in players]
        return str(
            self.post("/arenas", {"players": listed, "rules": {"size": 15}, "openings": "book"} | more)["id"]
        )

    @cached_property
    def arena(self) -> str:
        """A tournament that is over, with its charts in both languages."""
        found = self._tournament(MADE["players"], games=12)
        self.until(lambda: self.get(f"/arenas/{found}")["status"] == "done")
        return self._drawn("arenas", found)

    @cached_property
    def results(self) -> str:
        """The same as an uploaded file."""
        table = self.http.get(f"/arenas/{self.arena}/export", params={"format": "csv"}).content
        found = self.http.post("/results", params={"name": "engines-2026.csv"}, content=table)
        return self._drawn("results", str(found.raise_for_status().json()["id"]))

    def _drawn(self, kind: str, id_: str) -> str:
        for language in ("en", "zh"):
            path = f"/{kind}/{id_}/charts?lang={language}"
            self.post(path, {})
            self.until(lambda path=path: self.get(path)["status"] == "ready")  # type: ignore[misc]
        return id_

    @cached_property
    def match(self) -> str:
        """A match that is being played."""
        found = self._tournament(MADE["players"][:2], games=2000, sprt={"elo0": -30, "elo1": 30})
        self.until(lambda: self.get(f"/arenas/{found}")["done"] >= 12)
        return found


class Servers:
    """The servers whose screens are shown, each started when it is first asked for."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack

    def _start(self, name: str, **settings: Any) -> Shown:
        return self._stack.enter_context(Shown(data_dir=self._folder / name, **settings))

    @cached_property
    def usual(self) -> Shown:
        """One with everything."""
        runs = self._folder / "runs"
        kept_runs(runs)
        return self._start("usual", runs_dir=runs, training_token="of the pictures")

    @cached_property
    def showing(self) -> Shown:
        """One that only shows, with games and a review."""
        with Shown(data_dir=self._folder / "showing") as before:
            made = {"game": before.game, "review": before.review}
            before.new_game(**GAMES["over"])
        found = self._start("showing", read_only=True)
        found.__dict__.update(made)
        return found

    @cached_property
    def empty(self) -> Shown:
        """One on which nothing has happened yet, whose engines crash."""
        command = [sys.executable, "-c", MADE["crashing"]]
        return self._start("empty", worker_command=command, show_engine_log=True)


def kept_runs(folder: Path) -> None:
    """The published runs, a real small one with games and nets, and one whose figures are bad."""
    for source in sorted(path for path in RUNS.iterdir() if path.is_dir()):
        run = RunDirectory(folder / source.name)
        config = (source / "config.toml").read_text("utf-8")
        run.create(config, {"method": "selfplay", "preset": source.name, "begun": BEGUN.isoformat()})
        for table in source.glob("*.jsonl"):  # not every run was evaluated
            shutil.copyfile(table, run.path / table.name)
        for path in run.path.iterdir():
            os.utime(path, (ENDED.timestamp(), ENDED.timestamp()))
    command = [sys.executable, "-m", "wuzi", "train", "--preset", "s3-6x6", "--run-dir", str(folder / "six")]
    command += [part for one in MADE["small"] for part in ("--set", one)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
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


def _open_all(page: Page) -> None:
    for one in page.locator("summary:visible").all():
        one.click()


def _offline(page: Page) -> None:
    page.evaluate("navigator.serviceWorker.ready.then(() => new Promise((go) => setTimeout(go, 1500)))")
    page.context.set_offline(True)
    page.reload()


def _more_places(page: Page) -> None:
    page.locator('[data-test="nav-more"]').evaluate("one => one.click()")


def _charts(page: Page) -> None:
    for one in page.locator('[data-test="charts"] img').all():
        one.scroll_into_view_if_needed()
        one.evaluate("one => one.complete || new Promise((go) => (one.onload = go))")
    page.evaluate("scrollTo(0, 0)")


def _curves(page: Page) -> None:
    page.locator('[data-test="curves"]').evaluate("one => scrollTo(0, one.offsetTop - 80)")


_ACTIONS = (_open_all, _offline, _more_places, _charts, _curves)
ACTIONS = {action.__name__.strip("_").replace("_", "-"): action for action in _ACTIONS}


def perform(page: Page, step: str) -> None:
    """``press KEY``; ``do ACTION``; else a verb for an element, which is CSS or a name marked for tests.

    ``click``, ``focus``, ``see`` and ``miss`` (wait until it is there, or hidden); with ``:= VALUE`` behind
    the element ``fill`` and ``choose``.
    """
    verb, _, what = step.partition(" ")
    if verb in ("press", "do"):
        page.keyboard.press(what) if verb == "press" else ACTIONS[what](page)
        return
    name, _, value = what.partition(" := ")
    element = page.locator(name if "[" in name else f'[data-test="{name}"]').first
    verbs: dict[str, Callable[[], object]] = {
        "click": element.click,
        "focus": element.focus,
        "see": element.wait_for,
        "miss": lambda: element.wait_for(state="hidden"),
        "fill": lambda: element.fill(value),
        "choose": lambda: element.select_option(value=value),
    }
    verbs[verb]()


@dataclass(frozen=True, slots=True)
class Shot:
    """A screen as ``screens.toml`` describes it.

    Attributes:
        path: see :meth:`Shown.address_of`; needs: what the server must have made before.
        steps: see :func:`perform`.
        settings: of the page, kept by the browser; analyst: those of the analysis.
        on: an attribute of :class:`Servers`.
        cut: a pattern of connections that are cut.
        installs: whether the page may install its service worker.
    """

    path: str
    steps: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    on: str = "usual"
    analyst: Mapping[str, Any] = field(default_factory=lambda: MADE["analyst"])
    cut: str = ""
    installs: bool = False
    needs: str = "address"


SHOTS = {name: Shot(**fields) for name, fields in TABLES["shots"].items()}


@contextmanager
def servers() -> Iterator[Servers]:
    """Servers with data of their own."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        yield Servers(Path(folder), stack)
