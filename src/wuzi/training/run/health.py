"""The lines that describe a run, and the warnings that come long before its results would show."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Row = Mapping[str, Any]
Rows = Sequence[Row]
"""The metrics of a run's iterations, the latest last."""

RECENT = 5
"""Iterations that a rule on a trend looks at."""

STALLED_S = 300.0
"""So long without a game that ended is worth a warning."""

FEW = 10
"""The number of games before the first warning."""


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """Something that is wrong with a run: a code for programs and the same in a line for people.

    The figures are what the text says, for texts in other languages: numbers, a ``color``, an ``option``.
    """

    code: str
    text: str
    figures: Mapping[str, Any] = field(default_factory=dict)


_UNLEARNED = 0.98
"""Of the loss of moves at random: slow recipes that learn are below it after five iterations."""

_UNEXPLAINED = 0.001
"""The share of the results' variance that a constant value explains, beyond rounding."""

_ENOUGH, _WINS = 80, ("black_wins", "white_wins")
"""Games after which a run should have learned something: five iterations of the documents' presets."""

_LARGE_KL = 0.1
"""Nats from the policy that played: five times where the default parameters stop."""

_LARGE_CLIP = 0.4
"""Share of ratios beyond the clip range: what is beyond it has no gradient."""


def selfplay_findings(rows: Rows, size: int) -> list[HealthFinding]:
    """What is wrong with a run of self-play on a board of this size."""
    if not rows:
        return []
    last, recent = rows[-1], rows[-RECENT:]
    found = []
    if (waited := last.get("longest_wait_s", 0.0)) > STALLED_S:
        found.append(stalled(waited))
    if len(recent) == RECENT:
        games = sum(row["games"] for row in recent)
        if games >= 4 * FEW:
            wins = {color: sum(row[f"{color}_wins"] for row in recent) for color in ("black", "white")}
            found += one_sided(games, wins, "selfplay.opening_share")
        found += short_games([row["plies"] for row in rows], size)
        found += no_policy([row for row in recent if "policy_loss" in row], size)
        found += no_value([float(row["explained_after"]) for row in recent if "explained_after" in row])
    if last["games_seen"] >= FEW:
        options = "selfplay.noise_fraction, selfplay.temperature or selfplay.opening_share"
        found += duplicates(last, "games in the window", f"resume with a larger {options}")
    # The net's entropy is measured now and then: an iteration of few batches may have none.
    if last["policy_entropy"] < 0.1 and last.get("entropy", 1.0) < 0.1:
        found.append(collapse(last["entropy"]))
    return found


def ppo_findings(rows: Rows, size: int) -> list[HealthFinding]:
    """What is wrong with a run of PPO on a board of this size."""
    if not rows:
        return []
    last, recent = rows[-1], rows[-RECENT:]
    found = []
    if last["new_rows"] == 0:
        found.append(HealthFinding("no_data", "no new data: no move of this iteration can be learned from"))
    if last.get("entropy", 1.0) < 0.1:
        found.append(collapse(last["entropy"]))
    if len(recent) == RECENT:
        found += [*_of_games(rows, recent, size), *_of_updates(recent)]
        found += no_value([row["value_explained"] for row in recent if row["new_rows"]])
    return found


def _of_games(rows: Rows, recent: Rows, size: int) -> list[HealthFinding]:
    games = sum(row["finished"] for row in recent)
    if games == 0:
        text = (
            f"no new data: no game ended in the last {RECENT} iterations: begin again with larger ppo.steps"
        )
        return [HealthFinding("no_data", text)]
    found = []
    if games >= 4 * FEW:
        black = sum(row["black_wins"] * row["finished"] for row in recent)
        white = sum((1 - row["black_wins"] - row["draws"]) * row["finished"] for row in recent)
        found += one_sided(games, {"black": black, "white": white}, "ppo.random_plies")
    found += short_games([row["plies_mean"] for row in rows if row["finished"]], size)
    against = sum(row.get("opponent_games", 0) for row in recent)
    if against >= 10 * FEW:
        score = sum(row.get("opponent_score", 0.0) * row.get("opponent_games", 0) for row in recent) / against
        if score < 0.4:
            text = (
                f"forgetting: {score:.0%} of the last {against} games against earlier nets: "
                "resume with a smaller ppo.learning_rate or ppo.kl_stop"
            )
            found.append(HealthFinding("regress", text, {"share": score, "games": against}))
    return found


