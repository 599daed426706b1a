"""Presets, settings, and every preset end to end on a tiny budget."""

from __future__ import annotations

import math
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.training.tiny import SMALLEST, run, settings
from wuzi.base.settings import build_settings
from wuzi.core import Game
from wuzi.errors import ConfigError
from wuzi.nets import find_net, load_net
from wuzi.nets.shelf import best_of_run, net_of_run
from wuzi.players import create_player
from wuzi.training.methods.registry import make_plan, stored_plan
from wuzi.training.run.context import Event
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.loop import train
from wuzi.training.run.presets import list_presets
from wuzi.training.run.reader import read_games

SIX = "game.size=6"

OF_THE_ORDER = {f"selfplay.{name}" for name in ("games", "concurrency", "workers")}
OF_THE_ORDER |= {"learn.batches", "run.iterations"}

DOCUMENT_004_FLAGS = tuple("--samples --simulations --workers --eval-interval --win-threshold".split())

NAMES = [preset.name for preset in list_presets()]

SMALL = {
    "selfplay": [
        *(assignment for assignment in SMALLEST if "interval" not in assignment),
        "evaluate.anchor_games=2",
        "selfplay.games=1",
        "selfplay.balanced_openings=0",
        "selfplay.groups=1",
        "selfplay.overlap=false",
    ],
    # Long enough for every game to end: rewards are diffused over whole games.
    "ppo": [
        "ppo.envs=4",
        "ppo.steps=90",
        "ppo.mini_batch_size=64",
        "ppo.num_updates=1",
        "ppo.num_epochs=1",
        "ppo.best_games=2",
    ],
    "distill": [
        "data.games=4",
        "data.workers=1",
        "distill.teacher_epochs=1",
        "distill.epochs=1",
        "distill.batch_size=64",
        "selfplay.games=2",
        "selfplay.concurrency=1",
        "selfplay.workers=1",
        "selfplay.simulations=2",
        "evaluate.games=1",
        "evaluate.playouts=4",
        "evaluate.simulations=2",
    ],
}
"""The least of each method, with the board, the net and the intervals of the preset."""

LABELS = ["data.labels=engine:table_mb=1", "data.nodes=50"]
LABELLED = {"distill", "distill-15x15"}


def test_the_presets_that_were_promised_are_there() -> None:
    wanted = {"s0-basic", "s0-enhanced", "s0-patterns", "s0-distill", "s1", "s2-ppo", "s3-6x6", "s3-8x8"}
    wanted |= {"s4", "s4-quick", "s4-standard", "s4-full", "quick", "9x9", "15x15", "15x15-gpu"} | LABELLED
    assert wanted | {"tiny"} <= set(NAMES)


BIG = pytest.mark.ci("the net for a graphics processor: as much time as ten other presets")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=BIG) if name == "15x15-gpu" else name for name in NAMES]
)
def test_every_preset_trains(name: str, tmp_path: Path) -> None:
    small = SMALL[make_plan(name).method.name] + (LABELS if name in LABELLED else [])
    plan = make_plan(name, None, small, {"iterations": 1})
    directory = RunDirectory(tmp_path / "run")
    directory.create(plan.toml(), {"method": plan.method.name, "preset": name})
    events: list[Event] = []
    assert train(directory.path, plan.settings, observe=events.append)
    rows = directory.rows("metrics.jsonl")
    assert [row["iteration"] for row in rows] == list(range(1, len(rows) + 1))
    assert sum(event.kind == "row" for event in events) == len(rows) > 0
    losses = [value for row in rows for key, value in row.items() if key.endswith("loss")]
    assert losses and all(math.isfinite(loss) for loss in losses)
    rules = plan.settings.game.rules
    for pointer in ("current_policy", "best_policy"):
        net = load_net(directory.net_path(pointer))
        assert (net.card.rules.size, net.card.rules.win_length) == (rules.size, rules.win_length)
    # However short a run is, the net that it ends with was judged, and what plays for it is what it names.
    assert directory.pointed("current_policy")["judged"]  # type: ignore[index]
    chosen = net_of_run(directory.path)
    assert chosen is not None and chosen["judged"]
    assert find_net(str(directory.path)).name == chosen["net"]
    best = best_of_run(directory.path)
    assert best is None or best["judged"], "never the best without games"
    spec = f"policy:net={directory.net_path('current_policy')}"
    with create_player(spec, allow_command=True) as player:
        assert player.think(Game.from_moves(rules, [])).move in range(rules.num_cells)


