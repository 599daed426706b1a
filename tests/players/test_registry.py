"""Making players by name, and the contract that all of them keep."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from wuzi.contract import Capabilities, Limit, Player
from wuzi.core import Game, Phase, PlaceSeveral, Rules
from wuzi.errors import ConfigError
from wuzi.players import create_player, level_kernels, list_players, player_info
from wuzi.players.chance import NUM_OPENINGS, Chance, balanced_three
from wuzi.players.registry import seeded, strongest_player
from wuzi.testing.player_contract import check_player

OURS = [info.name for info in list_players() if info.name != "external"]


def test_a_seed_is_added_only_where_there_is_one_to_set() -> None:
    assert seeded("minimax:preset=s0", 3) == "minimax:preset=s0,seed=3"
    assert seeded("external:cmd=./x --seed=1", 3) == "external:cmd=./x --seed=1"


@pytest.mark.kernels
@pytest.mark.parametrize(
    "spec",
    [
        "random:seed=5",
        "weight",
        "minimax:preset=s0",
        "minimax:preset=s1",
        "mcts",
        "engine:fresh=true,table_mb=1",
        "level:name=novice",
        "level:name=club,seed=2",
        "solver",
        "proof",
    ],
)
def test_players_keep_the_contract(spec: str) -> None:
    check_player(lambda: create_player(spec))


def test_listing_is_json_and_imports_no_player() -> None:
    code = (
        "import sys, wuzi.players as p; names = [i.name for i in p.list_players()]; "
        "print(sorted(m for m in sys.modules if m.startswith('wuzi.search')), names)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = "random weight minimax engine level mcts az policy solver proof external".split()
    assert done.stdout.startswith(f"[] {names}"[:-1])
    for info in list_players():
        data = json.loads(json.dumps(info.describe()))
        assert data["name"] == info.name
        assert data["summary"]["zh"]
        assert all(item["help"]["en"] and item["help"]["zh"] for item in data["options"])


def test_local_options_are_not_listed() -> None:
    names = {item["name"] for item in player_info("external").describe()["options"]}
    assert "name" in names
    assert not names & {"cmd", "log_dir"}


@pytest.mark.parametrize("name", OURS)
def test_every_preset_makes_a_player_that_names_itself(name: str) -> None:
    for preset in [None, *player_info(name).presets]:
        spec = name if preset is None else f"{name}:preset={preset}"
        with create_player(spec) as player:
            assert isinstance(player, Player)
            assert isinstance(player.capabilities, Capabilities)
            with create_player(player.name) as again:
                assert again.name == player.name


def test_unknown_players_list_the_choices() -> None:
    with pytest.raises(
        ConfigError, match="unknown player 'alphabeta': expected one of random, weight, minimax"
    ):
        create_player("alphabeta")
    with pytest.raises(ConfigError, match="random: unknown key 'sed': expected one of seed"):
        create_player("random:sed=1")


def test_random_depends_on_seed_and_position_alone() -> None:
    game = Game(Rules(size=15)).play("h8")
    moves = {seed: create_player(f"random:seed={seed}").think(game).move for seed in range(20)}
    assert len(set(moves.values())) > 10
    assert all(create_player(f"random:seed={seed}").think(game).move == move for seed, move in moves.items())
    assert len(create_player("random").think(game, Limit(), multipv=5).info.lines) == 5


@pytest.mark.parametrize("size", [5, 6, 9, 15, 26])
def test_balanced_openings_can_be_played_on_every_board(size: int) -> None:
    found = set()
    assert len(level_kernels.OPENINGS) * 8 == NUM_OPENINGS
    for choice in range(NUM_OPENINGS):
        cells = balanced_three(size, choice)
        after = Game(Rules(size=size, opening="swap2")).act(PlaceSeveral(cells))  # type: ignore[arg-type]
        assert after.phase is Phase.CHOOSE
        assert all(max(abs(cell // size - size // 2), abs(cell % size - size // 2)) <= 2 for cell in cells)
        found.add(cells)
    assert len(found) > NUM_OPENINGS // 2
    assert balanced_three(size, 10**9 + 7) in found


def test_the_strongest_player_depends_on_the_game() -> None:
    assert strongest_player(Rules()) == "engine"
    assert strongest_player(Rules(size=26)) == "minimax:preset=s1"
    assert strongest_player(Rules(size=9, rule="caro")) == "minimax:preset=s1"
    assert strongest_player(Rules(size=9, win_length=9)) == "minimax:preset=s1"


def test_chance_depends_on_the_seed_and_the_board() -> None:
    game = Game(Rules(size=9))

    def drawn(seed: int, on: Game) -> list[int]:
        chance = Chance(seed, on)
        return [chance.below(7) for _ in range(200)]

    assert drawn(3, game) == drawn(3, Game(Rules(size=9)))
    assert drawn(3, game) != drawn(4, game)
    assert drawn(3, game) != drawn(3, game.play("e5"))
    assert {*range(7)} == set(drawn(3, game))
