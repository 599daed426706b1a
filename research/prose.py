"""The sentences of a study's page: what is significant, what is not, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from research.agreement import Agreement, PairTwice
from research.config import StageKind, StudyMethod
from research.figures import PartFigures, StudyFigures, size_curves
from research.methods import QUICK_S, Advice, Need
from research.text import code, elo_points, listing, milliseconds, p_text, share
from wuzi.arena import PairFigures, default_openings, sign_test
from wuzi.arena.pairs import LEVEL
from wuzi.arena.text import percent, table
from wuzi.base.words import Catalogue


def stage_title(t: Catalogue, part: PartFigures) -> str:
    """The heading of a part."""
    stage, rules = part.part.stage, part.part.rules
    values = {"time": stage.time or 0.0, "size": rules.size, "length": rules.win_length, "name": stage.name}
    return t(f"section.stage.{stage.kind}", **values)


def significance(t: Catalogue, part: PartFigures) -> list[str]:
    """How many of a part's pairs are decided, and the order that they give."""
    sure = [pair for pair in part.pairs if pair.significant]
    counts = t("said.counts", sure=len(sure), n=len(part.pairs), open=len(part.pairs) - len(sure))
    return [counts, *_order(t, part.names, sure)]


def undecided_table(t: Catalogue, part: PartFigures) -> str:
    """The pairs that are not decided, and what a decision would have taken; empty without any."""
    unsure = [pair for pair in part.pairs if not pair.significant]
    tests = part.part.stage.looks * len(unsure)
    units = "units" if part.part.stage.unit == 2 else "units.single"
    header = tuple(t(f"table.{key}") for key in ("undecided", "games", "score", units, "p", "needed"))
    return table(header, [_undecided(t, pair, tests) for pair in unsure]) if unsure else ""


def _order(t: Catalogue, names: Sequence[str], sure: Sequence[PairFigures]) -> list[str]:
    """The order that the verdicts give, the closest of them, and those against it."""
    if not sure:
        return []
    closest = max(sure, key=lambda pair: pair.adjusted)
    order = listing(t, [code(name) for name in names])
    said = [t("said.order", names=order, pair=_verdict(t, closest), p=p_text(closest.adjusted))]
    against = [_verdict(t, pair) for pair in sure if names.index(pair.first) > names.index(pair.second)]
    return [*said, t("said.against", pairs=listing(t, against))] if against else said


def _verdict(t: Catalogue, pair: PairFigures) -> str:
    return t("said.verdict", **_named(pair))


def _undecided(t: Catalogue, pair: PairFigures, tests: int) -> tuple[str, ...]:
    wanted = needed(pair.decisive, tests)
    if pair.between:
        more = t("said.between")
    elif wanted:
        more = t("said.needed", k=wanted, m=pair.decisive)
    else:
        more = t("said.needed.none", m=pair.decisive)
    openings = f"{pair.won}-{pair.level}-{pair.lost}"
    return _vs(pair), str(pair.games), share(pair.score), openings, p_text(pair.adjusted), more