@pytest.mark.parametrize("name", NAMES)
def test_a_printed_configuration_makes_the_same_plan(name: str, tmp_path: Path) -> None:
    plan = make_plan(name)
    path = tmp_path / "config.toml"
    path.write_text(plan.toml(), encoding="utf-8")
    again = make_plan(config=path)
    assert (again.settings, again.preset, again.method) == (plan.settings, plan.preset, plan.method)
    tables = {key: value for key, value in tomllib.loads(plan.toml()).items() if isinstance(value, dict)}
    assert build_settings(plan.method.settings_type(), tables, "x") == plan.settings


def test_a_value_that_was_taken_away_stays_away(tmp_path: Path) -> None:
    plan = make_plan("quick", None, ["selfplay.full_simulations=none"])
    (tmp_path / "config.toml").write_text(plan.toml(), encoding="utf-8")
    assert stored_plan(tmp_path).settings == plan.settings


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_can_be_set_one_by_one(name: str) -> None:
    plan = make_plan(name)
    other = next(preset for preset in list_presets() if preset.method == plan.method.name)
    tables = {key: value for key, value in tomllib.loads(plan.toml()).items() if isinstance(value, dict)}
    sets = [f"{part}.{key}={value}" for part, table in tables.items() for key, value in table.items()]
    assert make_plan(other.name, None, sets).settings == plan.settings


FAMILY: dict[str, object] = {
    "game.size": 9,
    "game.win_length": 5,
    "net.architecture": "basic",
    "selfplay.simulations": 400,
    "selfplay.c_puct": 5.0,
    "selfplay.c_log": 0.0,
    "selfplay.temperature": 1.0,
    "selfplay.noise_alpha": 0.3,
    "selfplay.reuse": True,
    "learn.batch": 512,
    "learn.epochs": 5,
    "learn.lr": 2e-3,
    "learn.kl_target": 0.02,
    "learn.weight_decay": 1e-4,
    "learn.schedule": "kl",
    "evaluate.games": 10,
    "evaluate.playouts": 1000,
    "evaluate.playouts_step": 1000,
    "evaluate.playouts_max": 5000,
    "promote.gate": "mcts",
}
"""What documents 001 and 003 print, 000 states in part, and the family's program has for the rest."""

DOCUMENT_003: dict[str, object] = {
    "selfplay.played_noise": 0.25,
    "selfplay.noise_fraction": 0.0,
    "evaluate.formula": "puct",
}

DOCUMENT_004: dict[str, object] = {
    "game.size": 15,
    "net.architecture": "res5x32",
    "selfplay.simulations": 30,
    "selfplay.c_puct": 0.8,
    "selfplay.noise_fraction": 0.01,
    "selfplay.noise_alpha": 0.3,
    "selfplay.temperature": 0.1,
    "selfplay.reuse": False,
    "selfplay.unvisited": "siblings",
    "learn.value_weight": 2.0,
    "promote.gate": "winrate",
    "promote.games": 20,
    "promote.threshold": 0.55,
}

STATED: dict[str, dict[str, object]] = {
    "s0-basic": {**FAMILY, "net.architecture": "basic:value_hidden=256"},
    "s0-enhanced": {
        **FAMILY,
        "net.architecture": "enhanced",
        "selfplay.simulations": 800,
        "learn.clip": 10.0,
    },
    "s0-patterns": {**FAMILY, "net.architecture": "patterns", "learn.pattern_weight": 0.1},
    "s0-distill": {
        "game.size": 9,
        "data.player": "weight",
        "distill.form": "seed",
        "distill.net": "student",
        "distill.teacher": "teacher",
        "distill.hard_weight": 0.7,
        "distill.soft_weight": 0.2,
        "distill.value_weight": 0.1,
        "distill.epochs": 10,
        "selfplay.games": 50,
        "selfplay.simulations": 800,
        "run.iterations": 20,
    },
    "s1": FAMILY | {"selfplay.noise_fraction": 0.25, "evaluate.formula": "puct"},
    "s2-ppo": {"ppo.net": "three-factor", "ppo.clip": 0.2},
    "s2-ppo-seed": {
        "ppo.net": "three-factor:square_diagonals=true,scaled=false,discount=0.711",
        "ppo.clip": 0.2,
        "ppo.rewards": "strategy_diffusion",
        "ppo.two_player": False,
        "ppo.opponent": "best",
        "ppo.batch_size": 128,
        "ppo.num_updates": 10,
        "ppo.mini_batch_size": 32,
        "ppo.num_epochs": 4,
        "ppo.old_policy": "current",
    },
    "s3-6x6": FAMILY | DOCUMENT_003 | {"game.size": 6, "game.win_length": 4},
    "s3-8x8": FAMILY | DOCUMENT_003 | {"game.size": 8},
    "s4": DOCUMENT_004 | {"run.iterations": 100, "selfplay.games": 100, "selfplay.workers": 10},
    "s4-quick": DOCUMENT_004 | {"run.iterations": 5, "selfplay.games": 10, "selfplay.workers": 4},
    "s4-standard": DOCUMENT_004 | {"run.iterations": 50, "selfplay.games": 100, "selfplay.workers": 10},
    "s4-full": DOCUMENT_004
    | {"run.iterations": 200, "selfplay.games": 100, "selfplay.workers": 10, "promote.interval": 10},
}


