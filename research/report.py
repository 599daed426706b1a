"""``python -m research report``: the page of a study, in both languages, with charts, records and figures.

::

    INTO/README.md, README.zh.md        the page: answers, methods, recommendations
    INTO/figures.json                   all figures, for claims and other programs
    INTO/own.md, own.zh.md              the page of the stage "own": its setting, tables and charts
    INTO/agreement.md, agreement.zh.md  every pair of two evaluations
    INTO/own/en/*.png, zh/*.png         its charts, where the stage asks for them
    INTO/en/sizes.png, zh/sizes.png     ratings by the size of the board
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from research import prose
from research.agreement import Agreement
from research.campaign import commits_of, days_of, games_by_run, machines_of
from research.config import StageKind
from research.figures import Curves, PartFigures, StudyFigures, size_curves, study_figures
from research.methods import MethodRow, advise, method_rows, partly_trained, timed_part
from research.run import shown_path
from research.shown import Names, names_shown, shown, shown_analysis
from research.text import (
    FIGURES_FILE,
    SCHEMA,
    agreement_table,
    code,
    file_name,
    listing,
    method_table,
    other_page,
    pair_table,
    rating_table,
    share,
    write_page,
)
from wuzi.arena import Estimate, PairFigures, analyse
from wuzi.arena.charts import CHART_STEMS, DURATIONS, check_available, draw_charts, save_chart
from wuzi.arena.journal import GAMES_FILE
from wuzi.arena.text import bullets, escape, table
from wuzi.base.store import LineFile, write_object
from wuzi.base.words import LANGUAGES, Catalogue, load_catalogue
from wuzi.core import Rules

RATINGS, SIZES, AGREEMENT = "12_elo_ratings", "sizes", "agreement"


@dataclass(frozen=True, slots=True)
class _Page:
    """What one language's page is made from."""

    t: Catalogue
    figures: StudyFigures
    rows: Sequence[MethodRow]
    partly: Mapping[str, float]
    into: Path
    labels: Mapping[str, str]  # what the records call those whose name is another one
    out: Path  # the study's folder

    def mark(self, name: str) -> str:
        """A method's name in a table."""
        return code(name) + (" †" if name in self.partly else "")


def write_study_report(out: Path, into: Path) -> tuple[dict[str, Any], list[Path]]:
    """Write the page of a study's folder; all figures, and the page of each language."""
    check_available()
    recorded = study_figures(out)
    names = names_shown(recorded.config.methods)
    figures = shown(recorded, names)
    rows = method_rows(figures)
    into.mkdir(parents=True, exist_ok=True)
    partly = partly_trained(figures)
    labels = {names(label): label for label in recorded.config.methods if names(label) != label}
    data = figures_json(figures, rows, partly)
    write_object(into / FIGURES_FILE, data, indent=1)
    pages = []
    for language in LANGUAGES:
        t = load_catalogue("research", language)
        _draw(recorded, names, t, into)
        page = _Page(t, figures, rows, partly, into, labels, out)
        pages.append(write_page(into, t, page_text(page)))
        for part in figures.parts:
            write_page(into, t, part_text(page, part), part.part.folder)
        if pairs := agreement_table(t, figures, page.mark):
            head = f"# {t('section.agreement')}"
            text = _joined([head, other_page(t, AGREEMENT), _back(page), pairs])
            write_page(into, t, text, AGREEMENT)
    return data, pages


def page_text(page: _Page) -> str:
    """The page as Markdown: what a reader wants to know first, and links to all else."""
    t, figures = page.t, page.figures
    title = figures.config.title_zh if t.language == "zh" else figures.config.title
    parts = [
        f"# {escape(title)}",
        other_page(t),
        f"{t('made')} {_runs(t, figures)}",
        _partly(t, page.partly),
        t("command", config=figures.runs[-1].command or figures.config.path.name, into=shown_path(page.into)),
        f"## {t('section.said')}",
    ]
    for part in _judged(figures):
        parts += [
            f"### {prose.stage_title(t, part)}",
            bullets(prose.significance(t, part)),
            prose.undecided_table(t, part),
            *_charts(page, part, [RATINGS]),
        ]
    parts.append(t("said.how"))
    parts += _methods(page)
    parts += [
        f"## {t('section.advice')}",
        bullets([prose.advice_text(t, a) for a in advise(figures, page.rows)]),
    ]
    parts += [f"## {t('section.agreement')}", bullets(prose.agreement_text(t, figures))]
    if figures.repeat or figures.document:
        parts.append(t("agree.pairs", file=file_name(t, AGREEMENT)))
    if sizes := figures.of(StageKind.SIZES):
        parts += [f"## {t('section.sizes')}", bullets(prose.sizes_text(t, sizes, figures.config.methods))]
        parts += [f"![{t('sizes.chart')}]({t.language}/{SIZES}.png)", t("sizes.caption")]
    return _joined([*parts, f"## {t('section.stages')}", _stages(page)])


