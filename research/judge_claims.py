"""Judge what the source documents claim: python -m research claims CLAIMS.toml --into DIR --figures FILE.

Writes ``claims.md`` in both languages: the claims with their verdicts, and what answers the open points of
the documents.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from research.claims import Claim, Form, Judged, Point, Removed, Verdict, judge, load_claims, load_figures
from research.text import code, listing, other_page, share, write_page
from wuzi.arena.text import NONE, bullets, escape, points, table
from wuzi.base.words import LANGUAGES, Catalogue, load_catalogue
from wuzi.errors import WuziError

PAGE = "claims"


def write_claims(
    claims: Sequence[Claim],
    listed: Sequence[Point],
    removed: Sequence[Removed],
    figures: Mapping[str, Any],
    source: str,
    into: Path,
) -> list[Path]:
    """Write the table of judged claims and the answered points into a folder, in both languages."""
    into.mkdir(parents=True, exist_ok=True)
    pages = []
    for language in LANGUAGES:
        t = load_catalogue("research", language)
        text = claims_text(t, [judge(claim, figures) for claim in claims], removed, figures, source)
        if listed:
            text += f"\n## {t('section.points')}\n\n{points_text(t, claims, listed, figures)}\n"
        pages.append(write_page(into, t, text, PAGE))
    return pages


def claims_text(
    t: Catalogue,
    judged: Sequence[Judged],
    removed: Sequence[Removed],
    figures: Mapping[str, Any],
    source: str,
) -> str:
    """The claims."""
    counts = Counter(str(one.verdict) for one in judged if one.claim.form != Form.FACT)
    parts = [
        f"# {t('claims.title')}",
        other_page(t, PAGE),
        t("claims.made", file=source),
        t(
            "claims.count",
            read=len(judged) - counts.total(),
            **{str(verdict): counts[str(verdict)] for verdict in Verdict},
        ),
        _partly_trained(t, figures),
    ]
    for document in dict.fromkeys(one.claim.document for one in judged):
        rows = [_cells(t, one) for one in judged if one.claim.document == document]
        keys = ("section", "claim", "quote", "ours", "n", "verdict")
        parts += [
            f"## {t('claims.document', document=document)}",
            table(tuple(t(f"claims.{key}") for key in keys), rows, names=4),
            _history(
                t,
                [one.claim for one in judged if one.claim.document == document],
                [one for one in removed if one.document == document],
            ),
        ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _history(t: Catalogue, claims: Sequence[Claim], removed: Sequence[Removed]) -> str:
    """What was changed of claims after the first games were played."""
    chinese = t.language == "zh"
    lines = [
        t("claims.change", section=claim.section, claim=code(claim.id), change=escape(line))
        for claim in claims
        for line in (claim.history_zh if chinese else claim.history)
    ]
    lines += [
        t(
            "claims.removed",
            section=one.section,
            claim=code(one.id),
            text=escape(one.text_zh if chinese else one.text),
            change=escape(one.history_zh if chinese else one.history),
        )
        for one in removed
    ]
    return f"{t('claims.history')}\n\n{bullets(lines)}" if lines else ""


def _partly_trained(t: Catalogue, figures: Mapping[str, Any]) -> str:
    """Which methods' nets did not go through their schedules; empty if all did."""
    names = [f"{code(name)} {share:.0%}" for name, share in figures.get("partly", {}).items()]
    return t("claims.partly", names=listing(t, names)) if names else ""


def _cells(t: Catalogue, judged: Judged) -> tuple[str, ...]:
    claim = judged.claim
    return (
        claim.section,
        escape(claim.text_zh if t.language == "zh" else claim.text),
        escape(claim.quote),
        ours_text(t, judged),
        listing(t, [str(judged.games), code(claim.match or claim.stage or claim.arm)])
        if judged.games
        else NONE,
        _verdict(t, judged),
    )


def _verdict(t: Catalogue, judged: Judged) -> str:
    said = t(f"verdict.{judged.verdict}")
    return t("verdict.read", verdict=said) if judged.claim.form == Form.FACT else said


def ours_text(t: Catalogue, judged: Judged) -> str:
    """Our figure beside a claim, and why it decides nothing where it does not."""
    remarks = [t(f"claim.{judged.remark}")] if judged.remark in ("unlearned", "partly") else []
    if judged.claim.confounded:
        remarks.append(escape(judged.claim.confounded_zh if t.language == "zh" else judged.claim.confounded))
    return (
        t("claim.remark", ours=_figure_text(t, judged), why=listing(t, remarks))
        if remarks
        else _figure_text(t, judged)
    )


