from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wuzi.arena.openings import EMPTY
from wuzi.arena.schedule import (
    Entry,
    TournamentConfig,
    book_of,
    check_players,
    config_from_settings,
    parse_limit,
    player_hash,
    schedule,
)
from wuzi.arena.sprt import SprtConfig
from wuzi.contract import Limit
from wuzi.core import Rules
from wuzi.core.symmetry import canonical_stones
from wuzi.errors import ConfigError, RecordError
from wuzi.games.referee import Adjudication


def config(*specs: str, **more: object) -> TournamentConfig:
    entries = tuple(map(Entry.parse, specs or ("weight", "random", "minimax:depth=1")))
    return TournamentConfig(entries, **{"rules": Rules(9), **more})  # type: ignore[arg-type]


def games_of(setting: TournamentConfig):
    return schedule(setting, book_of(setting))


@given(st.integers(1, 30), st.integers(0, 1000), st.sampled_from(["round-robin", "gauntlet", "ladder"]))
def test_every_pairing_plays_every_opening_with_both_colours(games: int, seed: int, form: str) -> None:
    setting = config(games=games, seed=seed, format=form)
    planned = games_of(setting)
    assert len(planned) == games * len(setting.pairings())
    assert len({game.id for game in planned}) == len(planned)
    for pair in setting.pairings():
        own = [game for game in planned if set(game.seats) == set(pair)]
        assert len(own) == games
        firsts = Counter(game.seats[0] for game in own)
        assert abs(firsts[pair[0]] - firsts[pair[1]]) <= 1
        for one, two in zip(own[::2], own[1::2], strict=False):
            assert one.opening == two.opening and one.seats == two.seats[::-1]
            assert one.id[:-2] == two.id[:-2]
        assert len({game.opening.id for game in own}) == (games + 1) // 2


def test_on_a_ladder_each_player_meets_the_next_two() -> None:
    four = config("weight", "random", "minimax:depth=1", "minimax:depth=2", format="ladder")
    assert four.pairings() == [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    assert config("weight", "random", format="ladder").pairings() == [(0, 1)]


def test_the_schedule_does_not_depend_on_the_number_of_games() -> None:
    few, many = games_of(config(games=4)), games_of(config(games=10))
    assert [game.id for game in many[: len(few)]] == [game.id for game in few]


def test_seeds_differ_between_games_and_follow_from_the_tournaments() -> None:
    planned = games_of(config(games=20))
    assert len({game.seed for game in planned}) == len(planned)
    again, other = games_of(config(games=20)), games_of(config(games=20, seed=1))
    assert planned == again
    assert not {game.seed for game in planned} & {game.seed for game in other}
    assert all("seed=" in game.specs[game.seats.index(1)] for game in planned if 1 in game.seats)


def test_random_first_draws_colours_and_uses_an_opening_a_game() -> None:
    planned = games_of(config("weight", "random", games=200, random_first=True))
    firsts = Counter(game.seats[0] for game in planned)
    assert 70 <= firsts[0] <= 130
    assert len({game.opening.id for game in planned}) == 200
    assert not any(game.id.endswith(("-1", "-2")) for game in planned)


def test_transform_turns_both_games_of_a_pair_alike() -> None:
    plain, turned = games_of(config(games=20)), games_of(config(games=20, transform=True))
    changed = 0
    for one, two in zip(plain, turned, strict=True):
        assert canonical_stones(one.opening.moves, 9) == canonical_stones(two.opening.moves, 9)
        changed += one.opening.moves != two.opening.moves
    assert changed > 20
    by_unit = {}
    for game in turned:
        assert by_unit.setdefault(game.id[:-2], game.opening) == game.opening


def test_books(tmp_path: Path) -> None:
    assert book_of(config(openings="none")) == [EMPTY]
    assert book_of(config(rules=Rules(9, opening="swap2"))) == [EMPTY]  # type: ignore[arg-type]
    assert len(book_of(config(openings="renju26", games=4))) == 26
    (tmp_path / "b.txt").write_text("e5e6\n", encoding="utf-8")
    planned = games_of(config("weight", "random", openings=str(tmp_path / "b.txt"), games=6))
    assert {game.opening.id for game in planned} == {"b-1"} and len({game.id for game in planned}) == 6
    with pytest.raises(ConfigError, match=r"no such file, and not one of auto, none, .*renju26"):
        book_of(config(openings="my-book"))
    with pytest.raises(RecordError, match="cannot be read"):
        book_of(config(openings="my-book.txt"))


@pytest.mark.parametrize(
    ("specs", "more", "message"),
    [
        (("weight",), {}, "1 players: expected at least 2"),
        (("weight", "weight"), {}, "two players are called 'weight'"),
        (("weight", "random"), {"games": 0}, "0 games"),
        (("weight", "random"), {"format": "swiss"}, "'swiss': expected one of round-robin, gauntlet, ladder"),
        (("weight", "random", "x=random"), {"sprt": SprtConfig()}, "sprt with 3 players"),
        (("weight", "random"), {"tolerance_s": -1}, "tolerance"),
        (
            ("weight", "random"),
            {"openings": "renju26", "rules": Rules(9, opening="swap1")},  # type: ignore[arg-type]
            "swap1 opening: expected none",
        ),
    ],
)
def test_impossible_settings_are_refused(
    specs: tuple[str, ...], more: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        config(*specs, **more)


def test_players_are_checked_before_anything_is_played() -> None:
    with pytest.raises(ConfigError, match="unknown player 'nobody'"):
        check_players(config("weight", "nobody"))
    with pytest.raises(ConfigError, match="unknown key 'depht'"):
        check_players(config("weight", "minimax:depht=3"))
    with pytest.raises(ConfigError, match="command line only"):
        check_players(config("weight", "external:cmd=./x"))
    with pytest.raises(ConfigError, match="plays 5 to"):
        rules = Rules(4, 4)
        check_players(config("weight", "Ext=external:cmd=true", rules=rules), allow_command=True)


def test_settings_survive_json() -> None:
    setting = config(
        "A=weight",
        "B=random @time=0.5,nodes=10",
        games=7,
        openings="renju26",
        limit=Limit(depth=3),
        adjudication=Adjudication(60, 0.97),
        sprt=SprtConfig(-3, 3),
        random_first=True,
    )
    assert config_from_settings(json.loads(json.dumps(setting.settings()))) == setting
    with pytest.raises(ConfigError, match="tournament settings"):
        config_from_settings({"entries": []})


def test_entries_with_labels_and_budgets() -> None:
    entry = Entry.parse("My engine = external:cmd=./pbrain --a=b @time=2,clock=60,increment=1")
    assert (entry.label, entry.spec) == ("My engine", "external:cmd=./pbrain --a=b")
    assert entry.limit == Limit(time_s=2, clock_s=60, increment_s=1)
    for text in ("@speed=3", "@time=x", "@time=-1", "@nodes=1.5", "@time=inf"):
        with pytest.raises(ConfigError, match="budget"):
            Entry.parse(f"weight {text}")
    assert parse_limit("simulations=40") == Limit(simulations=40)


def test_hashes_change_with_what_makes_the_player() -> None:
    base = config("weight", "random")
    assert player_hash(base, 0) == player_hash(config("weight", "minimax"), 0)
    assert player_hash(base, 0) != player_hash(base, 1)
    assert player_hash(base, 0) != player_hash(config("weight", "random", limit=Limit(depth=1)), 0)
