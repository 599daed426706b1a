"""The documents' claims one by one, with ours beside them: judged from the figures of studies, never by hand.

``research/configs/claims.toml`` says where each claim stands, what it says and which figure decides it.
The rules of judgement are in :func:`judge`.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from research.text import SCHEMA, code, listing, other_page, share, write_page
from wuzi.arena import Estimate, load_games, pair_figures
from wuzi.arena.journal import GAMES_FILE
from wuzi.arena.rating import wilson
from wuzi.arena.text import NONE, escape, table
from wuzi.base.imports import need
from wuzi.base.settings import read_table, read_toml, tables_of
from wuzi.base.store import read_object
from wuzi.base.words import LANGUAGES, Catalogue, load_catalogue
from wuzi.errors import ConfigError, RecordError, WuziError


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
        architecture, size: the net that is counted.
        verdict, ours, ours_zh, evidence: of facts.
        confounded, confounded_zh: what else differs between the two, so that the result decides nothing.
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
    architecture: str = ""
    size: int = 9
    verdict: str = ""
    ours: str = ""
    ours_zh: str = ""
    evidence: str = ""
    confounded: str = ""
    confounded_zh: str = ""


def load_claims(path: Path) -> tuple[Claim, ...]:
    """Read a file of claims."""
    tables = tables_of(read_toml(path, ("claims",)), "claims", path)
    for item in tables:
        if isinstance(item, dict) and "seed" in item:  # what older files call the document
            item["document"] = item.pop("seed")
    claims = tuple(_claim(read_table(Claim, item, f"{path}, [[claims]]"), path) for item in tables)
    for name, count in Counter(claim.id for claim in claims).items():
        if count > 1:
            raise ConfigError(f"{path}: two claims are called {name!r}")
    return claims


def _claim(claim: Claim, path: Path) -> Claim:
    where = f"{path}, claim {claim.id!r}"
    if claim.form not in list(Form):
        raise ConfigError(f"{where}: form {claim.form!r}: expected one of {', '.join(Form)}")
    for key in _FORMS[claim.form][1].split():
        if key == "stage" and claim.match:
            continue
        if getattr(claim, key) in ("", None):
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


WIDE, COUNT_TOLERANCE = 0.15, 0.25
"""The bounds that :func:`judge` names: half a width, and a count's share."""
MATCHES = Path(__file__).resolve().parents[1] / "benchmarks" / "matches"


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim, our verdict, and our figure with its interval.

    ``remark`` says why a result decides nothing: ``partly`` or ``confounded``.
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

    A net with less than 90 % of its schedule refutes nothing, and what differs in more than the claim names,
    or is reversed by a second training, decides nothing, nor does a claim of strength that the games at equal
    time reverse; the file says so in ``confounded``. A figure is compared only with games by the document's
    own parameters.

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
    from wuzi.torch_nets import create_net

    module, _ = create_net(claim.architecture, claim.size)
    counted = float(module.num_parameters())
    assert claim.claimed is not None
    near = abs(counted - claim.claimed) <= COUNT_TOLERANCE * claim.claimed
    return Judged(claim, Verdict.CONFIRMED if near else Verdict.REFUTED, Estimate(counted, counted, counted))


_FORMS: Mapping[str, tuple[Judge, str]] = {
    Form.FIGURE: (_of_pair(_figure), "stage first second claimed"),
    Form.BETTER: (_of_pair(lambda _, pair, __: _stronger(pair)), "stage first second"),
    Form.COUNT: (_count, "architecture claimed"),
    Form.FACT: (lambda claim, _: Judged(claim, Verdict(claim.verdict)), "verdict ours ours_zh evidence"),
}
"""How each form is judged, and what a claim of it must say."""


PAGE = "claims"


def write_claims(
    claims: Sequence[Claim],
    figures: Mapping[str, Any],
    source: str,
    into: Path,
) -> list[Path]:
    """Write the table of judged claims and the answered points into a folder, in both languages."""
    into.mkdir(parents=True, exist_ok=True)
    pages = []
    for language in LANGUAGES:
        t = load_catalogue("research", language)
        text = claims_text(t, [judge(claim, figures) for claim in claims], figures, source)
        pages.append(write_page(into, t, text, PAGE))
    return pages


def claims_text(
    t: Catalogue,
    judged: Sequence[Judged],
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
        ]
    return "\n\n".join(part for part in parts if part) + "\n"


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
        listing(t, [str(judged.games), code(claim.match or claim.stage)]) if judged.games else NONE,
        _verdict(t, judged),
    )


def _verdict(t: Catalogue, judged: Judged) -> str:
    said = t(f"verdict.{judged.verdict}")
    return t("verdict.read", verdict=said) if judged.claim.form == Form.FACT else said


def ours_text(t: Catalogue, judged: Judged) -> str:
    """Our figure beside a claim, and why it decides nothing where it does not."""
    remarks = [t(f"claim.{judged.remark}")] if judged.remark in ("partly",) else []
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
    said = share(value)
    if claim.form == Form.FIGURE and judged.verdict is Verdict.NOT_REPRODUCED and judged.further:
        return t("claim.further", value=said)
    return said


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 2 for wrong input."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, metavar="CLAIMS.toml", help="what the documents claim")
    parser.add_argument("--into", type=Path, required=True, help="folder of claims.md")
    parser.add_argument("--figures", type=Path, action="append", default=[], help="figures.json of a report")
    given = parser.parse_args(arguments)
    try:
        claims = load_claims(given.file)
        figures = load_figures(given.figures)
        judged = [judge(claim, figures) for claim in claims]
        pages = write_claims(claims, figures, given.file.name, given.into)
    except WuziError as error:
        print(f"claims: {error}", file=sys.stderr)
        return 2
    counts = Counter(one.verdict for one in judged)
    print(*pages, sep="\n")
    print(", ".join(f"{verdict.replace('_', ' ')}: {counts[verdict]}" for verdict in Verdict))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
