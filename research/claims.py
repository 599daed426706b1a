"""The documents' claims one by one, with ours beside them: judged from the figures of studies, never by hand.

``research/configs/claims.toml`` says where each claim stands, what it says and which figure decides it.
The rules of judgement are in :func:`judge`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from research.text import SCHEMA
from wuzi.arena.journal import GAMES_FILE, load_games
from wuzi.arena.pairs import pair_figures
from wuzi.arena.rating import Estimate, wilson
from wuzi.base.imports import need
from wuzi.base.settings import read_table, read_toml, tables_of
from wuzi.base.store import read_object
from wuzi.errors import ConfigError, RecordError


class Verdict(StrEnum):
    """What came of a claim."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    NOT_REPRODUCED = "not_reproduced"  # a figure of another program or net was not met
    UNDECIDED = "undecided"
    NOT_RUN = "not_run"


class Form(StrEnum):
    """What kind of claim it is; :func:`judge` says how each is decided."""

    FIGURE = "figure"  # ``first`` scores ``claimed`` against ``second``
    BETTER = "better"  # ``first`` is stronger than ``second``
    COUNT = "count"  # a net has ``claimed`` parameters
    HELPS = "helps"  # without it (the arm) the base of its group is weaker
    GAINS = "gains"  # with it (the arm) the net is stronger than the base of its group
    FALLS = "falls"  # ``first`` stands lower among the methods of the stage ``second`` than of ``stage``
    RATIO = "ratio"  # the ablation's arm needs ``claimed`` times as long as its base to the same loss
    FACT = "fact"  # decided by what is written elsewhere; ``verdict``, ``ours`` and ``evidence`` say so


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim.

    Attributes:
        id: its name. document, section: where it stands. quote: its words.
        text, text_zh: what it says, for readers.
        form: its kind.
        stage: of the study that decides it. first, second: methods. claimed: its figure.
        match: in place of a stage, the folder of a match in ``benchmarks/matches``, judged alone.
        claimed_games: number of games it rests on.
        arm: of the ablation, ``group/arm``.
        architecture, size: the net that is counted.
        verdict, ours, ours_zh, evidence: of facts.
        confounded, confounded_zh: what else differs between the two, so that the result decides nothing.
        history, history_zh: every change made after the games were played, its date first.
    """

    id: str
    document: str
    section: str
    quote: str
    text: str
    text_zh: str
    form: str
    stage: str = ""
    match: str = ""
    first: str = ""
    second: str = ""
    claimed: float | None = None
    claimed_games: int = 0
    arm: str = ""
    architecture: str = ""
    size: int = 9
    verdict: str = ""
    ours: str = ""
    ours_zh: str = ""
    evidence: str = ""
    confounded: str = ""
    confounded_zh: str = ""
    history: list[str] = field(default_factory=list)
    history_zh: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Point:
    """Something that a document leaves open or sums up, and the claims, stages and arms that answer it.

    ``suffices``: the point asks for nothing but that the stages are played.
    """

    id: str
    section: str
    quote: str
    text: str
    text_zh: str
    claims: list[str] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)
    arms: list[str] = field(default_factory=list)
    suffices: bool = False


@dataclass(frozen=True, slots=True)
class Removed:
    """A claim that is no longer judged; ``history`` says when and why, its date first."""

    id: str
    document: str
    section: str
    text: str
    text_zh: str
    history: str
    history_zh: str


def load_claims(path: Path) -> tuple[tuple[Claim, ...], tuple[Point, ...], tuple[Removed, ...]]:
    """Read a file of claims."""
    data = read_toml(path, ("claims", "points", "removed"))
    tables = tables_of(data, "claims", path)
    for table in tables:
        if isinstance(table, dict) and "seed" in table:  # what older files call the document
            table["document"] = table.pop("seed")
    claims = tuple(_claim(read_table(Claim, table, f"{path}, [[claims]]"), path) for table in tables)
    names = [claim.id for claim in claims]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{path}: two claims are called {name!r}")
    tables = tables_of(data, "points", path)
    points = tuple(read_table(Point, table, f"{path}, [[points]]") for table in tables)
    for point in points:
        for name in point.claims:
            if name not in names:
                raise ConfigError(f"{path}: point {point.id!r} names claim {name!r}: there is none")
    tables = tables_of(data, "removed", path)
    removed = tuple(read_table(Removed, table, f"{path}, [[removed]]") for table in tables)
    for one in removed:
        _check_dated(f"{path}, removed claim {one.id!r}", (one.history, one.history_zh))
    return claims, points, removed


def _check_dated(where: str, lines: Sequence[str]) -> None:
    for line in lines:
        if not _DATED.match(line):
            raise ConfigError(f"{where}: history {line[:40]!r}: expected a date such as 2026-11-23: first")


def _claim(claim: Claim, path: Path) -> Claim:
    where = f"{path}, claim {claim.id!r}"
    if claim.form not in list(Form):
        raise ConfigError(f"{where}: form {claim.form!r}: expected one of {', '.join(Form)}")
    for key in _FORMS[claim.form][1].split():
        if key == "stage" and claim.match:
            continue
        if getattr(claim, key) in ("", None, []):
            raise ConfigError(f"{where}: no {key}: expected with form {claim.form}")
    _check_dated(where, (*claim.history, *claim.history_zh))
    if len(claim.history) != len(claim.history_zh):
        raise ConfigError(f"{where}: history: expected as many lines in history_zh")
    if claim.verdict and claim.verdict not in list(Verdict):
        raise ConfigError(f"{where}: verdict {claim.verdict!r}: expected one of {', '.join(Verdict)}")
    return claim


def load_figures(paths: Sequence[Path]) -> dict[str, Any]:
    """The figures that reports wrote, as one object; files that are not there hold nothing."""
    found: dict[str, Any] = {}
    for path in paths:
        if not path.exists():
            continue
        try:
            data = read_object(path)
            if data.pop("v", SCHEMA) != SCHEMA:  # the first had no number
                raise ValueError(f"expected schema version {SCHEMA}")
            for key, value in data.items():
                found[key] = {**found.get(key, {}), **value} if isinstance(value, dict) else value
        except (ValueError, TypeError) as error:
            raise RecordError(f"{path}: {error}: expected the figures of a report") from None
    return found


WIDE, COUNT_TOLERANCE, NEAR = 0.15, 0.25, 0.25
"""The bounds that :func:`judge` names: half a width, a count's and a ratio's share."""
MATCHES = Path(__file__).resolve().parents[1] / "benchmarks" / "matches"
_DATED = re.compile(r"\d{4}-\d\d-\d\d(?:: |：)")


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim, our verdict, and our figure with its interval.

    ``remark`` says why a result decides nothing: ``unlearned``, ``partly`` or ``confounded``.
    """

    claim: Claim
    verdict: Verdict
    value: Estimate | None = None
    games: int = 0
    remark: str = ""

    @property
    def further(self) -> bool:
        """Whether our score is on the claimed score's side of one half, and further from it."""
        claimed = self.claim.claimed
        if claimed is None or self.value is None:
            return False
        edge, ours = claimed - 0.5, self.value.value - 0.5
        return edge * ours > 0 and abs(ours) > abs(edge)


