"""A small study end to end: played, killed, grown, reported in both languages."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from research import claims as claims_of
from research.__main__ import main
from research.campaign import CampaignRun, note_run
from research.config import StageKind, load_study
from research.figures import study_figures
from research.methods import Explains, method_rows, timed_part
from research.prose import part_setting, significance, undecided_table
from research.run import contested_pairs, load_part, missing_nets, run_study, tournament_of
from research.shown import names_shown, shown
from tests.arena.games import games_of
from tests.research.files import error_of, study_file
from wuzi.arena.journal import GAMES_FILE, load_games
from wuzi.arena.pairs import pair_of
from wuzi.arena.results import record_to_json
from wuzi.base.words import load_catalogue
from wuzi.errors import ConfigError
from wuzi.workers.local import worker_environment

pytestmark = pytest.mark.slow

ENGLISH = load_catalogue("research", "en")

ROOT = Path(__file__).resolve().parents[2]
OWN: dict[str, Any] = {"stages": ("own",), "allow_missing": True}


def key(path: Path) -> dict[str, tuple[str, str, str]]:
    return {game.game_id: (game.black, game.winner, game.moves) for game in load_games(path)}


def test_the_studies_of_the_repository_can_be_read() -> None:
    study = load_study(ROOT / "research" / "configs" / "nine-by-nine.toml")
    kinds = [stage.kind for stage in study.stages]
    assert {*kinds} == set(StageKind)
    main_stage, repeat = study.stage(StageKind.MAIN), study.stage(StageKind.REPEAT)
    assert main_stage and repeat and main_stage.methods == repeat.methods
    assert main_stage.games >= 60 and main_stage.most == 400 and repeat.games >= 30
    assert main_stage.openings != repeat.openings and main_stage.seed != repeat.seed
    sizes = study.stage(StageKind.SIZES)
    assert sizes and sizes.sizes == [6, 9, 12, 15]
    assert len(study.reported) == 12
    assert all(command.startswith("wuzi train ") for command in study.nets().values())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[study]", "[studdy]", "unknown table 'studdy'"),
        ('kind = "main"', 'kind = "mian"', "kind 'mian': expected one of main"),
        ('anchor = "random"', 'anchor = "rondom"', "anchor: unknown method 'rondom'"),
        ('methods = ["weight", "minimax"]', 'methods = ["weight"]', "1 methods: expected at least 2"),
        ('openings = "auto"', 'openings = "../book"', "openings '../book': expected one of default"),
        ("win_lengths = [4, 5]", "win_lengths = [4]", "1 win_lengths for 2 sizes"),
        ("time = 1\n", "time = 0\n", "time is 0"),
        ('train = "wuzi train --preset quick"\n', "", "net 'netty' without train"),
        ("sizes = [5, 7]", "sizes = [5, true]", "expected a list of whole numbers"),
        ('name = "repeat"', 'name = "own"', "two stages are called 'own'"),
    ],
)
def test_wrong_settings_are_one_clear_line(
    tmp_path: Path, old: str, new: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in error_of("play", study_file(tmp_path), old, new, capsys)


def test_a_missing_net_is_named_with_the_command_that_makes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = study_file(tmp_path)
    assert main(["play", str(path), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert "net 'netty' is missing" in error and "`wuzi train --preset quick`" in error
    assert not (tmp_path / "out").exists()
    assert main(["play", str(path), "--out", str(tmp_path / "out"), "--stage", "x"]) == 2
    assert "unknown stage 'x': expected one of own" in capsys.readouterr().err


def test_contested_pairs_are_played_on_and_only_they(tmp_path: Path) -> None:
    study = load_study(study_file(tmp_path))
    run_study(study, tmp_path / "out", **OWN)
    (part,) = study.parts(study.stages[0])
    records = load_part(part, tmp_path / "out")
    tournament = tournament_of(study, part, ("random", "weight", "minimax"))
    assert tournament.games == 8
    # Four games never decide anything at a level of 5 %.
    assert len(contested_pairs(tournament, part.stage, records)) == 3
    assert len(records) == 24
    again = contested_pairs(tournament, part.stage, records[:12])
    assert again == contested_pairs(tournament, part.stage, records), "later games change nothing"


def test_a_slow_method_plays_fewer_games_where_time_is_its_own(tmp_path: Path) -> None:
    path = study_file(tmp_path)
    path.write_text(path.read_text("utf-8").replace('spec = "weight"', 'spec = "weight"\ngames = 2'), "utf-8")
    study = load_study(path)
    run_study(study, tmp_path / "out", stages=("own", "equal-time"), allow_missing=True)
    own, timed = (load_part(study.parts(stage)[0], tmp_path / "out") for stage in study.stages[:2])
    pairs = Counter(frozenset((game.black, game.white)) for game in own)
    assert {tuple(sorted(pair)): games for pair, games in pairs.items()} == {
        ("random", "weight"): 2,
        ("minimax", "weight"): 2,
        ("minimax", "random"): 8,
    }
    assert len(timed) == 2
    said = " ".join(part_setting(ENGLISH, study_figures(tmp_path / "out").parts[0]))
    assert "Slow methods play fewer games in every pair: `weight` 2." in said
    assert "fewer games than planned" not in said
    path.write_text(path.read_text("utf-8").replace("games = 2", "games = 3", 1), "utf-8")
    with pytest.raises(ConfigError, match="games is 3: expected an even number"):
        load_study(path)


def test_killed_half_way_no_game_is_lost_or_doubled(tmp_path: Path) -> None:
    path = study_file(tmp_path)
    games = tmp_path / "out" / "own" / GAMES_FILE
    command = [sys.executable, "-m", "research", "play", str(path), "--out", str(tmp_path / "out")]
    env = {**os.environ, **worker_environment()}
    command += ["--allow-missing", "--stage", "own"]
    with subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and (not games.exists() or games.read_bytes().count(b"\n") < 3):
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    kept = key(games)
    study = load_study(path)
    run_study(study, tmp_path / "out", **OWN)
    run_study(study, tmp_path / "undisturbed", **OWN)
    assert kept.items() <= key(games).items()
    assert key(games) == key(tmp_path / "undisturbed" / "own" / GAMES_FILE)


def test_a_net_that_comes_later_joins_in_and_one_that_changes_does_not(tmp_path: Path, netty: Path) -> None:
    study, out = load_study(study_file(tmp_path)), tmp_path / "out"
    hidden = netty.with_name("hidden")
    cards = [netty, netty.with_suffix(".json")]
    for file in cards:
        file.rename(hidden.with_suffix(file.suffix))
    assert run_study(study, out, **OWN) == {"netty": "wuzi train --preset quick"}
    before = key(out / "own" / GAMES_FILE)
    for file in cards:
        hidden.with_suffix(file.suffix).rename(file)
    assert missing_nets(study) == {}
    assert run_study(study, out, **OWN) == {}
    after = key(out / "own" / GAMES_FILE)
    assert before.items() <= after.items() and len(after) == 6 * 8
    nets = out / "nets.json"
    nets.write_text(json.dumps({"netty": "0" * 64}), "utf-8")
    with pytest.raises(ConfigError, match="is not the one that played there"):
        run_study(study, out, **OWN)


PLAYED: dict[str, dict[tuple[str, str], tuple[int, int, int]]] = {
    "own": {
        ("weight", "random"): (38, 2, 0),
        ("minimax", "random"): (40, 0, 0),
        ("weight", "minimax"): (19, 17, 4),
        ("netty", "random"): (35, 5, 0),
        ("netty", "weight"): (10, 28, 2),
    },
    "equal-time": {("weight", "random"): (40, 0, 0), ("netty", "random"): (22, 18, 0)},
    "repeat": {("weight", "random"): (37, 3, 0), ("weight", "minimax"): (3, 37, 0)},
    "sizes-5": {("weight", "random"): (38, 2, 0), ("netty", "random"): (36, 4, 0)},
    "sizes-7": {("weight", "random"): (36, 4, 0), ("netty", "random"): (20, 20, 0)},
}


def played(tmp_path: Path, **more: dict[tuple[str, str], tuple[int, int, int]]) -> Path:
    """A study's folder with made-up games, as a run would have left it."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "study.toml").write_bytes(study_file(tmp_path).read_bytes())
    note_run(out / "runs.jsonl", CampaignRun("2026-01-01T00:00:00.000+00:00", "abcdef1", "2 cores"))
    for number, (folder, results) in enumerate({**PLAYED, **more}.items()):
        games = games_of(results, seed=number)
        lines = [json.dumps(record_to_json(game)) for game in games]
        (out / folder).mkdir()
        (out / folder / GAMES_FILE).write_text("\n".join(lines) + "\n", "utf-8")
    return out


