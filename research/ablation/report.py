"""``docs/results/ablation``: one table of all arms, with ``open`` where none was run, and the loss curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from research.ablation.config import BASE, CONTROL, AblationArm, AblationConfig, load_ablation
from research.ablation.run import (
    CONFIG_FILE,
    METRICS,
    TRAIN,
    ArmState,
    arm_folder,
    load_match,
    load_state,
)
from research.campaign import CampaignRun, commits_of, load_runs, machines_of, settings_of
from research.run import shown_path
from research.text import FIGURES_FILE, SCHEMA, code, listing, other_page, p_text, share, write_page
from wuzi.arena import PairFigures, holm, pair_figures, tally
from wuzi.arena.text import NONE, bullets, escape, percent, table
from wuzi.base.store import write_object
from wuzi.base.words import LANGUAGES, Catalogue, load_catalogue
from wuzi.training import RunDirectory

CURVES = "curves"


LEARNED = 0.95
"""A policy loss not below this share of ln(cells), the loss of moves at random, has not been learned."""

TRAININGS = 6
"""From so many trainings on, trainings are the units: with fewer no sign test over them can reach 0.05."""

MEASURED = ("better", "worse", "undecided", "same", "unlearned")
"""Verdicts of arms whose match was played to its end."""


@dataclass(frozen=True, slots=True)
class Trained:
    """One training of an arm."""

    seed: int
    state: ArmState  # where it stands
    games: int | None  # games, steps: so far; None where the method does not say
    steps: int | None
    losses: tuple[float | None, float | None]  # the last of the policy and of the value
    rate: float | None  # the last learning rate
    curve: tuple[tuple[float, float], ...]  # seconds and policy loss of every iteration
    warnings: int  # iterations with a warning
    learned: bool = True  # whether the policy's loss left that of moves at random


@dataclass(frozen=True, slots=True)
class AblationArmFigures:
    """An arm."""

    arm: AblationArm
    trained: tuple[Trained, ...]  # its trainings that were begun
    match: PairFigures | None  # its games against the base as the arm sees them; None without games
    wanted: int  # games that are planned
    # time until the policy loss that both reach, as a multiple of the base's; one a seed
    loss_time_ratios: tuple[float, ...]
    same: bool = False  # whether it learned what the base learned, to the last digit: its change never acted
    # whether all its trainings and its base's learned: what did not proves nothing. Where trainings are the
    # units, one of each is enough, and a training that did not learn counts as what it scores
    learned: bool = True
    scores: tuple[tuple[int, float], ...] = ()  # random seed, score against the base of that seed

    @property
    def by_training(self) -> bool:
        """Whether a unit of its match is a training and not an opening: its verdict is then on the recipe."""
        return len(self.arm.seeds) >= TRAININGS

    @property
    def failed(self) -> str:
        """Why a training of it failed; empty if none did."""
        return next((one.state.failed for one in self.trained if one.state.failed), "")

    @property
    def verdict(self) -> str:
        """``base``, ``open``, ``training``, ``playing``, ``failed``, ``same``, ``unlearned``,
        ``better``, ``worse``, ``undecided``.
        """
        if self.failed:
            return "failed"
        if not self.trained:
            return "open"
        if not all(one.state.complete for one in self.trained):
            return "training"
        if self.arm.name == BASE:
            return "base"
        if self.match is None or self.match.games < self.wanted:
            return "playing"
        if self.same:
            return "same"
        if not self.learned:
            return "unlearned"
        if not self.match.significant:
            return "undecided"
        return "better" if self.match.won > self.match.lost else "worse"


@dataclass(frozen=True, slots=True)
class AblationFigures:
    """All of it."""

    config: AblationConfig
    runs: tuple[CampaignRun, ...]  # when and where it was done
    arms: tuple[AblationArmFigures, ...]  # in the order of the file, each group's base first

    def of(self, group: str) -> tuple[AblationArmFigures, ...]:
        """A group's arms."""
        return tuple(arm for arm in self.arms if arm.arm.group == group)

    @property
    def measured(self) -> tuple[AblationArmFigures, ...]:
        """Arms with a match that was played to its end."""
        return tuple(arm for arm in self.arms if arm.verdict in MEASURED and arm.arm.name != CONTROL)


