"""``report.html``: one file that needs nothing else, light or dark as the reader likes."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path

from wuzi.arena.report_tables import Outline, Table
from wuzi.base.words import Catalogue

_CSS = """
:root { color-scheme: light dark; --ink: #222; --faint: #5f5f5f; --page: #fff; --line: #ddd; --card: #f6f6f6;
  --mark: #a45a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --faint: #a8a8a8; --page: #17191c;
  --line: #3a3d42; --card: #22252a; --mark: #f0b860; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 1.25rem 4rem; background: var(--page);
  color: var(--ink); font: 16px/1.55 system-ui, "Noto Sans SC", "PingFang SC",
  "Microsoft YaHei", sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; }
p { margin: .2rem 0; } .faint { color: var(--faint); font-size: .9rem; }
ul { margin: .3rem 0; padding-left: 1.25rem; } li { margin: .25rem 0; overflow-wrap: anywhere; }
.warnings { border-left: 4px solid var(--mark); background: var(--card); padding: .5rem 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .7rem; border-bottom: 1px solid var(--line); text-align: right; }
th, td { white-space: nowrap; }
th.name, td.name { text-align: left; min-width: 9rem; max-width: 22rem; }
td.name { white-space: normal; overflow-wrap: anywhere; }
thead th { color: var(--faint); font-weight: 600; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 33rem), 1fr));
  gap: 1.25rem; align-items: start; }
figure { margin: 0; background: #fff; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
figure img { display: block; width: 100%; height: auto; }
@media print { figure { break-inside: avoid; } }
"""

_TYPES = {".png": "image/png", ".svg": "image/svg+xml"}


def render_html(t: Catalogue, said: Outline, charts: Sequence[Path]) -> str:
    """The report as one HTML file with its charts inside."""
    warnings = _list(said.warnings) if said.warnings else f"<p>{escape(t('section.no_warnings'))}</p>"
    boxed = f'<div class="warnings">{warnings}</div>' if said.warnings else warnings
    body = [
        f"<h1>{escape(said.title)}</h1>",
        f"<p>{escape(said.subtitle)}</p>",
        f'<p class="faint">{escape(said.made_by)}</p>',
        f"<h2>{escape(t('section.findings'))}</h2>{_list(said.findings)}",
        f"<h2>{escape(t('section.warnings'))}</h2>{boxed}",
        *(f"<h2>{escape(table.title)}</h2>{_table(table)}" for table in said.tables),
        f"<h2>{escape(t('section.charts'))}</h2>",
        '<div class="charts">',
        *(_figure(t, path) for path in charts),
        "</div>",
        f"<h2>{escape(t('section.method'))}</h2>{_list(said.methods)}",
    ]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(said.title)}</title><style>{_CSS}</style>"
    )
    content = "\n".join(body)
    return (
        f'<!doctype html>\n<html lang="{t("language")}">\n<head>{head}</head>\n'
        f"<body>\n<main>\n{content}\n</main>\n</body>\n</html>\n"
    )


def _figure(t: Catalogue, path: Path) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    title = escape(t("chart." + path.name[:2]), quote=True)
    return f'<figure><img alt="{title}" src="data:{_TYPES[path.suffix]};base64,{data}"></figure>'


def _list(sentences: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences) + "</ul>"


def _table(table: Table) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=name' if i == table.names else ''}>{escape(cell)}</{tag}>"
            for i, cell in enumerate(cells)
        )

    rows = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in table.rows)
    return (
        f'<div class="scroll"><table><thead><tr>{row(table.header, "th")}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
