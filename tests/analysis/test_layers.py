"""Layers of a position: they say what the parts they are made of say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wuzi.analysis.layers import LayerMaker, net_layer, score_layer, tree_layer
from wuzi.core import Game, Rules, format_move, parse_move, parse_moves
from wuzi.errors import GameOverError, IllegalMoveError
from wuzi.nets.legacy import read_legacy
from wuzi.nets.planes import PlaneEncoder, records_of
from wuzi.players import create_player
from wuzi.protocols.analysis.queries import Layers, format_request, parse_request
from wuzi.protocols.analysis.wire import RequestError

pytestmark = pytest.mark.kernels

NET = Path(__file__).parent.parent / "nets" / "legacy" / "best_policy_6_6_4.model"
OPEN_THREE = Game.from_moves(Rules(15), parse_moves("h8a1i8a2j8a3", 15))


@pytest.fixture(scope="module")
def looker() -> LayerMaker:
    return LayerMaker()


def test_a_forced_win_can_be_played_out(looker: LayerMaker) -> None:
    layer = looker.look(OPEN_THREE, frozenset({"threats"}))["threats"]
    win = next(line for line in layer["lines"] if line["color"] == "B")
    assert (win["verdict"], win["kind"], win["toMove"]) == ("win", "vcf", True)
    game = OPEN_THREE
    for move in win["moves"]:
        assert game.outcome is None
        game = game.play(parse_move(move, 15))


def test_the_best_cell_of_the_scores_is_the_weight_players_move() -> None:
    layer = score_layer(OPEN_THREE.position)
    total = np.add(layer["attack"], layer["defence"])
    with create_player("weight") as player:
        line = player.think(OPEN_THREE).info.lines[0]
    assert total[line.move] == total.max() == line.score
    reasons = layer["reasons"][format_move(line.move, 15)]
    assert sum(reason["score"] for reason in reasons) == line.score


def test_a_tree_is_rooted_in_the_position() -> None:
    layer = tree_layer(OPEN_THREE, 2)
    rows = {row["id"]: row for row in layer["rows"]}
    assert not layer["isCut"]
    for row in rows.values():
        parent = rows.get(row["parent"])
        assert row["depth"] == (1 if parent is None else parent["depth"] + 1)
        assert row["depth"] <= 2


def test_a_net_says_what_its_evaluator_says() -> None:
    net = read_legacy(NET)
    game = Game.from_moves(Rules(6, 4), parse_moves("c3d4", 6))
    layer = net_layer(net, game)
    features = PlaneEncoder(net.card.planes, game.rules).encode(records_of([game]))
    _, value = net.numpy().evaluate(features)
    assert layer["value"] == pytest.approx(float(value[0]), abs=1e-6)
    assert layer["winrate"] == pytest.approx((1 + layer["value"]) / 2)
    assert sum(layer["policy"]) == pytest.approx(1, abs=1e-3)
    assert all(layer["policy"][move] == 0 for move in game.moves)
    assert layer["maps"] == {}


def test_the_maps_of_a_three_factor_net() -> None:
    torch = pytest.importorskip("torch")
    from wuzi.torch_nets import create_net, net_file

    torch.manual_seed(3)
    module, spec = create_net("three-factor:blocks=1,channels=16", None)
    game = Game.from_moves(Rules(9), parse_moves("e5e6", 9))
    layer = net_layer(net_file(module, spec, Rules(9), "x"), game)
    features = PlaneEncoder("history11-v1", game.rules).encode(records_of([game]))
    expected = module.eval()(torch.from_numpy(features))
    assert set(layer["maps"]) == {"field", "gradient", "attention", "next_value"}
    for name, values in layer["maps"].items():
        np.testing.assert_allclose(values, expected[name].detach().numpy().reshape(-1), atol=1e-4)
    assert layer["gauges"]["alpha"] == pytest.approx(expected["alpha"].detach().item(), abs=1e-5)


def test_a_game_that_is_over_has_threats_alone(looker: LayerMaker) -> None:
    over = Game.from_moves(Rules(9), parse_moves("a1a2b1b2c1c2d1d2e1", 9))
    assert looker.look(over, frozenset({"threats"}))["threats"]["lines"] == []
    with pytest.raises(GameOverError, match="the game is over"):
        looker.look(over, frozenset({"scores"}))


def test_rules_without_threats_say_so(looker: LayerMaker) -> None:
    game = Game.from_moves(Rules(9, 5, "caro"), parse_moves("e5", 9))
    found = looker.look(game, frozenset({"threats", "scores"}))
    assert "threats" not in found
    assert "caro" in found["unsupported"]["threats"]


def test_a_request_comes_back_from_its_line() -> None:
    request = Layers("l1", OPEN_THREE, frozenset({"net", "words"}), "some-net", 3, (parse_move("k8", 15),))
    assert parse_request(format_request(request)) == request


@pytest.mark.parametrize(
    "change",
    ['"include":["nonsense"]', '"depth":9', '"moves":["h8"]', '"moves":["zz"]', '"position":5'],
)
def test_requests_that_make_no_sense(change: str) -> None:
    position = "" if "position" in change else '"position":{"moves":["h8"]},'
    with pytest.raises((RequestError, IllegalMoveError)):
        parse_request(f'{{"type":"layers","id":"l1",{position}{change}}}')
