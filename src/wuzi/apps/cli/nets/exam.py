"""``wuzi models test``: games of a net against known players, and tactics without search."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

import wuzi
from wuzi.apps.cli.options import Json, Natural, NetOption, attributes, output, print_json
from wuzi.apps.cli.progress import warm_up

ANCHORS = ("mcts:simulations=1000", "weight")


def test(
    net: NetOption,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against", help=f"Spec string of an opponent; default: {' and '.join(ANCHORS)}. Repeatable."
        ),
    ] = None,
    games: Annotated[int, typer.Option("--games", "-n", min=2)] = 20,
    simulations: Natural = 100,
    size: int | None = None,
    concurrency: Annotated[int | None, typer.Option("--concurrency", "-j", min=1)] = None,
    solver_games: Natural = 0,
    seed: int = 1,
    as_json: Json = False,
) -> None:
    """Test a net: games against known players on paired openings, and tactics without search.

    For example: wuzi models test --net 9x9 --games 100 --against weight

    On a small board, for example: wuzi models test --net six --solver-games 50 --simulations 64

    Options:
        games: Number of games against each opponent, played in pairs.
        simulations: Number of simulations per move of the net; 0 plays by its policy alone.
        size: Board size; default: the size the net was made for.
        concurrency: Number of games at once; default: one per processor.
        solver_games: Instead, play this number of games as first player against perfect defence (small
            boards).
        seed: Random seed of the openings and the players.
    """
    from wuzi.apps.cli.nets.nets import read_any_net
    from wuzi.core.lines import WIN_LENGTHS
    from wuzi.training.evaluation.policy_quiz import run_quiz

    found = read_any_net(net)
    rules = found.card.rules
    board = size or rules.size
    length = min(rules.win_length, board)
    warm_up()
    spec = f"policy:net={net}" if simulations == 0 else f"az:net={net},simulations={simulations}"
    report: dict[str, Any] = {"net": found.card.name, "size": board, "player": spec, "matches": []}
    board_rules = replace(rules, size=board, win_length=length)
    if solver_games:
        _against_solver(spec, board_rules, solver_games, seed, as_json)
        return
    for opponent in against or ANCHORS:
        line = _match(spec, opponent, board_rules, games, seed, concurrency)
        report["matches"].append(line)
        if not as_json:
            result = "{wins} won, {draws} drawn, {losses} lost, {score:.1%}".format_map(line)
            interval = f"95% interval {line['low']:.1%} to {line['high']:.1%}"
            print(f"against {opponent}: {result} ({interval}, n = {games})")
    if length in WIN_LENGTHS:
        seen = run_quiz(wuzi.nets.open_net(found), board_rules)
        report["tactics"] = {kind: {"positions": a.positions, "right": a.right} for kind, a in seen.items()}
        if not as_json:
            parts = (f"{kind.replace('_', ' ')} {a.right}/{a.positions}" for kind, a in seen.items())
            print("policy without search: " + ", ".join(parts))
    if as_json:
        print_json(report)


def _against_solver(spec: str, rules: wuzi.Rules, games: int, seed: int, as_json: bool) -> None:
    """The games of the first player against the defence that resists longest."""
    from wuzi.training.evaluation.solver_games import games_against_solver

    with wuzi.players.create_player(spec, allow_command=True) as player:
        played = list(games_against_solver(player, rules, games, seed))
    wins, losses, draws = ([game.score for game in played].count(score) for score in (1.0, 0.0, 0.5))
    different = len({game.moves for game in played})
    moves = [wuzi.core.format_moves(game.moves, rules.size) for game in played]
    not_won = sorted({line for line, game in zip(moves, played, strict=True) if game.score < 1})
    report: dict[str, Any] = {"player": spec, "against": "solver", "size": rules.size, "games": games}
    report |= {"wins": wins, "losses": losses, "draws": draws, "different": different, "not_won": not_won}
    report["moves"] = moves
    text = f"{wins} won, {draws} drawn, {losses} lost (n = {games}, {different} different games)"
    lines = [f"not won: {line}" for line in not_won]
    output(as_json, report, [f"moving first against perfect defence: {text}", *lines])


def _match(
    spec: str, opponent: str, rules: wuzi.Rules, games: int, seed: int, concurrency: int | None
) -> dict[str, Any]:
    from wuzi.arena.match import two_entries
    from wuzi.arena.rating import score_interval

    entries = two_entries(f"net={spec}", opponent)
    config = wuzi.arena.TournamentConfig(
        entries=entries, rules=rules, games=games, openings=wuzi.arena.default_openings(rules), seed=seed
    )
    # The command line is this machine's own: a net may be named by its path.
    played = wuzi.arena.run_tournament(config, concurrency=concurrency, allow_command=True)
    counted = wuzi.arena.tally(played.records, entries[0].label, entries[1].label)
    score = score_interval(counted)
    return {
        "against": opponent,
        **attributes(counted, "wins", "losses", "draws", "score"),
        **attributes(score, "low", "high"),
    }
