from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import matplotlib
import pytest
from fontTools.ttLib import TTFont
from make_font import FAMILY, FONTS, characters
from matplotlib.patches import Rectangle
from PIL import Image

from tests.arena.games import STUDY, games_of, record
from wuzi.arena.analysis import analyse
from wuzi.arena.charts import CHART_STEMS, draw_charts
from wuzi.arena.charts.lengths import duration_vs_moves_scatter, moves_boxplot
from wuzi.arena.charts.outcomes import overall_win_rate, win_loss_distribution, win_rate_comparison
from wuzi.arena.charts.style import ChartData, chart_style, display_width, fit
from wuzi.arena.report import write_report
from wuzi.arena.results import GameResult, write_csv
from wuzi.base.words import load_catalogue
from wuzi.errors import ConfigError, MissingExtraError, RecordError

pytestmark = pytest.mark.slow

DOCUMENT_NAMES = [
    "01_win_loss_distribution.png",
    "02_win_rate_comparison.png",
    "03_first_move_advantage.png",
    "04_game_duration_distribution.png",
    "05_moves_distribution.png",
    "06_duration_vs_moves_scatter.png",
    "07_overall_win_rate.png",
    "08_avg_duration_and_moves.png",
    "09_win_rate_heatmap.png",
    "10_duration_boxplot.png",
    "11_moves_boxplot.png",
    "12_elo_ratings.png",
]


@pytest.fixture
def study_csv(tmp_path: Path) -> Path:
    path = tmp_path / "batch_results_20251105_233844.csv"
    write_csv(games_of(STUDY), path)
    return path


class Outside(HTMLParser):
    """Collects what a page would load from elsewhere, and the pictures it carries."""

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []
        self.pictures = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "href") and value is not None:
                if value.startswith("data:"):
                    self.pictures += 1
                else:
                    self.outside.append(value)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_report_has_the_documents_charts_and_says_what_the_data_say(study_csv: Path, language: str) -> None:
    steps: list[tuple[int, int]] = []
    report = write_report(study_csv, language=language, on_step=lambda *step: steps.append(step))
    end = "" if language == "en" else "_zh"  # neither takes the place of the other
    assert report.folder.name == f"fig_anly_batch_results_20251105_233844{end}"
    assert report.folder.parent == study_csv.parent
    assert [path.name for path in report.charts] == DOCUMENT_NAMES
    assert sorted(path.name for path in report.folder.iterdir()) == sorted(
        [*DOCUMENT_NAMES, "report.html", "report.md", "summary.json"]
    )
    assert steps[-1] == (13, 13)
    for path in report.charts:
        with Image.open(path) as image:
            assert image.width > 600 and len(image.convert("RGB").getcolors(1 << 24) or []) > 3
    page = Outside()
    html = report.html.read_text(encoding="utf-8")
    page.feed(html)
    assert (page.outside, page.pictures) == ([], 12)
    assert "prefers-color-scheme: dark" in html
    text = report.markdown.read_text(encoding="utf-8")
    sentence = {
        "en": "Minimax beat Enhanced: 49 wins, 2 draws, 9 losses",
        "zh": "Minimax 战胜 Enhanced：60 局中 49 胜 2 和 9 负",
    }
    assert sentence[language] in text
    assert all(name in text for name in DOCUMENT_NAMES)
    data = json.loads(report.summary.read_text(encoding="utf-8"))
    assert data["games"] == 360
    assert [player["label"] for player in data["players"]] == [
        "Minimax",
        "Enhanced",
        "Pure MCTS",
        "AlphaZero",
    ]


