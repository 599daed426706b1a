"""The documents' claims one by one, with ours beside them: judged from the figures of studies, never by hand.

``configs/studies/claims.toml`` says for each claim where it stands, what it says and which figure decides it.
The rules of judgement are in :func:`claims.judging.judge`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from wuzi.base.settings import read_table, read_toml, tables_of
from wuzi.base.store import read_object
from wuzi.errors import ConfigError, RecordError
from wuzi.studies.text import SCHEMA


class Verdict(StrEnum):
    """What came of a claim."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    NOT_RUN = "not_run"


class Form(StrEnum):
    """What kind of claim it is."""

    FIGURE = "figure"
    """``first`` scores ``claimed`` against ``second``."""
    AT_LEAST = "at_least"
    """``first`` scores at least ``claimed``."""
    BETTER = "better"
    """``first`` is stronger than ``second``."""
    BEST = "best"
    """``first`` is stronger than everybody in ``among``."""
    UNSTABLE = "unstable"
    """The results of ``first`` change from one evaluation to the next."""
    COUNT = "count"
    """A net has ``claimed`` parameters."""
    HELPS = "helps"
    """Without it (the arm) the base of its group is weaker."""
    GAINS = "gains"
    """With it (the arm) the net is stronger than the base of its group."""
    FALLS = "falls"
    """``first`` stands lower among the methods of ``second`` (a stage) than among those of ``stage``."""
    RATIO = "ratio"
    """The ablation's arm needs ``claimed`` times as long as its base to the same loss."""
    FACT = "fact"
    """Decided by what is written elsewhere; ``verdict``, ``ours`` and ``evidence`` say so."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim.

    Attributes:
        id: its name. seed, section: where it stands. quote: its words.
        text, text_zh: what it says, for readers.
        form: its kind.
        stage: of the study that decides it. first, second, among: methods. claimed: its figure.
        claimed_games: from so many games.
        arm: of the ablation, ``group/arm``.
        architecture, size: the net that is counted.
        verdict, ours, ours_zh, evidence: of facts.
    """

    id: str
    seed: str
    section: str
    quote: str
    text: str
    text_zh: str
    form: str
    stage: str = ""
    first: str = ""
    second: str = ""
    among: list[str] = field(default_factory=list)
    claimed: float | None = None
    claimed_games: int = 0
    arm: str = ""
    architecture: str = ""
    size: int = 9
    verdict: str = ""
    ours: str = ""
    ours_zh: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """Something that a document leaves open or sums up, and the claims, stages and arms that answer it."""

    id: str
    section: str
    quote: str
    text: str
    text_zh: str
    claims: list[str] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)
    arms: list[str] = field(default_factory=list)


def load_claims(path: Path) -> tuple[tuple[Claim, ...], tuple[Point, ...]]:
    """Read a file of claims."""
    data = read_toml(path, ("claims", "points"))
    claims = tuple(
        _claim(read_table(Claim, table, f"{path}, [[claims]]"), path)
        for table in tables_of(data, "claims", path)
    )
    names = [claim.id for claim in claims]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{path}: two claims are called {name!r}")
    points = tuple(
        read_table(Point, table, f"{path}, [[points]]") for table in tables_of(data, "points", path)
    )
    for point in points:
        for name in point.claims:
            if name not in names:
                raise ConfigError(f"{path}: point {point.id!r} names claim {name!r}: there is none")
    return claims, points


_NEEDS: Mapping[str, tuple[str, ...]] = {
    Form.FIGURE: ("stage", "first", "second", "claimed"),
    Form.AT_LEAST: ("stage", "first", "second", "claimed"),
    Form.BETTER: ("stage", "first", "second"),
    Form.BEST: ("stage", "first", "among"),
    Form.UNSTABLE: ("first",),
    Form.COUNT: ("architecture", "claimed"),
    Form.HELPS: ("arm",),
    Form.GAINS: ("arm",),
    Form.FALLS: ("stage", "first", "second"),
    Form.RATIO: ("arm", "claimed"),
    Form.FACT: ("verdict", "ours", "ours_zh", "evidence"),
}


def _claim(claim: Claim, path: Path) -> Claim:
    where = f"{path}, claim {claim.id!r}"
    if claim.form not in list(Form):
        raise ConfigError(f"{where}: form {claim.form!r}: expected one of {', '.join(Form)}")
    for key in _NEEDS[claim.form]:
        if getattr(claim, key) in ("", None, []):
            raise ConfigError(f"{where}: no {key}: expected with form {claim.form}")
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
