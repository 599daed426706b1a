"""``wuzi bench``: how fast the parts are on this machine, one core."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer

import wuzi
from wuzi.apps.cli.options import output
from wuzi.apps.cli.tools import bench_nets
from wuzi.base.machine import packaged_table

REPEATS = 7

HELP = packaged_table("bench.toml")
"""What each figure means."""


def best_rate(work: Callable[[], int], clock: Callable[[], float] = time.thread_time) -> float:
    """Units of work per second of this thread's processor time: the best of several windows.

    Processor time and the best window keep other programs on the machine out of the figure.
    """
    if clock is time.thread_time:
        work()
    rates = []
    for _ in range(REPEATS):
        start = clock()
        units = work()
        rates.append(units / (clock() - start))
    return max(rates)


def measure(*, compile_time: bool = True) -> dict[str, float]:
    """All figures; takes about two minutes, and another one with ``compile_time``."""
    net = bench_nets.basic_net()
    figures = {
        **_rule_book(),
        **_environment(),
        **_searches(),
        **_threats(),
        **_trees(),
        **bench_nets.net_figures(),
        **bench_nets.selfplay_figures(net),
    }
    if compile_time:
        figures.update(_start_up())
    return {name: round(value, 2 if value < 1000 else 0) for name, value in figures.items()}


def _rule_book() -> dict[str, float]:
    import numpy as np

    from wuzi.core import random_kernels, rule_kernels
    from wuzi.core.layout import LINES
    from wuzi.tactics.kernels import pattern_walk, patterns_from_state
    from wuzi.tactics.layout import PATTERNS

    figures = {}
    for size in (9, 15):
        state = wuzi.Position(wuzi.Rules(size=size)).state()
        root, work = np.zeros(1, LINES)[0], np.zeros(1, LINES)[0]
        work["rng"] = 2026

        def playouts(state: object = state, root: object = root, work: object = work) -> int:
            random_kernels.random_games(state, root, work, 100_000, np.zeros(4, np.int64))
            return 100_000

        figures[f"playouts_per_s_{size}"] = best_rate(playouts)
    rules = wuzi.Rules(size=15)
    state = wuzi.Position(rules).state()
    seed = np.uint64(2026)
    figures["push_pop_per_s"] = best_rate(lambda: int(rule_kernels.walk(state, 5000, seed)))
    patterns, table = np.zeros(1, PATTERNS)[0], wuzi.tactics.tables(rules.rule, rules.win_length)
    patterns_from_state(state, patterns, table)
    figures["pattern_push_pop_per_s"] = best_rate(
        lambda: int(pattern_walk(state, patterns, table, 3000, seed))
    )
    return figures


ENV_GAMES = 1024


def _environment() -> dict[str, float]:
    """A training loop's share: planes and masks of every position, a random move in every game."""
    from wuzi.envs import ArrayEnv

    env = ArrayEnv(wuzi.Rules(size=9), ENV_GAMES, seed=2026)
    planes = env.planes()

    def work() -> int:
        for _ in range(200):
            env.step(env.random_actions())
            env.planes(planes)
            env.masks()
        return 200 * ENV_GAMES

    return {"env_steps_per_s": best_rate(work)}


def _searches() -> dict[str, float]:
    from wuzi.evaluation.run_scores import MINIMAX_S1
    from wuzi.search.minimax.searcher import MinimaxOptions, MinimaxSearch
    from wuzi.search.montecarlo.searcher import MctsOptions, MctsSearch, Rollouts, TreeFormula

    empty = wuzi.Position(wuzi.Rules(size=9))
    six = wuzi.Game.from_moves(wuzi.Rules(size=15), wuzi.core.parse_moves("h8h9i8g7h7h6", 15)).position

    # The search runs in a thread of its own, so the whole process's time is what counts.
    timed = partial(best_rate, clock=time.process_time)

    def mcts(options: MctsOptions) -> Callable[[], int]:
        return lambda: MctsSearch(empty, options).run().simulations

    return {
        "mcts_simulations_per_s": timed(mcts(MctsOptions(100_000))),
        "mcts_puct_simulations_per_s": timed(mcts(MctsOptions(100_000, formula=TreeFormula.PUCT))),
        "mcts_tactical_simulations_per_s": timed(mcts(MctsOptions(20_000, rollouts=Rollouts.TACTICAL))),
        **_engine(timed),
        "minimax_nodes_per_s": timed(
            lambda: MinimaxSearch(six, MINIMAX_S1, MinimaxOptions(6)).run().info.nodes
        ),
    }


