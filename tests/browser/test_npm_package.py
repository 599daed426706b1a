"""The module as a package for other programs: in Node, and on its example page."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from npm_package import PAGE, write_package
from playwright.sync_api import Browser, expect
from static_host import static_host

from wuzi.contract import Limit
from wuzi.core import Game, Rules, parse_moves
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions

CODE = "h8h9i8g7h7h6"
NODES = 5000
PROGRAM = """
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { Kernels, openEngine, Position } from 'wuzi'

const file = (name) => readFileSync(new URL(import.meta.resolve(`wuzi/${name}`)))
const module = file('kernels.wasm')
const kernels = await Kernels.load(module)
const state = kernels.record('STATE')
const counts = kernels.array('int64', 4)
kernels.call('reset', state, 15, 5, 0)
kernels.call('perft', state, 2, counts)
const engine = await openEngine(module, gunzipSync(file('data/freestyle-5.bin.gz')))
let position = Position.empty({ size: 15, winLength: 5, rule: 'freestyle' })
for (const cell of CELLS) position = position.play(cell)
const { lines, nodes } = await engine.think(position, { nodes: NODES })
console.log(JSON.stringify([counts.get(0), counts.get(1), lines[0].move, lines[0].score, nodes]))
"""


of_the_package = pytest.mark.ci(
    "compiles the page's modules once more, for the package that other programs use"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (PAGE / "node_modules").is_dir():
        pytest.skip("the page's tools are missing: run `npm ci` in frontend/")
    folder = tmp_path_factory.mktemp("modules") / "node_modules" / "wuzi"
    write_package(folder)
    return folder


@of_the_package
def test_a_program_in_node_thinks_as_python_does(folder: Path) -> None:
    moves = parse_moves(CODE, 15)
    text = PROGRAM.replace("CELLS", str([int(move) for move in moves])).replace("NODES", str(NODES))
    program = folder.parents[1] / "program.mjs"
    program.write_text(text, encoding="utf-8")
    node = shutil.which("node")
    assert node is not None
    said = subprocess.run([node, program], capture_output=True, text=True, check=True).stdout
    search = AlphaBetaSearch(Rules(), EngineOptions(table_mb=16))
    info = search.run(Game.from_moves(Rules(), moves).position, Limit(nodes=NODES))
    assert json.loads(said) == [225, 225 * 224, int(info.lines[0].move), info.lines[0].score, info.nodes]


@of_the_package
def test_its_types_are_whole(folder: Path) -> None:
    about = json.loads((folder / "package.json").read_text("utf-8"))
    assert (folder / about["exports"]["."]["types"]).is_file()
    texts = {file: file.read_text("utf-8") for file in folder.rglob("*.d.ts")}
    assert texts and not any("'@/" in text for text in texts.values())
    assert "engine_search" in texts[folder / "wasm" / "generated.d.ts"]
    user = folder.parents[1] / "user.mts"
    user.write_text("import type { Engine } from 'wuzi'\nexport const engines: Engine[] = []\n")
    compiler = PAGE / "node_modules" / "typescript" / "bin" / "tsc"
    options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom"]
    subprocess.run(["node", compiler, *options, user.name], check=True, cwd=user.parent)


@of_the_package
def test_the_example_plays(browser: Browser, folder: Path) -> None:
    assert len((folder / "example.html").read_text("utf-8").splitlines()) < 50
    page = browser.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    with static_host(folder) as url:
        page.goto(url + "example.html")
        expect(page.locator("#said")).to_have_text("Your turn")
        page.locator("button").nth(int(parse_moves("h8", 15)[0])).click()
        expect(page.get_by_text("○")).to_have_count(1)
        expect(page.get_by_text("●")).to_have_count(1)
    assert wrong == []
    page.close()


def test_a_host_of_files_ends_with_the_test_that_failed(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError), static_host(tmp_path):
        raise ZeroDivisionError
    for left in set(threading.enumerate()) - before:
        left.join(5)
        assert not left.is_alive()


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(SystemExit, match="expected a new or empty folder"):
        write_package(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine"]
