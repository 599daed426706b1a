"""The kernels as WebAssembly give what the native ones give: same numbers, same moves, same counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import build_wasm
import numpy as np
import pytest
from wasm_making import exports

import wuzi
from tests.search import test_engine_oracle
from tests.wasm.wasm_host import WasmKernel, WasmModule
from wuzi.core import Game, Position, Rules, rule_kernels
from wuzi.core.counting import perft
from wuzi.core.rules import Rule
from wuzi.players import level_kernels
from wuzi.players.levels import LEVELS
from wuzi.search.alphabeta import workspace
from wuzi.tactics import find_threats, vcf, vct
from wuzi.tactics import threats as listing
from wuzi.tactics.suite import PuzzleTheme, load_suite


@pytest.fixture(scope="module")
def module() -> WasmModule:
    """One instance for all tests of this file."""
    return WasmModule()


def middlegames(count: int, rules: Rules, plies: tuple[int, int] = (4, 30)) -> list[Game]:
    """Unfinished positions of random stones near the centre."""
    rng = np.random.default_rng(5)
    found: list[Game] = []
    while len(found) < count:
        game = Game(rules)
        for _ in range(int(rng.integers(*plies))):
            near = game.position.legal_mask().reshape(rules.size, rules.size)[3:-3, 3:-3]
            row, column = rng.choice(np.argwhere(near))
            game = game.play(int((row + 3) * rules.size + column + 3))
            if game.position.outcome is not None:
                break
        else:
            found.append(game)
    return found


@pytest.mark.parametrize(
    ("path", "kernels"), [(build_wasm.MODULE, exports.KERNELS), (build_wasm.LEARNER, exports.LEARNING)]
)
def test_the_modules_fit_the_kernels(path: Path, kernels: dict[str, Any]) -> None:
    carried = build_wasm.section_of(path.read_bytes())
    assert carried == build_wasm.sources_hash(kernels), "kernels changed: run python scripts/build_wasm.py"


def test_the_descriptions_fit_the_kernels() -> None:
    for path, text in build_wasm.texts().items():
        assert path.read_text("utf-8") == text, f"{path.name}: run python scripts/build_wasm.py"


@pytest.mark.parametrize("rule", list(Rule))
@pytest.mark.parametrize(("size", "depth"), [(3, 4), (5, 4), (9, 3), (15, 2), (26, 2)])
def test_perft(
    module: WasmModule, monkeypatch: pytest.MonkeyPatch, rule: Rule, size: int, depth: int
) -> None:
    rules = Rules(size=size, rule=rule) if size > 3 else Rules(size=3, win_length=3)
    native = counted(rules, depth)
    monkeypatch.setattr(rule_kernels, "perft", WasmKernel(module, "perft"))
    assert counted(rules, depth) == native


def counted(rules: Rules, depth: int) -> tuple[Any, ...]:
    result = perft(rules, depth)
    return result.nodes, result.finished


def test_forbidden_points(module: WasmModule) -> None:
    wasm, seen = WasmKernel(module, "forbidden_map"), 0
    for game in middlegames(400, Rules(size=15, rule=Rule.RENJU), (12, 60)):
        mine, theirs = np.zeros(225, np.int8), np.zeros(225, np.int8)
        rule_kernels.forbidden_map(game.position.state(), mine)
        wasm(game.position.state(), theirs)
        assert (mine == theirs).all()
        seen += int((mine != rule_kernels.NONE).sum())
    assert seen > 200


def test_threats_on_the_board(module: WasmModule, monkeypatch: pytest.MonkeyPatch) -> None:
    games = [game for rule in Rule for game in middlegames(40, Rules(size=15, rule=rule), (10, 50))]
    native = [find_threats(game.position) for game in games]
    monkeypatch.setattr(listing.threat_kernels, "list_threats", WasmKernel(module, "list_threats"))
    assert [find_threats(game.position) for game in games] == native
    assert sum(map(len, native)) > 500


@pytest.mark.parametrize(
    ("solver", "themes", "count"),
    [
        (vcf, (PuzzleTheme.VCF, PuzzleTheme.NO_VCF), 300),
        (vct, (PuzzleTheme.VCT, PuzzleTheme.NO_VCT), 100),
    ],
)
def test_threat_searches(
    module: WasmModule,
    monkeypatch: pytest.MonkeyPatch,
    solver: Any,
    themes: tuple[PuzzleTheme, ...],
    count: int,
) -> None:
    puzzles = load_suite(themes)
    chosen = [puzzles[i * len(puzzles) // count].position for i in range(count)]
    monkeypatch.setattr(vct, "TABLE_BITS", 15)  # a table that travels, as the proof is read out of it here
    native = _solved(chosen, solver)
    name, home = ("vcf_solve", vcf.vcf_kernels) if solver is vcf else ("vct_search", vct.vct_kernels)
    kernel = WasmKernel(module, name)
    monkeypatch.setattr(home, name, kernel)
    assert _solved(chosen, solver) == native
    assert kernel.calls >= count


def _solved(positions: list[Position], solver: Any) -> list[tuple[Any, ...]]:
    one = vcf.VcfSolver() if solver is vcf else vct.VctSolver()
    answers = (one.solve(position, max_nodes=5_000) for position in positions)
    return [(answer.verdict, answer.moves, answer.nodes) for answer in answers]


def deepen_in(module: WasmModule, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine of Python deepen by the kernels of the module."""
    for name in ("search_begin", "search_deepen", "search_forget"):
        monkeypatch.setattr(workspace.deepen_kernels, name, WasmKernel(module, name))


