"""Games and shards."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.training.tiny import row_of
from wuzi.errors import RecordError
from wuzi.training.data.games import SHARD_GAMES, SelfPlayGame, Shards, pack_rows, unpack_rows

GOLDEN = Path(__file__).parent / "golden" / "selfplay-v1.jsonl"


def a_game(number: int, plies: int = 5, opening: int = 1) -> SelfPlayGame:
    rng = np.random.default_rng(number)
    rows = [
        row_of(rng.dirichlet(np.full(9, 0.3)).astype(np.float32), float(rng.uniform(-1, 1)), i % 3, i / 2)
        for i in range(plies - opening)
    ]
    moves = rng.permutation(9)[:plies].astype(np.int16)
    return SelfPlayGame(number, 3, moves, opening, 1, "line", rows)


def same(a: SelfPlayGame, b: SelfPlayGame) -> bool:
    return a.to_line() == b.to_line()


@given(st.integers(0, 10_000), st.integers(1, 9))
def test_a_game_is_read_as_it_was_written(number: int, plies: int) -> None:
    game = a_game(number, plies, opening=0)
    again = SelfPlayGame.from_line(game.to_line(), "here")
    assert same(game, again)
    assert again.moves.tolist() == game.moves.tolist()
    for a, b in zip(game.rows, again.rows, strict=True):
        assert a.cells.tolist() == b.cells.tolist()
        assert np.array_equal(a.shares, b.shares)
        assert (a.value, a.flags, a.surprise) == (b.value, b.flags, b.surprise)


def test_a_policy_of_crumbs_keeps_its_best_move() -> None:
    row = row_of(np.full(200_000 // 1000, 1e-6, np.float32), 0.5, 0)
    assert len(row.cells) == 1
    assert unpack_rows(pack_rows([row]))[0].shares.tolist() == [1.0]


def test_shards_cut_off_a_line_that_was_not_finished(tmp_path: Path) -> None:
    shards = Shards(tmp_path)
    for number in range(3):
        shards.append(a_game(number).to_line())
    with (tmp_path / "000000.jsonl").open("ab") as file:
        file.write(a_game(9).to_line().encode()[:100])
    again = Shards(tmp_path)
    assert again.count == 3
    again.append(a_game(3).to_line())
    assert [game.number for game in Shards(tmp_path).read(0)] == [0, 1, 2, 3]
    assert again.numbers() == {0, 1, 2, 3}


def test_a_new_shard_begins_when_one_is_full(tmp_path: Path) -> None:
    shards = Shards(tmp_path)
    shards.append(a_game(0).to_line())
    line = (tmp_path / "000000.jsonl").read_bytes()
    (tmp_path / "000000.jsonl").write_bytes(line * (SHARD_GAMES - 1))
    shards = Shards(tmp_path)
    for number in (1, 2, 3):
        shards.append(a_game(number).to_line())
    assert len(list(tmp_path.glob("*.jsonl"))) == 2
    assert [game.number for game in shards.read(SHARD_GAMES - 1, SHARD_GAMES + 1)] == [1, 2]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda line: line[:-30],
        lambda line: line.replace('"v":2', '"v":3'),
        lambda line: line.replace('"rows":"', '"rows":"AAAA'),
        lambda line: line.replace('"opening":1', '"opening":2'),
        lambda line: "[]",
        lambda line: re.sub(r'"moves":\[\d+', '"moves":[1e999', line),
    ],
)
def test_a_broken_line_is_named(spoil: object) -> None:
    with pytest.raises(RecordError, match=r"000000\.jsonl:7"):
        SelfPlayGame.from_line(spoil(a_game(1).to_line()), "000000.jsonl:7")  # type: ignore[operator]


def test_games_of_the_first_schema_still_load() -> None:
    lines = GOLDEN.read_text(encoding="ascii").splitlines()
    games = [SelfPlayGame.from_line(line, "golden") for line in lines]
    assert [game.number for game in games] == [0, 1]
    for game in games:
        written = a_game(game.number)
        rows = [replace(row, surprise=0.0) for row in written.rows]
        assert same(game, replace(written, rows=rows, schema=1))