def ablation_figures(out: Path) -> AblationFigures:
    """Read an ablation's folder; what was not done is open."""
    config = load_ablation(settings_of(out, CONFIG_FILE, "study ablate"))
    bases = {group.name: _trained(group.base, out) for group in config.groups}
    arms = [_arm(config, arm, bases[arm.group], out) for arm in config.arms()]
    # Arms that are still open count as tests too, so that no verdict changes when they come.
    places = [i for i, arm in enumerate(arms) if arm.arm.name not in (BASE, CONTROL)]
    tests = holm([1.0 if (match := arms[i].match) is None else match.p for i in places])
    for i, p in zip(places, tests, strict=True):
        if (match := arms[i].match) is not None:
            arms[i] = replace(arms[i], match=replace(match, adjusted=p))
    return AblationFigures(config, load_runs(out), tuple(arms))


def _arm(config: AblationConfig, arm: AblationArm, base: Sequence[Trained], out: Path) -> AblationArmFigures:
    trained = _trained(arm, out)
    played = {seed: load_match(arm, seed, out) for seed in arm.seeds} if arm.name != BASE else {}
    by_training, enough = len(arm.seeds) >= TRAININGS, any if len(arm.seeds) >= TRAININGS else all
    games = [
        replace(game, opening_id=f"seed {seed}") if by_training else game
        for seed, found in played.items()
        for game in found
    ]
    match = pair_figures(games, arm.name, BASE).seen_by(arm.name) if games else None
    scores = [(seed, tally(found, arm.name).score) for seed, found in played.items() if found]
    ratios = loss_time_ratios(trained, base) if arm.name != BASE else ()
    wanted = config.games * max(1, len(trained))
    same = _same(trained, base)
    learned = enough(one.learned for one in trained) and enough(one.learned for one in base)
    return AblationArmFigures(arm, trained, match, wanted, ratios, same, learned, tuple(scores))


def _same(arm: Sequence[Trained], base: Sequence[Trained]) -> bool:
    """Whether every training of an arm went as the base's of that seed, loss by loss."""

    def course(one: Trained) -> tuple[Any, ...]:
        return one.seed, one.games, one.losses, tuple(loss for _, loss in one.curve)

    known = [course(one) for one in base if one.curve]
    return bool(arm) and all(course(one) in known for one in arm)


def _trained(arm: AblationArm, out: Path) -> tuple[Trained, ...]:
    states = {seed: load_state(arm, seed, out) for seed in arm.seeds}
    return tuple(_training(arm, seed, state, out) for seed, state in states.items() if state is not None)


def _training(arm: AblationArm, seed: int, state: ArmState, out: Path) -> Trained:
    folder = arm_folder(arm, seed, out)
    rows = RunDirectory(folder if (folder / METRICS).exists() else folder / TRAIN).rows(METRICS)
    last: Mapping[str, Any] = rows[-1] if rows else {}
    games = last.get("total_games") or sum(int(row.get("games") or 0) for row in rows) or None
    steps = last.get("steps")
    curve = [
        (float(row["seconds"]), float(row["policy_loss"]))
        for row in rows
        if row.get("policy_loss") is not None and math.isfinite(row["policy_loss"])
    ]
    return Trained(
        seed=seed,
        state=state,
        games=None if games is None else int(games),
        steps=None if steps is None else int(steps),
        losses=(last.get("policy_loss"), last.get("value_loss")),
        rate=last.get("lr"),
        curve=tuple(curve),
        warnings=sum(bool(row.get("warnings")) for row in rows),
        learned=not curve or min(loss for _, loss in curve) <= LEARNED * 2 * math.log(arm.rules.size),
    )


def loss_time_ratios(arm: Sequence[Trained], base: Sequence[Trained]) -> tuple[float, ...]:
    """How many times as long an arm takes to the lowest policy loss that both it and the base reach.

    One for every seed with which both learned: lines that stay where they began have no times to compare.
    Losses of recipes with different targets cannot be compared: it is used for those that differ in the
    net or the steps only.
    """
    ratios = []
    for one in arm:
        for other in base:
            if other.seed != one.seed or not one.curve or not other.curve:
                continue
            both = (one.curve, other.curve)
            level = max(min(loss for _, loss in curve) for curve in both)
            if level > LEARNED * min(curve[0][1] for curve in both):
                continue
            times = [next(seconds for seconds, loss in curve if loss <= level) for curve in both]
            if min(times) > 0:
                ratios.append(times[0] / times[1])
    return tuple(ratios)