def report(tmp_path: Path, out: Path) -> tuple[str, str, dict[str, Any]]:
    page, claims = tmp_path / "page", tmp_path / "claims.toml"
    claims.write_text(CLAIMS, "utf-8")
    assert main(["report", str(out), "--into", str(page)]) == 0
    figures = ["--figures", str(page / "figures.json")]
    assert claims_of.main([str(claims), "--into", str(page), *figures]) == 0
    data = json.loads((page / "figures.json").read_text("utf-8"))
    names = sorted(path.name for path in page.glob("*.md"))
    chinese, english = (
        "".join((page / name).read_text("utf-8") for name in names if name.endswith(".zh.md") is zh)
        for zh in (True, False)
    )
    return english, chinese, data


CLAIMS = """
[[claims]]
id = "better"
document = "000"
section = "1"
quote = "评分表更强"
text = "weight beats random"
text_zh = "评分表强于随机"
form = "figure"
stage = "own"
first = "weight"
second = "random"
claimed = 1.0
claimed_games = 50
"""


def test_the_page_says_what_the_games_say(tmp_path: Path, netty: Path) -> None:
    out = played(tmp_path)
    english, chinese, data = report(tmp_path, out)
    (own,) = (part for part in study_figures(out).parts if part.part.folder == "own")
    sure = pair_of(own.pairs, "weight", "random")
    assert sure is not None and sure.significant and sure.score is not None
    order = re.search(
        r"- In order of rating: (.*?)\. Each method .* The closest decision: `(\w+)` beats `(\w+)`, ", english
    )
    assert order and order[1].split(", ") == [f"`{name}`" for name in own.names]
    closest = max((pair for pair in own.pairs if pair.significant), key=lambda pair: pair.adjusted)
    assert order.groups()[1:] == (closest.first, closest.second)
    assert "against this order" not in english
    needed = re.search(r"\| `weight` – `minimax` \| 40 \| 52.5% .* (\d+) of (\d+) \|", english)
    assert needed and int(needed[2]) >= int(needed[1]) > int(needed[2]) / 2
    assert re.search("按等级分从强到弱：.*weight", chinese)
    assert re.search(r"\| `weight` – `minimax` \| 40 \| .* 个中的 ", chinese)
    assert "4 of 5 pairs are decided at the 5 % level with all 5 pairs considered" in english
    page = (tmp_path / "page" / "README.md").read_text("utf-8")
    for part in study_figures(out).parts:
        assert f"]({part.part.folder}.md) | {len(part.records)} |" in page
        assert "[Tiny](README.md)" in (tmp_path / "page" / f"{part.part.folder}.md").read_text("utf-8")
    for heading in ("The methods", "Recommendations", "How far two evaluations agree"):
        assert heading in english
    assert "These differ by more than chance: `weight` – `minimax` 52.5% then 7.5%" in english
    assert "`random` – `weight` 36.0% then 63.3%" in english, "the document's own two"
    assert "has not been played yet" in english, "games from the empty board"
    assert "Combining pattern knowledge with learning**: `netty`" in english
    assert "`netty` against `random`: 87.5%" in english and "Few resources**: " in english
    assert "| weight beats random |" in english
    assert "5x5, 4 in a row, in order of rating: " in english
    assert "`netty` changes most" in english
    assert all((tmp_path / "page" / language / "sizes.png").exists() for language in ("en", "zh"))
    assert (
        "[own/games.jsonl](../out/own/games.jsonl)" in english
        and len(load_games(out / "own" / GAMES_FILE)) == 200
    )
    assert data["stages"]["own"]["pairs"][0]["games"] == 40
    assert data["agreement"]["seed"]["pairs"][0]["p"] < 0.05
    rows = {row.method.name: row for row in method_rows(study_figures(out))}
    assert rows["weight"].explains is rows["minimax"].explains is Explains.SCORES
    assert rows["random"].explains is Explains.NOTHING and rows["netty"].explains is Explains.COUNTS
    assert rows["random"].parameters == 0 and (rows["netty"].parameters or 0) > 1000
    assert rows["netty"].learns and not rows["weight"].learns
    assert rows["random"].stars == 1 and max(row.stars for row in rows.values()) == 5
    shift = rows["minimax"].shift
    assert shift is not None and shift.low > 0 and rows["netty"].shift is None


