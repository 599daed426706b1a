from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.arena.games import record
from wuzi.arena.journal import GAMES_FILE, SETTINGS_FILE, TournamentJournal, differences, load_games
from wuzi.arena.results import GameResult, read_csv, record_to_json
from wuzi.arena.schedule import Entry, TournamentConfig, book_of, schedule
from wuzi.arena.sprt import SprtConfig
from wuzi.arena.tournament import TournamentProgress, default_concurrency, run_tournament
from wuzi.base.store import pack
from wuzi.contract import Limit
from wuzi.core import Game, Rules
from wuzi.errors import ConfigError, RecordError
from wuzi.games.referee import Adjudication
from wuzi.workers.local import worker_environment

pytestmark = pytest.mark.slow

PLAYERS = ("weight", "random", "minimax:depth=1")


def config(*specs: str, **more: object) -> TournamentConfig:
    entries = tuple(map(Entry.parse, specs or PLAYERS))
    return TournamentConfig(entries, **{"rules": Rules(9), "games": 4, **more})  # type: ignore[arg-type]


def moves_of(records: list[GameResult] | tuple[GameResult, ...]) -> dict[str, tuple[str, str, str]]:
    """What must not depend on when or how often a run was interrupted."""
    return {game.game_id: (game.black, game.winner, game.moves) for game in records}


def test_a_tournament_writes_record_settings_and_csv(tmp_path: Path) -> None:
    setting, seen = config(), []
    result = run_tournament(setting, tmp_path / "t", concurrency=2, on_progress=seen.append)
    planned = schedule(setting, book_of(setting))
    assert [game.game_id for game in result.records] == [game.id for game in planned]
    for game, plan in zip(result.records, planned, strict=True):
        replayed = Game.from_moves(Rules(9), re.findall(r"[a-i][1-9]", game.moves))
        assert replayed.outcome is not None and replayed.outcome.result == game.winner
        assert game.moves.startswith(game.opening) and game.opening
        assert game.first_player == game.black == setting.entries[plan.seats[0]].label
        assert (game.black_time_s or 0) + (game.white_time_s or 0) <= (game.duration_s or 0) + 0.01
        assert re.fullmatch(r"[0-9a-f]{12}", game.black_hash)
    assert result.csv_path is not None
    assert re.fullmatch(r"batch_results_\d{8}_\d{6}\.csv", result.csv_path.name)
    assert moves_of(read_csv(result.csv_path)) == moves_of(result.records)
    assert moves_of(load_games(tmp_path / "t" / GAMES_FILE)) == moves_of(result.records)
    assert [progress.record is None for progress in seen] == [True] + [False] * 12
    assert isinstance(seen[0], TournamentProgress) and seen[-1].total == len(seen[-1].records) == 12


def test_the_same_seed_plays_the_same_games_however_many_at_once() -> None:
    one = run_tournament(config(games=2), concurrency=1)
    two = run_tournament(config(games=2), concurrency=3)
    other = run_tournament(config(games=2, seed=1), concurrency=2)
    assert moves_of(one.records) == moves_of(two.records)
    assert not {game.moves for game in one.records} & {game.moves for game in other.records}


def cli(folder: Path, *more: str) -> list[str]:
    players = [word for player in PLAYERS for word in ("--player", player)]
    base = [
        sys.executable,
        "-m",
        "wuzi",
        "tournament",
        *players,
        "--size",
        "9",
        "--games",
        "16",
        "--openings",
        "auto",
    ]
    return [*base, "--no-report", "--concurrency", "2", "--out", str(folder), *more]


