"""Studies: a proved end and its line agree, and a search is watched report by report."""

from __future__ import annotations

from dataclasses import replace

import pytest

import wuzi
from wuzi.analysis.study import to_the_end
from wuzi.apps.cli import main
from wuzi.errors import WuziError

pytestmark = pytest.mark.kernels

LOST = "h8 g9 h7 h10 h5 h6 f8 i9 g8 i8 i7 j8 g11 h9 e8 d8 f9 i6 f7"
"""The review tutorial's game after 19 stones: White wins by fours, and the search proves it."""
ENGINE = "engine:table_mb=1"


def test_a_proved_line_is_as_long_as_the_proof_says() -> None:
    game = wuzi.Game.from_moves(wuzi.Rules(), LOST)
    study = wuzi.analyse(game, wuzi.Limit(nodes=50_000), player=ENGINE, multipv=1)
    line = study.candidates[0].line
    assert line.win_in and len(line.pv) == line.win_in
    for move in line.pv:
        game = game.play(move)
    assert game.outcome is not None and game.outcome.winner is wuzi.Color.WHITE


def test_a_line_without_a_proof_or_with_a_false_one_stays() -> None:
    game = wuzi.Game.from_moves(wuzi.Rules(size=9), "e5 a1 f5 a3 g5 a5")
    with wuzi.player(ENGINE) as engine:
        open_line = engine.think(game, wuzi.Limit(nodes=500)).info.lines[0]
        assert open_line.win_in == 3
        short = replace(open_line, pv=open_line.pv[:1])
        assert len(to_the_end(engine, game, short).pv) == 3
        for line in (replace(short, win_in=None), replace(short, win_in=9), replace(short, win_in=-2)):
            assert to_the_end(engine, game, line) == line


def test_a_line_that_ends_before_its_proof_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    from wuzi.apps.cli.analyse.analyse import _line_text

    cells = tuple(wuzi.Game.from_moves(wuzi.Rules(), "h8 h9 j8").moves)
    line = wuzi.Line(cells[0], 1.0, wuzi.Color.BLACK, pv=cells, win_in=3)
    assert _line_text(line) == "h8 h9 j8"
    assert _line_text(replace(line, win_in=5)) == "h8 h9 j8 …"
    assert main(["analyse", LOST, "--player", ENGINE, "--nodes", "50000", "--multipv", "1"]) == 0
    out = capsys.readouterr().out
    assert "depth 60" not in out  # all is proved: no iteration looked so far


def test_a_search_is_watched_report_by_report() -> None:
    game = wuzi.Game.from_moves(wuzi.Rules(size=9), "e5 f6")
    infos = list(wuzi.watch(game, wuzi.Limit(nodes=30_000), player=ENGINE, multipv=2))
    assert infos and len(infos[-1].lines) == 2
    assert [info.nodes for info in infos] == sorted(info.nodes for info in infos)
    for info in wuzi.watch(game, wuzi.Limit(time_s=600), player=ENGINE):
        assert info.color is wuzi.Color.BLACK
        break  # ends the search, which had ten minutes
    with pytest.raises(WuziError, match="after the end of the game"):
        list(wuzi.watch(game.end(wuzi.Outcome(None, wuzi.Reason.AGREEMENT)), player=ENGINE))
