"""Plug-ins of other packages: found, used, and when broken a line of warning."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wuzi import Limit
from wuzi.apps.cli import main
from wuzi.base import plugins
from wuzi.core import Game, Rules
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.nets.loading import default_evaluator, load_evaluator
from wuzi.players import create_player, list_players, player_info
from wuzi.records import dumps, list_formats, loads
from wuzi.records.registry import list_formats as formats_function

pytestmark = pytest.mark.kernels

MODULE = '''
"""A package of somebody else."""
from dataclasses import dataclass

import numpy as np

from wuzi.contract import Capabilities, Limit, PlayResult, SearchInfo
from wuzi.core import Move, Place
from wuzi.nets import FunctionEvaluator
from wuzi.players import BasePlayer, option
from wuzi.records import Format, GameRecord, add_moves


@dataclass(frozen=True)
class CornerConfig:
    last: bool = option(False, "begin at the last cell")


class CornerPlayer(BasePlayer[CornerConfig]):
    """Plays the first empty cell.

    More words.
    """

    registered_name = "corner"
    config_type = CornerConfig
    supports = Capabilities(max_size=9)

    def think(self, game, limit=Limit(), *, multipv=1, stop=None, on_info=None):
        self.check(game)
        move = game.position.legal_moves[-1 if self.config.last else 0]
        return PlayResult(Place(Move(move, game.rules.size)), SearchInfo(color=game.to_move))


def open_evaluator(argument):
    def evaluate(features):
        logits = np.zeros((len(features), features.shape[-1] ** 2), np.float32)
        logits[:, int(argument or 0)] = 5
        return logits, np.zeros(len(features), np.float32)

    return FunctionEvaluator(evaluate, "az4-v1")


def read(text, rules):
    record = GameRecord(rules)
    add_moves(record.root, [Move(int(part), 15) for part in text.split()[1:]])
    return [record]


def write(record):
    return "cells " + " ".join(str(int(move)) for move in record.moves) + "\\n"


CELLS = Format("cells", (".cells",), "cells", "cells", "text/plain", read, write, frozenset())
NUMBER = 5
'''
ENTRIES = """
[wuzi.players]
corner = other_package:CornerPlayer
random = other_package:CornerPlayer
absent = other_package:Nothing
broken = broken_package:Player
number = other_package:NUMBER

[wuzi.evaluators]
other = other_package:open_evaluator

