"""Reviews in game records, journals, tables and pages."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from wuzi.analysis.review import Review, ReviewOptions, annotate, judge, next_task, restore, run_review, strip
from wuzi.analysis.review.model import ReviewJournal, review_from_json
from wuzi.analysis.review.output import COLUMNS, review_csv, review_html, review_json
from wuzi.analysis.review.results import Result, result_json
from wuzi.analysis.review.sgf import SAVED
from wuzi.core import Color, Game, Rules, parse_moves
from wuzi.errors import RecordError
from wuzi.players import create_player
from wuzi.records import GameRecord, add_moves, dumps, load, loads

GAMES = Path(__file__).parent / "games"
TINY = ReviewOptions(
    "engine:table_mb=16",
    quick_nodes=300,
    deep_nodes=300,
    verify_nodes=600,
    proof_nodes=10_000,
    strength=False,
)


@pytest.fixture(scope="module")
def review() -> Review:
    review = Review.of(load(GAMES / "missed_vcf.sgf").game(), TINY)
    with create_player(TINY.player) as player:
        run_review(review, player)
    return review


def commented() -> GameRecord:
    """The record with comments, marks and a variation of its own."""
    record = load(GAMES / "missed_vcf.sgf")
    record.root.comment = "Played at home."
    nodes = [node for node in record.root.main_line() if node.move is not None]
    nodes[4].comment = "I was in a hurry]\\ here."
    nodes[19].properties = {"BM": ("1",), "V": ("3",)}
    add_moves(nodes[6], parse_moves("a1b1", 15), nodes[7].color or record.game().to_move)
    return record


def test_a_review_can_be_saved_while_it_grows(review: Review, monkeypatch: pytest.MonkeyPatch) -> None:
    running = Review.of(review.subject.game, TINY)
    running.results = dict(list(review.results.items())[:3])

    def slow(result: Result) -> dict[str, Any]:
        running.results |= {f"later.{len(running.results)}": result}
        return result_json(result)

    monkeypatch.setattr("wuzi.analysis.review.model.result_json", slow)
    assert list(running.to_json()["results"]) == list(review.results)[:3]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_review_survives_sgf_and_can_be_taken_off_again(review: Review, language: str) -> None:
    plain = dumps(commented())
    text = dumps(annotate(commented(), review, language))
    again = loads(text)
    assert not again.warnings
    restored = restore(again)
    assert restored is not None
    assert next_task(restored) is None, "nothing is analysed again"
    assert restored.to_json() == review.to_json()
    assert judge(restored) == judge(review)
    assert dumps(annotate(again, restored, language)) == text, "annotating twice changes nothing"
    assert dumps(strip(again)) == plain


def test_the_annotation_reads_well_in_other_programs(review: Review) -> None:
    record = loads(dumps(annotate(load(GAMES / "missed_vcf.sgf"), review)))
    nodes = [node for node in record.root.main_line() if node.move is not None]
    worst = nodes[19]
    assert worst.properties["BM"] == ("2",)
    assert worst.properties["V"] == ("1.00",)
    assert "Missed a forced win by fours (VCF)" in worst.comment
    missed = judge(review).moves[19].missed
    assert missed is not None
    lines = [[node.move for node in child.main_line()] for child in nodes[18].children]
    assert list(missed.moves) in lines
    assert record.moves == review.subject.moves, "variations come after the main line"
    assert "Accuracy" in record.root.comment


def test_a_file_that_holds_none_or_another_games_review_says_so(review: Review) -> None:
    record = load(GAMES / "missed_vcf.sgf")
    assert restore(record) is None
    other = load(GAMES / "only_defence.sgf")
    other.root.properties[SAVED] = annotate(record, review).root.properties[SAVED]
    with pytest.raises(RecordError, match="another game"):
        restore(other)
    record.root.properties[SAVED] = ("{",)
    with pytest.raises(RecordError, match="as JSON"):
        restore(record)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 99}, "schema 99"),
        ({"schema": "1"}, "schema number"),
        ({"options": {"player": "engine", "nonsense": 1}}, "options are"),
        ({"options": {"quick_nodes": -1}}, "quick_nodes is -1"),
        ({"results": {"quick.99": {}}}, "no result of this game"),
        (
            {"results": {"quick.1": {"winrate": 0.5, "lines": [{"winrate": 7, "pv": "h8"}]}}},
            "expected 0 to 1",
        ),
        ({"results": {"prove.1": {"win": {"kind": "vcf", "moves": "z99"}}}}, "result prove.1"),
        (
            {"results": {"defend.1": {"move": None, "tried": float("inf"), "proved": False}}},
            "result defend.1",
        ),
        ({"results": {"defend.1": {"move": None, "tried": 1, "proved": 1}}}, "expected true or false"),
        ({"results": [1]}, "no object"),
    ],
)
def test_broken_results_are_refused(review: Review, change: dict[str, Any], message: str) -> None:
    data = json.loads(json.dumps(review.to_json())) | change
    with pytest.raises(RecordError, match=message):
        review_from_json(data, review.subject.game)


def test_a_journal_goes_on_after_a_torn_line(tmp_path: Path, review: Review) -> None:
    game = review.subject.game
    journal = ReviewJournal(tmp_path / "a.review.jsonl")
    journal.open(game, TINY)
    kept = dict(list(review.results.items())[:10])
    for key, result in kept.items():
        journal.add(key, result)
    with journal.path.open("ab") as file:
        file.write(b'{"quick.3": {"winr')
    assert journal.open(game, TINY).results == kept
    assert journal.path.read_bytes().endswith(b"}\n")
    other = ReviewOptions("engine", quick_nodes=7)
    assert journal.open(game, other).results == {}, "other options begin anew"
    journal.path.write_text("hello\n")
    with pytest.raises(RecordError, match="a JSON object a line"):
        journal.open(game, TINY)


def test_the_table_has_a_row_a_move(review: Review) -> None:
    rows = list(csv.reader(io.StringIO(review_csv(review))))
    assert tuple(rows[0]) == COLUMNS
    assert [row[2] for row in rows[1:]] == [m["move"] for m in review_json(review)["moves"]]
    worst = dict(zip(COLUMNS, rows[20], strict=True))
    assert worst["mark"] == "blunder"
    assert worst["missed"].startswith(worst["best"].split()[0])
    assert float(worst["loss"]) == 100.0
    assert (worst["color"], worst["winrate_before"], worst["winrate_after"]) == ("W", "1.0", "0.0")
    assert "100 %" in worst["text"] or worst["missed"], "rates and text are the mover's"


def test_the_table_has_the_win_rates_of_the_side_that_is_asked_for(review: Review) -> None:
    tables = {
        side: list(csv.DictReader(io.StringIO(review_csv(review, side=side)))) for side in (None, *Color)
    }
    for mover, black, white in zip(tables[None], tables[Color.BLACK], tables[Color.WHITE], strict=True):
        for name in ("winrate_before", "winrate_after"):
            assert float(black[name]) + float(white[name]) == pytest.approx(1, abs=0.002)
            assert mover[name] == (black if mover["color"] == "B" else white)[name]


def test_the_page_is_one_file_and_safe_against_names(review: Review) -> None:
    record = GameRecord(black="<script>alert(1)</script>", white="</script>")
    page = review_html(review, record, "zh")
    assert page.count("</script>") == 2
    assert not re.search(r"(src|href)=|https?://(?!www\.w3\.org)", page)
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert data["names"]["B"] == record.black
    assert data["language"] == "zh"
    assert set(data["words"]["en"]) == set(data["words"]["zh"])


def test_json_says_what_the_judgement_says(review: Review) -> None:
    data = json.loads(json.dumps(review_json(review)))
    judgement = judge(review)
    assert data["complete"]
    assert data["worst"] == [move.ply for move in judgement.worst]
    assert [side["color"] for side in data["sides"]] == ["B", "W"]
    assert data["sides"][1]["missedWins"] == judgement.white.missed_wins
    for move in data["moves"]:
        assert set(move["text"]) == {"en", "zh"}
        assert len(move["text"]["en"]) == len(move["text"]["zh"])


def test_a_set_up_start_is_part_of_what_a_game_is(review: Review) -> None:
    record = loads("(;GM[4]SZ[9]RU[freestyle]AB[ee]AW[ef]PL[B];B[fe];W[de])")
    tiny = ReviewOptions("minimax:depth=1", quick_nodes=50, deep_nodes=0, verify_nodes=50, proof_nodes=100)
    own = Review.of(record.game(), tiny)
    with create_player(tiny.player) as player:
        run_review(own, player)
    assert judge(own).moves[0].color.letter == "B"
    assert restore(loads(dumps(annotate(record, own)))) is not None
    plain = Game.from_moves(Rules(size=9), parse_moves("f5d5", 9))
    with pytest.raises(RecordError, match="another game"):
        review_from_json(own.to_json(), plain)
