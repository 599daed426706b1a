"""The codebook net as an evaluator: the engine's own answers, the same trees by either way, its files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.search.trees import tree_of
from wuzi.core import Color, Game, Position, Rule, Rules
from wuzi.core.rule_kernels import to_point
from wuzi.core.symmetry import NUM_SYMMETRIES
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.evaluation.codebook import LOGIT, POLICY_LOGIT, dump_net, shipped_net, shipped_path, shipped_record
from wuzi.evaluation.codebook_kernels import (
    accumulator_from_state,
    accumulator_pop,
    accumulator_push,
    net_policy,
    net_value,
)
from wuzi.evaluation.layout import ACCUMULATOR
from wuzi.nets.codebook import CodebookEvaluator
from wuzi.nets.evaluator import FunctionEvaluator
from wuzi.nets.loading import load_evaluator
from wuzi.nets.planes import PlaneEncoder, records_of
from wuzi.nets.wrappers import SymmetricEvaluator
from wuzi.players import create_player
from wuzi.search.tree.batched import BatchedTrees
from wuzi.search.tree.moving import BatchMover
from wuzi.search.tree.options import SearchAlgorithm, Tactics, TreeOptions
from wuzi.tactics.classes import tables
from wuzi.tactics.kernels import pattern_pop, pattern_push, patterns_from_state
from wuzi.tactics.layout import PATTERNS

pytestmark = pytest.mark.kernels

RULES = [
    *(
        Rules(14),
        Rules(9, 5, Rule.STANDARD),
        Rules(10, 5, Rule.RENJU),
        Rules(6, 4),
        Rules(7, 4, Rule.STANDARD),
    ),
    *(Rules(20), Rules(5)),
]


class Engine:
    """What alpha-beta asks, kept stone by stone."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self._tables = rules, tables(rules.rule, rules.win_length)
        self.net = shipped_record(rules.rule, rules.win_length)
        self.state = Position(rules).state()
        self.patterns, self.accumulator = np.zeros(1, PATTERNS)[0], np.zeros(1, ACCUMULATOR)[0]
        patterns_from_state(self.state, self.patterns, self._tables)
        accumulator_from_state(self.state, self.patterns, self.net, self.accumulator)

    def push(self, cell: int, depth: int) -> None:
        point, color = int(to_point(cell, self.rules.size)), int(self.state["side"])
        pattern_push(self.state, self.patterns, self._tables, point)
        accumulator_push(self.state, self.patterns, self.net, self.accumulator, point, color, depth)

    def pop(self, depth: int) -> None:
        pattern_pop(self.state, self.patterns, self._tables)
        point = int(self.state["history"][self.state["ply"]])
        accumulator_pop(self.state, self.patterns, self.accumulator, point, depth)

    def answer(self) -> tuple[float, dict[int, float], set[int]]:
        """The value as an expected result, log-odds by empty cell, and the cells it would try."""
        size, state, classes = self.rules.size, self.state, self.patterns["classes"]
        points = {cell: int(to_point(cell, size)) for cell in range(size * size)}
        stones = [divmod(cell, size) for cell, point in points.items() if state["cells"][point]]
        near = stones or [(size // 2, size // 2)]
        value = net_value(state, self.patterns, self.net, self.accumulator, 0)
        policy, tried = {}, set()
        for cell, point in points.items():
            if state["cells"][point]:
                continue
            found = net_policy(state, self.patterns, self.net, self.accumulator, point)
            policy[cell] = float(found) / POLICY_LOGIT
            row, col = divmod(cell, size)
            close = any(max(abs(row - r), abs(col - c)) <= 2 for r, c in near)
            if close or max(classes[0, point], classes[1, point]) > 1:
                tried.add(cell)
        return 2 / (1 + np.exp(-value / LOGIT)) - 1, policy, tried


def asked(game: Game | Position) -> tuple[Any, float]:
    logits, values = CodebookEvaluator().evaluate(
        PlaneEncoder("board7-v1", game.rules).encode(records_of([game]))
    )
    return logits[0], float(values[0])


def check(engine: Engine, game: Game) -> None:
    value, policy, tried = engine.answer()
    logits, got = asked(game)
    assert got == pytest.approx(value, abs=1e-6)
    best = max(policy[cell] for cell in tried)
    for cell in range(game.rules.num_cells):
        expected = policy[cell] if cell in tried else best - 16
        assert logits[cell] == pytest.approx(max(expected, best - 16), abs=1e-5)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.label)
def test_answers_are_those_of_the_engine_after_push_and_pop(rules: Rules) -> None:
    rng = np.random.default_rng(rules.size)
    engine, games = Engine(rules), [Game(rules)]
    check(engine, games[0])
    for _ in range(14):
        cells = [int(move) for move in games[-1].legal_moves]
        after = games[-1].play(int(rng.choice(cells)))
        if after.outcome is not None:
            break
        games.append(after)
        engine.push(int(after.moves[-1]), len(games) - 2)
        if len(games) % 3 == 0:
            check(engine, after)
    while len(games) > 3:
        games.pop()
        engine.pop(len(games) - 1)
    check(engine, games[-1])


def test_a_board_that_was_set_up_knows_no_earlier_stones() -> None:
    cells = np.zeros(81, np.int8)
    cells[[30, 31, 40]], cells[[41, 50]] = 1, 2
    rules = Rules(9)
    position = Position.from_cells(rules, cells.tolist(), Color.BLACK)
    logits, value = asked(position)
    turned, same = asked(Position.from_cells(rules, cells.reshape(9, 9).T.ravel().tolist(), Color.BLACK))
    assert value == same and np.array_equal(logits.reshape(9, 9).T.ravel(), turned)
    full, _ = asked(Position.from_cells(Rules(5), ([1, 1, 2, 2] * 7)[:25], Color.BLACK))
    assert np.isfinite(full).all()
    _, for_white = asked(Position.from_cells(rules, cells.tolist(), Color.WHITE))
    assert for_white != value


def through_planes() -> FunctionEvaluator:
    """The same answers for a search that knows nothing of the net's kind."""
    return FunctionEvaluator(CodebookEvaluator().evaluate, "board7-v1")


OPTIONS = [
    TreeOptions(),
    TreeOptions(form=SearchAlgorithm.GUMBEL, considered=4),
    TreeOptions(tactics=Tactics.VCF, noise_fraction=0.25),
    TreeOptions(tactics=Tactics.NONE, proofs=False),
]


def searched(rules: Rules, options: TreeOptions, evaluator: Any) -> tuple[Any, ...]:
    """Three games side by side, four moves each; all that was found."""
    trees = BatchedTrees(rules, 3, evaluator, options)
    found: list[Any] = []
    for game in range(3):
        start = Game.from_moves(rules, [rules.num_cells // 2 + game, rules.num_cells // 2 + 2 * rules.size])
        trees.new_game(game, start, seed=game)
    for simulations in (60, 25, 40, 33):
        trees.search(simulations)
        for game in range(3):
            if trees.outcome(game) is None:
                root = trees.root(game)
                found += [tree_of(trees, game), root.best, root.value, root.proven, root.policy.tobytes()]
                trees.play(game, root.best)
    return tuple(found)


@pytest.mark.parametrize("options", OPTIONS, ids=["puct", "gumbel", "vcf", "none"])
@pytest.mark.parametrize("rules", [Rules(9), Rules(8, 5, Rule.RENJU)], ids=lambda rules: rules.label)
def test_trees_are_the_same_as_through_planes(rules: Rules, options: TreeOptions) -> None:
    own, planes = (searched(rules, options, e) for e in (CodebookEvaluator(), through_planes()))
    assert own == planes


def test_a_full_tree_and_a_move_by_many_games_end_the_search() -> None:
    trees = BatchedTrees(Rules(9), 2, CodebookEvaluator(), max_nodes=100)
    for game in range(2):
        trees.new_game(game, seed=game)
    trees.search(5000)
    assert trees.done() == [0, 1] and trees.size(0) == 100
    moving = BatchMover(trees)
    ends = moving.conclude([0, 1], [0.0, 0.0], np.zeros(2))
    assert [end.shares.sum() for end in ends] == pytest.approx([1, 1], abs=1e-2)
    moving.play([0, 1], [end.move for end in ends], reuse=True)
    moving.start([0, 1], [10, 20], np.array([1, 2], np.uint64))
    while not trees.idle:
        trees.step()
    assert trees.root(1).simulations == 20


def test_players_take_it_by_name_and_by_file(tmp_path: Path) -> None:
    rules = Rules(10)
    path = tmp_path / "mine.npz"
    path.write_bytes(dump_net(shipped_net(rules.rule, 5)))
    game = Game(rules).play("e5").play("e6")

    def moves(spec: str) -> Sequence[Any]:
        with create_player(spec, allow_command=True) as player:
            info = player.think(game, multipv=3).info
            assert info is not None
            return [(line.move, line.visits, line.prior) for line in info.lines]

    assert moves("az:net=codebook,simulations=80") == moves(f"az:net={path},simulations=80")
    assert moves("policy:net=codebook")[0][0] == moves("policy:net=codebook,symmetric=true")[0][0]
    with pytest.raises(ConfigError, match="command line only"):
        create_player(f"az:net={path}")
    with create_player("az:net=codebook") as player:
        can = player.capabilities
        assert can.why_not(Rules(15, 5, Rule.RENJU)) is None and can.why_not(Rules(6, 4)) is None
        assert can.why_not(Rules(9, 5, Rule.CARO)) and can.why_not(Rules(9, 3))
    with pytest.raises(UnsupportedError, match="caro with 5"):
        BatchedTrees(Rules(9, 5, Rule.CARO), 1, CodebookEvaluator())
    with pytest.raises(ConfigError, match=r"mine\.npz: windows"):
        load_evaluator(str(path)).record(Rules(10, 5, Rule.STANDARD))  # type: ignore[attr-defined]


def test_mixed_rules_are_refused_and_images_agree() -> None:
    features = np.concatenate(
        [PlaneEncoder("board7-v1", rules).encode(records_of([Game(rules)])) for rules in (Rules(9), RULES[1])]
    )
    with pytest.raises(ConfigError, match="one rule and win length"):
        CodebookEvaluator().evaluate(features)
    game = Game.from_moves(Rules(9), [40, 30, 41, 39])
    features = PlaneEncoder("board7-v1", game.rules).encode(records_of([game] * NUM_SYMMETRIES))
    logits, value = CodebookEvaluator().evaluate(features)
    mean, same = SymmetricEvaluator(CodebookEvaluator()).evaluate(features)
    assert value == pytest.approx(same, abs=1e-6)
    assert mean.argmax() == logits.argmax()


def test_boards_of_a_size_with_a_net_of_their_own_get_it() -> None:
    rules = Rules(9)
    assert shipped_path(rules.rule, 5, 9).name == "freestyle-5-9x9.npz"
    assert shipped_path(rules.rule, 5, 15).name == "freestyle-5-15x15.npz"
    assert shipped_path(rules.rule, 5, 10) == shipped_path(rules.rule, 5)
    game = Game(rules).play("e5").play("f6").play("e6")
    features = PlaneEncoder("board7-v1", rules).encode(records_of([game]))
    own = CodebookEvaluator().evaluate(features)
    path = shipped_path(rules.rule, 5, 9)
    assert own[1] == CodebookEvaluator(path.read_bytes(), path.name).evaluate(features)[1]
    path = shipped_path(rules.rule, 5)
    assert own[1] != CodebookEvaluator(path.read_bytes(), path.name).evaluate(features)[1]
