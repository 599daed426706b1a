"""``wuzi report``: charts, figures and text about a file of results."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

import wuzi
from wuzi.arena.analysis import LEAST_LIKELY, Analysis, PairSummary, PlayerSummary, analyse, summary_json
from wuzi.arena.export import read_results, results_file
from wuzi.arena.rating import Estimate
from wuzi.arena.text import (
    NONE,
    bullets,
    elo_text,
    escape,
    findings,
    interval,
    percent,
    points,
    table,
    warning_sentence,
)
from wuzi.base.atomic import write_atomic
from wuzi.base.words import Catalogue, load_catalogue
from wuzi.errors import ConfigError, RecordError

METHODS = ("method.win_rate", "method.pairs", "method.elo", "method.separable")


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table of text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]  # cells, as many as the header has
    names: int = 0  # the column that holds names (the others are figures)


@dataclass(frozen=True, slots=True)
class Outline:
    """Everything a report says, in order."""

    title: str
    subtitle: str
    made_by: str
    findings: tuple[str, ...]
    warnings: tuple[str, ...]  # sentences; empty when there are none
    tables: tuple[Table, ...]
    methods: tuple[str, ...]


def outline(t: Catalogue, analysis: Analysis, csv_path: Path) -> Outline:
    """The text of a report."""
    counts = {"games": analysis.games, "players": len(analysis.players), "pairs": len(analysis.pairs)}
    return Outline(
        title=t("report.title", stem=csv_path.stem),
        subtitle=t("report.subtitle", **counts, setting=_setting(t, analysis)),
        made_by=t("report.made_by", version=wuzi.__version__, source=csv_path.name),
        findings=tuple(findings(t, analysis)),
        warnings=tuple(warning_sentence(t, warned) for warned in analysis.warnings),
        tables=(_ranking(t, analysis.players), _pairs(t, analysis.pairs), _first(t, analysis.players)),
        methods=tuple(t(key) for key in METHODS),
    )


def _setting(t: Catalogue, analysis: Analysis) -> str:
    """The rules of the games, if they are all the same and the file tells."""
    settings = {(game.rule, game.size, game.win_length) for game in analysis.records}
    if len(settings) != 1:
        return ""
    rule, size, win_length = settings.pop()
    if not rule or size is None or win_length is None:
        return ""
    name = t(f"rule.{rule}") if f"rule.{rule}" in t.texts else rule
    return t("report.setting", rule=name, size=size, win_length=win_length)


def _ranking(t: Catalogue, players: Sequence[PlayerSummary]) -> Table:
    keys = "rank player rating interval games wins draws losses score interval time plies forfeits"
    rows = tuple(
        (
            str(rank),
            player.label,
            points(player.rating.value) if player.rating else NONE,
            f"{points(player.rating.low)} … {points(player.rating.high)}" if player.rating else NONE,
            *map(str, (player.games, player.wins, player.draws, player.losses)),
            *_share(player.score),
            _number(player.time_s),
            _number(player.plies),
            str(sum(player.forfeits.values())),
        )
        for rank, player in enumerate(players, 1)
    )
    return Table(t("section.ranking"), _header(t, keys), rows, names=1)


def _pairs(t: Catalogue, pairs: Sequence[PairSummary]) -> Table:
    keys = "pair games wins draws losses score interval elo los distinct verdict"
    rows = tuple(
        (
            t("vs", a=pair.leader, b=pair.other),
            *map(str, (pair.games, pair.wins, pair.draws, pair.losses)),
            *_share(pair.score),
            elo_text(t, pair.elo),
            percent(pair.los) if pair.games >= LEAST_LIKELY else NONE,
            NONE if pair.distinct is None else str(pair.distinct),
            t("verdict.separable", a=pair.leader) if pair.separable else t("verdict.not_separable"),
        )
        for pair in pairs
    )
    return Table(t("section.pairs"), _header(t, keys), rows)


def _first(t: Catalogue, players: Sequence[PlayerSummary]) -> Table:
    rows = tuple(
        (
            *(player.label, *_share(player.first), str(player.first_games)),
            *(*_share(player.second), str(player.second_games)),
        )
        for player in players
    )
    header = _header(t, "player first interval games second interval games")
    return Table(t("section.first"), header, rows)


def _header(t: Catalogue, keys: str) -> tuple[str, ...]:
    return tuple(t(f"table.{key}") for key in keys.split())


def _share(estimate: Estimate) -> tuple[str, str]:
    return percent(estimate.value), interval(estimate)


def _number(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


_TYPES = {".png": "image/png", ".svg": "image/svg+xml"}


def render_html(t: Catalogue, said: Outline, charts: Sequence[Path]) -> str:
    """The report as one HTML file with its charts inside."""
    page = Template((files("wuzi") / "data" / "report" / "page.html").read_text("utf-8"))
    plain = {"title": said.title, "subtitle": said.subtitle, "made_by": said.made_by}
    plain |= {f"of_{key}": t(f"section.{key}") for key in ("findings", "warnings", "charts", "method")}
    nothing = f"<p>{html.escape(t('section.no_warnings'))}</p>"
    return page.substitute(
        {key: html.escape(text) for key, text in plain.items()},
        language=t("language"),
        findings=_list(said.findings),
        warnings=f'<div class="warnings">{_list(said.warnings)}</div>' if said.warnings else nothing,
        tables="\n".join(f"<h2>{html.escape(one.title)}</h2>{_html_table(one)}" for one in said.tables),
        charts="\n".join(_figure(t, path) for path in charts),
        methods=_list(said.methods),
    )


def _figure(t: Catalogue, path: Path) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    title = html.escape(t("chart." + path.name[:2]), quote=True)
    return f'<figure><img alt="{title}" src="data:{_TYPES[path.suffix]};base64,{data}"></figure>'


def _list(sentences: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(sentence)}</li>" for sentence in sentences) + "</ul>"


def _html_table(table: Table) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=name' if i == table.names else ''}>{html.escape(cell)}</{tag}>"
            for i, cell in enumerate(cells)
        )

    rows = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in table.rows)
    return (
        f'<div class="scroll"><table><thead><tr>{row(table.header, "th")}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def render_markdown(t: Catalogue, said: Outline, charts: Sequence[Path]) -> str:
    """The report as Markdown; charts are linked by file name."""
    parts = [f"# {escape(said.title)}", escape(said.subtitle), escape(said.made_by)]
    parts += [f"## {t('section.findings')}", _escaped(said.findings)]
    parts += [f"## {t('section.warnings')}", _escaped(said.warnings) or t("section.no_warnings")]
    for one in said.tables:
        header, *rows = [[escape(cell) for cell in row] for row in (one.header, *one.rows)]
        parts += [f"## {one.title}", table(header, rows, first=one.names)]
    parts.append(f"## {t('section.charts')}")
    for path in charts:
        parts.append(f"![{t('chart.' + path.name[:2])}]({path.name})")
    parts += [f"## {t('section.method')}", _escaped(said.methods)]
    return "\n\n".join(parts) + "\n"


def _escaped(sentences: Sequence[str]) -> str:
    return bullets([escape(sentence) for sentence in sentences])


FOLDER_PREFIX = "fig_anly_"


@dataclass(frozen=True, slots=True)
class Report:
    """What was written: the folder, its charts in order, its other files, and the figures in them."""

    folder: Path
    charts: tuple[Path, ...]
    markdown: Path
    html: Path
    summary: Path
    analysis: Analysis


def write_report(
    results: Path,
    out: Path | None = None,
    *,
    language: str = "en",
    kind: str = "png",
    anchor: tuple[str, float] | None = None,
    on_step: Callable[[int, int], None] | None = None,
) -> Report:
    """Read a result file and write charts, ``summary.json``, ``report.md`` and ``report.html``.

    Args:
        results: a table (csv, parquet), a ``games.jsonl``, or the folder of a match.
        out: where ``fig_anly_<stem>/`` goes; beside the results by default. A Chinese one ends with ``_zh``.
        language: ``en`` or ``zh``.
        kind: of the charts, ``png`` or ``svg``.
        anchor: a player and its fixed rating.
        on_step: called with (steps done, all steps).

    Raises:
        RecordError: the file cannot be read, or holds no games.
        ConfigError: unknown language or chart format.
        MissingExtraError: matplotlib is not installed.
    """
    from wuzi.arena.charts import CHART_STEMS, FORMATS, check_available, draw_charts

    if kind not in FORMATS:
        raise ConfigError(f"chart format {kind!r}: expected {' or '.join(FORMATS)}")
    t = load_catalogue("wuzi.arena", language)
    check_available()
    found = results_file(results)
    if found is None:
        raise RecordError(f"{results}: expected games.jsonl, a table of results, or the folder of a match")
    analysis = analyse(read_results(found), anchor=anchor)
    folder = (
        out or found.parent
    ) / f"{FOLDER_PREFIX}{found.stem}{'' if language == 'en' else f'_{language}'}"
    folder.mkdir(parents=True, exist_ok=True)
    steps = len(CHART_STEMS) + 1
    charts: list[Path] = []
    for path in draw_charts(analysis, t, folder, kind):
        charts.append(path)
        if on_step:
            on_step(len(charts), steps)
    summary = folder / "summary.json"
    text = json.dumps({"source": found.name, **summary_json(analysis)}, ensure_ascii=False, indent=2)
    write_atomic(summary, (text + "\n").encode())
    markdown, page = folder / "report.md", folder / "report.html"
    said = outline(t, analysis, found)
    write_atomic(markdown, render_markdown(t, said, charts).encode())
    write_atomic(page, render_html(t, said, charts).encode())
    if on_step:
        on_step(steps, steps)
    return Report(folder, tuple(charts), markdown, page, summary, analysis)
