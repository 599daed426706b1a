"""The look at the best move: threats of the opponent that the main search has pruned."""

from __future__ import annotations

import numpy as np
import pytest

from wuzi.contract import Limit
from wuzi.core import Game, Move, Position, Rules
from wuzi.core.layout import NODES, STOP
from wuzi.core.rule_kernels import to_point
from wuzi.search.alphabeta.deepen_kernels import LEAST, guard_loses
from wuzi.search.alphabeta.root_guard import RootGuard
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions
from wuzi.search.control import Control, new_control
from wuzi.search.layout import DEEPENING
from wuzi.tactics.classes import tables
from wuzi.tactics.suite import PuzzleTheme, load_suite
from wuzi.tactics.vcf_kernels import WIN
from wuzi.tactics.vct_kernels import vct_begin, vct_judge

pytestmark = pytest.mark.kernels


RULES = Rules(15)


def lost_moves(most: int) -> list[tuple[Game, Move]]:
    """Positions with a move after which the opponent has a proved win by threats and is to move."""
    puzzles = [puzzle for puzzle in load_suite((PuzzleTheme.VCT,)) if puzzle.rules == RULES]
    return [(Game.from_moves(RULES, puzzle.moves[:-1]), puzzle.moves[-1]) for puzzle in puzzles[:most]]


def loses(game: Game, move: Move, percent: int, ctl: Control) -> bool:
    """Whether the guard sees that the opponent wins after this move."""
    guard, deep = RootGuard(tables(RULES.rule, 5)), np.zeros(1, DEEPENING)[0]
    deep["guard_percent"] = percent
    point = to_point(int(move), 15)
    return bool(guard_loses(game.position.state(), deep, guard.records, guard.arrays, ctl, point))


def judged(position: Position, most: int, until: Control) -> tuple[int, int]:
    """What the search for threats says, in slices, and the positions it looked at."""
    guard = RootGuard(tables(RULES.rule, 5))
    records = guard.records._replace(state=position.state())
    vct_begin(records, guard.arrays)
    return int(vct_judge(records, guard.arrays, until, most)), int(guard.arrays.ctl[NODES])


def test_a_move_that_loses_to_threats_is_seen() -> None:
    for game, move in lost_moves(5):
        ctl = new_control()
        ctl[NODES] = 200_000
        assert loses(game, move, 100, ctl)
        spent = int(ctl[NODES]) - 200_000
        assert 0 < spent <= 200_000, "what is spent counts"


def test_a_stop_of_the_main_search_ends_the_look() -> None:
    (game, move), *_ = lost_moves(1)
    position = game.play(move).position
    stopped = new_control()
    stopped[STOP] = 1
    _, nodes = judged(position, 1_000_000, stopped)
    assert nodes < 10_000
    found, _ = judged(position, 1_000_000, new_control())
    assert found == WIN, "in slices as at once"


def test_nothing_is_looked_at_before_it_is_worth_it() -> None:
    (game, move), *_ = lost_moves(1)
    ctl = new_control()
    ctl[NODES] = 10 * LEAST - 10
    assert not loses(game, move, 10, ctl)
    assert ctl[NODES] == 10 * LEAST - 10


@pytest.mark.slow
def test_the_search_leaves_such_a_move_out() -> None:
    """The only defence and one more move to choose from, by a search that hardly looks at fours."""
    fooled = 0
    for puzzle in [one for one in load_suite((PuzzleTheme.DEFENCE,)) if one.rules == RULES][:40]:
        game, defence = puzzle.game, puzzle.line[0]
        cells = frozenset(game.position.legal_moves)
        excluded = cells - {best(game, 0, frozenset({defence})), defence}
        fooled += best(game, 0, excluded) != defence
        lost = judged(game.play(defence).position, 400_000, new_control())[0] == WIN
        assert lost or best(game, 100_000, excluded) == defence
    assert fooled, "the look makes a difference"


def best(game: Game, percent: int, excluded: frozenset[Move]) -> Move:
    """The move of a search of two plies."""
    search = AlphaBetaSearch(RULES, EngineOptions(table_mb=2, vcf_nodes=1, guard_percent=percent))
    return search.run(game.position, Limit(depth=2), excluded=excluded).lines[0].move


def test_a_cleared_search_counts_as_the_first_one_did() -> None:
    (game, _), *_ = lost_moves(1)
    search = AlphaBetaSearch(RULES, EngineOptions(table_mb=2))

    def counted() -> tuple[int, int]:
        info = search.run(game.position, Limit(nodes=6000))
        return info.nodes, int(search._guard.records.work["solved"])

    first = counted()
    assert first[1] > 0, "threats were looked for"
    search.clear()
    assert counted() == first
