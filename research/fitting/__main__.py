"""Train the engine's codebook net on its own games.

    python -m research.fitting play --rule freestyle --size 15 --games 20000 --nodes 900 games-0.npz
    python -m research.fitting fit --rule freestyle games-0.npz games-1.npz
    python -m research.fitting pack --rule freestyle FOLDER games.npz
    python -m research.fitting fit --rule freestyle --size 9 --begin-with freestyle --out NEW FOLDER
    python -m research.fitting all --rule freestyle --size 15 --games 20000 --nodes 900 DIR
    python -m research.fitting compare --rule freestyle --size 15 --pairs 100 --nodes 5000 NET shipped

``play`` writes self-play games with the shipped net (``--net FILE`` for another, ``--net random`` for one
that knows nothing), ``fit`` makes a net from such games, from folders of ``wuzi selfplay --net codebook``, or
from both; the visits of those searches are a soft target of the policy. ``all`` alternates the two from a
random net for ``--generations``. Games begin with random stones near the centre that a short search thinks
even, and end when the search has proved a win. Positions at which the search would ask for a static value are
learned with logistic loss from a mixture of the game's result and the search's own score, the policy with
softmax loss from the moves that the search chose, or their shares. One game in ten is held out; its losses
are printed and stored with the net. ``compare`` lets two nets play each other in the same search, from
openings of the shipped book with both colours: a smaller loss is not always a stronger player.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from research.fitting.games import compare, play_games
from research.fitting.packed import pack
from research.fitting.positions import load
from research.fitting.training import Options, Trainer, adopt, orbits, start
from wuzi.arena import default_openings, load_shipped
from wuzi.arena.openings import random_symmetry
from wuzi.arena.rating import elo_difference
from wuzi.base.atomic import write_atomic
from wuzi.core import Rules, parse_rule
from wuzi.errors import WuziError
from wuzi.evaluation.codebook import CodebookNet, dump_net, file_name, parse_net, quantised, shipped_net

PART = 1000
"""Games a file of ``all``."""

OUT = Path(__file__).resolve().parents[2] / "src" / "wuzi" / "data" / "evaluation"


def net_of(name: str, rules: Rules) -> CodebookNet | None:
    """A random net, which knows nothing, a file's, or None for the shipped one."""
    if name == "random":
        return quantised(start(rules, np.random.default_rng(0)), orbits(), {})
    if name == "shipped":
        return None
    return parse_net(Path(name).read_bytes(), name, rules.rule, rules.win_length)


def fit(rules: Rules, games: list[Path], options: argparse.Namespace) -> CodebookNet:
    """A net from files of games."""
    training = Options(**{name: getattr(options, name) for name in Options.__dataclass_fields__})
    positions = load(rules, games)
    trainer = Trainer(rules, positions, training)
    recipe: dict[str, object] = {}
    if options.begin_with:
        other, began_with = begun_with(options.begin_with, rules)
        adopt(trainer.weights, rules, began_with, other)
        recipe["began_with"] = began_with.recipe
    losses = trainer.train()
    command = f"research/fitting fit --rule {rules.rule.label} --size {rules.size}"
    command += f" --win-length {rules.win_length}"
    for name in Options.__dataclass_fields__:
        command += f" --{name.replace('_', '-')} {getattr(options, name):g}"
    if options.begin_with:
        command += f" --begin-with {options.begin_with}"
    games_learned = len(set(positions.game.tolist()))
    return trainer.net({"command": command, "games": games_learned, **losses, **recipe})


def begun_with(name: str, rules: Rules) -> tuple[Rules, CodebookNet]:
    """The net of a file for these rules, or the shipped one of a rule; and the rules that it is for."""
    if Path(name).is_file():
        return rules, parse_net(Path(name).read_bytes(), name, rules.rule, rules.win_length)
    other = Rules(15, rules.win_length, parse_rule(name))
    return other, shipped_net(other.rule, other.win_length)