Judge = Callable[[Claim, Mapping[str, Any]], Judged]


def judge(claim: Claim, figures: Mapping[str, Any]) -> Judged:
    """What our figures say of a claim.

    - ``figure``: *not reproduced* if chance does not explain the difference between the claimed score (with
      the Wilson error of its games) and ours (95 %), because ours are other programs and nets; else
      *undecided* if our interval is more than 30 points wide; else *confirmed*. Partly trained nets decide
      nothing.
    - ``better``: *confirmed* or *not reproduced* if one of the two is better with all pairs of the stage
      considered (Holm); else *undecided*.
    - ``count``: *confirmed* within a quarter of the claimed number, else *refuted*.
    - ``helps``: *confirmed* if the arm without it is weaker than the base, all arms considered; *not
      reproduced* if it is stronger.
    - ``gains``: *confirmed* if the arm is stronger than the base, *not reproduced* if it is weaker.
    - ``falls``: *confirmed* if the interval of the difference of the two ratings, each against the mean of
      the methods that both stages have, lies below zero; *not reproduced* if above.
    - ``ratio``: *confirmed* if the ratio is above 1 and lies between 0.75 and 1.33 times the claimed one with
      each of at least two seeds, *not reproduced* if with none; the interval goes from the smallest to the
      largest.

    A net that did not learn (or whose base did not) decides nothing, one with less than 90 % of its schedule
    refutes nothing, and what differs in more than the claim names, or is reversed by a second training,
    decides nothing, nor does a claim of strength that the games at equal time reverse; the file says so in
    ``confounded``. A figure is compared only with games by the document's own parameters.

    Raises:
        MissingExtraError: a net's parameters are to be counted, and torch is not installed.
    """
    judged = _FORMS[claim.form][0](claim, figures)
    named = {claim.first, claim.second}
    negative = judged.verdict in (Verdict.REFUTED, Verdict.NOT_REPRODUCED)
    partly = named & set(figures.get("partly", ())) and judged.verdict is not Verdict.NOT_RUN
    if partly and (claim.form == Form.FIGURE or (negative and claim.form not in (Form.FACT, Form.COUNT))):
        return replace(judged, verdict=Verdict.UNDECIDED, remark="partly")
    if claim.confounded and judged.verdict is not Verdict.NOT_RUN:
        return replace(judged, verdict=Verdict.UNDECIDED, remark="confounded")
    return judged


