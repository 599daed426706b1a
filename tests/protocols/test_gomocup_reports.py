"""Lines about a search, as graphical interfaces and our own client read them."""

from __future__ import annotations

from wuzi.contract import Line, SearchInfo
from wuzi.core.notation import Move
from wuzi.core.types import Color
from wuzi.protocols.gomocup.reports import current_lines, eval_text, final_line, progress_lines
from wuzi.protocols.gomocup.wire import parse_report

BEST = Line(Move(112, 15), value=0.5, color=Color.BLACK, score=103.4, pv=(Move(112, 15), Move(128, 15)))
LOST = Line(Move(0, 15), value=-1.0, color=Color.BLACK, score=-9e6, pv=(Move(0, 15),), win_in=-4)
INFO = SearchInfo(Color.BLACK, (BEST,), nodes=379_000, depth=17, max_depth=31, time_s=0.27)


def test_an_ordinary_message_is_read_back() -> None:
    (line,) = progress_lines(INFO, 15, 0)
    assert line == "MESSAGE Depth 17-31 | Eval 103 | Time 270ms | H8 I7"
    report = parse_report(line)
    assert report is not None
    assert (report.depth, report.max_depth, report.score) == (17, 31, 103.0)
    report = parse_report(final_line(INFO))
    assert report is not None
    assert (report.nodes, report.depth) == (379_000, 17)
    report = parse_report(final_line(SearchInfo(Color.BLACK, (LOST,), depth=3)))
    assert report is not None
    assert report.win_in == -4


def test_raw_lines_for_each_candidate() -> None:
    info = SearchInfo(Color.BLACK, (BEST, LOST), nodes=1000, depth=3, max_depth=5, time_s=0.5)
    lines = progress_lines(info, 15, 2)
    assert lines[:12] == [
        "INFO PV 0",
        "INFO NUMPV 2",
        "INFO DEPTH 3",
        "INFO SELDEPTH 5",
        "INFO NODES 1000",
        "INFO TOTALNODES 1000",
        "INFO TOTALTIME 500",
        "INFO SPEED 2000",
        "INFO EVAL 103",
        "INFO WINRATE 0.7500",
        "INFO BESTLINE 7,7 8,8",
        "INFO PV DONE",
    ]
    assert lines[12] == "INFO PV 1"
    assert lines[-2:] == ["MESSAGE (1) 103 | 3-5 | H8 I7", "MESSAGE (2) -M4 | 3-5 | A15"]


def test_marks_in_real_time() -> None:
    info = SearchInfo(Color.BLACK, (BEST, LOST), depth=3)
    assert progress_lines(info, 15, 1)[-3:] == [
        "MESSAGE REALTIME REFRESH",
        "MESSAGE REALTIME LOST 0,0",
        "MESSAGE REALTIME BEST 7,7",
    ]
    assert current_lines(112, None, 15) == ["MESSAGE REALTIME POS 7,7"]
    assert current_lines(113, 112, 15) == ["MESSAGE REALTIME DONE 7,7", "MESSAGE REALTIME POS 8,7"]
    assert current_lines(None, 113, 15) == ["MESSAGE REALTIME DONE 8,7"]
    assert current_lines(5, 5, 15) == []


def test_evaluations() -> None:
    assert eval_text(Line(Move(0, 15), win_in=5)) == "+M5"
    assert eval_text(Line(Move(0, 15), value=-0.25, color=Color.BLACK)) == "-25"
    assert eval_text(Line(Move(0, 15))) == "0"


def test_a_tree_search_has_the_depth_of_its_best_line() -> None:
    info = SearchInfo(Color.BLACK, (BEST,), nodes=90, simulations=400, max_depth=9, time_s=0.5)
    assert progress_lines(info, 15, 0) == ["MESSAGE Depth 2-9 | Eval 103 | Time 500ms | H8 I7"]
    assert "INFO DEPTH 2" in progress_lines(info, 15, 2)
    assert final_line(info) == "MESSAGE Speed 800 | Depth 2-9 | Eval 103 | Node 400 | Time 500ms"