@pytest.mark.slow
def test_the_engine(module: WasmModule, monkeypatch: pytest.MonkeyPatch) -> None:
    native = _engine_answers(200, 1000)
    deepen_in(module, monkeypatch)
    assert _engine_answers(200, 1000) == native


def test_several_lines_and_the_look_at_the_best_move(
    module: WasmModule, monkeypatch: pytest.MonkeyPatch
) -> None:
    native = _engine_answers(6, 12_000), _engine_answers(6, 3000, multipv=3)
    deepen_in(module, monkeypatch)
    assert (_engine_answers(6, 12_000), _engine_answers(6, 3000, multipv=3)) == native


def test_the_signature_of_the_benchmark(module: WasmModule, monkeypatch: pytest.MonkeyPatch) -> None:
    deepen_in(module, monkeypatch)
    test_engine_oracle.test_the_bench_signature()


@pytest.mark.slow
@pytest.mark.parametrize("name", list(LEVELS))
def test_the_levels(module: WasmModule, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    games = middlegames(12, Rules(size=15), (0, 20))
    limit = wuzi.Limit(nodes=2000)
    native = _level_moves(name, games, limit)
    deepen_in(module, monkeypatch)
    for kernel in ("level_seed", "level_hastes", "glance_move", "level_choice"):
        monkeypatch.setattr(level_kernels, kernel, WasmKernel(module, kernel))
    assert _level_moves(name, games, limit) == native


def _level_moves(name: str, games: list[Game], limit: wuzi.Limit) -> list[wuzi.Move]:
    with wuzi.player(f"level:name={name},seed=4") as player:
        return [player.think(game, limit).move for game in games]


def _engine_answers(count: int, nodes: int, multipv: int = 1) -> list[tuple[Any, ...]]:
    found = []
    with wuzi.player("engine:fresh=true,table_mb=1") as engine:
        for game in middlegames(count, Rules(size=15), (4, 20)):
            info = engine.think(game, wuzi.Limit(nodes=nodes), multipv=multipv).info
            lines = tuple((line.move, line.score, line.pv) for line in info.lines)
            found.append((info.nodes, info.depth, info.max_depth, lines))
    return found