def find_pair(figures: Mapping[str, Any], stage: str, first: str, second: str) -> dict[str, Any] | None:
    """A pair of a stage as ``first`` sees it, None if they did not meet."""
    for pair in figures.get("stages", {}).get(stage, {}).get("pairs", ()):
        if (pair["first"], pair["second"]) == (first, second):
            return dict(pair)
        if (pair["first"], pair["second"]) == (second, first):
            return {
                **pair,
                **{"first": first, "second": second, "wins": pair["losses"], "losses": pair["wins"]},
                **{"won": pair["lost"], "lost": pair["won"], "score": 1 - pair["score"]},
                **{"low": 1 - pair["high"], "high": 1 - pair["low"]},
            }
    return None


def find_match(folder: str, first: str, second: str) -> dict[str, Any] | None:
    """What a kept match says of ``first``, in the words of :func:`find_pair`; None if the two did not meet.

    Games from the empty board repeat, so there a game with its repetitions counts as one; else an opening.
    """
    games = load_games(MATCHES / folder / GAMES_FILE)
    found = pair_figures(games, first, second, unit=2 if games and games[0].opening_id else 1)
    if found.score is None:
        return None
    seen = found.seen_by(first)
    assert seen.score is not None
    score = {"score": seen.score.value, "low": seen.score.low, "high": seen.score.high}
    return score | {name: getattr(seen, name) for name in ("games", "won", "lost", "significant")}


def _of_pair(rule: Callable[[Claim, Mapping[str, Any], Estimate], Verdict]) -> Judge:
    """A judge by the games of ``first`` against ``second`` in the claim's stage or match."""

    def judged(claim: Claim, figures: Mapping[str, Any]) -> Judged:
        named = claim.first, claim.second
        pair = find_match(claim.match, *named) if claim.match else find_pair(figures, claim.stage, *named)
        if pair is None:
            return Judged(claim, Verdict.NOT_RUN)
        ours = Estimate(pair["score"], pair["low"], pair["high"])
        return Judged(claim, rule(claim, pair, ours), ours, pair["games"])

    return judged


def _figure(claim: Claim, pair: Mapping[str, Any], ours: Estimate) -> Verdict:
    assert claim.claimed is not None
    games = claim.claimed_games
    theirs = wilson(claim.claimed * games, games).error if games else 0.0
    # The side of the interval that looks towards the claimed figure.
    own = ours.high - ours.value if claim.claimed > ours.value else ours.value - ours.low
    near = abs(ours.value - claim.claimed) <= math.hypot(own, theirs)
    if not near:
        return Verdict.NOT_REPRODUCED
    return Verdict.UNDECIDED if ours.error > WIDE else Verdict.CONFIRMED