def test_killed_half_way_no_game_is_lost_or_doubled(tmp_path: Path) -> None:
    """kill -9, twice, and a line cut in the middle; the games are those of an undisturbed run."""
    folder, env = tmp_path / "t", {**os.environ, **worker_environment()}
    games = folder / GAMES_FILE
    for at_least, resume in ((5, ()), (16, ("--resume",))):
        process = subprocess.Popen(
            cli(folder, *resume), env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        with process:
            while process.poll() is None and (
                not games.exists() or games.read_bytes().count(b"\n") < at_least
            ):
                time.sleep(0.002)
            children = psutil.Process(process.pid).children() if process.poll() is None else []
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL, "finished before it was killed"
        psutil.wait_procs(children, timeout=120)
        assert not any(child.is_running() and child.status() != "zombie" for child in children)
        with games.open("ab") as file:
            file.write(b'{"v": 1, "game_id": "5f')
    kept = load_games(games)
    assert 16 <= len(kept) < 48
    done = subprocess.run(
        cli(folder, "--resume", "--json"), env=env, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["games"] == 48
    found = load_games(games)
    assert len(found) == len({game.game_id for game in found}) == 48
    assert moves_of(found[: len(kept)]) == moves_of(kept)
    undisturbed = run_tournament(config(games=16), concurrency=2)
    assert moves_of(found) == moves_of(undisturbed.records)
    assert len(list(folder.glob("batch_results_*.csv"))) == 1


def test_some_pairs_may_play_more_games_than_others(tmp_path: Path) -> None:
    """The first games of every pair, then the rest of one pair: the same games as in one go."""
    setting = config("weight", "random", "minimax:depth=1", games=6)
    first = run_tournament(setting, tmp_path / "t", most=lambda a, b: 2).records
    assert len(first) == 6 and {game.unit for game in first} == {game.unit for game in first[::2]}

    def more(a: str, b: str) -> int:
        return 6 if {a, b} == {"weight", "random"} else 2

    records = run_tournament(setting, tmp_path / "t", resume=True, most=more).records
    assert len(records) == 10 and moves_of(first).items() <= moves_of(records).items()
    assert sum({game.black, game.white} == {"weight", "random"} for game in records) == 6
    assert moves_of(records).items() <= moves_of(run_tournament(setting).records).items()


def test_resuming_needs_only_the_folder(tmp_path: Path) -> None:
    run_tournament(config(games=2), tmp_path, concurrency=2)
    lines = (tmp_path / GAMES_FILE).read_bytes().splitlines(keepends=True)
    (tmp_path / GAMES_FILE).write_bytes(b"".join(lines[:2]))
    pack(tmp_path / GAMES_FILE)
    command = [sys.executable, "-m", "wuzi", "tournament", "--resume", "--no-report", "--out", str(tmp_path)]
    env = {**os.environ, **worker_environment()}
    done = subprocess.run([*command, "--json"], env=env, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["games"] == 6
    assert (tmp_path / GAMES_FILE).read_bytes().count(b"\n") == 6


def test_a_finished_run_is_not_played_again(tmp_path: Path) -> None:
    first = run_tournament(config(games=2), tmp_path, concurrency=2)
    seen: list[TournamentProgress] = []
    again = run_tournament(config(games=2), tmp_path, resume=True, on_progress=seen.append)
    assert again.records == first.records
    assert [progress.record for progress in seen] == [None]


def test_other_settings_are_not_resumed_and_named(tmp_path: Path) -> None:
    run_tournament(config(games=2), tmp_path, concurrency=2)
    with pytest.raises(ConfigError, match="there is a tournament already; continue it with --resume"):
        run_tournament(config(games=2), tmp_path)
    with pytest.raises(ConfigError, match=r"other settings: games was 2, is 4.*seed was 0, is 9"):
        run_tournament(config(games=4, seed=9), tmp_path, resume=True)
    with pytest.raises(ConfigError, match=r"entries\[1\].spec was \"random\", is \"random:seed=3\""):
        run_tournament(config("weight", "random=random:seed=3", PLAYERS[2], games=2), tmp_path, resume=True)


def test_a_changed_book_is_other_settings(tmp_path: Path) -> None:
    book = tmp_path / "b.txt"
    book.write_text("e5e6\n", encoding="utf-8")
    setting = config("weight", "random", games=2, openings=str(book))
    run_tournament(setting, tmp_path / "t")
    book.write_text("e5d4\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="openings_hash"):
        run_tournament(setting, tmp_path / "t", resume=True)


def test_two_programs_do_not_write_to_one_folder(tmp_path: Path) -> None:
    with TournamentJournal(tmp_path, {"a": 1}):
        with pytest.raises(ConfigError, match="another tournament is running there"):
            TournamentJournal(tmp_path, {"a": 1}, resume=True)
    with TournamentJournal(tmp_path, {"a": 1}, resume=True) as journal:
        assert journal.records == []


def test_a_broken_last_line_is_dropped_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    whole = [record(i, "a", "b", "black") for i in range(3)]
    with TournamentJournal(tmp_path, {}) as journal:
        for game in whole:
            journal.append(game)
    path = tmp_path / GAMES_FILE
    data = path.read_bytes()
    for cut in range(1, len(data.splitlines(keepends=True)[-1])):
        path.write_bytes(data[:-cut])
        caplog.clear()
        with TournamentJournal(tmp_path, {}, resume=True) as journal:
            assert journal.records == whole[:2]
            journal.append(whole[2])
        assert "line 3 is broken and dropped" in caplog.text
        assert path.read_bytes() == data


@pytest.mark.parametrize("line", ["{", "[]", '{"v": 9}', "7"])
def test_a_broken_line_in_the_middle_is_an_error(tmp_path: Path, line: str) -> None:
    path = tmp_path / GAMES_FILE
    good = json.dumps(record_to_json(record(0, "a", "b", "draw")))
    path.write_text(f"{line}\n{good}\n", encoding="utf-8")
    with pytest.raises(RecordError, match="line 1"):
        load_games(path)
    path.write_text(f"{good}\n{good}\n", encoding="utf-8")
    with pytest.raises(RecordError, match="line 2: game u0-1 is there twice"):
        load_games(path)


def test_broken_settings_files_are_errors(tmp_path: Path) -> None:
    (tmp_path / GAMES_FILE).write_text("", encoding="utf-8")
    with pytest.raises(RecordError, match="cannot tell whose games"):
        TournamentJournal(tmp_path, {})
    for text in ("{", "[]", '{"v": 9}', '{"v": 1, "settings": {}}'):
        (tmp_path / SETTINGS_FILE).write_text(text, encoding="utf-8")
        with pytest.raises(RecordError, match=r"tournament\.json"):
            TournamentJournal(tmp_path, {}, resume=True)


def test_the_golden_folder_of_schema_1_still_loads() -> None:
    from wuzi.arena.journal import load_settings
    from wuzi.arena.schedule import config_from_settings

    folder = Path(__file__).parent / "golden" / "tournament_v1"
    setting = config_from_settings(load_settings(folder)["settings"])
    assert [entry.label for entry in setting.entries] == ["weight", "Deep"]
    assert setting.sprt == SprtConfig(0, 10) and setting.entries[1].limit == Limit(time_s=0.5)
    assert len(load_games(folder / GAMES_FILE)) == 2


def test_differences_name_the_place() -> None:
    assert differences({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}], "c": 4}) == [
        "a[1].b was 2, is 3",
        "c was null, is 4",
    ]
    assert differences({"a": [1]}, {"a": [1, 2]}) == ["a was [1], is [1, 2]"]


def test_a_decided_test_ends_the_match() -> None:
    setting = config("weight", "random", games=400, sprt=SprtConfig(-40, 40))
    result = run_tournament(setting, concurrency=2)
    assert result.sprt is not None and result.sprt.decision == "H1"
    assert len(result.records) < 100


def test_crashing_engines_lose_and_the_tournament_goes_on() -> None:
    command = f"{sys.executable} -c raise(SystemExit(3))"
    setting = config("random", f"Broken=external:start_s=5,cmd={command}", games=4, limit=Limit(time_s=0.1))
    result = run_tournament(setting, concurrency=2, allow_command=True)
    assert [game.forfeit_by for game in result.records] == ["Broken"] * 4
    assert {game.reason for game in result.records} == {"crash"}
    assert all(game.detail for game in result.records)


def test_adjudicated_draws_are_recorded() -> None:
    setting = config("weight", "random", games=2, adjudication=Adjudication(draw_after=7))
    for game in run_tournament(setting).records:
        assert (game.winner, game.reason, game.plies) == ("draw", "adjudication", 7)


def test_swap_games_record_who_had_which_colour() -> None:
    setting = config("weight", "random", games=6, rules=Rules(9, opening="swap2"))  # type: ignore[arg-type]
    records = run_tournament(setting, concurrency=2).records
    assert {game.first_player for game in records} == {"weight", "random"}
    assert all(game.winner_name in (None, "weight", "random") for game in records)
    assert all(game.opening_id == "" for game in records)


def test_nothing_is_played_with_wrong_players(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown player"):
        run_tournament(config("weight", "nobody"), tmp_path / "t")
    assert not (tmp_path / "t").exists()


def test_an_error_in_the_callers_code_ends_all_processes() -> None:
    before = set(psutil.Process().children())

    def fail(progress: TournamentProgress) -> None:
        if progress.record is not None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_tournament(config(games=40), concurrency=2, on_progress=fail)
    assert set(psutil.Process().children()) <= before


def test_default_concurrency_leaves_a_processor_where_time_counts() -> None:
    free, timed = default_concurrency(config()), default_concurrency(config(limit=Limit(time_s=1)))
    assert timed == max(1, free - 1)