def needed(decisive: int, tests: int) -> int | None:
    """Of so many decisive units, how many one side needs to be called better; None if all are too few."""
    enough = (k for k in range(decisive // 2, decisive + 1) if tests * sign_test(k, decisive - k) <= LEVEL)
    return next(enough, None)


def part_setting(t: Catalogue, part: PartFigures) -> list[str]:
    """How a part was played, and what its games are like."""
    stage = part.part.stage
    key = "part.setting.random" if stage.random_first else "part.setting"
    openings = default_openings(part.part.rules) if stage.openings == "default" else stage.openings
    said = [t(key, games=len(part.records), openings=openings, each=stage.games, seed=stage.seed)]
    if stage.kind is StageKind.BOARD and stage.time is not None:
        said.append(t("part.time", time=stage.time))
    if openings == "auto":
        said.append(t("part.auto"))
    if part.absent:
        said.append(t("part.absent", names=listing(t, [code(name) for name in part.absent])))
    if stage.caps:
        few = [f"{code(name)} {games}" for name, games in stage.caps.items() if name not in part.absent]
        said += [t("part.capped", methods=listing(t, few))] if few else []
    if short := [p for p in part.pairs if p.games < stage.capped(stage.games, p.first, p.second)]:
        said.append(t("part.partial", pairs=listing(t, [f"{_vs(pair)} {pair.games}" for pair in short])))
    elif stage.most > stage.games:
        said += _played_on(t, part)
    shares = {"black": share(part.black), "white": share(part.white), "drawn": share(part.drawn)}
    said.append(t("part.black", **shares, score=share(part.score)))
    units = sum(pair.won + pair.level + pair.lost for pair in part.pairs)
    if units:
        key = "part.decisive" if stage.unit == 2 else "part.copies"
        said.append(t(key, units=units, decisive=sum(p.decisive for p in part.pairs)))
    counts = [pair.distinct for pair in part.pairs]
    if None not in counts:
        said.append(t("part.distinct", distinct=sum(c or 0 for c in counts), games=len(part.records)))
    for name, conduct in ((name, play.conduct) for name, play in part.plays.items()):
        lost = sum(conduct.forfeits.values())
        if conduct.late or lost:
            times = {"slowest": milliseconds(conduct.slowest_s), "tolerance": stage.tolerance}
            seen = {"name": code(name), "late": conduct.late, "answers": conduct.answers}
            said.append(t("part.late", **seen, **times, forfeits=lost))
    if part.ratings and part.ratings.is_lower_bound:
        said.append(t("part.bounded"))
    return said


def _played_on(t: Catalogue, part: PartFigures) -> list[str]:
    """Which contested pairs got more games, and which are still to get them."""
    stage = part.part.stage
    more = [p for p in part.pairs if stage.games < stage.capped(stage.most, p.first, p.second) <= p.games]
    left = [pair for pair in part.pairs if not pair.significant and pair not in more]
    values = {"each": stage.games, "most": stage.most}
    said = [t("part.more", pairs=listing(t, [_vs(pair) for pair in more]), **values)] if more else []
    if left:
        said.append(t("part.more.left", pairs=listing(t, [_vs(pair) for pair in left]), **values))
    return said or [t("part.more.none", **values)]


def agreement_text(t: Catalogue, figures: StudyFigures) -> list[str]:
    """How far evaluations agree, and why the document's do not."""
    said = []
    if figures.repeat is None:
        said.append(t("agree.none"))
    else:
        said.append(_agreement(t, "agree.ours", figures.repeat))
    if figures.document is not None:
        said.append(_agreement(t, "agree.document", figures.document))
        said.append(_why(t, figures))
    return said


def _agreement(t: Catalogue, key: str, found: Agreement) -> str:
    differing = t("agree.no_difference")
    if found.differing:
        shown = [
            {"a": code(pair.first), "b": code(pair.second), "p": p_text(pair.p)}
            | {"before": percent(pair.before), "after": percent(pair.after)}
            for pair in found.differing
        ]
        differing = t("agree.difference", pairs=listing(t, [t("agree.pair", **one) for one in shown]))
    return t(
        key,
        pairs=len(found.pairs),
        correlation=_number(found.correlation),
        mean=f"{found.mean_difference * 100:.1f}",
        expected=f"{found.expected_difference * 100:.1f}",
        same=found.same_winner,
        of=found.with_winner,
        tau=_number(found.tau),
        differing=differing,
    )


def _why(t: Catalogue, figures: StudyFigures) -> str:
    empty, main = figures.one(StageKind.EMPTY), figures.one(StageKind.MAIN)
    if empty is None or main is None or figures.document is None:
        return t("agree.why.open")
    its = {frozenset((pair.first, pair.second)) for pair in figures.document.pairs}
    own = [pair for pair in empty.pairs if frozenset((pair.first, pair.second)) in its]
    counted = [pair for pair in own if pair.distinct is not None]
    repeated = [pair for pair in counted if 2 * (pair.distinct or 0) < pair.games]
    names = {frozenset((pair.first, pair.second)) for pair in repeated}
    differing = figures.document.differing
    left = [_vs(pair) for pair in differing if frozenset((pair.first, pair.second)) not in names]
    same = [pair for pair in main.pairs if frozenset((pair.first, pair.second)) in names]
    if not repeated or not same:
        shown = listing(t, [f"{_vs(pair)}: {pair.distinct}/{pair.games}" for pair in counted])
        return t("agree.why.not", pairs=shown) if counted else t("agree.why.open")
    return t(
        "agree.why",
        distinct=sum(pair.distinct or 0 for pair in repeated),
        games=sum(pair.games for pair in repeated),
        pairs=listing(t, [f"{_vs(pair)}: {pair.distinct}/{pair.games}" for pair in repeated]),
        openings=f"`{main.part.stage.openings}`",
        distinct_main=sum(pair.distinct or 0 for pair in same),
        games_main=sum(pair.games for pair in same),
    ) + (" " + t("agree.why.left", pairs=listing(t, left)) if left else "")


def sizes_text(t: Catalogue, parts: Sequence[PartFigures], methods: Mapping[str, StudyMethod]) -> list[str]:
    """What the board changes, from ratings against the methods that play on every board."""
    curves = size_curves(parts)
    said = [t("sizes.how", anchor="")]
    if not all(part.times for part in parts):
        said.append(t("sizes.machines"))
    said += [t("sizes.net", a=code(name)) for name in curves if name in methods and methods[name].net]
    for part in parts:
        names = listing(t, [code(name) for name in part.names])
        rules = part.part.rules
        said.append(t("sizes.order", size=rules.size, length=rules.win_length, names=names))
    if floor := [name for name in curves if any(_at_an_end(part, name) for part in parts)]:
        said.append(t("sizes.ends", names=listing(t, [code(name) for name in floor])))
    changes = {
        name: curve[-1][1].value - curve[0][1].value
        for name, curve in curves.items()
        if len(curve) > 1 and name not in floor
    }
    if changes:
        name = max(changes, key=lambda one: abs(changes[one]))
        (small, low), (large, high) = curves[name][0], curves[name][-1]
        ends = {"small": small, "low": elo_points(low), "large": large, "high": elo_points(high)}
        said.append(t("sizes.change", a=code(name), **ends))
    return said


def _at_an_end(part: PartFigures, name: str) -> bool:
    """Whether a method won or lost nearly all of its games, so that they do not say how far it is."""
    games = [game for game in part.records if name in (game.black, game.white)]
    score = sum(game.score(name) for game in games) / max(1, len(games))
    return bool(games) and not 0.05 <= score <= 0.95


def advice_text(t: Catalogue, advice: Advice) -> str:
    """One recommendation."""
    need = t(f"advice.{advice.need}")
    criterion = t(f"advice.{advice.need}.criterion", ms=milliseconds(QUICK_S))
    gains = [_gain(t, pair) for pair in advice.gains]
    if advice.choice is None:
        said = [t("advice.none", need=need, criterion=criterion)]
        if not advice.considered and not gains:
            said.append(t("advice.unmeasured"))
        return " ".join([*said, *gains])
    row = advice.choice
    found = {"a": code(row.method.name), "rating": elo_points(row.rating), "ms": milliseconds(row.move_s)}
    said = [t("advice.is", need=need, criterion=criterion, n=advice.considered, **found)]
    if advice.tied:
        said.append(t("advice.tied", names=listing(t, [code(name) for name in advice.tied])))
    if advice.need is Need.STRENGTH and advice.timed:
        first, *level = map(code, advice.timed)
        said.append(t("advice.timed", a=first))
        if level:
            said.append(t("advice.tied", names=listing(t, level)))
    return " ".join([*said, *gains])


def _gain(t: Catalogue, pair: PairFigures) -> str:
    verdict = "open"
    if pair.significant:
        verdict = "better" if pair.won > pair.lost else "worse"
    return t("advice.gain", verdict=t(f"advice.gain.{verdict}"), **_named(pair))


def _named(pair: PairFigures) -> dict[str, str]:
    return {"a": code(pair.first), "b": code(pair.second), "score": share(pair.score)}


def _vs(pair: PairFigures | PairTwice) -> str:
    return f"{code(pair.first)} – {code(pair.second)}"


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"
