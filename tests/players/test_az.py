"""Players with a net: search, no search, presets, noise and temperature, limits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.fakes import HashedEvaluator
from wuzi.contract import Limit, SearchInfo, Stop
from wuzi.core import Color, Game, Rules, parse_moves
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.nets.evaluator import Floats, FunctionEvaluator
from wuzi.nets.loading import NAMED
from wuzi.players import create_player, player_info
from wuzi.search.tree.options import (
    SearchAlgorithm,
    Tactics,
    Temperature,
    TreeOptions,
    Unvisited,
    mix_move_noise,
)
from wuzi.search.tree.puct import TreeSearch
from wuzi.testing.player_contract import check_player

pytestmark = pytest.mark.kernels

NINE = Rules(size=9)


def game(moves: str, rules: Rules = NINE) -> Game:
    return Game.from_moves(rules, parse_moves(moves, rules.size))


@pytest.fixture(autouse=True)
def nets() -> Iterator[None]:
    before = dict(NAMED)
    NAMED["hashed"] = HashedEvaluator
    NAMED["nine"] = lambda: FunctionEvaluator(HashedEvaluator().evaluate, "az4-v1", 9)
    NAMED["tactical"] = lambda: HashedEvaluator(planes="tactical18-v1")
    yield
    NAMED.clear()
    NAMED.update(before)


@pytest.mark.parametrize(
    "spec",
    [
        "az:net=hashed,simulations=20",
        "az:net=hashed,preset=s1,simulations=20",
        "az:net=hashed,preset=s4",
        "az:net=hashed,preset=gumbel,reuse=false,batch=4",
        "az:net=nine,preset=vcf,simulations=10,reuse=false",
        "policy:net=hashed",
        "policy:net=tactical,temperature=1",
        "az:net=nine,symmetric=true,simulations=10",
    ],
)
def test_players_keep_the_contract(spec: str) -> None:
    check_player(lambda: create_player(spec))


def test_the_policy_player_plays_the_likeliest_legal_move() -> None:
    def evaluate(features: Floats) -> tuple[Floats, Floats]:
        logits = np.linspace(1, 0, 81, dtype=np.float32)[None].repeat(len(features), 0)
        return logits, np.full(len(features), 0.4, np.float32)

    calls: list[int] = []
    NAMED["first"] = lambda: FunctionEvaluator(lambda x: (calls.append(len(x)), evaluate(x))[1], "az4-v1")
    with create_player("policy:net=first") as player:
        result = player.think(game("a9b9c9"), multipv=3)
    assert result.move == 3 and calls == [1]
    line = result.info.lines[0]
    assert line.value == pytest.approx(0.4) and line.winrate == pytest.approx(0.3)  # White is to move
    assert [item.move for item in result.info.lines] == [3, 4, 5]
    assert line.prior is not None and line.prior > (result.info.lines[1].prior or 1)
    moves = {
        create_player(f"policy:net=first,temperature=1,seed={s}").think(game("a9")).move for s in range(20)
    }
    assert len(moves) > 5


def test_answers_are_averaged_over_the_symmetries_when_asked() -> None:
    with create_player("policy:net=hashed,symmetric=true") as player:
        answers = [player.think(one).info.lines[0] for one in (game("g9a9"), game("c9i9"))]
    assert answers[0].value == pytest.approx(answers[1].value, abs=1e-5)
    with create_player("policy:net=hashed") as player:
        plain = [player.think(one).info.lines[0].value for one in (game("g9a9"), game("c9i9"))]
    assert plain[0] != plain[1]


def test_policy_avoids_blacks_forbidden_points() -> None:
    renju = game("h8a1h9a3g10a5f10a7", Rules(size=15, rule="renju"))
    foul = int(np.flatnonzero(renju.position.forbidden_mask())[0])

    def evaluate(features: Floats) -> tuple[Floats, Floats]:
        logits = np.zeros((len(features), 225), np.float32)
        logits[:, foul] = 9
        return logits, np.zeros(len(features), np.float32)

    NAMED["foul"] = lambda: FunctionEvaluator(evaluate, "az4-v1", 15)
    assert create_player("policy:net=foul").think(renju).move != foul


def test_answers_name_visits_priors_and_lines() -> None:
    with create_player("az:net=hashed,simulations=200") as player:
        result = player.think(game("e5e6d5"), multipv=81)
    info = result.info
    assert info.simulations == 200 and sum(line.visits for line in info.lines) == 200
    assert sum(line.prior or 0 for line in info.lines) == pytest.approx(1, abs=1e-5)
    assert info.lines[0].visits == max(line.visits for line in info.lines)
    assert [line.visits for line in info.lines[1:]] == sorted(
        (x.visits for x in info.lines[1:]), reverse=True
    )
    assert len(info.lines[0].pv) >= 2
    legal = game("e5e6d5")
    for move in info.lines[0].pv:
        legal = legal.play(move)
    assert "value" in info.extra


def test_proofs_are_told_in_plies() -> None:
    with create_player("az:net=hashed") as player:
        assert player.think(game("c5a1d5a2e5a4f5a6")).info.lines[0].win_in == 1
        line = player.think(game("c5a1d5a2e5a4f5")).info.lines[0]
        assert line.win_in == -2 and line.value == -1 and line.winrate == 1
        assert player.think(game("c5a1d5a2e5a4")).info.lines[0].win_in == 3


def test_noise_and_temperature_change_what_is_played() -> None:
    start = game("e5e6d5")

    def moves(spec: str) -> set[int]:
        return {int(create_player(f"az:net=hashed,{spec},seed={s}").think(start).move) for s in range(10)}

    quiet = "preset=s1,simulations=60"
    assert len(moves(quiet)) == 1
    assert len(moves(f"{quiet},temperature=1")) > 3
    assert len(moves(f"{quiet},noise_fraction=0.9,noise_alpha=0.03")) > 3
    assert len(moves("preset=s3-selfplay,simulations=60")) > 3
    assert len(moves("preset=gumbel,gumbel_scale=1,simulations=16")) > 3
    assert len(moves("preset=s4,temperature=1")) > 3


def test_temperature_schedule() -> None:
    assert [Temperature(1.0, 0.2, 8).at(ply) for ply in (0, 4, 8, 30)] == [1.0, 0.6, 0.0, 0.0]
    assert Temperature(0.1).at(200) == 0.1


def test_noise_in_the_played_distribution() -> None:
    rng = np.random.default_rng(3)
    legal = np.array([True, True, False, True])
    mixed = np.mean(
        [mix_move_noise(np.array([1.0, 0, 0, 0]), legal, rng, 0.3, 0.25) for _ in range(4000)], axis=0
    )
    assert mixed == pytest.approx([0.75 + 0.25 / 3, 0.25 / 3, 0, 0.25 / 3], abs=0.01)


def test_presets_are_the_documents_parameters() -> None:
    def config(preset: str) -> object:
        return create_player(f"az:preset={preset}").config  # type: ignore[attr-defined]

    for name, simulations in (("s0", 400), ("s0-enhanced", 800), ("s1", 400), ("s3", 400)):
        one = config(name)
        assert (one.c_puct, one.simulations, one.unvisited) == (5.0, simulations, Unvisited.ZERO)  # type: ignore[attr-defined]
    four = config("s4")
    assert (four.c_puct, four.simulations, four.noise_fraction, four.temperature, four.unvisited) == (  # type: ignore[attr-defined]
        *(0.8, 30, 0.01, 0.1),
        Unvisited.SIBLINGS,
    )
    assert config("s3-selfplay").played_noise == 0.25  # type: ignore[attr-defined]


def test_a_net_is_named_or_it_is_an_error() -> None:
    with pytest.raises(ConfigError, match="az needs a net"):
        create_player("az").think(Game(Rules(size=5)))
    with pytest.raises(ConfigError, match="no net 'nothing'"):
        create_player("policy:net=nothing").think(game("e5"))
    for path in ("../x", "/etc/passwd", "nets/a.onnx", "a.onnx", ""):
        with pytest.raises(ConfigError, match="a path as net= is accepted on the command line only"):
            create_player(f"az:net={path}")
        create_player(f"az:net={path}", allow_command=True)
    assert "net" in {item["name"] for item in player_info("az").describe()["options"]}


def test_a_net_file_plays() -> None:
    """A trained 8x8 net of the AlphaZero_Gomoku family beats random moves, with and without search."""
    net = Path(__file__).parents[1] / "nets" / "legacy" / "best_policy_8_8_5.model"
    rules = Rules(size=8)
    for spec in (
        f"policy:net={net}",
        f"az:net={net},simulations=20,backend=numpy",
        f"az:net={net},preset=gumbel",
    ):
        with create_player(spec, allow_command=True) as player, create_player("random:seed=1") as other:
            current = Game(rules)
            while current.outcome is None:
                mover = player if current.to_move is Color.BLACK else other
                current = current.play(mover.think(current).move)
        assert current.outcome.winner is Color.BLACK


def test_files_are_taken_from_a_folder_that_was_opened_and_from_no_other(tmp_path: Path) -> None:
    inside, outside = tmp_path / "runs", tmp_path / "other"
    with create_player(f"az:net={inside}/a/nets/n.safetensors", files_below=inside) as player:
        assert player.name
    for path in (f"{outside}/n.safetensors", f"{inside}/../other/n.safetensors", "../n.safetensors"):
        with pytest.raises(ConfigError, match="command line only"):
            create_player(f"az:net={path}", files_below=inside)
    with pytest.raises(ConfigError, match="command line only"):
        create_player("external:cmd=true", files_below=inside)


def test_capabilities_follow_net_and_tactics() -> None:
    nine = create_player("az:net=nine").capabilities
    assert (nine.min_size, nine.max_size, nine.deterministic) == (9, 9, False)
    assert create_player("az:net=hashed,reuse=false").capabilities.deterministic
    with pytest.raises(UnsupportedError, match="15x15"):
        create_player("policy:net=nine").think(game("h8", Rules(size=15)))
    with pytest.raises(UnsupportedError, match="3 in a row"):
        create_player("az:net=hashed").think(Game(Rules(size=3, win_length=3)))
    create_player("az:net=hashed,tactics=none").think(Game(Rules(size=3, win_length=3)))
    with pytest.raises(UnsupportedError, match="caro"):
        create_player("az:net=hashed,tactics=vcf").think(Game(Rules(size=9, rule="caro")))


# ---------------------------------------------------------------------------- the search behind it


@pytest.mark.parametrize("form", list(SearchAlgorithm))
def test_limits_and_stop(form: SearchAlgorithm) -> None:
    search = TreeSearch(NINE, HashedEvaluator(), TreeOptions(form=form))
    start = game("e5e6")
    assert search.run(start, Limit(simulations=37), simulations=1000).simulations == 37
    assert search.run(start, Limit(nodes=12), simulations=1000).simulations == 12
    begin = time.monotonic()
    info = search.run(start, Limit(time_s=0.2), simulations=16)
    assert info.simulations > 16 and time.monotonic() - begin < 3
    stop = Stop()
    stop.set()
    assert search.run(start, simulations=10**6, stop=stop).lines[0].move in start.position.legal_moves
    seen: list[SearchInfo] = []
    last = search.run(start, Limit(time_s=0.35), simulations=64, on_info=seen.append)
    assert len(seen) >= 2 and seen[-1] == last
    assert [item.simulations for item in seen] == sorted(item.simulations for item in seen)


def test_no_answer_is_late_where_loading_and_every_step_take_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, own = [100.0], HashedEvaluator()
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])

    def evaluate(planes: Floats) -> tuple[Floats, Floats]:
        clock[0] += 0.01
        return own.evaluate(planes)

    def load() -> FunctionEvaluator:
        clock[0] += 0.4
        return FunctionEvaluator(evaluate, "az4-v1", 9)

    monkeypatch.setitem(NAMED, "slow", load)
    player = create_player("az:net=slow,tactics=none,batch=1")
    for moves in ("e5e6", "e5e6d5"):
        began = clock[0]
        player.think(game(moves), Limit(time_s=0.9995))
        assert 0.97 < clock[0] - began <= 0.9995


def test_a_long_search_grows_its_tree() -> None:
    search = TreeSearch(
        Rules(size=6, win_length=4), HashedEvaluator(), TreeOptions(tactics=Tactics.NONE, batch=32)
    )
    info = search.run(Game(Rules(size=6, win_length=4)), simulations=9000)
    assert info.simulations == 9000
    assert info.nodes > 6000


def test_the_tree_is_kept_along_the_game_and_only_there() -> None:
    search = TreeSearch(NINE, HashedEvaluator(), TreeOptions(tactics=Tactics.NONE))
    first = game("e5e6")
    info = search.run(first, simulations=300)
    expected, reply = info.lines[0].pv[:2]
    after = first.play(expected).play(reply)
    kept = search.run(after, simulations=100)
    assert kept.nodes > 101
    assert sum(search.root.visits) > 100
    elsewhere = search.run(game("a1b2"), simulations=100)
    assert elsewhere.nodes == 101
    fresh = TreeSearch(NINE, HashedEvaluator(), TreeOptions(tactics=Tactics.NONE), reuse=False)
    fresh.run(first, simulations=300)
    assert fresh.run(after, simulations=100).nodes == 101
