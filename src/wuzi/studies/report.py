"""``wuzi study report``: the page of a study, in both languages, with charts, records and figures.

::

    INTO/README.md, README.zh.md        the page
    INTO/figures.json                   all figures, for claims and other programs
    INTO/own.csv                        the games of the stage "own"
    INTO/own/en/*.png, zh/*.png         its charts, where the stage asks for them
    INTO/en/sizes.png, zh/sizes.png     ratings by the size of the board
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wuzi.arena.analysis import analyse
from wuzi.arena.campaign import games_by_run
from wuzi.arena.charts import CHART_STEMS, check_available, draw_charts
from wuzi.arena.markdown import bullets, commits_of, days_of, escape, machines_of
from wuzi.arena.results import write_csv
from wuzi.base.store import write_object
from wuzi.base.words import LANGUAGES, Catalogue, load_catalogue
from wuzi.studies.advice import advise
from wuzi.studies.config import StageKind
from wuzi.studies.data import figures_json
from wuzi.studies.figures import PartFigures, StudyFigures, study_figures
from wuzi.studies.methods import MethodRow, method_rows, timed_part
from wuzi.studies.prose import (
    advice_text,
    agreement_text,
    part_setting,
    significance,
    sizes_text,
    stage_title,
)
from wuzi.studies.run import shown_path
from wuzi.studies.sizes import draw_sizes, size_curves
from wuzi.studies.tables import agreement_table, method_table, pair_table, rating_table
from wuzi.studies.text import FIGURES_FILE, listing, other_page, write_page

RATINGS, SIZES = "12_elo_ratings", "sizes"


@dataclass(frozen=True, slots=True)
class StudyReport:
    """What was written.

    Attributes:
        figures: everything that was computed.
        rows: the table of methods.
        pages: one for each language.
    """

    figures: StudyFigures
    rows: tuple[MethodRow, ...]
    pages: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class _Page:
    """What one language's page is made from."""

    t: Catalogue
    figures: StudyFigures
    rows: Sequence[MethodRow]
    into: Path


def write_study_report(out: Path, into: Path) -> StudyReport:
    """Write the page of a study's folder."""
    check_available()
    figures = study_figures(out)
    rows = method_rows(figures)
    into.mkdir(parents=True, exist_ok=True)
    write_object(into / FIGURES_FILE, figures_json(figures, rows), indent=1)
    for part in figures.parts:
        write_csv(part.records, into / f"{part.part.folder}.csv")
    pages = []
    for language in LANGUAGES:
        t = load_catalogue("wuzi.studies", language)
        _draw(figures, t, into)
        pages.append(write_page(into, t, page_text(_Page(t, figures, rows, into))))
    return StudyReport(figures, rows, tuple(pages))


def page_text(page: _Page) -> str:
    """The page as Markdown."""
    t, figures = page.t, page.figures
    title = figures.config.title_zh if t.language == "zh" else figures.config.title
    parts = [
        f"# {escape(title)}",
        other_page(t),
        f"{t('made')} {_runs(t, figures)}",
        t("command", config=figures.runs[-1].command or figures.config.path.name, into=shown_path(page.into)),
        f"## {t('section.said')}",
    ]
    for part in _judged(figures):
        parts += [
            f"### {stage_title(t, part)}",
            bullets(significance(t, part)),
            *_charts(page, part, [RATINGS]),
        ]
    parts.append(t("said.how"))
    parts += _methods(page)
    parts += [f"## {t('section.advice')}", bullets([advice_text(t, a) for a in advise(figures, page.rows)])]
    for part in figures.parts:
        parts += _part(page, part)
    parts += [f"## {t('section.agreement')}", bullets(agreement_text(t, figures))]
    parts.append(agreement_table(t, figures))
    if sizes := figures.of(StageKind.SIZES):
        parts += [f"## {t('section.sizes')}", bullets(sizes_text(t, sizes, figures.config.methods))]
        parts += [f"![{t('sizes.chart')}]({t.language}/{SIZES}.png)", t("sizes.caption")]
    return "\n\n".join(part for part in parts if part) + "\n"


