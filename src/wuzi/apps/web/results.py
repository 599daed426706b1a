"""Results on the wire: figures of games, their rows, and the charts and reports made from them."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wuzi.apps.web import children
from wuzi.apps.web.children import folder_names, is_id
from wuzi.apps.web.problems import ProblemError, not_found
from wuzi.apps.web.schemas_jobs import ChartsOut, FiguresOut, GameRow, ResultOut
from wuzi.arena.analysis import Analysis, analyse
from wuzi.arena.charts import CHART_STEMS
from wuzi.arena.rating import tally
from wuzi.arena.report import FOLDER_PREFIX, outline
from wuzi.arena.results import GameResult, read_csv, write_csv
from wuzi.arena.sprt import outcome_counts
from wuzi.base.atomic import write_atomic
from wuzi.base.json_fields import MALFORMED
from wuzi.base.words import load_catalogue
from wuzi.errors import RecordError
from wuzi.workers.line_process import LineProcess

logger = logging.getLogger(__name__)

FOLDER = "results"
MAX_PLAYERS = 40
"""Of an uploaded file: figures of all pairs grow with their square."""
_CODE = re.compile(r"(?:[a-z]\d{1,2})*")
_CSV, _ABOUT = "results.csv", "about.json"
_REPORT_COMMAND = (sys.executable, "-m", "wuzi", "report")


@dataclass(frozen=True, slots=True)
class Source:
    """Games that a report can be made of, in a folder of their own; ``stem`` names their file."""

    folder: Path
    stem: str
    records: tuple[GameResult, ...]


def figures_out(records: Sequence[GameResult], analysis: Analysis, language: str) -> FiguresOut:
    """Everything a report says, for the page."""
    t = load_catalogue("wuzi.arena", language)
    said = outline(t, analysis, Path())
    pairs = []
    for pair in analysis.pairs:
        counts = outcome_counts(tally(records, pair.leader, pair.other))
        pairs.append(asdict(pair) | {"pentanomial": counts if len(counts) == 5 else ()})
    about = {"games": analysis.games, "distinct": analysis.distinct}
    return FiguresOut.model_validate(asdict(said) | about | {"standings": analysis.players, "pairs": pairs})


def game_row(number: int, record: GameResult) -> GameRow:
    """A finished game for the wire."""
    moves = record.moves if _CODE.fullmatch(record.moves) else ""
    return GameRow.model_validate(asdict(record) | {"number": number, "moves": moves})


class Reporter:
    """Draws the charts of reports, one report at a time, in a process that ends with the server."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._tasks: dict[Path, asyncio.Task[None]] = {}
        self._failures: dict[Path, str] = {}
        self._process: LineProcess | None = None

    def state(self, source: Source, language: str) -> ChartsOut:
        """Whether the charts of these games are drawn."""
        place = _place(source, language)
        titles = load_catalogue("wuzi.arena", language)
        ready, failure = _report_file(place) is not None, self._failures.get(place, "")
        status = "ready" if ready else "making" if place in self._tasks else "failed" if failure else "none"
        drawn = range(1, len(CHART_STEMS) + 1 if ready else 1)
        charts = [{"number": number, "title": titles(f"chart.{number:02d}")} for number in drawn]
        found = {"status": status, "games": len(source.records), "message": failure, "charts": charts}
        return ChartsOut.model_validate(found)

    def make(self, source: Source, language: str) -> None:
        """Begin to draw, unless that was done; ProblemError without games."""
        if not source.records:
            raise ProblemError(409, "no_games", "no game is over yet: nothing to draw")
        place = _place(source, language)
        if _report_file(place) is None and place not in self._tasks:
            self._failures.pop(place, None)
            task = self._tasks[place] = asyncio.create_task(self._make(place, source, language))
            task.add_done_callback(lambda done: self._made(place, done))

    def file(self, source: Source, language: str, number: int | None) -> Path:
        """A chart, or the report itself; ProblemError if it is not drawn."""
        report = _report_file(_place(source, language))
        if report is None:
            raise not_found("the report of these games (ask for it first)")
        return report if number is None else report.parent / f"{CHART_STEMS[number - 1]}.png"

    async def close(self) -> None:
        """Stop drawing."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if self._process is not None:
            await asyncio.to_thread(self._process.kill)
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _make(self, place: Path, source: Source, language: str) -> None:
        async with self._turn:
            await asyncio.to_thread(self._draw, place, source, language)

    def _made(self, place: Path, task: asyncio.Task[None]) -> None:
        """Forget a report that is drawn, and keep why one is not."""
        del self._tasks[place]
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failures[place] = str(error) or type(error).__name__

    def _draw(self, place: Path, source: Source, language: str) -> None:
        if not source.folder.is_dir():  # removed while the report waited for its turn
            return
        work = place.with_name(f".{place.name}.tmp")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        table = work / f"{source.stem}.csv"
        write_csv(source.records, table)
        command = [*_REPORT_COMMAND, str(table), "--lang", language, "--json"]
        with LineProcess(command, niceness=children.NICENESS) as process:
            self._process = process
            try:
                while True:
                    process.read()
            except EOFError:
                words = process.describe_end()
            failed = process.returncode != 0
            self._process = None
        if failed:
            shutil.rmtree(work, ignore_errors=True)
            raise RecordError(words)
        shutil.rmtree(place, ignore_errors=True)
        work.rename(place)
        for old in place.parent.glob(f"report-{language}-*"):
            if old != place:
                shutil.rmtree(old, ignore_errors=True)


def _place(source: Source, language: str) -> Path:
    return source.folder / f"report-{language}-{len(source.records)}"


def _report_file(place: Path) -> Path | None:
    return next(place.glob(f"{FOLDER_PREFIX}*/report.html"), None)


class ResultShelf:
    """Uploaded files of results, each in a folder of its own below ``data_dir``; at most so many."""

    def __init__(self, data_dir: Path, most: int) -> None:
        self._folder = data_dir.absolute() / FOLDER
        self._most = most

    def add(self, name: str, content: bytes) -> ResultOut:
        """Keep a file, once it is understood.

        RecordError names the line and the column of what is wrong; ProblemError: it is over a limit.
        """
        if len(folder_names(self._folder)) >= self._most:
            raise ProblemError(429, "limit_exceeded", f"{self._most} files are kept: remove one first")
        shown = " ".join(name.split())[:80] or _CSV
        work = self._folder / f".{secrets.token_hex(8)}.tmp"
        work.mkdir(parents=True)
        try:
            table = work / _CSV
            table.write_bytes(content)
            records = _read(table, shown)
            players = sorted({label for record in records for label in (record.black, record.white)})
            if len(players) > MAX_PLAYERS:
                detail = f"{shown}: {len(players)} players: expected at most {MAX_PLAYERS}"
                raise ProblemError(422, "limit_exceeded", detail)
            analyse(records)
            about = {"name": shown, "created": time.time(), "games": len(records), "players": players}
            write_atomic(work / _ABOUT, json.dumps({"v": 1, **about}).encode())
            result_id = secrets.token_urlsafe(9)
            work.rename(self._folder / result_id)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
        return self.get(result_id)

    def get(self, result_id: str) -> ResultOut:
        """What is known of a file; ProblemError if there is none."""
        about = self._about(result_id)
        return ResultOut.model_validate({**about, "id": result_id, "created_at": about["created"]})

    def all(self) -> list[ResultOut]:
        """All files, newest first."""
        found = []
        for name in folder_names(self._folder):
            try:
                found.append(self.get(name))
            except ProblemError as error:
                logger.warning("%s cannot be listed: %s", name, error)
        return sorted(found, key=lambda one: one.created_at, reverse=True)

    def source(self, result_id: str) -> Source:
        """The games of a file; ProblemError if there is none."""
        name = self._about(result_id)["name"]
        folder = self._folder / result_id
        stem = re.sub(r"[^\w-]+", "_", Path(name).stem)[:60] or "results"
        return Source(folder, stem, tuple(_read(folder / _CSV, name)))

    def delete(self, result_id: str) -> None:
        """Remove a file and its reports for good; ProblemError if there is none."""
        self._about(result_id)
        folder = self._folder / result_id
        (folder / _ABOUT).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)

    def _about(self, result_id: str) -> dict[str, Any]:
        if not is_id(result_id):
            raise not_found(f"results {result_id[:40]!r}")
        try:
            about = json.loads((self._folder / result_id / _ABOUT).read_bytes())
            if about["v"] != 1:
                raise ValueError("schema version")
            return {key: about[key] for key in ("name", "created", "games", "players")}
        except OSError:
            raise not_found(f"results {result_id!r}") from None
        except MALFORMED as error:
            raise ProblemError(500, "bad_record", f"results {result_id}: {_ABOUT}: {error}") from None


def _read(path: Path, name: str) -> list[GameResult]:
    """The games of a file; an error names the file as the user knows it, not the server's path."""
    try:
        return read_csv(path)
    except RecordError as error:
        raise RecordError(str(error).replace(str(path), name)) from None
