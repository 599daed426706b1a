"""Claims: judged by the rules of the page, from made-up figures."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from research.claims import Claim, Verdict, judge, load_claims, main
from wuzi.errors import ConfigError, MissingExtraError

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "research" / "configs" / "claims.toml"


def pair(score: float, low: float, high: float, *, sure: bool = True, games: int = 60) -> dict[str, Any]:
    won, lost = (20, 5) if score > 0.5 else (5, 20)
    return {
        **{"first": "a", "second": "b", "games": games, "wins": 2 * won, "losses": 2 * lost, "draws": 0},
        **{"score": score, "low": low, "high": high, "won": won, "level": 5, "lost": lost, "distinct": games},
        **{"p": 0.001, "adjusted": 0.01 if sure else 0.2, "significant": sure},
    }


def figures(*pairs: dict[str, Any]) -> dict[str, Any]:
    return {"stages": {"own": {"pairs": list(pairs), "games": 60}}}


def claim(form: str, **more: Any) -> Claim:
    values = {"stage": "own", "first": "a", "second": "b", **more}
    return Claim("x", "000", "1", "q", "t", "z", form, **values)


@pytest.mark.parametrize(
    ("claimed", "found", "verdict"),
    [
        (0.80, (0.78, 0.70, 0.86), Verdict.CONFIRMED),
        (0.80, (0.40, 0.30, 0.50), Verdict.NOT_REPRODUCED),
        (0.80, (0.70, 0.40, 0.95), Verdict.UNDECIDED),
        (0.50, (0.86, 0.59, 0.99), Verdict.NOT_REPRODUCED),
        (1.00, (0.83, 0.75, 0.90), Verdict.NOT_REPRODUCED),
    ],
)
def test_a_figure(claimed: float, found: tuple[float, float, float], verdict: Verdict) -> None:
    judged = judge(claim("figure", claimed=claimed, claimed_games=60), figures(pair(*found)))
    assert judged.verdict is verdict and judged.games == 60
    assert judged.value is not None and judged.value.value == found[0]


def test_a_figure_is_turned_over_with_the_pair() -> None:
    seen = judge(
        claim("figure", first="b", second="a", claimed=0.2, claimed_games=60), figures(pair(0.8, 0.7, 0.9))
    )
    assert seen.verdict is Verdict.CONFIRMED and seen.value is not None
    assert (seen.value.low, seen.value.high) == pytest.approx((0.1, 0.3))


def test_a_match_is_judged_alone_and_from_both_sides() -> None:
    match = "s0-basic-second-seed"
    better = claim("better", stage="", match=match, first="s0-basic-2", second="s0-basic")
    judged = judge(better, {})
    assert judged.verdict is Verdict.CONFIRMED and judged.games == 400 and judged.value is not None
    assert judged.value.value == pytest.approx(0.9225)
    worse = judge(replace(better, first="s0-basic", second="s0-basic-2"), {})
    assert worse.verdict is Verdict.NOT_REPRODUCED and worse.value is not None
    assert worse.value.value == pytest.approx(0.0775) and worse.value.low < worse.value.value
    assert judge(replace(better, second="nobody"), {}).verdict is Verdict.NOT_RUN


def test_games_from_the_empty_board_that_repeat_count_once() -> None:
    match = "s0-basic-second-minimax-empty"
    found = claim("figure", stage="", match=match, first="s0-basic-2", second="minimax", claimed=0.5)
    judged = judge(found, {})
    assert judged.value is not None and judged.games == 50
    assert judged.value.high - judged.value.low > 0.4


def test_better_needs_significance_with_all_pairs_considered() -> None:
    unsure = figures(pair(0.7, 0.55, 0.8, sure=False))
    assert judge(claim("better"), unsure).verdict is Verdict.UNDECIDED
    sure = figures(pair(0.7, 0.55, 0.8))
    assert judge(claim("better"), sure).verdict is Verdict.CONFIRMED
    assert judge(claim("better", first="b", second="a"), sure).verdict is Verdict.NOT_REPRODUCED
    assert judge(claim("better", second="c"), sure).verdict is Verdict.NOT_RUN


def test_parameters_are_counted() -> None:
    small = judge(claim("count", architecture="basic", claimed=50_000.0), {})
    assert small.verdict is Verdict.REFUTED and small.value is not None and small.value.value == 131_132


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name
        for name in sys.modules
        if name.partition(".")[0] == "torch" or name.startswith("wuzi.torch_nets")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=re.escape('pip install "wuzi[train]"')):
        judge(claim("count", architecture="basic", claimed=50_000.0), {})


def test_the_claims_of_the_repository_can_be_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claims = load_claims(FILE)
    assert {one.document for one in claims} == {"000", "002", "003", "004"}, "nothing answers one of 001"
    assert main([str(FILE), "--figures", str(tmp_path / "nothing.json"), "--into", str(tmp_path)]) == 0
    counts = capsys.readouterr().out.splitlines()[-1]
    assert sum(map(int, re.findall(r": (\d+)", counts))) == len(claims)
    english = (tmp_path / "claims.md").read_text("utf-8")
    assert all(one.quote.split("|")[0][:12] in english.replace("\\", "") for one in claims)
    assert "not run yet" in english and "尚未测量" in (tmp_path / "claims.zh.md").read_text("utf-8")


def test_wrong_claims_are_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = FILE.read_text("utf-8")
    path = tmp_path / "claims.toml"
    for old, new, message in (
        ('form = "figure"', 'form = "figger"', "form 'figger'"),
        ("claimed = 0.98\n", "", "no claimed"),
        ('id = "s0-5.2.2"', 'id = "s0-5.2.1"', "two claims are called 's0-5.2.1'"),
    ):
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")
        with pytest.raises(ConfigError, match=message):
            load_claims(path)
    assert main([str(path), "--into", str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_net_that_was_cut_short_and_other_differences_decide_nothing() -> None:
    lost = figures(pair(0.2, 0.1, 0.3))
    assert judge(claim("better"), lost).verdict is Verdict.NOT_REPRODUCED
    for form in ("better", "figure"):
        cut = judge(claim(form, claimed=0.9), {**lost, "partly": {"a": 0.14}})
        assert (cut.verdict, cut.remark) == (Verdict.UNDECIDED, "partly")
    won = figures(pair(0.8, 0.7, 0.9))
    assert judge(claim("better"), {**won, "partly": {"a": 0.14}}).verdict is Verdict.CONFIRMED
    met = judge(claim("figure", claimed=0.8), {**won, "partly": {"a": 0.14}})
    assert (met.verdict, met.remark) == (Verdict.UNDECIDED, "partly"), "even where the figure agrees"
    unlike = judge(claim("better", confounded="other playouts"), won)
    assert (unlike.verdict, unlike.remark) == (Verdict.UNDECIDED, "confounded")
