"""``report.md``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wuzi.arena.markdown import bullets, escape
from wuzi.arena.report_tables import Outline, Table
from wuzi.base.words import Catalogue


def render_markdown(t: Catalogue, said: Outline, charts: Sequence[Path]) -> str:
    """The report as Markdown; charts are linked by file name."""
    parts = [f"# {escape(said.title)}", escape(said.subtitle), escape(said.made_by)]
    parts += [f"## {t('section.findings')}", _escaped(said.findings)]
    parts += [f"## {t('section.warnings')}", _escaped(said.warnings) or t("section.no_warnings")]
    for table in said.tables:
        parts += [f"## {table.title}", _table(table)]
    parts.append(f"## {t('section.charts')}")
    for path in charts:
        parts.append(f"![{t('chart.' + path.name[:2])}]({path.name})")
    parts += [f"## {t('section.method')}", _escaped(said.methods)]
    return "\n\n".join(parts) + "\n"


def _escaped(sentences: Sequence[str]) -> str:
    return bullets([escape(sentence) for sentence in sentences])


def _table(table: Table) -> str:
    lines = [table.header, tuple("---" if i == table.names else "--:" for i in range(len(table.header)))]
    cells = [lines[0], *table.rows]
    text = [" | ".join(map(escape, row)) for row in cells]
    text.insert(1, " | ".join(lines[1]))
    return "\n".join(f"| {line} |" for line in text)