[wuzi.formats]
cells = other_package:CELLS
wrong = other_package:NUMBER
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Puts a package with these entry points on the path, as an installation would."""

    def put(entries: str) -> None:
        info = tmp_path / "other_package-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-package\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(entries)
        (tmp_path / "other_package.py").write_text(MODULE)
        (tmp_path / "broken_package.py").write_text("import a_module\nthat does not exist")
        monkeypatch.syspath_prepend(tmp_path)
        forget()

    def forget() -> None:
        plugins.forget()
        formats_function.cache_clear()

    yield put
    monkeypatch.undo()
    for name in ("other_package", "broken_package"):
        sys.modules.pop(name, None)
    forget()


def test_a_players_spec_options_and_answers(install: Callable[[str], None]) -> None:
    install(ENTRIES)
    info = player_info("corner")
    assert (info.summary, list(info.options)) == ("Plays the first empty cell", ["last"])
    with create_player("corner:last=true") as player:
        assert player.think(Game(Rules(size=5)), Limit()).move == 24
        assert player.name == "corner:last=true"
        with pytest.raises(ConfigError, match="does not play on 15x15"):
            player.think(Game())
    with pytest.raises(ConfigError, match="first"):
        create_player("corner:first=1")


def test_lists_leave_out_what_is_broken_with_one_line_each(
    install: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    install(ENTRIES)
    with caplog.at_level(logging.WARNING):
        names = [info.name for info in list_players()]
        assert names == [info.name for info in list_players()], "and once"
    assert names.count("corner") == 1 and "broken" not in names
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 4
    for text in (
        "plug-in 'absent' of other-package 1.2 (wuzi.players) cannot be loaded: AttributeError",
        "plug-in 'broken' of other-package 1.2 (wuzi.players) cannot be loaded: SyntaxError",
        "plug-in 'number' of other-package 1.2 (wuzi.players) cannot be used: 5 is no subclass",
        "plug-in 'random' of other-package 1.2 (wuzi.players) is left out: wuzi itself has that name",
    ):
        (line,) = [line for line in lines if line.startswith(text)]
        assert "\n" not in line
    assert create_player("random").think(Game(Rules(size=5))).action is not None


def test_asking_for_a_broken_one_says_why(install: Callable[[str], None]) -> None:
    install(ENTRIES)
    with pytest.raises(ConfigError, match=r"plug-in 'broken' of other-package 1\.2 .* SyntaxError"):
        create_player("broken")
    with pytest.raises(ConfigError, match=r"unknown player 'nobody': expected one of random, .*corner"):
        create_player("nobody")


def test_an_evaluator_with_and_without_an_argument(install: Callable[[str], None]) -> None:
    install(ENTRIES)
    assert load_evaluator("other").planes == "az4-v1"
    game = Game(Rules(size=5))
    for spec, move in (
        ("policy:net=other", 0),
        ("policy:net=other:7", 7),
        ("az:net=other:7,simulations=4", 7),
    ):
        with create_player(spec, allow_command=True) as player:
            assert player.think(game).move == move
    with pytest.raises(UnsupportedError, match=r"expected net=NAME \(uniform, codebook, other"):
        default_evaluator(Rules(size=26), "az")


def test_a_format_reads_writes_and_converts(
    install: Callable[[str], None], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    install(ENTRIES)
    game = Game.from_moves(Rules(size=5), [3, 4])
    with caplog.at_level(logging.WARNING):
        assert list(list_formats())[-1] == "cells"
    assert "'wrong' of other-package 1.2 (wuzi.formats) cannot be used: 5 is no" in caplog.text
    assert dumps(game, "cells") == "cells 3 4\n"
    assert loads("cells 3 4", "cells", rules=game.rules).game() == game
    source, target = tmp_path / "a.cells", tmp_path / "a.pos"
    source.write_text("cells 3 4")
    assert main(["convert", str(source), str(target), "--size", "5"]) == 0
    assert target.read_text() == "d5e5\n"


def test_a_net_of_another_package(install: Callable[[str], None], tmp_path: Path) -> None:
    from wuzi.torch_nets import architecture, create_net, list_architectures

    install("[wuzi.nets]\nother = other_nets:NET\nbasic = other_nets:NET\nwrong = other_package:NUMBER\n")
    (tmp_path / "other_nets.py").write_text(
        "import dataclasses\nfrom wuzi.torch_nets import ARCHITECTURES\n"
        "NET = dataclasses.replace(ARCHITECTURES['basic'], name='other', claimed=None)\n"
    )
    assert list_architectures()[-1].name == "other"
    net, spec = create_net("other:value_hidden=8", 5, seed=1)
    assert (spec.name, spec.size, net.planes) == ("other", 5, "az4-v1")
    assert architecture("basic").claimed == 50_000, "wuzi's own names win"
    with pytest.raises(ConfigError, match=r"plug-in 'wrong' of other-package 1\.2 .* cannot be used"):
        architecture("wrong")
    with pytest.raises(ConfigError, match=r"unknown net 'nothing': expected one of basic, .*other"):
        architecture("nothing")


def test_losses_targets_and_search_forms_of_another_package(install: Callable[[str], None]) -> None:
    from wuzi.search.tree.forms import SEARCHES
    from wuzi.training.data.targets import TARGETS
    from wuzi.training.learner.losses import LOSSES

    registries = {"losses": LOSSES, "targets": TARGETS, "searches": SEARCHES}
    lines = "other = other_package:write\nwrong = other_package:NUMBER\n"
    install("".join(f"[wuzi.{group}]\n{lines}" for group in registries))
    for registry in registries.values():
        assert registry.find("other").__name__ == "write"  # type: ignore[attr-defined]
        assert not registry.is_known_here_only("other")
        with pytest.raises(ConfigError, match=r"plug-in 'wrong' of other-package 1\.2 .* 5 cannot be called"):
            registry.find("wrong")
        with pytest.raises(ConfigError, match=r"unknown .* 'nothing': expected one of other, wrong"):
            registry.find("nothing")
        with pytest.raises(ConfigError, match="'other' is registered already"):
            registry.register("other", print)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_doctor_lists_plug_ins(install: Callable[[str], None], capsys: pytest.CaptureFixture[str]) -> None:
    install("[wuzi.players]\ncorner = other_package:CornerPlayer\nbroken = broken_package:Player\n")
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "ok  wuzi.players: plug-in 'corner' of other-package 1.2 (wuzi.players)" in out
    assert "!!  wuzi.players: plug-in 'broken' of other-package 1.2" in out
