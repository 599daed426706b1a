"""Fit the engine's values and policy to its own games.

    python scripts/fit_evaluation.py play --rule freestyle --size 15 --games 20000 --nodes 3000 games-0.npz
    python scripts/fit_evaluation.py fit --rule freestyle games-0.npz games-1.npz
    python scripts/fit_evaluation.py all --rule freestyle --size 15 --games 20000 --nodes 3000 DIR

``play`` writes self-play games with the shipped values (``--values FILE`` for others, ``--values zero``
for none at all), ``fit`` makes a file of values from games, ``all`` alternates the two from zero values
for ``--generations``. Games begin with random stones near the centre that a short search thinks even,
and end when the search has proved a win. Positions at which the search would ask for a static value are
fitted by ridge logistic regression to a mixture of the game's result and the search's own score; the
policy is a softmax over the candidates, fitted to the moves the search chose. One game in ten is held
out; its losses are printed and stored with the values. Needs scipy (``pip install -e .[dev]``).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fitting.games import play_games
from fitting.policy import fit_policy
from fitting.values import fit_values

from wuzi.core import Rules, parse_rule
from wuzi.errors import WuziError
from wuzi.evaluators.fitted import (
    FittedValues,
    dump_values,
    file_name,
    fitted_values,
    parse_values,
    zero_values,
)
from wuzi.records.atomic import write_atomic

OUT = Path(__file__).resolve().parents[1] / "src" / "wuzi" / "data" / "evaluation"


def values_of(name: str | None, rules: Rules) -> FittedValues:
    """Shipped values, zero ones, or a file's."""
    if name is None:
        return fitted_values(rules)
    if name == "zero":
        return zero_values(rules.rule, rules.win_length)
    return parse_values(Path(name).read_bytes(), name, rules.rule, rules.win_length)


def fit(rules: Rules, games: list[Path], options: argparse.Namespace) -> FittedValues:
    """Values and policy from files of games."""
    values = fit_values(rules, games, ridge=options.ridge, trust=options.trust)
    policy = fit_policy(rules, games, share=options.policy_share)
    recipe = {
        "command": f"scripts/fit_evaluation.py fit --rule {rules.rule.label} --win-length {rules.win_length} "
        f"--ridge {options.ridge:g} --trust {options.trust:g} --policy-share {options.policy_share:g}",
        "games": [path.name for path in games],
        **values.recipe,
        **policy.recipe,
    }
    windows = values.windows.copy()
    windows[:, 2:] = policy.windows[:, 2:]
    return FittedValues(
        pairs=values.pairs,
        windows=windows,
        threats=values.threats,
        tempo=values.tempo,
        policy=policy.policy,
        places=policy.places,
        recipe=recipe,
    )


def write(values: FittedValues, path: Path) -> None:
    """Store the values and say what they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, dump_values(values))
    print(f"{path}: {values.recipe}", flush=True)


def run_all(rules: Rules, options: argparse.Namespace) -> None:
    """Play and fit in turn, from zero values; finished games of a stopped run are kept."""
    values = zero_values(rules.rule, rules.win_length)
    games: list[Path] = []
    for generation in range(options.generations):
        path = options.folder / f"games-{generation}.npz"
        if not path.exists():
            play_games(rules, values, path, options.games, options.nodes, options.seed * 1000 + generation)
        # Games of values that knew nothing teach little once there are better ones.
        games = [path] if generation < 2 else [*games, path]
        values = fit(rules, games, options)
        write(values, options.folder / f"values-{generation}.npz")
    write(values, options.out / file_name(rules.rule, rules.win_length))


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    play, fitting, both = (commands.add_parser(name) for name in ("play", "fit", "all"))
    for command in (play, fitting, both):
        command.add_argument("--rule", default="freestyle")
        command.add_argument("--size", type=int, default=15)
        command.add_argument("--win-length", type=int, default=5)
    for command in (play, both):
        command.add_argument("--games", type=int, default=20_000)
        command.add_argument("--nodes", type=int, default=3000)
        command.add_argument("--seed", type=int, default=1)
    for command in (fitting, both):
        command.add_argument("--ridge", type=float, default=20.0)
        command.add_argument("--trust", type=float, default=0.5, help="weight of the search's score")
        command.add_argument("--policy-share", type=float, default=0.12, help="part of the positions used")
        command.add_argument("--out", type=Path, default=OUT)
    play.add_argument("--values")
    play.add_argument("file", type=Path)
    fitting.add_argument("files", type=Path, nargs="+")
    both.add_argument("--generations", type=int, default=4)
    both.add_argument("folder", type=Path)
    return parser.parse_args()


def main() -> None:
    """Run one command."""
    options = parse()
    rules = Rules(options.size, options.win_length, parse_rule(options.rule))
    if options.command == "play":
        values = values_of(options.values, rules)
        play_games(rules, values, options.file, options.games, options.nodes, options.seed)
    elif options.command == "fit":
        write(fit(rules, options.files, options), options.out / file_name(rules.rule, rules.win_length))
    else:
        run_all(rules, options)


if __name__ == "__main__":
    try:
        main()
    except WuziError as error:
        sys.exit(f"fit_evaluation: {error}")