def test_pages_call_a_method_by_its_net_and_the_records_by_its_name(tmp_path: Path) -> None:
    out = played(tmp_path)
    study = (out / "study.toml").read_text("utf-8").replace("[methods.netty]", "[methods.learner]")
    (out / "study.toml").write_text(study.replace('"netty"]', '"learner"]'), "utf-8")
    for path in out.glob(f"*/{GAMES_FILE}"):
        path.write_text(path.read_text("utf-8").replace('"netty"', '"learner"'), "utf-8")
    english, chinese, data = report(tmp_path, out)
    recorded = study_figures(out)
    names = names_shown(recorded.config.methods)
    assert (names("learner"), names("weight")) == ("netty", "weight")
    before, after = recorded.parts[0], shown(recorded, names).parts[0]
    assert [names(name) for name in before.names] == list(after.names) == [*data["stages"]["own"]["ratings"]]
    assert before.ratings and after.ratings and before.ratings.estimates == after.ratings.estimates
    assert "The names in this file: `learner` for `netty`." in english
    assert "该文件中的名字：`learner` 即 `netty`。" in chinese
    assert english.count("learner") == sum("netty" in part.names for part in shown(recorded, names).parts)
    clash = {**recorded.config.methods, "netty": recorded.config.methods["weight"]}
    assert names_shown(clash)("learner") == "learner"