def _figure_text(t: Catalogue, judged: Judged) -> str:
    claim, value = judged.claim, judged.value
    if claim.form == Form.FACT:
        ours = escape(claim.ours_zh if t.language == "zh" else claim.ours)
        return t("claim.evidence", ours=ours, evidence=claim.evidence)
    if value is None:
        return NONE
    if claim.form == Form.COUNT:
        return f"{value.value:,.0f}"
    if claim.form == Form.RATIO:
        return f"{value.value:.2f}"
    if claim.form == Form.FALLS:
        text = f"{points(value.value)} ({points(value.low)} … {points(value.high)})"
        return t("claim.shift", value=text)
    said = share(value)
    if claim.form == Form.FIGURE and judged.verdict is Verdict.NOT_REPRODUCED and judged.further:
        return t("claim.further", value=said)
    return said


def points_text(
    t: Catalogue, claims: Sequence[Claim], listed: Sequence[Point], figures: Mapping[str, Any]
) -> str:
    """Each point of a document with what answers it, or that it is open."""
    wanted = {name for point in listed for name in point.claims}
    judged = {claim.id: judge(claim, figures) for claim in claims if claim.id in wanted}
    return "\n".join(_point(t, point, judged, figures) for point in listed)


def _point(t: Catalogue, point: Point, judged: Mapping[str, Judged], figures: Mapping[str, Any]) -> str:
    answers = [judged[name] for name in point.claims]
    measured = [one for one in answers if one.verdict is not Verdict.NOT_RUN]
    stages, arms = figures.get("stages", {}), figures.get("arms", {})
    done = [name for name in point.stages if name in stages]
    tried = [name for name in point.arms if arms.get(name, {}).get("score") is not None]
    decided = [one for one in measured if one.verdict is not Verdict.UNDECIDED]
    decided_arms = [name for name in tried if arms[name]["verdict"] in ("better", "worse")]
    found = len(decided) + len(decided_arms) + (len(done) if point.suffices else 0)
    complete = (decided, decided_arms, done) == (answers, point.arms, point.stages)
    text = point.text_zh if t.language == "zh" else point.text
    head = "- " + t("point.head", section=point.section, text=escape(text), quote=escape(point.quote))
    if not measured and not done and not tried:
        return head + t("point.open")
    state = "undecided" if not found else "answered" if complete else "partly"
    said = [head + t(f"point.{state}")]
    for one in measured:
        claim = one.claim.text_zh if t.language == "zh" else one.claim.text
        said.append(t("point.said", what=escape(claim), verdict=_verdict(t, one)))
    said += [_stage_said(t, name, stages[name]) for name in done]
    for name in tried:
        verdict = t(f"ablation.verdict.{arms[name]['verdict']}")
        said.append(t("point.said", what=escape(name), verdict=verdict))
    return "\n    - ".join(said)


def _stage_said(t: Catalogue, name: str, stage: Mapping[str, Any]) -> str:
    """A stage and who stood where in it."""
    ratings: Mapping[str, Mapping[str, float]] = stage["ratings"]
    order = sorted(ratings, key=lambda one: -ratings[one]["value"])
    rated = [f"{code(one)} {points(ratings[one]['value'])}" for one in order]
    return t("point.stage", stage=escape(name), games=stage["games"], names=listing(t, rated))


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 2 for wrong input."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, metavar="CLAIMS.toml", help="what the documents claim")
    parser.add_argument("--into", type=Path, required=True, help="folder of claims.md")
    parser.add_argument("--figures", type=Path, action="append", default=[], help="figures.json of a report")
    given = parser.parse_args(arguments)
    try:
        claims, listed, removed = load_claims(given.file)
        figures = load_figures(given.figures)
        judged = [judge(claim, figures) for claim in claims]
        pages = write_claims(claims, listed, removed, figures, given.file.name, given.into)
    except WuziError as error:
        print(f"judge_claims: {error}", file=sys.stderr)
        return 2
    counts = Counter(one.verdict for one in judged)
    print(*pages, sep="\n")
    print(", ".join(f"{verdict.replace('_', ' ')}: {counts[verdict]}" for verdict in Verdict))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
