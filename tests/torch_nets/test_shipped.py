"""The nets that come with wuzi: whole, with complete cards, and playing."""

from __future__ import annotations

import pytest

from wuzi.apps.cli import main
from wuzi.contract import Limit
from wuzi.core import Game
from wuzi.nets import load_net
from wuzi.nets.shelf import NetEntry, list_nets
from wuzi.players import create_player

SHIPPED = [entry for entry in list_nets() if entry.shipped]


@pytest.mark.parametrize("entry", SHIPPED, ids=lambda entry: entry.name)
def test_a_shipped_net_is_whole_and_plays(entry: NetEntry) -> None:
    assert main(["models", "verify", entry.name, "--complete"]) == 0
    rules, rating = load_net(entry.path).card.rules, entry.rating
    assert rating is not None and rating.low < rating.elo < rating.high
    for spec in (rating.player, f"policy:net={entry.name}"):
        with create_player(spec) as player:
            assert player.capabilities.why_not(rules) is None
            assert player.think(Game(rules), Limit(simulations=8)).move is not None


def test_there_are_shipped_nets() -> None:
    wanted = {"15x15", "9x9", "9x9-b", "s0-basic", "s0-distill", "s0-enhanced", "s0-patterns"}
    wanted |= {"distill", "s1", "s2-ppo", "s3-6x6", "s3-8x8", "s4"}
    assert wanted <= {entry.name for entry in SHIPPED}