def _trees() -> dict[str, float]:
    """Searches guided by a net, without its cost."""
    from wuzi.nets.evaluator import UniformEvaluator
    from wuzi.search.tree.batched import BatchedTrees
    from wuzi.search.tree.options import SearchAlgorithm, Tactics, TreeOptions

    rules, dummy = wuzi.Rules(size=9), UniformEvaluator()

    def alone(options: TreeOptions, simulations: int, searches: int) -> float:
        trees = BatchedTrees(rules, 1, dummy, options)

        def work() -> int:
            done = 0
            for _ in range(searches):
                trees.new_game(0)
                done += trees.search_uniform(0, simulations)
            return done

        return best_rate(work)

    batched = BatchedTrees(rules, 64, dummy)

    def together() -> int:
        for game in range(batched.games):
            batched.new_game(game, seed=game)
        batched.search(200)
        return batched.games * 200

    return {
        "puct_simulations_per_s": alone(TreeOptions(tactics=Tactics.NONE), 800, 100),
        "puct_tactical_simulations_per_s": alone(TreeOptions(), 800, 100),
        "gumbel_simulations_per_s": alone(TreeOptions(form=SearchAlgorithm.GUMBEL), 32, 500),
        "puct_batched_simulations_per_s": best_rate(together),
        "codebook_simulations_per_s_9": _guided("e5e4d4f6", 9),
        "codebook_simulations_per_s_15": _guided(ENGINE_POSITIONS[0], 15),
    }


def _guided(moves: str, size: int) -> float:
    """Simulations a second of a PUCT search with the codebook net, the net included."""
    from wuzi.nets.codebook import CodebookEvaluator
    from wuzi.search.tree.batched import BatchedTrees

    rules = wuzi.Rules(size=size)
    game = wuzi.Game.from_moves(rules, wuzi.core.parse_moves(moves, size))
    trees = BatchedTrees(rules, 1, CodebookEvaluator())

    def work() -> int:
        trees.new_game(0, game)
        trees.search(2000)
        return trees.root(0).simulations

    return best_rate(work)


ENGINE_POSITIONS = ("h8h9i8g7h7h6", "h8i9g9i7h7h9g8i8i6", "h8j9h10h9g8i10", "h8g9i9g7g8i10j8")


def _engine(timed: Callable[[Callable[[], int]], float]) -> dict[str, float]:
    """Nodes a second, and how many a fixed search takes: the latter changes with the search alone."""
    from wuzi.search.alphabeta.searcher import AlphaBetaSearch

    rules = wuzi.Rules(size=15)
    search = AlphaBetaSearch(rules)
    positions = [
        wuzi.Game.from_moves(rules, wuzi.core.parse_moves(code, 15)).position for code in ENGINE_POSITIONS
    ]

    def nodes(limit: wuzi.Limit) -> int:
        total = 0
        for position in positions:
            search.clear()
            total += search.run(position, limit).nodes
        return total

    return {
        "alphabeta_nodes_per_s": timed(lambda: nodes(wuzi.Limit(depth=12))),
        "alphabeta_signature": nodes(wuzi.Limit(depth=12)),
    }


HARDEST = 20
"""How many positions of the suite the threat searches are timed on: those that take most nodes."""


def _threats() -> dict[str, float]:
    """Nodes a second of the searches for wins by fours and by threats."""
    import numpy as np

    def total(solver: Any, positions: list[wuzi.Position]) -> int:
        return sum(solver.search(position, max_nodes=100_000) for position in positions)

    figures = {}
    solvers = (
        ("vcf", wuzi.tactics.VcfSolver(), (wuzi.tactics.PuzzleTheme.VCF, wuzi.tactics.PuzzleTheme.NO_VCF)),
        ("vct", wuzi.tactics.VctSolver(), (wuzi.tactics.PuzzleTheme.VCT, wuzi.tactics.PuzzleTheme.NO_VCT)),
    )
    for name, solver, themes in solvers:
        positions = [puzzle.position for puzzle in wuzi.tactics.load_suite(themes) if puzzle.rules.size == 15]
        effort = [solver.solve(position, max_nodes=100_000).nodes for position in positions]
        hardest = [positions[i] for i in np.argsort(effort)[-HARDEST:]]
        figures[f"{name}_nodes_per_s"] = best_rate(partial(total, solver, hardest))
    return figures


def _start_up() -> dict[str, float]:
    code = "from wuzi.core.jit import warm; warm()"
    times = []
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "WUZI_CACHE_DIR": folder}
        for _ in range(2):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], env=env, check=True)
            times.append(time.perf_counter() - start)
    return {"kernel_compile_s": times[0], "kernel_load_s": times[1]}


def bench(as_json: Annotated[bool, typer.Option("--json")] = False, no_compile: bool = False) -> None:
    """Measure the speed of wuzi's parts on one core of this machine.

    Options:
        as_json: Print the result as one flat JSON object.
        no_compile: Do not measure the compilation of the kernels.
    """
    figures = measure(compile_time=not no_compile)
    lines = (f"{name:34} {value:>14,.2f}  {HELP[name]}" for name, value in figures.items())
    output(as_json, figures, lines)