def part_text(page: _Page, part: PartFigures) -> str:
    """The page of a stage on a board: how it was played, every rating, every pair, every chart."""
    t, folder = page.t, part.part.folder
    where = t("part.where", where=_played_at(t, page.figures, part))
    times = [] if part.times else [t("part.times")]
    return _joined(
        [
            f"# {prose.stage_title(t, part)}",
            other_page(t, folder),
            _back(page),
            bullets([*prose.part_setting(t, part), *_same(t, page.figures, part), where, *times]),
            _partly(t, page.partly),
            rating_table(t, part, page.mark),
            pair_table(t, part.pairs, unit=part.part.stage.unit, mark=page.mark),
            *_charts(page, part, _stems(part)),
            _records(page, part),
        ]
    )


def _records(page: _Page, part: PartFigures) -> str:
    """The line with a part's games, which have the names of the study's file."""
    t, folder = page.t, part.part.folder
    other = [(page.labels[name], name) for name in part.names if name in page.labels]
    told = [t("part.labels.one", label=code(label), name=code(name)) for label, name in other]
    labels = t("part.labels", names=listing(t, told)) if told else ""
    games = LineFile(page.out / folder / GAMES_FILE).stored()
    link = Path(os.path.relpath(games, page.into)).as_posix()
    return f"{t('section.files')}: [{folder}/{games.name}]({link}){labels}"


def _stages(page: _Page) -> str:
    """What was played, with a link to the page of each stage."""
    t = page.t
    rows = [
        (
            f"[{prose.stage_title(t, part)}]({file_name(t, part.part.folder)})",
            str(len(part.records)),
            t("stages.decided", sure=sum(pair.significant for pair in part.pairs), n=len(part.pairs)),
            share(part.score),
            share(part.drawn),
        )
        for part in page.figures.parts
    ]
    return table(tuple(t(f"stages.{key}") for key in ("stage", "games", "pairs", "black", "drawn")), rows)


def _back(page: _Page) -> str:
    t, config = page.t, page.figures.config
    title = config.title_zh if t.language == "zh" else config.title
    return t("part.back", title=escape(title), file=file_name(t))


def _joined(parts: Sequence[str]) -> str:
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


def _partly(t: Catalogue, partly: Mapping[str, float]) -> str:
    """The line that explains the sign after names in tables; empty if none has it."""
    names = [f"{code(name)} {share:.0%}" for name, share in partly.items()]
    return t("partly", names=listing(t, names)) if names else ""


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
    places = [
        t("part.where.one", machine=escape(machine), commit=commit, games=number)
        for (machine, commit), number in games_by_run(part.records, figures.runs).items()
    ]
    return listing(t, places) or t("open")


def _methods(page: _Page) -> list[str]:
    t, anchor = page.t, page.figures.config.anchor
    fixed = t("methods.anchor", name=code(anchor[0]), value=anchor[1]) if anchor else ""
    timed = timed_part(page.figures)
    how = [t("methods.how", anchor=fixed)]
    if timed:
        how.append(t("methods.time", name=timed.part.stage.name, where=_played_at(t, page.figures, timed)))
    return [f"## {t('section.methods')}", method_table(t, page.rows), " ".join(how)]


def _stems(part: PartFigures) -> list[str]:
    """The charts of a part: none of seconds where several machines played it."""
    return [stem for stem in CHART_STEMS if part.times or stem not in DURATIONS]


def _judged(figures: StudyFigures) -> list[PartFigures]:
    """The parts whose pairs the page judges at its head."""
    return [part for kind in (StageKind.MAIN, StageKind.TIMED) for part in figures.of(kind)]


def _charts(page: _Page, part: PartFigures, stems: Sequence[str]) -> list[str]:
    """Links to some of a part's charts, none if the stage asks for no charts."""
    if not part.part.stage.charts:
        return []
    words, folder = load_catalogue("wuzi.arena", page.t.language), f"{part.part.folder}/{page.t.language}"
    return [f"![{words('chart.' + stem[:2])}]({folder}/{stem}.png)" for stem in stems]


def _draw(recorded: StudyFigures, names: Names, t: Catalogue, into: Path) -> None:
    for part in recorded.parts:
        if part.part.stage.charts:
            folder = into / part.part.folder / t.language
            folder.mkdir(parents=True, exist_ok=True)
            anchor = recorded.config.anchor
            known = anchor if anchor and anchor[0] in part.names else None
            words, stems = load_catalogue("wuzi.arena", t.language), _stems(part)
            analysis = shown_analysis(analyse(part.records, anchor=known), names)
            list(draw_charts(analysis, words, folder, stems=stems))
            for stem in set(CHART_STEMS) - set(stems):
                (folder / f"{stem}.png").unlink(missing_ok=True)
    if sizes := recorded.of(StageKind.SIZES):
        (into / t.language).mkdir(exist_ok=True)
        path = into / t.language / f"{SIZES}.png"
        curves = {names(name): curve for name, curve in size_curves(sizes).items()}
        draw_sizes(curves, [part.part.rules for part in sizes], t, path)