def test_the_same_games_make_the_same_page(tmp_path: Path) -> None:
    """Without the net its row is open; repeated games explain the document's contradiction."""
    out = played(tmp_path, empty={("random", "weight"): (20, 20, 0)})
    study = (out / "study.toml").read_text("utf-8")
    before, _, stage = study.partition('name = "empty"')
    stage = re.sub(r"methods = .*", 'methods = ["weight", "random"]', stage, count=1)
    (out / "study.toml").write_text(before + 'name = "empty"' + stage, "utf-8")
    path = out / "empty" / GAMES_FILE
    games = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    copied = [json.dumps({**game, "moves": f"e5e{6 + i % 2}"}) for i, game in enumerate(games)]
    path.write_text("\n".join(copied) + "\n", "utf-8")
    first = report(tmp_path, out)
    assert report(tmp_path, out) == first
    assert "| `netty` | ★" in first[0] and "needed: `wuzi train --preset quick`" in first[0]
    assert "2 of 40 in all" in first[0] and "40 局中只有 2 局互不相同" in first[1]


def test_a_stage_that_wants_charts_has_them_in_both_languages(tmp_path: Path) -> None:
    study, page = load_study(study_file(tmp_path, charts=True)), tmp_path / "page"
    run_study(study, tmp_path / "out", **OWN)
    assert main(["report", str(tmp_path / "out"), "--into", str(page)]) == 0
    for language, suffix in (("en", ""), ("zh", ".zh")):
        assert len(list((page / "own" / language).glob("*.png"))) == 12
        counted = [
            (page / f"{name}{suffix}.md").read_text("utf-8").count(f"](own/{language}/")
            for name in ("README", "own")
        ]
        assert counted == [1, 12]


