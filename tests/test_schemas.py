"""Every kind of file of wuzi's own is in docs/formats.md; an old one still loads, one to come is refused."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from safetensors import numpy as safetensors_numpy
from safetensors import safe_open

from wuzi.apps.cli import main
from wuzi.core import Game, Rules, format_moves
from wuzi.errors import RecordError, WuziError

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
FILES = TESTS / "golden" / "files"
BROWSER = "wuzi.study"
"""The one schema of the page, in the browser's store; frontend/tests/stores.test.ts loads an old one."""
REVIEWED = Game.from_moves(Rules(size=9), "e5 e6 d5 c5 d6 d7 f4".split())


@dataclass(frozen=True)
class Schema:
    """A kind of file.

    Attributes:
        golden: a file, or a folder, that an earlier wuzi wrote.
        part: the file of the folder that holds the version.
        read: reads a copy of it; what it returns must be true.
        future: turns the content into that of a version to come; None where there are no versions.
        answer: what the refusal of a future version says.
        written: the version that is written now, where there are versions.
    """

    golden: Path
    read: Callable[[Path], object]
    future: Callable[[Path], None] | None = None
    answer: str = "99"
    part: str = ""
    written: str = "1"


def numbered(key: str) -> Callable[[Path], None]:
    """Change the version in the first object of a JSON file, or of JSON lines."""

    def change(path: Path) -> None:
        text, count = re.subn(rf'("{key}": ?)[12]\b', r"\g<1>99", path.read_text("utf-8"), count=1)
        assert count == 1
        path.write_text(text, "utf-8")

    return change