def test_markup_in_names_is_text(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>|*x*"
    write_csv(games_of({(evil, "b"): (3, 1, 0)}), tmp_path / "r.csv")
    report = write_report(tmp_path / "r.csv", kind="svg")
    assert "<script>" not in report.html.read_text(encoding="utf-8")
    assert "\\<script\\>" in report.markdown.read_text(encoding="utf-8")
    assert [path.suffix for path in report.charts] == [".svg"] * 12


def test_the_same_games_give_the_same_bytes(tmp_path: Path) -> None:
    analysis = analyse(games_of({("a", "b"): (6, 3, 1)}))
    found = []
    for name, kind in (("1", "png"), ("2", "png"), ("3", "svg"), ("4", "svg")):
        (tmp_path / name).mkdir()
        paths = list(draw_charts(analysis, load_catalogue("wuzi.arena", "zh"), tmp_path / name, kind))
        found.append([path.read_bytes() for path in paths])
    assert found[0] == found[1]
    assert found[2] == found[3]


LONG = "mcts:simulations=1000,exploration=1.41421356,rollouts=4,seed="
AWKWARD = {
    "nothing but who won": [GameResult(f"l{i}", "A", "B", "black") for i in range(2)],
    "one game": [record(0, "A", "B", "white")],
    "all drawn and equally long": [
        record(i, "甲", "乙", "draw", plies=81, duration_s=12.0) for i in range(4)
    ],
    "long names": games_of({(f"{LONG}1", f"{LONG}2"): (3, 2, 1), (f"{LONG}1", "x" * 90): (1, 4, 0)}),
    "against itself": [record(i, "A", "A", "black") for i in range(3)],
    "no time at all": [record(i, "A", "B", "black", duration_s=0.0, plies=5) for i in range(3)],
    "a script without glyphs": games_of({("ⵣ\U0001f9ff", "ᚠ"): (1, 1, 1)}),
}


@pytest.mark.parametrize("games", AWKWARD.values(), ids=AWKWARD)
def test_awkward_data_are_drawn_too(tmp_path: Path, games: list[GameResult]) -> None:
    paths = list(draw_charts(analyse(games), load_catalogue("wuzi.arena", "zh"), tmp_path))
    assert [path.stem for path in paths] == list(CHART_STEMS)


def test_beside_a_long_pair_short_ones_are_drawn_as_shares() -> None:
    games = games_of({("a", "b"): (60, 20, 20), ("a", "c"): (6, 2, 2)})
    with chart_style():
        ax = win_loss_distribution(ChartData(analyse(games), load_catalogue("wuzi.arena", "en"))).axes[0]
    assert [label.get_text() for label in ax.get_xticklabels()][-1] == "100%"
    assert ax.get_xlabel() == "share of the games"
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert [round(bar.get_width(), 3) for bar in bars] == [0.6, 0.2, 0.2] * 2
    assert {text.get_text() for text in ax.texts} >= {"60", "20", "6", "2", "n = 100", "n = 10"}


def test_a_long_pairing_moves_nobody_up_or_down() -> None:
    """b has most of its games against the strong a, c against the weak d: they scored alike."""
    games = games_of({("a", "b"): (300, 100, 0), ("a", "c"): (15, 5, 0), ("b", "d"): (5, 5, 0)})
    games += games_of({("c", "d"): (100, 100, 0)}, start=1000)
    analysis = analyse(games)
    players = {player.label: player for player in analysis.players}
    assert players["b"].win_rate.value == players["c"].win_rate.value == 0.375
    assert players["b"].score.value == players["c"].score.value == 0.375
    assert players["b"].first.value + players["b"].second.value == pytest.approx(0.75, abs=0.1)
    pooled = sum(game.winner == "black" for game in games) / len(games)
    assert analysis.black.value != pytest.approx(pooled)
    with chart_style():
        ax = overall_win_rate(ChartData(analysis, load_catalogue("wuzi.arena", "en"))).axes[0]
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    won = {round(bar.get_y() + 0.25): round(bar.get_width(), 3) for bar in reversed(bars)}
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert {name: won[row] for row, name in enumerate(names)} == {"a": 0.75, "d": 0.5, "b": 0.375, "c": 0.375}


def test_many_pairings_are_matrices() -> None:
    """Nine players, all against all: 36 pairings, of which p0 leads its eight."""
    pairs = {(f"p{i}", f"p{j}"): (4, 2, 2) for i in range(9) for j in range(i + 1, 9)}
    sheet = ChartData(analyse(games_of(pairs)), load_catalogue("wuzi.arena", "en"))
    with chart_style():
        outcomes, stones = win_loss_distribution(sheet).axes[0], moves_boxplot(sheet).axes[0]
        few = analyse(games_of({("a", "b"): (6, 2, 2)}))
        rows = moves_boxplot(ChartData(few, load_catalogue("wuzi.arena", "en"))).axes[0]
    for ax in (outcomes, stones):
        names = [label.get_text() for label in ax.get_yticklabels()]
        assert sorted(names) == [f"p{i}" for i in range(9)]
    bars = [p for p in outcomes.patches if isinstance(p, Rectangle) and p.get_width() < 0.94 > p.get_height()]
    assert [round(bar.get_width() / 0.94, 3) for bar in bars[:3]] == [0.5, 0.25, 0.25]
    assert len(stones.texts) == 2 * 72
    assert len(rows.get_yticks()) == 1


def test_ranks_beside_each_other_are_one_text() -> None:
    games = games_of({("a", "b"): (10, 0, 0), ("a", "c"): (10, 0, 0), ("b", "c"): (8, 2, 0)})
    with chart_style():
        ax = win_rate_comparison(ChartData(analyse(games), load_catalogue("wuzi.arena", "en"))).axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1 a", "2 b", "3 c"]
    ranks = [text for text in ax.texts if text.get_text()[0].isdigit() and "%" not in text.get_text()]
    assert [(text.get_text(), round(text.get_position()[0], 2)) for text in ranks] == [
        ("2, 3", 1.0),
        *(("1", 0.0), ("3", 0.8)),
        *(("1", 0.0), ("2", 0.2)),
    ]


def test_many_winners_get_a_panel_each() -> None:
    many = games_of({(f"p{i}", "loser"): (i, 0, 1) for i in range(1, 8)})
    with chart_style():
        few = duration_vs_moves_scatter(
            ChartData(analyse(games_of({("a", "b"): (2, 1, 1)})), load_catalogue("wuzi.arena", "en"))
        )
        panels = duration_vs_moves_scatter(ChartData(analyse(many), load_catalogue("wuzi.arena", "en"))).axes
    assert len(few.axes) == 1
    titles = {ax.get_title(loc="left") for ax in panels if ax.axison}
    assert titles == {"drawn (n = 7)", *(f"won by p{i} (n = {i})" for i in range(1, 8))}


def test_no_games_is_an_error(tmp_path: Path) -> None:
    write_csv([], tmp_path / "r.csv")
    with pytest.raises(RecordError, match="no games"):
        write_report(tmp_path / "r.csv")
    assert not list(tmp_path.glob("fig_anly_*"))


def test_wrong_options_are_refused(study_csv: Path) -> None:
    with pytest.raises(ConfigError, match="chart format 'gif': expected png or svg"):
        write_report(study_csv, kind="gif")
    with pytest.raises(ConfigError, match="language"):
        write_report(study_csv, language="de")


def test_without_matplotlib_the_extra_is_named(study_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=re.escape('pip install "wuzi[report]"')):
        write_report(study_csv)


def test_the_font_has_a_glyph_for_every_word_of_the_reports() -> None:
    font = TTFont(FONTS / "WuziSansSC-Regular.otf")
    known = set(font.getBestCmap())
    wanted = {char for text in load_catalogue("wuzi.arena", "zh").texts.values() for char in text}
    wanted |= set((FONTS / "characters.txt").read_text(encoding="utf-8")) - {"\n"}
    missing = sorted(char for char in wanted if ord(char) not in known)
    assert not missing, f"run scripts/make_font.py: no glyph for {''.join(missing)}"
    assert wanted <= characters()
    assert len(known) > 1000
    with chart_style():
        assert font["name"].getDebugName(1) == FAMILY == matplotlib.rcParams["font.family"][0]


def test_the_font_is_small_and_has_its_licence() -> None:
    assert (FONTS / "WuziSansSC-Regular.otf").stat().st_size < 400 * 1024
    assert "SIL OPEN FONT LICENSE Version 1.1" in (FONTS / "OFL.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("label", ["a", "x" * 200, "五子棋" * 30, LONG + "1", "a b " * 40, ""])
@pytest.mark.parametrize("lines", [1, 2, 3])
def test_names_fit_into_their_place(label: str, lines: int) -> None:
    shown = fit(label, 24, lines).split("\n")
    assert len(shown) <= lines
    assert max(map(display_width, shown)) <= 24
    assert fit(LONG + "1") != fit(LONG + "2")