def _of_updates(recent: Rows) -> list[HealthFinding]:
    taught = [row for row in recent if row["rows"]]
    if len(taught) < RECENT:
        return []
    if not any(row["gradient_steps"] for row in taught):
        text = (
            "no learning: the divergence ended every update before its first step: "
            "resume with a larger ppo.kl_stop, or begin again with ppo.replay=0"
        )
        return [HealthFinding("no_steps", text)]
    kls = [row["kl_last"] for row in taught]
    shares = [row.get("clip_fraction", 0.0) for row in taught]
    if min(kls) > _LARGE_KL or min(shares) > _LARGE_CLIP:
        kl, clipped = sum(kls) / len(kls), sum(shares) / len(shares)
        text = (
            f"updates too large: {kl:.2f} nats from the policy that played, {clipped:.0%} of the ratios "
            "clipped: resume with a smaller ppo.learning_rate or ppo.num_epochs"
        )
        return [HealthFinding("large_steps", text, {"kl": kl, "share": clipped})]
    return []


def distill_findings(rows: Rows, size: int) -> list[HealthFinding]:
    """What is wrong with a run of distillation, whatever its board."""
    del size
    if not rows:
        return []
    last = rows[-1]
    found = []
    if last.get("games", 0) >= FEW:
        options = "data.explore, data.opening_plies_max or selfplay.opening_share"
        found += duplicates(last, "games", f"begin again with a larger {options}")
        wins = {color: last[f"{color}_wins"] for color in ("black", "white")}
        option = "data.opening_plies_max" if last["stage"] == "data" else "selfplay.opening_share"
        found += one_sided(last["games"], wins, option)
    if last["stage"] == "student":
        epochs = [row for row in rows if row["stage"] == "student"]
        found += [*_of_epochs(epochs), *_of_values(epochs)]
    return found


def _of_values(epochs: Rows) -> list[HealthFinding]:
    measured = [row for row in epochs if "held_value_explained" in row]
    # Rounds of few games teach the value slowly: what counts is what it knows at the end of each.
    rounds = {row["round"]: row for row in measured}
    recent = list(rounds.values()) if len(rounds) > 1 else measured
    return no_value([row["held_value_explained"] for row in recent[-RECENT:]])


def _of_epochs(rows: Rows) -> list[HealthFinding]:
    last = rows[-1]
    found = []
    entropy = last.get("held_entropy", 1.0)
    if entropy < 0.05:
        text = f"policy collapse: entropy {entropy:.3f} nats on games held out"
        found.append(HealthFinding("collapse", text, {"entropy": entropy}))
    # Each round has other games, so losses are compared within a round.
    same = [row for row in rows if row["round"] == last["round"] and "held_loss" in row]
    if len(same) > 2:
        held, best = last["held_loss"], min(row["held_loss"] for row in same)
        if held > 1.2 * best and last["loss"] <= min(row["loss"] for row in same):
            text = (
                f"overfitting: loss {held:.3f} on games held out, once {best:.3f}: "
                "begin again with more data.games or fewer distill.epochs"
            )
            found.append(HealthFinding("overfitting", text, {"loss": held, "once": best}))
    return found


FINDINGS: dict[str, Callable[[Rows, int], list[HealthFinding]]] = {
    "selfplay": selfplay_findings,
    "ppo": ppo_findings,
    "distill": distill_findings,
}
"""What is wrong with a run, by its method: from its rows and the size of its board."""

