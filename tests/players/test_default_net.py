"""Nets at hand: the one that plays when none is named, and the opponents of the browser's list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wuzi.core import Game, Rules
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.nets import default_net, list_nets, save_net
from wuzi.nets.codebook import CodebookEvaluator
from wuzi.players import create_player
from wuzi.players.az import AzPlayer
from wuzi.players.net_player import NetPlayer
from wuzi.players.opponents import net_entry
from wuzi.torch_nets import create_net, net_file

SIX = Rules(size=6, win_length=4)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's own nets, and none shipped."""
    monkeypatch.setenv("WUZI_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("wuzi.nets.shelf.shipped_nets_dir", lambda: tmp_path / "shipped")
    return tmp_path


def put(folder: Path, name: str, rules: Rules) -> None:
    module, spec = create_net("flexible:blocks=1,channels=8", rules.size, seed=len(name))
    folder.mkdir(exist_ok=True)
    save_net(folder / name, net_file(module, spec, rules, name))


def rate(folder: Path, name: str, elo: float) -> None:
    path = folder / f"{name}.json"
    card = json.loads(path.read_text())
    rating = {"value": elo, "low": elo - 50, "high": elo + 60, "games": 80, "player": f"policy:net={name}"}
    path.write_text(json.dumps({**card, "measured": {"rating": rating}}))


def test_the_net_of_the_board_plays_when_none_is_named(shelf: Path) -> None:
    put(shelf / "nets", "six-a", SIX)
    put(shelf / "nets", "six-b", SIX)
    put(shelf / "nets", "seven", Rules(size=7))
    assert [entry.name for entry in list_nets()] == ["seven", "six-a", "six-b"]
    entry = default_net(SIX)
    assert entry is not None and entry.name == "six-b"
    put(shelf / "shipped", "six-0", SIX)
    entry = default_net(SIX)
    assert entry is not None and (entry.name, entry.shipped) == ("six-0", True)
    put(shelf / "shipped", "six-1", SIX)
    rate(shelf / "shipped", "six-0", 700)
    entry = default_net(SIX)
    assert entry is not None and entry.name == "six-0", "one with a rating before one without"
    rate(shelf / "shipped", "six-1", 600)
    entry = default_net(SIX)
    assert entry is not None and entry.name == "six-0", "the stronger one"
    game = Game(SIX).play("c3")
    for player in ("az:simulations=8", "policy"):
        named = player + ("," if ":" in player else ":") + "net=six-0"
        with create_player(player) as one, create_player(named) as other:
            assert one.think(game).move == other.think(game).move
            can = one.capabilities
            assert (can.min_size, can.max_size, can.win_lengths) == (6, 7, frozenset({4, 5}))


OPTIONS = (
    "seed=3",
    "simulations=40",
    "preset=vcf",
    "preset=s0",
    "preset=gumbel",
    "c_puct=2",
    "symmetric=true",
)


@pytest.mark.parametrize("said", ["", *(f":{option}" for option in OPTIONS)])
def test_no_option_but_net_changes_the_net(said: str) -> None:
    """The codebook net where one was fitted to the board, a trained net of the board elsewhere."""
    expected = {
        Rules(size=9): "codebook",
        Rules(size=15): "codebook",
        Rules(size=8): "s3-8x8",
        SIX: "s3-6x6",
    }
    with create_player(f"az{said}") as player:
        assert isinstance(player, AzPlayer)
        assert {rules: player.net_name(rules) for rules in expected} == expected
        assert isinstance(player.evaluator(Rules(size=9)), CodebookEvaluator)
        with pytest.raises(UnsupportedError, match="az needs a net: there is none for caro 9x9"):
            player.net_name(Rules(9, rule="caro"))
    option = f"{said[1:]}," if said else ""
    with create_player(f"az:{option}net=9x9") as player:
        assert isinstance(player, AzPlayer) and player.net_name(Rules(size=9)) == "9x9"
        assert not isinstance(player.evaluator(Rules(size=9)), CodebookEvaluator)
    with create_player("policy") as player:
        assert isinstance(player, NetPlayer) and player.net_name(Rules(size=15)) == "15x15"


def test_the_codebook_net_takes_no_backend() -> None:
    for spec in ("az:backend=numpy", "az:net=codebook,backend=numpy"):
        with (
            create_player(spec) as player,
            pytest.raises(ConfigError, match="backend=numpy with net=codebook"),
        ):
            player.think(Game(Rules(size=9)))


def test_with_nothing_said_the_codebook_net_is_searched_as_suits_it() -> None:
    game = Game(Rules(size=9)).play("e5").play("e6")
    named = "az:net=codebook,preset=vcf,simulations=4000"
    with create_player("az:seed=3") as one, create_player(named) as other:
        found, expected = one.think(game), other.think(game)
        assert one.name == "az:seed=3"
    assert found.info.lines[0] == expected.info.lines[0] and found.info.simulations == 4000
    for said in ("simulations=40", "preset=s0", "symmetric=true", "net=9x9"):
        with create_player(f"az:{said}") as player:
            assert isinstance(player, AzPlayer) and player._playing(game.rules) is player.config
    with create_player("az") as player:
        assert isinstance(player, AzPlayer)
        assert player._playing(SIX) is player.config, "no net was fitted to this board"
        assert player._playing(Rules(9, rule="caro")) is player.config


def test_there_is_never_a_net_of_chance(shelf: Path) -> None:
    put(shelf / "nets", "seven", Rules(size=7))
    (shelf / "nets" / "broken.json").write_text("{")
    (shelf / "nets" / "broken.safetensors").write_text("")
    for player in ("az", "policy"):
        with create_player(player) as found, pytest.raises(UnsupportedError) as error:
            found.think(Game(Rules(size=7, win_length=4)))
        text = str(error.value)
        assert f"{player} needs a net: there is none for freestyle 7x7, 4 in a row" in text
        assert "there are: freestyle 7x7, 5 in a row" in text
        assert "uniform, codebook, broken, seven" in text


def test_a_net_at_hand_is_an_opponent_in_the_browser(shelf: Path) -> None:
    put(shelf / "nets", "six", SIX)
    (entry,) = list_nets()
    found = net_entry(entry)
    assert found.id == "net-six"
    assert found.level().spec == "az:net=six,simulations=400"
    assert "6x6, 4 in a row" in found.about_en
    for level in found.levels:
        with create_player(level.spec) as player:
            assert player.capabilities.why_not(SIX) is None
    rate(shelf / "nets", "six", 640)
    rated = net_entry(entry)
    assert rated.level() == found.level()
    assert rated.level("rated").spec == "policy:net=six"
    assert (rated.ratings["rated"].elo, rated.ratings["rated"].size) == (640, 6)