def _stronger(pair: Mapping[str, Any]) -> Verdict:
    if not pair["significant"]:
        return Verdict.UNDECIDED
    # Ours are other programs, so that a weaker one does not refute what is said of the document's.
    return Verdict.CONFIRMED if pair["won"] > pair["lost"] else Verdict.NOT_REPRODUCED


def _count(claim: Claim, figures: Mapping[str, Any]) -> Judged:
    need("train", "torch")
    from wuzi.torch_nets.registry import create_net

    module, _ = create_net(claim.architecture, claim.size)
    counted = float(module.num_parameters())
    assert claim.claimed is not None
    near = abs(counted - claim.claimed) <= COUNT_TOLERANCE * claim.claimed
    return Judged(claim, Verdict.CONFIRMED if near else Verdict.REFUTED, Estimate(counted, counted, counted))


def _of_arm(claim: Claim, figures: Mapping[str, Any]) -> Judged:
    arm = figures.get("arms", {}).get(claim.arm)
    if arm is None or arm["score"] is None:
        return Judged(claim, Verdict.NOT_RUN)
    score, low, high = arm["score"], arm["low"], arm["high"]
    if claim.form == Form.HELPS:
        # The arm is what is left without it: its score turned over is that of the base.
        score, low, high = 1 - score, 1 - high, 1 - low
    learned = arm.get("learned", True)
    sure = arm["significant"] and learned
    # Ours is another program: a part that hurts it refutes nothing of the document's.
    verdict = Verdict.UNDECIDED
    if sure:
        verdict = Verdict.CONFIRMED if score > 0.5 else Verdict.NOT_REPRODUCED
    remark = "" if learned else "unlearned"
    return Judged(claim, verdict, Estimate(score, low, high), arm["games"], remark=remark)


def _falls(claim: Claim, figures: Mapping[str, Any]) -> Judged:
    stages = [figures.get("stages", {}).get(name) for name in (claim.stage, claim.second)]
    ratings = [stage["ratings"] for stage in stages if stage is not None]
    if len(ratings) < 2 or any(claim.first not in rated for rated in ratings):
        return Judged(claim, Verdict.NOT_RUN)
    common = ratings[0].keys() & ratings[1].keys()
    own = [rated[claim.first] for rated in ratings]
    means = [sum(rated[name]["value"] for name in common) / len(common) for rated in ratings]
    value = (own[1]["value"] - means[1]) - (own[0]["value"] - means[0])
    error = math.hypot(*((one["high"] - one["low"]) / 2 for one in own))
    verdict = Verdict.UNDECIDED
    if value + error < 0:
        verdict = Verdict.CONFIRMED
    elif value - error > 0:
        verdict = Verdict.NOT_REPRODUCED
    return Judged(claim, verdict, Estimate(value, value - error, value + error))


def _ratio(claim: Claim, figures: Mapping[str, Any]) -> Judged:
    ratios = figures.get("arms", {}).get(claim.arm, {}).get("loss_time_ratios", [])
    if not ratios:
        return Judged(claim, Verdict.NOT_RUN)
    assert claim.claimed is not None
    near = [ratio > 1 and 1 - NEAR <= ratio / claim.claimed <= 1 / (1 - NEAR) for ratio in ratios]
    agreed = len(ratios) > 1 and len(set(near)) == 1
    verdict = Verdict.UNDECIDED
    if agreed:
        verdict = Verdict.CONFIRMED if near[0] else Verdict.NOT_REPRODUCED
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return Judged(claim, verdict, Estimate(mean, min(ratios), max(ratios)))


_FORMS: Mapping[str, tuple[Judge, str]] = {
    Form.FIGURE: (_of_pair(_figure), "stage first second claimed"),
    Form.BETTER: (_of_pair(lambda _, pair, __: _stronger(pair)), "stage first second"),
    Form.COUNT: (_count, "architecture claimed"),
    Form.HELPS: (_of_arm, "arm"),
    Form.GAINS: (_of_arm, "arm"),
    Form.FALLS: (_falls, "stage first second"),
    Form.RATIO: (_ratio, "arm claimed"),
    Form.FACT: (lambda claim, _: Judged(claim, Verdict(claim.verdict)), "verdict ours ours_zh evidence"),
}
"""How each form is judged, and what a claim of it must say."""