_HEADS = {
    ("learn", "policy_weight"): "policy",
    ("learn", "value_weight"): "value",
    ("ppo", "value_coef"): "value",
    ("distill", "value_weight"): "value",
}
"""Which head of the net learns nothing where this parameter is 0."""


def settings_findings(tables: Mapping[str, Mapping[str, object]]) -> list[HealthFinding]:
    """What is wrong with the parameters of a run, given by section: heads that learn nothing."""
    found = []
    for (section, key), head in _HEADS.items():
        is_principled = tables.get(section, {}).get("form") == "principled"
        if tables.get(section, {}).get(key) == 0 and not is_principled:
            option = f"{section}.{key}"
            text = f"{head} head: it learns nothing with {option}=0: resume with a larger {option}"
            found.append(HealthFinding("untrained", text, {"option": option}))
    return found


# ---------------------------------------------------------------------------- rules that methods share


def stalled(seconds: float) -> HealthFinding:
    """No game of self-play ended for so long."""
    text = f"no new data: no game ended for {seconds / 60:.0f} minutes: slow simulations, or a worker hangs"
    return HealthFinding("no_data", text, {"seconds": seconds})


def duplicates(row: Row, games: str, advice: str) -> list[HealthFinding]:
    """Whether many of the games repeat another, and what to do then."""
    share = row["duplicates"]
    text = f"duplicates: {share:.0%} of the {games} repeat another: {advice}"
    return [HealthFinding("duplicates", text, {"share": share})] if share > 0.3 else []


def collapse(entropy: float) -> HealthFinding:
    """A policy of so little entropy, in nats."""
    text = f"policy collapse: entropy {entropy:.3f} nats: the net plays one move whatever happens"
    return HealthFinding("collapse", text, {"entropy": entropy})


def one_sided(games: float, wins: Mapping[str, float], option: str) -> list[HealthFinding]:
    """Whether one colour wins nearly all of the games; ``option`` is the parameter that would change it."""
    for color, won in wins.items():
        share = won / games
        if share > 0.95:
            how = f"{'begin again' if option.startswith('data.') else 'resume'} with a larger {option}"
            text = f"one-sided: {color} won {share:.0%} of the last {games:.0f} games: {how}"
            said = {"color": color, "share": share, "games": games, "option": option}
            return [HealthFinding("one_sided", text, said)]
    return []


def short_games(plies: Sequence[float], size: int) -> list[HealthFinding]:
    """Whether games get ever shorter, from the mean plies of at least ``RECENT`` iterations."""
    usual, recent = max(plies), plies[-RECENT:]
    now = sum(recent) / len(recent)
    falls = all(b <= a for a, b in pairwise(recent))
    if now < 12 * size / 9 and now < usual / 2 and falls:
        text = f"games get ever shorter: {now:.1f} plies, once {usual:.1f}: both sides may attack only"
        return [HealthFinding("short_games", text, {"plies": now, "once": usual})]
    return []


def no_policy(taught: Rows, size: int) -> list[HealthFinding]:
    """Whether the policy is still that of moves at random; a rate by divergence only rises then."""
    if len(taught) < RECENT or min(row["policy_loss"] for row in taught) < unlearned_loss(size):
        return []
    loss, rate = taught[-1]["policy_loss"], taught[-1].get("lr", 0.0)
    text = (
        f"policy head: its loss {loss:.2f} is still that of random moves, at a learning rate of {rate:.1e}: "
        "resume with a smaller learn.lr, or with learn.schedule=constant"
    )
    return [HealthFinding("no_policy", text, {"loss": loss, "rate": rate})]


def unlearned_loss(size: int) -> float:
    """The policy loss from which on moves are still those at random, on a board of this size."""
    return _UNLEARNED * 2 * math.log(size)