def write(net: CodebookNet, path: Path) -> None:
    """Store the net and say what it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, dump_net(net))
    print(f"{path}: {net.recipe}", flush=True)


def run_all(rules: Rules, options: argparse.Namespace) -> None:
    """Play and fit in turn, from a random net; a stopped run resumes with the next thousand games."""
    net = net_of("random", rules)
    games: list[Path] = []
    for generation in range(options.generations):
        known = options.folder / f"net-{generation}.npz"
        played = []
        for part in range(-(-options.games // PART)):
            played.append(options.folder / f"games-{generation}-{part:03}.npz")
            if not played[-1].exists():
                seed = (options.seed * 1000 + generation) * 1000 + part
                number = min(PART, options.games - part * PART)
                play_games(rules, net, played[-1], number, options.nodes, seed)
        # Games of nets that knew nothing teach little once there are better ones.
        games = played if generation < 2 else [*games, *played]
        if known.exists():
            net = net_of(str(known), rules)
            continue
        net = fit(rules, games, options)
        write(net, known)
    assert net is not None
    write(net, options.out / file_name(rules.rule, rules.win_length))


def match(rules: Rules, options: argparse.Namespace) -> None:
    """Games between two nets, from openings of the book in a random order; every 20th result is printed."""
    rng = np.random.default_rng(options.seed)
    book = load_shipped(default_openings(rules), rules)
    chosen = [book[i] for _ in range(-(-options.pairs // len(book))) for i in rng.permutation(len(book))]
    turned = [random_symmetry(opening, rules.size, rng) for opening in chosen[: options.pairs]]
    begin, nets = time.perf_counter(), [net_of(name, rules) for name in options.nets]
    for number, now in enumerate(compare(rules, nets, turned, options.nodes), 1):
        if number % 20 == 0 or number == len(turned):
            score = f"{now.wins} won, {now.draws} drawn, {now.losses} lost, Elo {elo_difference(now)}"
            print(f"{number} pairs, {time.perf_counter() - begin:.0f} s: {score}", flush=True)


def main() -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    play, fitting, both, comparing, packing = (
        commands.add_parser(name) for name in ("play", "fit", "all", "compare", "pack")
    )
    for command in (play, fitting, both, comparing, packing):
        command.add_argument("--rule", default="freestyle")
        command.add_argument("--size", type=int, default=15)
        command.add_argument("--win-length", type=int, default=5)
        command.add_argument("--seed", type=int, default=1)
    for command in (play, both):
        command.add_argument("--games", type=int, default=20_000)
        command.add_argument("--nodes", type=int, default=900)
    for command in (fitting, both):
        command.add_argument("--epochs", type=int, default=4)
        command.add_argument("--rate", type=float, default=2e-3)
        command.add_argument("--trust", type=float, default=0.5, help="weight of the search's score")
        command.add_argument("--policy-weight", type=float, default=0.1, help="of the policy's loss")
        command.add_argument(
            "--begin-with", metavar="NET", help="start from a file, or from the shipped net of this rule"
        )
        command.add_argument("--out", type=Path, default=OUT)
    play.add_argument("--net", default="shipped", help="a file, random, or shipped")
    play.add_argument("file", type=Path)
    fitting.add_argument("files", type=Path, nargs="+")
    both.add_argument("--generations", type=int, default=4)
    both.add_argument("folder", type=Path)
    packing.add_argument("folders", type=Path, nargs="+", help="of wuzi selfplay")
    packing.add_argument("file", type=Path)
    comparing.add_argument("--pairs", type=int, default=100, help="openings, each played with both colours")
    comparing.add_argument("--nodes", type=int, default=5000)
    comparing.add_argument("nets", nargs=2, metavar="NET", help="a file, random, or shipped")
    options = parser.parse_args()
    rules = Rules(options.size, options.win_length, parse_rule(options.rule))
    if options.command == "play":
        net = net_of(options.net, rules)
        play_games(rules, net, options.file, options.games, options.nodes, options.seed)
    elif options.command == "fit":
        write(fit(rules, options.files, options), options.out / file_name(rules.rule, rules.win_length))
    elif options.command == "pack":
        print(f"{options.file}: {pack(rules, options.folders, options.file)} games")
    elif options.command == "compare":
        match(rules, options)
    else:
        run_all(rules, options)


if __name__ == "__main__":
    try:
        main()
    except (WuziError, OSError, ValueError) as error:
        sys.exit(f"fit_evaluation: {error}")