def test_a_study_without_games_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path), "--into", str(tmp_path / "page")]) == 2
    assert "expected the folder of a study" in capsys.readouterr().err


def test_a_verdict_against_the_order_of_ratings_is_named(tmp_path: Path) -> None:
    own = {**PLAYED["own"], ("netty", "minimax"): (0, 40, 0), ("weight", "minimax"): (10, 30, 0)}
    part = study_figures(played(tmp_path, own=own)).parts[0]
    assert part.names.index("minimax") < part.names.index("netty"), part.names
    said = significance(ENGLISH, part)
    assert not any("against this order" in sentence for sentence in said)
    own["random", "minimax"] = (40, 0, 0)
    del own["minimax", "random"]
    (tmp_path / "more").mkdir()
    part = study_figures(played(tmp_path / "more", own=own)).parts[0]
    assert part.names.index("minimax") < part.names.index("random"), part.names
    (against,) = (sentence for sentence in significance(ENGLISH, part) if "against this order" in sentence)
    assert "`random` beats `minimax`, 100.0%" in against
    named = re.findall(r"`(\w+)` beats `(\w+)`,", against)
    wrong = {(p.first, p.second) for p in part.pairs if p.significant} - {
        (a, b) for i, a in enumerate(part.names) for b in part.names[i:]
    }
    assert set(named) == wrong and len(named) == len(wrong)


def test_a_pair_that_is_being_played_on_is_not_judged_between_two_looks(tmp_path: Path) -> None:
    """The tiny study has 4 games a pair and 8 of contested ones."""
    pair = ("weight", "minimax")
    verdicts = {}
    for games in (4, 6, 8):
        (tmp_path / str(games)).mkdir()
        out = played(tmp_path / str(games), own={pair: (games, 0, 0)})
        (found,) = study_figures(out).parts[0].pairs
        verdicts[games] = found.between
        assert not found.significant
    assert verdicts == {4: False, 6: True, 8: False}
    row = undecided_table(ENGLISH, study_figures(tmp_path / "6" / "out").parts[0]).splitlines()[-1]
    assert row.endswith("| still being played |")


def test_the_page_says_where_games_were_played_and_times_a_move_where_all_was_played_at_once(
    tmp_path: Path,
) -> None:
    repeat = {
        ("weight", "random"): (37, 3, 0),
        ("weight", "minimax"): (3, 37, 0),
        ("netty", "random"): (30, 10, 0),
    }
    out = played(tmp_path, repeat=repeat)
    note_run(out / "runs.jsonl", CampaignRun("2026-02-01T00:00:00.000+00:00", "abcdef2", "4 cores"))
    path = out / "repeat" / GAMES_FILE
    games = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    text = [json.dumps({**game, "started_at": "2026-02-02T00:00:00.000+00:00"}) for game in games]
    path.write_text("\n".join(text) + "\n", "utf-8")
    timed = timed_part(study_figures(out))
    assert timed is not None and timed.part.stage.kind is StageKind.REPEAT
    english, _, _ = report(tmp_path, out)
    assert f"stage `repeat`: 4 cores (`abcdef2`, {len(games)} games)" in english
    assert "kinds of processor" not in english
    late = [json.loads(line) for line in text]
    late[0]["started_at"] = "2026-01-01T00:00:00.000+00:00"
    note_run(out / "runs.jsonl", CampaignRun("2025-12-31T00:00:00.000+00:00", "abcdef1", "2 cores, other"))
    path.write_text("\n".join(map(json.dumps, late)) + "\n", "utf-8")
    english, _, data = report(tmp_path, out)
    assert "kinds of processor" in english.partition("# The repeat")[2]
    assert data["stages"]["repeat"]["conduct"]["weight"]["move_s"] is None
    assert data["methods"]["weight"]["move_s"] is None
    (out / "repeat" / GAMES_FILE).write_text("\n".join(text[:20]) + "\n", "utf-8")
    timed = timed_part(study_figures(out))
    assert timed is not None and timed.part.stage.kind is StageKind.MAIN, (
        "somebody did not play in the repeat"
    )
