"""``docs/results/ablation``: one table of all arms, with ``open`` where none was run, and the loss curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wuzi.arena.text import NONE, commits_of, escape, machines_of, table
from wuzi.base.store import write_object
from wuzi.base.words import LANGUAGES, Catalogue, load_catalogue
from wuzi.studies.ablation.config import BASE, ArmGroup
from wuzi.studies.ablation.figures import AblationArmFigures, AblationFigures, ablation_figures, ablation_json
from wuzi.studies.run import shown_path
from wuzi.studies.text import FIGURES_FILE, listing, other_page, p_text, share, write_page

CURVES = "curves"


@dataclass(frozen=True, slots=True)
class AblationReport:
    """What was written."""

    figures: AblationFigures
    pages: tuple[Path, ...]  # one for each language


def write_ablation_report(out: Path, into: Path) -> AblationReport:
    """Write the table, the curves and ``figures.json``."""
    figures = ablation_figures(out)
    into.mkdir(parents=True, exist_ok=True)
    write_object(into / FIGURES_FILE, ablation_json(figures), indent=1)
    pages = []
    for language in LANGUAGES:
        t = load_catalogue("wuzi.studies", language)
        (into / language).mkdir(exist_ok=True)
        drawn = draw_curves(figures, t, into / language / f"{CURVES}.png")
        pages.append(write_page(into, t, ablation_text(t, figures, shown_path(into), drawn)))
    return AblationReport(figures, tuple(pages))


def ablation_text(t: Catalogue, figures: AblationFigures, into: str, curves: bool) -> str:
    """The page."""
    config = figures.config
    runs = figures.runs
    arms = [arm for arm in figures.arms if arm.arm.name != BASE]
    parts = [
        f"# {t('ablation.title')}",
        other_page(t),
        t("ablation.made", config=runs[-1].command or config.path.name, into=into),
        t(
            "ablation.ran",
            minutes=config.minutes,
            games=config.games,
            openings=config.openings,
            commits=commits_of([run.commit for run in runs]),
            machines=machines_of(runs),
        ),
        t("ablation.counts", done=len(figures.measured), all=len(arms)),
    ]
    keys = ("arm", "switch", "trained", "loss", "rate", "score", "units", "p", "verdict")
    header = tuple(
        t(f"ablation.{key}") if f"ablation.{key}" in t.texts else t(f"table.{key}") for key in keys
    )
    for group in config.groups:
        changes = listing(t, [f"`{item}`" for item in group.base.sets])
        title = group.title_zh if t.language == "zh" else group.title
        parts.append(f"## {t('ablation.group', title=escape(title), preset=group.base.preset)}")
        parts.append(
            " ".join(
                [f"{changes}; `{group.match}`." if changes else "", _where(t, figures.of(group.name))]
            ).strip()
        )
        parts.append(table(header, [_cells(t, arm) for arm in figures.of(group.name)], names=2))
        parts.append(_questions(t, group))
    if curves:
        parts.append(f"![{t('ablation.chart')}]({t.language}/{CURVES}.png)")
    return "\n\n".join(part for part in parts if part) + "\n"


def _where(t: Catalogue, arms: Sequence[AblationArmFigures]) -> str:
    """The machines of a group's trainings: an arm's is always its base's."""
    machines = dict.fromkeys(one.state.machine for arm in arms for one in arm.trained if one.state.machine)
    return t("ablation.where", machines=escape("; ".join(machines))) if machines else ""


def _questions(t: Catalogue, group: ArmGroup) -> str:
    said = [(arm.name, arm.question_zh if t.language == "zh" else arm.question) for arm in group.arms]
    return "\n".join(f"- {escape(name)}: {escape(question)}" for name, question in said)


def _cells(t: Catalogue, arm: AblationArmFigures) -> tuple[str, ...]:
    match = arm.match
    is_base = arm.arm.name == BASE
    name = f"{BASE} {t('ablation.base')}" if is_base else escape(arm.arm.name)
    verdict = (
        NONE if arm.verdict == "base" else t(f"ablation.verdict.{arm.verdict}", reason=escape(arm.failed))
    )
    units = NONE if match is None else f"{match.won}-{match.level}-{match.lost} (n = {match.games})"
    return (
        name,
        " ".join(f"`{item}`" for item in arm.arm.changed) or NONE,
        "; ".join(f"{_count(one.games)} / {_count(one.steps)}" for one in arm.trained) or NONE,
        "; ".join(", ".join(map(_loss, one.losses)) for one in arm.trained) or NONE,
        "; ".join(NONE if one.rate is None else f"{one.rate:.2g}" for one in arm.trained) or NONE,
        NONE if match is None else share(match.score),
        units,
        NONE if match is None else p_text(match.adjusted),
        verdict,
    )


def _count(value: int | None) -> str:
    return NONE if value is None else f"{value:,}"


def _loss(value: float | None) -> str:
    return NONE if value is None else f"{value:.3f}"


_DASHES = ("-", "--", ":", "-.")


def draw_curves(figures: AblationFigures, t: Catalogue, path: Path) -> bool:
    """Draw the policy's loss by minutes, a panel a group; False if there is nothing to draw."""
    from wuzi.arena.charts import check_available, save_chart

    check_available()
    groups = [group for group in figures.config.groups if any(_curves(figures.of(group.name)))]
    if not groups:
        return False
    from matplotlib.figure import Figure

    from wuzi.arena.charts.style import chart_style, color_of

    columns = min(len(groups), 2)
    rows = -(-len(groups) // columns)
    with chart_style():
        figure = Figure(figsize=(5.5 * columns, 3.2 * rows), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False)
        for ax in axes.flat[len(groups) :]:
            ax.set_axis_off()
        for ax, group in zip(axes.flat, groups, strict=False):
            for i, arm in enumerate(figures.of(group.name)):
                # Arms that learn nothing lie on one line: dashes let the others show through.
                style: Any = {"color": color_of(i), "linestyle": _DASHES[i % len(_DASHES)]}
                for one in arm.trained:
                    label = arm.arm.name if one is arm.trained[0] else None
                    minutes = [seconds / 60 for seconds, _ in one.curve]
                    losses = [loss for _, loss in one.curve]
                    ax.plot(minutes, losses, label=label, **style)
            ax.set_title(group.title_zh if t.language == "zh" else group.title, loc="left", fontsize=10)
            ax.set_xlabel(t("axis.minutes"))
            ax.set_ylabel(t("axis.policy_loss"))
            ax.legend(fontsize=8)
        save_chart(figure, path)
    return True


def _curves(arms: Sequence[AblationArmFigures]) -> list[bool]:
    return [bool(one.curve) for arm in arms for one in arm.trained]