def unknown_key(path: Path) -> None:
    """Add a key that a later version may have to the first table."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith("["))
    lines.insert(first + 1, "key_of_99 = 1\n")
    path.write_text("".join(lines), "utf-8")


# ---------------------------------------------------------------- readers


def game_record(path: Path) -> object:
    from wuzi.records import load

    return load(path).moves


def results(path: Path) -> object:
    from wuzi.arena.export import read_results

    (game,) = read_results(path)
    assert (game.black, game.winner, game.moves) == ("weight", "black", "e5e6d5d6c5")
    return game


def tournament(path: Path) -> object:
    from wuzi.arena.journal import load_settings

    return load_settings(path)["settings"]


def ladder_runs(path: Path) -> object:
    from research.campaign import load_runs

    # A line of its own behind it: the last line may be cut off, one before may not.
    with (path / "runs.jsonl").open("ab") as file:
        file.write((FILES / "ladder-v1" / "runs.jsonl").read_bytes())
    return load_runs(path)[0].engines["pela"]


def ladder_config(path: Path) -> object:
    from research.ladder.config import load_ladder

    return load_ladder(path)


def engines(path: Path) -> object:
    from wuzi.players.engines_file import load_engines

    return load_engines(path)["pela"].command


def study(path: Path) -> object:
    from research.config import load_study

    return load_study(path)


def ablation(path: Path) -> object:
    from research.ablation.config import load_ablation

    return load_ablation(path)


def ablation_arm(path: Path) -> object:
    from research.ablation.config import AblationArm
    from research.ablation.run import load_state

    state = load_state(AblationArm("seed-claims", "no-norm", "quick", (), (), "", "", (1,)), 1, path)
    return state is not None and state.complete


def claims(path: Path) -> object:
    from research.claims import load_claims

    return load_claims(path)


def figures(path: Path) -> object:
    from research.claims import load_figures

    return load_figures([path])["stages"]["own"]["pairs"]


def training_config(path: Path) -> object:
    from wuzi.training.methods.registry import make_plan

    return make_plan(None, path)


def run_folder(path: Path) -> object:
    from wuzi.training.run.directory import RunDirectory

    return RunDirectory(path).notes()["begun"]


def changes(path: Path) -> object:
    from wuzi.training.run.changes import read_changes

    return len(read_changes(path)[0]["changes"])


def attempts(path: Path) -> object:
    from wuzi.training.run.attempts import read_attempts

    return read_attempts(path)[0]["seed"]


def checkpoint(path: Path) -> object:
    from wuzi.training.run.checkpoint import read_checkpoint

    return read_checkpoint(path).arrays


def future_checkpoint(path: Path) -> None:
    with safe_open(path, framework="numpy") as file:
        notes = {**file.metadata(), "schema": "99"}
        arrays = {name: file.get_tensor(name) for name in file.keys()}
    path.write_bytes(safetensors_numpy.save(arrays, notes))


def selfplay(path: Path) -> object:
    from wuzi.training.data.games import SelfPlayGame

    return [SelfPlayGame.from_line(line, path.name) for line in path.read_text("ascii").splitlines()]


def open_games(path: Path) -> object:
    from wuzi.training.methods.selfplay.workers import read_open

    return read_open(path, set())[0].moves


def labelled_games(path: Path) -> object:
    from wuzi.training.methods.distill.game_file import read_games, read_settings

    return next(read_games(path, read_settings(path)["size"])).labels


def net(path: Path) -> object:
    from wuzi.nets import load_net

    return load_net(path / "schema1").card.checks


def codebook(path: Path) -> object:
    from wuzi.core import Rule
    from wuzi.evaluation.codebook import parse_net

    return parse_net(path.read_bytes(), path.name, Rule.FREESTYLE, 4).recipe


def review_journal(path: Path) -> object:
    from wuzi.analysis.review.model import ReviewJournal

    review = ReviewJournal(path).read(REVIEWED)
    return review is not None and review.results


def review_sgf(path: Path) -> object:
    from wuzi.analysis.review import restore
    from wuzi.records import load

    review = restore(load(path))
    return review is not None and review.results


def future_review(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count('{"schema":2,') == 1
    path.write_text(text.replace('{"schema":2,', '{"schema":99,'), "utf-8")


def book(path: Path) -> object:
    from wuzi.arena.openings import load_openings

    openings = load_openings(path, Rules(size=9))
    assert format_moves(openings[1].moves, 9) == "f3f6e2e1"
    return openings


def session(path: Path) -> object:
    from wuzi.games import session_from_json

    return session_from_json(json.loads(path.read_bytes())).game.moves


def database(path: Path) -> object:
    from wuzi.apps.web.store import FILE_NAME, Store

    connection = sqlite3.connect(path.parent / FILE_NAME)
    connection.executescript(path.read_text("utf-8"))
    connection.close()
    store = Store(path.parent)
    try:
        found: Any = asyncio.run(store.get("games", "golden"))
    finally:
        store.close()
    return found is not None and found.summary["ply"] == 2


def future_database(path: Path) -> None:
    text, count = re.subn(r"(?i)user_version *= *1", "user_version = 99", path.read_text("utf-8"))
    assert count == 1
    path.write_text(text, "utf-8")


def preferences(path: Path) -> object:
    from wuzi.apps.desktop.storage import Storage

    (path.parent / "config").mkdir()
    shutil.copy(path, path.parent / "config" / "desktop.json")
    return Storage(path.parent / "config", path.parent).preferences().level == "club"


def defaults(path: Path) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WUZI_CONFIG_DIR", str(path.parent))
        if main(["play", "--help"]) != 0:
            raise RecordError("refused: 99")
    return True


def proof(path: Path) -> object:
    from wuzi.search.proof.check_proof import Checker, RefusedError

    try:
        Checker(iter(path.read_text("ascii").splitlines())).run()
    except RefusedError as error:
        raise RecordError(str(error)) from None
    return True


def proof_folder(path: Path) -> object:
    from wuzi.search.proof.campaign import Campaign

    work = Campaign(Rules(size=6, win_length=4), path, height=5)
    return work.is_proved(()) and work.spent_s() > 0 and len([*work.export(None, [()])]) == 7


def future_proof(path: Path) -> None:
    path.write_text(path.read_text("ascii").replace("wuzi-proof 1", "wuzi-proof 99", 1), "ascii")


SCHEMAS: dict[str, Schema] = {
    "game record": Schema(TESTS / "records/golden/v1_tree.json", game_record, numbered("version")),
    "games.jsonl": Schema(TESTS / "arena/golden/game_v1.jsonl", results, numbered("v")),
    "tournament.json": Schema(
        TESTS / "arena/golden/tournament_v1", tournament, numbered("v"), "schema version 1", "tournament.json"
    ),
    "batch_results_*.csv": Schema(FILES / "batch_results.csv", results),
    "results.parquet": Schema(FILES / "results-v1.parquet", results),
    "openings book": Schema(FILES / "book.txt", book),
    "engines.toml": Schema(FILES / "engines.toml", engines, unknown_key),
    "ladder.toml": Schema(FILES / "ladder.toml", ladder_config, unknown_key),
    "ladder runs.jsonl": Schema(
        FILES / "ladder-v1", ladder_runs, numbered("v"), "expected schema version 1", "runs.jsonl"
    ),
    "study.toml": Schema(FILES / "study.toml", study, unknown_key),
    "ablation.toml": Schema(FILES / "ablation.toml", ablation, unknown_key),
    "arm.json": Schema(
        FILES / "ablation-v1",
        ablation_arm,
        numbered("v"),
        "expected schema version 1",
        "seed-claims/no-norm-s1/arm.json",
    ),
    "claims.toml": Schema(FILES / "claims.toml", claims, unknown_key),
    "figures.json": Schema(FILES / "figures-v1.json", figures, numbered("v"), "expected schema version 1"),
    "training config.toml": Schema(FILES / "training.toml", training_config, unknown_key),
    "run.json": Schema(FILES / "run-v1", run_folder, numbered("schema"), part="run.json"),
    "changes.jsonl": Schema(
        FILES / "changes-v1", changes, numbered("v"), "expected schema version 1", "changes.jsonl"
    ),
    "attempts.jsonl": Schema(
        FILES / "attempts-v1", attempts, numbered("v"), "expected schema version 1", "attempts.jsonl"
    ),
    "*.checkpoint.safetensors": Schema(
        TESTS / "training/golden/run-v1.checkpoint.safetensors", checkpoint, future_checkpoint
    ),
    "self-play shard": Schema(
        TESTS / "training/golden/selfplay-v1.jsonl", selfplay, numbered("v"), written="2"
    ),
    "open-*.json": Schema(FILES / "open-v2", open_games, numbered("schema"), part="open-0.json", written="2"),
    "games with labels": Schema(
        FILES / "labelled-v1", labelled_games, numbered("schema"), "schema 1", "data.json"
    ),
    "net": Schema(TESTS / "nets/golden", net, numbered("schema"), part="schema1.json"),
    "codebook net": Schema(ROOT / "src/wuzi/data/evaluation/freestyle-4.npz", codebook),
    "proof": Schema(TESTS / "search/golden/proofs/6x5-four.txt", proof, future_proof),
    "proof folder": Schema(
        TESTS / "search/golden/proof-folder-v1", proof_folder, future_proof, part="proved-0.txt"
    ),
    "review journal": Schema(FILES / "review-v2.jsonl", review_journal, numbered("schema"), written="2"),
    "review in SGF": Schema(FILES / "review-v2.sgf", review_sgf, future_review, written="2"),
    "session": Schema(TESTS / "games/session_schema1.json", session, numbered("schema")),
    "games.sqlite3": Schema(TESTS / "apps/web/games_schema1.sql", database, future_database, written="2"),
    "desktop.json": Schema(FILES / "desktop.json", preferences),
    "wuzi config.toml": Schema(FILES / "config.toml", defaults, unknown_key),
}


def copied(schema: Schema, folder: Path) -> Path:
    path = folder / schema.golden.name
    if schema.golden.is_dir():
        shutil.copytree(schema.golden, path)
    else:
        shutil.copy(schema.golden, path)
    return path


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_golden_file_still_loads(name: str, tmp_path: Path) -> None:
    schema = SCHEMAS[name]
    assert schema.read(copied(schema, tmp_path))


@pytest.mark.parametrize("name", [name for name, schema in SCHEMAS.items() if schema.future])
def test_a_version_to_come_is_refused_in_one_clear_line(name: str, tmp_path: Path) -> None:
    schema = SCHEMAS[name]
    path = copied(schema, tmp_path)
    assert schema.future is not None
    schema.future(path / schema.part if schema.part else path)
    with pytest.raises(WuziError) as caught:
        schema.read(path)
    message = str(caught.value)
    assert "\n" not in message
    assert schema.answer in message


def test_parquet_of_another_version_is_refused(tmp_path: Path) -> None:
    from pyarrow import parquet

    table = parquet.read_table(SCHEMAS["results.parquet"].golden)
    parquet.write_table(table.replace_schema_metadata({"wuzi_results": "99"}), tmp_path / "x.parquet")
    with pytest.raises(WuziError, match="results of version '99': expected a table of version 1"):
        results(tmp_path / "x.parquet")


def test_the_page_lists_every_schema_with_its_version() -> None:
    text = (ROOT / "docs" / "formats.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| \*\*(.+?)\*\* \| (\S+) \|", text.replace("`", ""), re.MULTILINE))
    assert set(rows) == {*SCHEMAS, BROWSER}
    for name, schema in SCHEMAS.items():
        counted = schema.future not in (None, unknown_key) or name == "results.parquet"
        assert rows[name] == (schema.written if counted else "none"), name
    assert (FILES / "wuzi.study-v1.json").is_file()
    study = (ROOT / "frontend" / "src" / "features" / "analysis" / "study.ts").read_text("utf-8")
    assert f"version: {rows[BROWSER]}," in study and "const KEY = 'wuzi.study'" in study


def test_open_games_of_an_earlier_schema_begin_anew() -> None:
    from wuzi.training.methods.selfplay.workers import read_open

    assert read_open(FILES / "open-v1", set()) == []


def test_reviews_of_an_earlier_schema_are_made_again(tmp_path: Path) -> None:
    """Their claims were not proved: the file loads, and nothing of what it says is taken over."""
    from wuzi.analysis.review import next_task, restore
    from wuzi.analysis.review.model import ReviewJournal
    from wuzi.records import load

    restored = restore(load(FILES / "review-v1.sgf"))
    assert restored is not None and restored.results == {} and next_task(restored) is not None
    journal = ReviewJournal(Path(shutil.copy(FILES / "review-v1.jsonl", tmp_path)))
    kept = journal.read(REVIEWED)
    assert kept is not None and kept.results == {} and kept.options.quick_nodes == 200
    assert journal.open(REVIEWED, kept.options).results == {}
    assert '"schema":2' in journal.path.read_text("utf-8")