@pytest.mark.parametrize("name", STATED)
def test_what_a_document_states_is_in_its_preset(name: str) -> None:
    settings = make_plan(name).settings
    found = {}
    for place in STATED[name]:
        section, _, key = place.partition(".")
        found[place] = getattr(getattr(settings, section), key)
    assert found == STATED[name]


def test_games_and_evaluations_come_to_the_documents_numbers() -> None:
    for name, games in (("s0-basic", 1500), ("s0-enhanced", 2000), ("s1", 1500), ("s3-6x6", 1500)):
        found = make_plan(name).settings
        assert games <= found.run.iterations * found.selfplay.games < games + found.selfplay.games
        assert found.learn.batches == found.selfplay.games, "an update a game"
        assert abs(found.evaluate.interval * found.selfplay.games - 50) <= found.selfplay.games / 2
        assert found.replay.window * 8 == 10_000


@pytest.mark.parametrize(
    ("name", "games"),
    [("s0-basic", 1500), ("s0-enhanced", 2000), ("s0-patterns", 1500), ("s1", 1500), ("s3-6x6", 1500)],
)
def test_a_game_and_a_batch_in_turn_as_the_documents_do(name: str, games: int, tmp_path: Path) -> None:
    plan = make_plan(name, None, ["learn.order=document"])
    found = plan.settings
    own = found.selfplay
    assert (own.games, own.concurrency, own.workers, found.learn.batches, found.learn.least) == (
        1,
        1,
        1,
        1,
        65,
    )
    assert (found.run.iterations, found.evaluate.interval, found.learn.epochs) == (games, 50, 5)
    fewer = make_plan(name, None, ["learn.order=document"], {"iterations": 7})
    (tmp_path / "config.toml").write_text(fewer.toml(), encoding="utf-8")
    assert stored_plan(tmp_path).settings == fewer.settings, "a stored run stays as it is"
    assert fewer.settings.run.iterations == 7


@pytest.mark.kernels
def test_each_game_is_played_by_the_net_that_has_learned_from_the_one_before(tmp_path: Path) -> None:
    small = [*(text for text in SMALLEST if text.partition("=")[0] not in OF_THE_ORDER), "run.iterations=6"]
    chosen = make_plan("s3-6x6", None, ["learn.order=document", "learn.least=30", *small]).settings
    run(tmp_path / "run", chosen)
    directory = RunDirectory(tmp_path / "run")
    rows = directory.rows("metrics.jsonl")
    _, _, games = read_games(tmp_path / "run", 0, 6)
    assert [game.net for game in games] == list(range(6)), "the number of the net that played it"
    assert [row["games"] for row in rows] == [1] * 6
    batches = [int(row["total_rows"] >= 30) for row in rows]
    assert [row["batches"] for row in rows] == batches and set(batches) == {0, 1}