def nothing_learned(rows: Rows, size: int) -> HealthFinding | None:
    """What a run of self-play has not learned, asked at the one moment when it should have: in the iteration
    that brings it to five that learned something and 80 games.

    A value that explains nothing counts where a quarter of the games was won: equal results hold nothing.
    """
    if not _has_begun(rows) or _has_begun(rows[:-1]):
        return None
    recent = [row for row in rows if "policy_loss" in row][-RECENT:]
    won, games = (sum(int(row[name]) for row in recent for name in names) for names in (_WINS, ("games",)))
    explained = [float(row["explained_after"]) for row in recent if "explained_after" in row]
    found = no_policy(recent, size) + (no_value(explained) if 4 * won >= games else [])
    return found[0] if found else None


def _has_begun(rows: Rows) -> bool:
    return sum("policy_loss" in row for row in rows) >= RECENT and rows[-1]["total_games"] >= _ENOUGH


def no_value(explained: Sequence[float]) -> list[HealthFinding]:
    """Whether the value explained none of the results' variance whenever it was measured."""
    if len(explained) < RECENT or max(explained) > _UNEXPLAINED:
        return []
    mean = sum(explained) / len(explained)
    text = f"value head: it explains {mean:.0%} of the results, no more than their mean does"
    return [HealthFinding("no_value", text, {"explained": mean})]


# ---------------------------------------------------------------------------- rows in a line


def selfplay_line(row: Row) -> str:
    """An iteration of self-play in one line, for people."""
    return (
        f"{row['iteration']:>4}  games {row['total_games']:,}  plies {row['plies']:.1f}  "
        f"B/W/D {row['black_wins']}/{row['white_wins']}/{row['draws']}  loss {row.get('loss', 0.0):.3f} "
        f"(policy {row.get('policy_loss', 0.0):.3f}, value {row.get('value_loss', 0.0):.3f})  "
        f"lr {row.get('lr', 0.0):.1e}  {row['evaluations_per_s']:,.0f} evals/s  {row['seconds']:.0f} s"
        f"{_against_mcts(row)}"
    )


def ppo_line(row: Row) -> str:
    """An iteration of PPO in one line, for people."""
    text = f"{row['iteration']:>4}  moves {row['moves']:,.0f}  games {row['games']:,.0f}"
    if row.get("finished"):
        text += f"  plies {row['plies_mean']:.1f}"
    text += _figures(row, ("policy_loss", "value_loss", "entropy", "kl"), ".3f")
    text += _figures(row, ("opponent_score", "best_score", "start_score"), ".0%")
    return f"{text}  {row['moves_per_s']:,.0f} moves/s  {row['seconds']:.0f} s"


def distill_line(row: Row) -> str:
    """A stage of distillation in one line, for people."""
    text = f"{row['iteration']:>4}  {row['stage']:<8}"
    if row["round"]:
        text += f"  round {row['round']}"
    if "games" in row:
        text += f"  games {row['games']:,}  plies {row['plies']:.1f}"
        text += f"  B/W/D {row['black_wins']}/{row['white_wins']}/{row['draws']}"
    losses = ("loss", "pattern_loss", "hard_loss", "soft_loss", "taught_value_loss", "value_loss")
    text += _figures(row, (*losses, "held_loss", "held_top1", "held_result_error"), ".3f")
    return f"{text}{_against_mcts(row)}  {row['stage_s']:.0f} s"


def _figures(row: Row, names: Sequence[str], form: str) -> str:
    return "".join(f"  {name.replace('_', ' ')} {row[name]:{form}}" for name in names if name in row)


def _against_mcts(row: Row) -> str:
    text = f"  vs MCTS {row['mcts_playouts']}: {row['mcts_win_rate']:.0%}" if "mcts_win_rate" in row else ""
    return text + _figures(row, ("table_score",), ".0%") + _figures(row, ("anchor_elo",), "+.0f")