def ablation_json(figures: AblationFigures) -> dict[str, Any]:
    """For claims and other programs."""
    return {
        "v": SCHEMA,
        "arms": {arm.arm.key: _json(arm) for arm in figures.arms},
        "ablation": {
            "minutes": figures.config.minutes,
            "games": figures.config.games,
            "runs": [asdict(run) for run in figures.runs],
        },
    }


def _json(arm: AblationArmFigures) -> dict[str, Any]:
    match = arm.match
    score = match.score.rounded(6) if match and match.score else {}
    return {
        "verdict": arm.verdict,
        "failed": arm.failed,
        "seeds": [one.seed for one in arm.trained],
        "changed": list(arm.arm.changed),
        "games": match.games if match else 0,
        **{"score": score.get("value"), "low": score.get("low"), "high": score.get("high")},
        "won": match.won if match else 0,
        "lost": match.lost if match else 0,
        "adjusted": match.adjusted if match else None,
        "significant": bool(match and match.significant),
        "learned": arm.learned,
        "unit": "training" if arm.by_training else "opening",
        "scores": {str(seed): round(value, 6) for seed, value in arm.scores},
        "loss_time_ratios": [round(ratio, 4) for ratio in arm.loss_time_ratios],
        "losses": [list(one.losses) for one in arm.trained],
        "rates": [one.rate for one in arm.trained],
        "warnings": sum(one.warnings for one in arm.trained),
    }


def write_ablation_report(out: Path, into: Path) -> tuple[AblationFigures, list[Path]]:
    """Write the table, the curves and ``figures.json``; the figures, and the page of each language."""
    figures = ablation_figures(out)
    into.mkdir(parents=True, exist_ok=True)
    write_object(into / FIGURES_FILE, ablation_json(figures), indent=1)
    pages = []
    for language in LANGUAGES:
        t = load_catalogue("research", language)
        (into / language).mkdir(exist_ok=True)
        drawn = draw_curves(figures, t, into / language / f"{CURVES}.png")
        pages.append(write_page(into, t, ablation_text(t, figures, shown_path(into), drawn)))
    return figures, pages


def ablation_text(t: Catalogue, figures: AblationFigures, into: str, curves: bool) -> str:
    """The page."""
    config = figures.config
    runs = figures.runs
    arms = [arm for arm in figures.arms if arm.arm.name not in (BASE, CONTROL)]
    parts = [
        f"# {escape(config.title_zh if t.language == 'zh' else config.title)}",
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
        t("ablation.recipes", least=TRAININGS) if any(arm.by_training for arm in arms) else "",
    ]
    keys = ("arm", "switch", "trained", "loss", "rate", "score", "units", "p", "verdict")
    header = tuple(
        t(f"ablation.{key}") if f"ablation.{key}" in t.texts else t(f"table.{key}") for key in keys
    )
    for group in config.groups:
        changes = listing(t, [code(item) for item in group.base.sets])
        title = group.title_zh if t.language == "zh" else group.title
        parts.append(f"## {t('ablation.group', title=escape(title), preset=group.base.preset)}")
        common = t("ablation.common", sets=changes) if changes else ""
        match = t("ablation.match", player=group.match)
        parts.append(f"{common} {match} {_where(t, figures.of(group.name))}".strip())
        parts.append(table(header, [_cells(t, arm) for arm in figures.of(group.name)], names=2))
        parts += [_by_seed(t, arm, figures.of(group.name)[0]) for arm in figures.of(group.name)]
        asked = [(arm.name, arm.question_zh if t.language == "zh" else arm.question) for arm in group.arms]
        parts.append(
            bullets(
                [t("ablation.said", what=escape(name), verdict=escape(question)) for name, question in asked]
            )
        )
    if curves:
        parts.append(f"![{t('ablation.chart')}]({t.language}/{CURVES}.png)")
    return "\n\n".join(part for part in parts if part) + "\n"


def _where(t: Catalogue, arms: Sequence[AblationArmFigures]) -> str:
    """The machines of a group's trainings: an arm's is always its base's."""
    machines = dict.fromkeys(one.state.machine for arm in arms for one in arm.trained if one.state.machine)
    return t("ablation.where", machines=escape("; ".join(machines))) if machines else ""