def _runs(t: Catalogue, figures: StudyFigures) -> str:
    runs = figures.runs
    return t(
        "runs",
        commits=commits_of([run.commit for run in runs]),
        machines=machines_of(runs),
        days=days_of(runs, " – "),
        games=sum(len(part.records) for part in figures.parts),
        hours=f"{sum(part.hours for part in figures.parts):.2g}",
    )


def _same(t: Catalogue, figures: StudyFigures, part: PartFigures) -> list[str]:
    """How many games of a later stage were played before, move for move, in the main one."""
    main = figures.one(StageKind.MAIN)
    if main is None or part.part.stage.kind is not StageKind.TIMED:
        return []
    known = {(game.black, game.white, game.moves) for game in main.records if game.moves}
    same = sum((game.black, game.white, game.moves) in known for game in part.records)
    return [t("part.same", games=same, stage=main.part.stage.name)] if same else []


def _played_at(t: Catalogue, figures: StudyFigures, part: PartFigures) -> str:
    """The machines and commits of a part's games, from the runs that were going on when they began."""
    games = games_by_run(part.records, figures.runs)
    return listing(
        t,
        [
            t("part.where.one", machine=escape(machine), commit=commit, games=number)
            for (machine, commit), number in games.items()
        ],
    ) or t("open")


def _methods(page: _Page) -> list[str]:
    t, anchor = page.t, page.figures.config.anchor
    fixed = t("methods.anchor", name=escape(anchor[0]), value=anchor[1]) if anchor else ""
    timed = timed_part(page.figures)
    played = (
        t("methods.time", name=timed.part.stage.name, where=_played_at(t, page.figures, timed))
        if timed
        else ""
    )
    return [
        f"## {t('section.methods')}",
        method_table(t, page.rows),
        " ".join(filter(None, [t("methods.how", anchor=fixed), played])),
    ]


def _part(page: _Page, part: PartFigures) -> list[str]:
    t, folder = page.t, part.part.folder
    found = [
        f"## {stage_title(t, part)}",
        bullets(
            [
                *part_setting(t, part),
                *_same(t, page.figures, part),
                t("part.where", where=_played_at(t, page.figures, part)),
            ]
        ),
        rating_table(t, part),
        pair_table(t, part.pairs, unit=part.part.stage.unit),
    ]
    # The ratings of a part that is judged stand at the head of the page.
    head = [RATINGS] if part in _judged(page.figures) else []
    found += _charts(page, part, [stem for stem in CHART_STEMS if stem not in head])
    return [*found, f"{t('section.files')}: [{folder}.csv]({folder}.csv)"]


def _judged(figures: StudyFigures) -> list[PartFigures]:
    """The parts whose pairs the page judges at its head."""
    return [part for kind in (StageKind.MAIN, StageKind.TIMED) for part in figures.of(kind)]


def _charts(page: _Page, part: PartFigures, stems: Sequence[str]) -> list[str]:
    """Links to some of a part's charts, none if the stage asks for no charts."""
    if not part.part.stage.charts:
        return []
    words, folder = load_catalogue("wuzi.arena", page.t.language), f"{part.part.folder}/{page.t.language}"
    return [f"![{words('chart.' + stem[:2])}]({folder}/{stem}.png)" for stem in stems]


def _draw(figures: StudyFigures, t: Catalogue, into: Path) -> None:
    for part in figures.parts:
        if part.part.stage.charts:
            folder = into / part.part.folder / t.language
            folder.mkdir(parents=True, exist_ok=True)
            anchor = figures.config.anchor
            known = anchor if anchor and anchor[0] in part.names else None
            for _ in draw_charts(
                analyse(part.records, anchor=known), load_catalogue("wuzi.arena", t.language), folder
            ):
                pass
    if sizes := figures.of(StageKind.SIZES):
        (into / t.language).mkdir(exist_ok=True)
        path = into / t.language / f"{SIZES}.png"
        draw_sizes(size_curves(sizes), [part.part.rules for part in sizes], t, path)