def test_parameters_are_known_without_torch() -> None:
    script = (
        "import sys; sys.modules['torch'] = None\n"
        "from wuzi.training.methods.registry import make_plan\n"
        "for name in sys.argv[1:]: make_plan(name).toml()"
    )
    done = subprocess.run([sys.executable, "-c", script, *NAMES], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_later_values_win(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('preset = "s4-full"\n[run]\niterations = 7\n[learn]\nbatch = 64\n', encoding="utf-8")
    found = make_plan(None, path, ["learn.batch=32"], {"iterations": 9, "samples": None}).settings
    assert (found.run.iterations, found.learn.batch, found.selfplay.games) == (9, 32, 100)


def test_the_flags_of_document_004() -> None:
    flags = {"iterations": 5, "samples": 10, "simulations": 30, "workers": 4}
    flags |= {"eval_interval": 3, "win_threshold": 0.6}
    found = make_plan("s4-quick", flags=flags).settings
    assert (found.run.iterations, found.selfplay.games, found.selfplay.simulations) == (5, 10, 30)
    assert (found.promote.interval, found.promote.threshold, found.selfplay.workers) == (3, 0.6, 4)
    assert found.evaluate.interval == 0, "how often, not whether"


@pytest.mark.parametrize("page", ["004.md", "004.zh.md"])
def test_the_commands_of_document_004(page: str) -> None:
    """Each command of its page trains its net, with the value that it names in place of the document's."""
    text = (Path(__file__).parents[2] / "docs" / "documents" / page).read_text("utf-8")
    told = {key: "res5x32" for key in ("-n", *DOCUMENT_004_FLAGS)}
    for command in re.findall(r"`wuzi train ([^`]+)`", text):
        words = shlex.split(command)
        given = {name: words[words.index(name) + 1] for name in ("-n", *DOCUMENT_004_FLAGS) if name in words}
        preset = words[words.index("--preset") + 1] if "--preset" in words else None
        names = {"-n": "iterations"} | {name: name[2:].replace("-", "_") for name in DOCUMENT_004_FLAGS}
        flags = {names[name]: float(value) if "." in value else int(value) for name, value in given.items()}
        found = make_plan(preset, flags=flags).settings
        assert found.net.architecture == "res5x32", command
        for name in given:
            told.pop(name, None)
    assert not told, "every option of the document is on the page"
    document = make_plan(flags={"samples": 100}).settings
    play, judge = document.selfplay, document.promote
    numbers = (document.run.iterations, play.games, play.simulations, play.workers)
    assert (*numbers, judge.interval, judge.threshold) == (100, 100, 30, 10, 10, 0.55)
    assert make_plan("s4-quick").settings.promote == judge, "its quick training is judged as its others are"


def test_ppo_takes_the_flags_that_mean_something_there() -> None:
    found = make_plan("s2-ppo-seed", flags={"eval_interval": 7, "win_threshold": 0.6}).settings
    assert (found.ppo.best_every, found.ppo.best_threshold) == (7, 0.6)


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("learn.bacth=3", "unknown key 'bacth'"),
        ("lern.batch=3", r"unknown section \[lern\]"),
        ("learn.batch=many", "batch=many: expected a whole number"),
        ("learn.batch", "expected section.key=value"),
        ("selfplay.opening_plies_min=9", "opening_plies_max"),
        ("game.size=40", "size=40"),
        ("game.rule=checkers", "checkers"),
        ("learn.device=abacus", "expected auto, cpu or cuda"),
        ("promote.elo0=50", "expected below"),
        ("promote.opening_plies=20", "promote.opening_plies=20 .* expected at most 12"),
    ],
)
def test_wrong_values_are_named(assignment: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_plan("s3-6x6", None, [assignment])


def test_unknown_presets_and_methods_list_the_choices(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="s4-full"):
        make_plan("s5")
    path = tmp_path / "config.toml"
    path.write_text('method = "guessing"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="expected one of selfplay"):
        make_plan(config=path)
    path.write_text("method = \n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"config\.toml"):
        make_plan(config=path)
    with pytest.raises(ConfigError, match=r"none\.toml"):
        make_plan(config=tmp_path / "none.toml")


@pytest.mark.kernels
def test_a_run_that_began_with_a_net_needs_its_file_no_more(tmp_path: Path) -> None:
    first = RunDirectory(tmp_path / "first")
    run(first.path, settings("run.iterations=1"))
    given = tmp_path / "given.safetensors"
    for suffix in (".safetensors", ".json"):
        source = first.net_path("current_policy").with_suffix(suffix)
        given.with_suffix(suffix).write_bytes(source.read_bytes())
    start = f"net.start={given}"
    run(tmp_path / "second", settings(start, "run.iterations=1", preset="quick", small=(*SMALLEST, SIX)))
    given.unlink()
    run(tmp_path / "second", settings(start, preset="quick", small=(*SMALLEST, SIX)))
    second = RunDirectory(tmp_path / "second")
    assert [row["iteration"] for row in second.rows("metrics.jsonl")] == [1, 2]
    assert "-basic-" in second.net_path("current_policy").name, "named after what it is, not after the preset"


@pytest.mark.parametrize("size", range(3, 11))
def test_quick_trains_on_every_size_that_it_promises(size: int) -> None:
    options = make_plan("quick", flags={"size": size, "win_length": min(size, 5)}).settings.selfplay
    room = size * size // 3
    assert options.opening_plies_max == min(6, room) and options.opening_plies_min == 2
    said = ["selfplay.opening_plies_max=7"]
    if size < 5:
        with pytest.raises(
            ConfigError, match=rf"selfplay\.opening_plies_max=7 on .*: expected at most {room}"
        ):
            make_plan("quick", None, said, {"size": size})
    else:
        assert make_plan("quick", None, said, {"size": size}).settings.selfplay.opening_plies_max == 7