def _cells(t: Catalogue, arm: AblationArmFigures) -> tuple[str, ...]:
    match = arm.match
    is_base = arm.arm.name == BASE
    name = t("ablation.base", name=BASE) if is_base else escape(arm.arm.name)
    key = "unlearned" if is_base and not arm.learned else arm.verdict
    said = t(f"ablation.verdict.{key}", reason=escape(arm.failed))
    units = NONE
    if match is not None:
        units = f"{match.won}-{match.level}-{match.lost}"
        units = f"{t('ablation.trainings', units=units) if arm.by_training else units} (n = {match.games})"
    counts = [(one.games, one.steps) for one in arm.trained]
    return (
        name,
        " ".join(f"`{item}`" for item in arm.arm.changed) or NONE,
        _each(t, counts, lambda values: " / ".join(map(_count, values))),
        _each(t, [one.losses for one in arm.trained], lambda values: listing(t, list(map(_loss, values)))),
        _each(t, [(one.rate,) for one in arm.trained], lambda values: _rate(*values)),
        NONE if match is None else share(match.score),
        units,
        NONE if match is None else p_text(match.adjusted),
        said,
    )


def _each(
    t: Catalogue,
    trained: Sequence[tuple[float | None, ...]],
    text: Callable[[Sequence[float | None]], str],
) -> str:
    """What each training has; of many trainings the medians."""
    if len(trained) < TRAININGS:
        return "; ".join(map(text, trained)) or NONE
    columns = ([value for value in column if value is not None] for column in zip(*trained, strict=True))
    return t("ablation.median", value=text([median(column) if column else None for column in columns]))


def _by_seed(t: Catalogue, arm: AblationArmFigures, base: AblationArmFigures) -> str:
    """An arm's trainings beside those of its base, if its units are trainings."""
    if arm is base or not arm.by_training or not arm.scores:
        return ""
    keys = ("seed", "base_loss", "arm_loss", "score_of_seed")
    header = tuple(t(f"ablation.{key}", arm=escape(arm.arm.name)) for key in keys)
    scores = dict(arm.scores)
    of_base = {one.seed: one for one in base.trained}
    rows = [
        (str(one.seed), _end(t, of_base[one.seed]), _end(t, one), percent(scores[one.seed]))
        for one in arm.trained
        if one.seed in of_base and one.seed in scores
    ]
    return table(header, rows)


def _end(t: Catalogue, one: Trained) -> str:
    """How a training ended: policy loss and rate."""
    key = "ablation.end" if one.learned else "ablation.end.unlearned"
    return t(key, loss=_loss(one.losses[0]), rate=_rate(one.rate))


def _rate(value: float | None) -> str:
    return NONE if value is None else f"{value:.2g}"


def _count(value: float | None) -> str:
    return NONE if value is None else f"{value:,.0f}"


def _loss(value: float | None) -> str:
    return NONE if value is None else f"{value:.3f}"


_DASHES = ("-", "--", ":", "-.")


def draw_curves(figures: AblationFigures, t: Catalogue, path: Path) -> bool:
    """Draw the policy's loss by minutes, a panel a group; False if there is nothing to draw."""
    from wuzi.arena.charts import check_available, save_chart

    check_available()
    curves = {arm.arm.group for arm in figures.arms for one in arm.trained if one.curve}
    groups = [group for group in figures.config.groups if group.name in curves]
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
                drawn = [one for one in arm.trained if len(one.curve) > 1]
                for one in drawn:
                    label = arm.arm.name if one is drawn[0] else None
                    minutes = [seconds / 60 for seconds, _ in one.curve]
                    losses = [loss for _, loss in one.curve]
                    ax.plot(minutes, losses, label=label, **style)
            ax.set_title(group.title_zh if t.language == "zh" else group.title, loc="left", fontsize=10)
            ax.set_xlabel(t("axis.minutes"))
            ax.set_ylabel(t("axis.policy_loss"))
            # A training that fails for a moment must not flatten all others.
            most = 1.1 * 2 * math.log(group.base.rules.size)
            if ax.get_ylim()[1] > most:
                ax.set_ylim(top=most)
            ax.legend(fontsize=8)
        save_chart(figure, path)
    return True
