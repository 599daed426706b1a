"""The ladder: settings, resumable games against real child processes, figures and the report."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from research.__main__ import main
from research.campaign import CampaignRun, load_runs
from research.ladder.config import LadderConfig, Target, load_ladder
from research.ladder.report import (
    BEGIN,
    END,
    render,
    verdict_text,
    write_into,
    write_ladder_report,
)
from research.ladder.run import LadderFigures, TargetResult, arm_figures, load_arm, run_ladder
from tests.arena.games import games_of, record
from tests.research.files import error_of
from wuzi.arena.journal import GAMES_FILE, load_games
from wuzi.arena.rating import Estimate
from wuzi.arena.results import GameResult
from wuzi.errors import ConfigError, RecordError
from wuzi.workers.local import worker_environment

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
FAKE = ROOT / "tests" / "players" / "fake_engine.py"
GOLDEN = Path(__file__).parent / "golden" / "ladder.md"
ENV = {**os.environ, **worker_environment()}

SETTINGS = """
[ladder]
focus = "me"
anchor = "pela"
anchor_rating = 1549
size = 9
seed = 3
{more}
[players]
me = "{me}"
weight = "weight"
random = "random"
{engines}
[[arms]]
name = "fast"
time = {time}
games = {games}
against = {against}
{arms}
[[targets]]
against = ["pela"]
score = 0.8
"""


def fake(mode: str) -> str:
    return shlex.join([sys.executable, str(FAKE), mode])


def settings(
    folder: Path,
    modes: dict[str, str] | None = None,
    *,
    me: str = "weight",
    games: int = 2,
    time: float = 0.05,
    against: list[str] | None = None,
    arms: str = "",
    more: str = "",
) -> Path:
    modes = {"pela": "good"} if modes is None else modes
    engines = "\n".join(f"{name} = {json.dumps(fake(mode))}" for name, mode in modes.items())
    text = SETTINGS.format(
        me=me,
        engines=f"[engines]\n{engines}" if engines else "",
        games=games,
        time=time,
        against=json.dumps(against or list(modes)),
        arms=arms,
        more=more,
    )
    path = folder / "mine.toml"
    path.write_text(text, "utf-8")
    return path


def key(games: list[GameResult]) -> dict[str, tuple[str, str, str]]:
    return {game.game_id: (game.black, game.winner, game.moves) for game in games}


def test_the_model_in_the_repository_can_be_read() -> None:
    ladder = load_ladder(ROOT / "research" / "configs" / "ladder.toml")
    assert [(arm.name, arm.time_s, arm.parts[0].config.games) for arm in ladder.arms] == [
        ("slow", 1.0, 40),
        ("fast", 0.1, 400),
    ]
    assert ladder.anchor == ("pela", 1549)
    assert {target.against: target.score for target in ladder.targets}["rapfi-classical"] == 0.3
    assert "rapfi" not in ladder.labels(), "the classical engine is not called by the name of the neural one"
    part = ladder.arms[0].parts[0].config
    assert part.entries[0].spec == "external:own=engine" and part.transform


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[ladder]", "[lader]", "unknown table 'lader': expected one of ladder, engines"),
        ("size = 9", "sise = 9", "unknown key 'sise'"),
        ("size = 9", 'size = "9"', "size=9: expected a whole number"),
        ('focus = "me"', "", "no focus"),
        ('focus = "me"', 'focus = "you"', "arm 'fast': unknown player 'you'"),
        ('anchor = "pela"', 'anchor = "random"', "anchor 'random': no such player in any arm"),
        ('name = "fast"', 'name = "../x"', "arm '../x': expected a name of letters"),
        ("time = 0.05", "time = 0", "time is 0: expected seconds"),
        ("games = 2", "games = 2.5", "games=2.5: expected a whole number"),
        ("games = 2", "games = 0", "0 games a pairing"),
        ('against = ["pela"]\n\n', "against = [3]\n\n", "expected a list of names"),
        ("score = 0.8", "score = 80", "target score 80"),
        ("score = 0.8", 'score = 0.8\n[notes]\nfoo = "x"', "note on 'foo'"),
        ('random = "random"', 'pela = "random"', "'pela' is an engine and a player"),
        ("[[arms]]", "[[arms", "mine.toml: "),
        ("[[targets]]", '[[arms]]\nname="fast"\ntime=1\ngames=2\nagainst=["pela"]\n[[targets]]', "two arms"),
    ],
)
def test_wrong_settings_are_one_clear_line(
    tmp_path: Path, old: str, new: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in error_of("play", settings(tmp_path), old, new, capsys)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--arm", "x"], "unknown arm 'x': expected one of fast"),
        (["--against", "x"], "unknown player 'x': expected one of me, pela"),
        (["--max-time", "soon"], "--max-time 'soon'"),
    ],
)
def test_wrong_options(
    tmp_path: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", str(settings(tmp_path)), "--out", str(tmp_path / "out"), *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "message"),
    [("./nowhere", "nowhere: no such program"), (fake("dead"), "does not start"), (fake("small"), "refuses")],
)
def test_an_engine_that_does_not_start_is_found_before_the_first_game(
    tmp_path: Path, command: str, message: str
) -> None:
    path = settings(tmp_path, more="")
    text = path.read_text("utf-8").replace(json.dumps(fake("good")), json.dumps(command))
    path.write_text(text.replace("size = 9", "size = 15"), "utf-8")
    with pytest.raises(ConfigError, match=message):
        run_ladder(load_ladder(path), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_engines_that_misbehave_lose_and_are_counted(tmp_path: Path) -> None:
    modes = {"pela": "good", "late": "slow", "crashes": "crash", "cheats": "occupied"}
    path = settings(tmp_path, modes, more="tolerance = 0.5")
    run_ladder(load_ladder(path), tmp_path / "out")
    (arm,) = write_ladder_report(tmp_path / "out")[0].arms
    lines = {line.opponent: line for line in arm.lines}
    assert {name: sum(line.theirs.forfeits.values()) for name, line in lines.items()} == {
        **{"pela": 0, "late": 0},
        **{"crashes": 2, "cheats": 2},
    }
    assert lines["crashes"].theirs.forfeits["crash"] == 2 and lines["cheats"].theirs.forfeits["illegal"] == 2
    slow = lines["late"].theirs
    assert slow.late == slow.answers > 0 and 0.08 <= (slow.slowest_s or 0) < 0.55
    assert lines["pela"].theirs.late == 0
    assert sum(arm.conduct.forfeits.values()) == 0 and arm.played == 8
    (run,) = load_runs(tmp_path / "out")
    assert run.engines == {
        "pela": "Fake 1.0",
        "late": "Fake 1.0",
        "crashes": "Fake 1.0",
        "cheats": "Fake 1.0",
    }


def test_wuzi_plays_as_a_program_like_the_others(tmp_path: Path) -> None:
    path = settings(tmp_path, me="external:own=minimax:preset=s0,depth=1", time=1.0)
    assert main(["play", str(path), "--out", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "me in 2 games: 0 lost on time, 0 crashes, 0 illegal moves; 0 of " in text
    assert "pela: target 80%, measured 100.0%" in text


def cli(path: Path, out: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "research", "play", str(path), "--out", str(out), *more]


def test_killed_half_way_no_game_is_lost_or_doubled(tmp_path: Path) -> None:
    """kill -9, a line cut in the middle, and a run cut by the clock; then the rest."""
    path = settings(tmp_path, games=8, against=["weight", "pela"], me="random", time=5)
    games = tmp_path / "out" / "fast" / GAMES_FILE
    with subprocess.Popen(cli(path, tmp_path / "out"), env=ENV, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and (not games.exists() or games.read_bytes().count(b"\n") < 5):
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    with games.open("ab") as file:
        file.write(b'{"v": 1, "game_id": "5f')
    with (tmp_path / "out" / "runs.jsonl").open("ab") as file:
        file.write(b'{"v": 1, "sta')
    kept = load_games(games)
    assert 5 <= len(kept) < 16
    ladder = load_ladder(path)
    run_ladder(ladder, tmp_path / "out", max_time_s=0)
    assert key(load_games(games)) == key(kept)
    run_ladder(ladder, tmp_path / "out", against=("pela",))
    assert sum("pela" in (game.black, game.white) for game in load_games(games)) == 8
    run_ladder(ladder, tmp_path / "out")
    run_ladder(ladder, tmp_path / "undisturbed")
    found = load_games(games)
    assert len(found) == 16
    assert key(found) == key(load_arm(ladder.arms[0], tmp_path / "undisturbed"))
    assert len(load_runs(tmp_path / "out")) == 4


def test_a_ladder_may_grow_but_not_change(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_ladder(load_ladder(settings(tmp_path)), out)
    first = key(load_games(out / "fast" / GAMES_FILE))
    grown = settings(tmp_path, {"pela": "good", "other": "good"}, games=4)
    run_ladder(load_ladder(grown), out)
    later = key(load_games(out / "fast" / GAMES_FILE))
    assert len(later) == 8 and first.items() <= later.items()
    for changed in (settings(tmp_path, games=2), settings(tmp_path, games=4, time=0.5)):
        with pytest.raises(ConfigError, match="cannot resume with other settings"):
            run_ladder(load_ladder(changed), out)


def test_games_among_the_others_only_rate(tmp_path: Path) -> None:
    others = '[[arms.others]]\nplayers = ["random", "weight", "pela"]\ngames = 2'
    run_ladder(load_ladder(settings(tmp_path, arms=others)), tmp_path / "out")
    (arm,) = write_ladder_report(tmp_path / "out")[0].arms
    assert arm.played == 2 and sum(arm.games.values()) == 2 * (2 + 6)
    assert arm.ratings is not None and set(arm.ratings.labels) == {"me", "pela", "random", "weight"}
    assert arm.ratings.of("pela").value == 1549
    assert (tmp_path / "out" / "fast-others-1" / GAMES_FILE).exists()


def test_a_report_without_any_game_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = settings(tmp_path)
    assert main(["play", str(path), "--out", str(tmp_path / "out"), "--max-time", "0s"]) == 0
    page = Path(capsys.readouterr().out.strip()).read_text("utf-8")
    assert "target 80%" in page and "**not measured**" in page
    assert (tmp_path / "out" / "ladder.png").stat().st_size > 1000
    assert main(["report", str(tmp_path)]) == 2
    assert "expected the folder of a study, an ablation or a ladder" in capsys.readouterr().err


def example(folder: Path) -> LadderFigures:
    """Made-up games: 20 against two engines, with a few troubles; two runs of different commits."""
    path = settings(folder, {"pela": "good", "rapfi-classical": "good"}, games=20)
    loaded = load_ladder(path)
    targets = (*loaded.targets, Target("rapfi-classical", 0.3))
    notes = {"rapfi-classical": "its classical evaluation"}
    config: LadderConfig = dataclasses.replace(loaded, targets=targets, notes=notes)
    games = games_of({("me", "pela"): (17, 3, 0), ("me", "rapfi-classical"): (4, 11, 1)})
    detail = {"black_late": 1, "white_late": 0, "black_slowest_s": 0.061, "white_slowest_s": 0.049}
    games = [dataclasses.replace(game, **detail) for game in games]
    games.append(record(99, "pela", "me", "white", reason="time", started_at="2026-01-03T00:00:00+00:00"))
    runs = (
        CampaignRun("2026-01-01T00:00:00.000+00:00", "aaaaaaa", "2 cores", {"pela": "Pela 1"}),
        CampaignRun("2026-01-02T12:00:00.000+00:00", "bbbbbbb+", "2 cores", {"rapfi-classical": "Rapfi 2"}),
    )
    return LadderFigures(config, runs, (arm_figures(config, config.arms[0], games, runs),))


def test_the_report_says_what_the_games_say(tmp_path: Path) -> None:
    figures = example(tmp_path)
    assert render(figures, "images/strength.png") == GOLDEN.read_text("utf-8")
    (arm,) = figures.arms
    assert arm.commits == {"aaaaaaa": 36, "bbbbbbb+": 1}
    pela = arm.lines[0]
    assert (pela.wins, pela.losses, pela.theirs.forfeits["time"]) == (18, 3, 1)
    assert sum(pela.pairs) * 2 == 20


def test_the_chinese_report_has_the_same_figures(tmp_path: Path) -> None:
    figures = example(tmp_path)
    english, chinese = render(figures), render(figures, language="zh")
    assert re.search(r"^## 每步 [\d.]+ 秒$", chinese, re.MULTILINE) and "pela 判负：超时 1 局。" in chinese
    for pattern in (r"^\|", r"^## ", r"^- "):
        one, other = (re.findall(pattern, text, re.MULTILINE) for text in (english, chinese))
        assert len(one) == len(other) > 0, pattern
    shares = [re.findall(r"\d+\.\d%", text) for text in (english, chinese)]
    assert shares[0] == shares[1]


def test_the_marked_part_of_a_document_is_replaced(tmp_path: Path) -> None:
    document = tmp_path / "strength.md"
    document.write_text(f"# Mine\n\nby hand\n\n{BEGIN}\nold\n{END}\n\nmore by hand\n", "utf-8")
    for _ in range(2):
        write_into(document, "new\n")
    assert document.read_text("utf-8") == f"# Mine\n\nby hand\n\n{BEGIN}\n\nnew\n\n{END}\n\nmore by hand\n"
    document.write_text("no marks", "utf-8")
    with pytest.raises(RecordError, match="expected a line"):
        write_into(document, "new")
    assert document.read_text("utf-8") == "no marks"


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (None, "target 80%, **not measured**."),
        (Estimate(0.85, 0.81, 0.9), "target 80%, measured 85.0% (81.0% … 90.0%): **reached**."),
        (Estimate(0.85, 0.7, 0.9), "**not decided**, the interval holds the target."),
        (Estimate(0.7, 0.6, 0.8), "**not decided**, the interval holds the target."),
        (Estimate(0.5, 0.4, 0.6), "(40.0% … 60.0%): **not reached**."),
    ],
)
def test_verdicts(score: Estimate | None, text: str) -> None:
    assert verdict_text(TargetResult(Target("x", 0.8), score)).endswith(text)


def test_the_strength_page_has_the_marks() -> None:
    for name in ("strength.md", "strength.zh.md"):
        page = (ROOT / "docs" / name).read_text("utf-8")
        assert page.index(BEGIN) < page.index(END)