def draw_sizes(curves: Curves, boards: Sequence[Rules], t: Catalogue, path: Path) -> None:
    """Draw ratings by board size into a PNG file; the same figures give the same bytes.

    Lines join boards with the same number in a row: another number is another game.
    """
    from matplotlib.figure import Figure

    from wuzi.arena.charts.style import MARKERS, chart_style, color_of

    with chart_style():
        figure = Figure(figsize=(9.0, 5.6), layout="constrained")
        ax = figure.add_subplot()
        lengths = {rules.size: rules.win_length for rules in boards}
        # One wide interval must not flatten the others: it is cut, with an arrow.
        floor = min(estimate.value for curve in curves.values() for _, estimate in curve) - 150
        for i, (name, curve) in enumerate(curves.items()):
            style: Any = {"color": color_of(i), "marker": MARKERS[i % len(MARKERS)], "capsize": 3}
            # Side by side, so that intervals do not hide each other.
            aside = (i - (len(curves) - 1) / 2) * 0.09
            for number, length in enumerate(dict.fromkeys(lengths[size] for size, _ in curve)):
                some = [(size, estimate) for size, estimate in curve if lengths[size] == length]
                values = [estimate.value for _, estimate in some]
                below = [estimate.value - max(floor, estimate.low) for _, estimate in some]
                above = [estimate.high - estimate.value for _, estimate in some]
                label = None if number else name
                places = [size + aside for size, _ in some]
                ax.errorbar(places, values, yerr=[below, above], label=label, **style)
                cut = [place for place, (_, one) in zip(places, some, strict=True) if one.low < floor]
                ax.plot(cut, [floor + 30] * len(cut), "v", color=style["color"])
        sizes = sorted(lengths)
        labels = [t("sizes.board", size=size, length=lengths[size]) for size in sizes]
        ax.set_xticks(sizes, labels)
        ax.set_ylim(bottom=floor)
        ax.set_ylabel(t("axis.elo.mean"))
        ax.set_title(t("sizes.chart"), loc="left")
        figure.legend(loc="outside right upper")
        save_chart(figure, path)


def figures_json(
    figures: StudyFigures, rows: Sequence[MethodRow], partly: Mapping[str, float]
) -> dict[str, Any]:
    """Everything that claims and pages need, JSON-compatible; what is undefined is null."""
    return {
        "v": SCHEMA,
        "nets": figures.nets,
        "runs": [asdict(run) for run in figures.runs],
        "stages": {part.part.folder: _part_json(part) for part in figures.parts},
        "methods": {row.method.name: _row_json(row) for row in rows},
        "partly": dict(partly),
        "agreement": {"repeat": _agreement_json(figures.repeat), "seed": _agreement_json(figures.document)},
    }


def _part_json(part: PartFigures) -> dict[str, Any]:
    stage, ratings = part.part.stage, part.ratings
    rated = zip(ratings.labels, ratings.estimates, strict=True) if ratings else ()
    return {
        "kind": str(stage.kind),
        "size": part.part.rules.size,
        "win_length": part.part.rules.win_length,
        "time_s": stage.time,
        "games": len(part.records),
        "hours": round(part.hours, 3),
        "pairs": [_pair_json(pair) for pair in part.pairs],
        "ratings": {name: _plain(estimate) for name, estimate in rated},
        "bounded": bool(ratings and ratings.is_lower_bound),
        **{name: _plain(getattr(part, name)) for name in ("black", "white", "drawn")},
        "black_score": _plain(part.score),
        "conduct": {
            name: {
                "games": play.games,
                "move_s": _plain(play.conduct.mean_s if part.times else None),
                "black": _plain(play.black),
                "white": _plain(play.white),
                "late": play.conduct.late,
                "slowest_s": _plain(play.conduct.slowest_s),
                "forfeits": sum(play.conduct.forfeits.values()),
            }
            for name, play in part.plays.items()
        },
    }


def _pair_json(pair: PairFigures) -> dict[str, Any]:
    score = _plain(pair.score) or {}
    return {
        **{name: getattr(pair, name) for name in ("first", "second", "games", "wins", "draws", "losses")},
        **{"score": score.get("value"), "low": score.get("low"), "high": score.get("high")},
        **{name: getattr(pair, name) for name in ("won", "level", "lost", "distinct")},
        **{"p": pair.p, "adjusted": pair.adjusted, "significant": pair.significant},
    }


def _row_json(row: MethodRow) -> dict[str, Any]:
    names = ("rating", "stars", "parameters", "move_s", "shift", "explains", "learns")
    found = {name: _plain(getattr(row, name)) for name in names}
    return found | {"net": row.method.net or None, "schedule_share": row.schedule_share}


def _agreement_json(found: Agreement | None) -> dict[str, Any] | None:
    if found is None:
        return None
    data = asdict(found)
    for key in ("correlation", "tau"):
        data[key] = None if math.isnan(data[key]) else round(data[key], 4)
    return data


def _plain(value: Any) -> Any:
    """A figure as JSON-compatible data; an estimate without a value is null."""
    if isinstance(value, Estimate):
        return None if math.isnan(value.value) else value.rounded(6)
    return round(value, 6) if isinstance(value, float) else value
