"""Which net is the best: games against pure MCTS or the best net so far, and the documents' rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from wuzi.arena.openings import is_quiet, random_stones
from wuzi.arena.rating import Estimate, elo, wilson
from wuzi.arena.rating import rate as rate_players
from wuzi.arena.results import GameResult
from wuzi.arena.sprt import SprtConfig, SprtState, pair_counts, sprt
from wuzi.core import Move, Rules
from wuzi.core.lines import WIN_LENGTHS
from wuzi.nets.evaluator import Evaluator
from wuzi.nets.file import load_net
from wuzi.search.tree.options import TreeOptions
from wuzi.training.evaluation.players import (
    EngineMatchPlayer,
    EvaluationGames,
    MatchPlayer,
    MctsMatchPlayer,
    NetMatchPlayer,
    Record,
)
from wuzi.training.evaluation.table_games import GAMES, first_score, play_table
from wuzi.training.methods.selfplay.workers import open_evaluator
from wuzi.training.run.config import EvaluateSection, Gate, PromoteSection, SelfPlayBackend, TrainSettings
from wuzi.training.run.context import RunContext
from wuzi.training.run.directory import BEST, CURRENT, EVALUATIONS, METRICS

_ANCHOR_STONES = 4


@dataclass(frozen=True, slots=True)
class GateState:
    """What the gates remember from one evaluation to the next."""

    playouts: int  # of pure MCTS in the next evaluation
    best_win_rate: float = 0.0  # the best result against that many; 0 after it became more
    best_iteration: int = 0
    elo: float = 0.0  # of the best net: the sum of what each promotion gained


@dataclass(frozen=True, slots=True)
class Decision:
    """The end of an evaluation: what is remembered, whether the net is the best one, figures, and a text."""

    standing: GateState
    promoted: bool
    figures: dict[str, Any]
    text: str


# ---------------------------------------------------------------------------- pure MCTS


def play_mcts(
    rules: Rules, net: MatchPlayer, options: EvaluateSection, playouts: int, games: EvaluationGames, seed: int
) -> Iterator[int]:
    """Play what is missing, colours in turn; yields the number of each game after it."""
    opponent = MctsMatchPlayer(playouts, options.formula)
    for number in range(options.games):
        if number not in games.scores:
            facts = {"playouts": playouts, "formula": str(options.formula)}
            games.play(rules, number, net, opponent, (), seed, **facts)
            yield number


def judge_mcts(
    games: EvaluationGames, standing: GateState, options: EvaluateSection, iteration: int, *, gates: bool
) -> Decision:
    """The documents' rule: a better win rate is a better net; after a clean sweep MCTS gets more playouts.

    Without ``gates`` this does not decide which net is the best.
    """
    wins, losses, draws = games.total()
    count = wins + losses + draws
    rate, found = (wins + draws / 2) / count, wilson(wins + draws / 2, count)
    text = (
        f"num_playouts:{standing.playouts} ({options.formula}), win: {wins}, lose: {losses}, tie:{draws} "
        f"({rate:.0%}, 95% interval {found.low:.0%} to {found.high:.0%})"
    )
    figures = {"mcts_win_rate": rate, "mcts_playouts": standing.playouts, "mcts_games": count}
    if rate <= standing.best_win_rate:
        return Decision(standing, False, figures, text)
    after = replace(standing, best_win_rate=rate)
    if gates:
        after, text = replace(after, best_iteration=iteration), f"{text} New best policy."
    if rate == 1.0 and after.playouts < options.playouts_max:
        more = min(options.playouts_max, after.playouts + options.playouts_step)
        after = replace(after, playouts=more, best_win_rate=0.0)
    return Decision(after, gates, figures, text)


# ---------------------------------------------------------------------------- anchors

ANCHORS = (50, 200, 1_000, 5_000, 20_000, 100_000)
"""Positions a move of the engine, which nets are rated against; the first has an Elo of 0."""


def next_anchor(rows: Sequence[Record], iteration: int) -> int:
    """The index of the strongest anchor to play next: one higher where a net has scored 60 % against the last
    one, one lower where it has not scored 20 %.
    """
    earlier = [row for row in rows if row["kind"] == "anchor" and row["iteration"] < iteration]
    last = [row for row in earlier if row["iteration"] == earlier[-1]["iteration"]]
    at = max((ANCHORS.index(row["anchor"]) for row in last if row["anchor"]), default=0)
    scores = [row["score"] for row in last if row["anchor"] == ANCHORS[at]]
    rate = sum(scores) / len(scores) if scores else 0.0
    return min(len(ANCHORS) - 1, at + 1) if rate >= 0.6 else max(1, at - (rate < 0.2))


def play_anchors(
    rules: Rules,
    net: MatchPlayer,
    opponents: Sequence[tuple[MatchPlayer, Record]],
    count: int,
    games: EvaluationGames,
    seed: int,
) -> Iterator[int]:
    """Play what is missing, each opening with both colours, against opponents in turn with their facts."""
    for number in range(count):
        if number not in games.scores:
            opponent, facts = opponents[number // 2 % len(opponents)]
            opening = _opening(rules, _ANCHOR_STONES, (seed, number // 2))
            games.play(rules, number, net, opponent, opening, seed, **facts)
            yield number


def anchor_elo(rows: Sequence[Record], iteration: int) -> Estimate:
    """The Elo of an iteration's net from all games of kind ``anchor`` up to it; 0 is the weakest anchor."""
    games = []
    for row in rows:
        if row["kind"] != "anchor" or row["iteration"] > iteration:
            continue
        net = f"net-{row['iteration']}"
        other = f"engine-{row['anchor']}" if row["anchor"] else f"net-{row['earlier']}"
        black, white = (net, other) if row["color"] == "black" else (other, net)
        winner = "draw" if row["score"] == 0.5 else row["color"] if row["score"] else _OTHER[row["color"]]
        pair = f"{row['iteration']}-{row['game'] // 2}-{row['game'] % 2 + 1}"
        games.append(GameResult(pair, black, white, winner))
    found = rate_players(games, anchor=(f"engine-{ANCHORS[0]}", 0.0))
    return found.estimates[found.labels.index(f"net-{iteration}")]


_OTHER = {"black": "white", "white": "black"}


# ---------------------------------------------------------------------------- the best net


def play_best(
    rules: Rules,
    net: MatchPlayer,
    best: MatchPlayer,
    options: PromoteSection,
    games: EvaluationGames,
    seed: int,
) -> Iterator[int]:
    """Play what is missing against the best net, each opening with both colours; until a test decides."""
    for number in range(options.games):
        if options.gate is Gate.SPRT and number % 2 == 0 and _sprt(games, options).decision:
            return
        if number not in games.scores:
            opening = _opening(rules, options.opening_plies, (seed, number // 2))
            games.play(rules, number, net, best, opening, seed)
            yield number


def judge_best(
    games: EvaluationGames, standing: GateState, options: PromoteSection, iteration: int
) -> Decision:
    """Whether the net is the best one now: by its score, or by the sequential test."""
    wins, losses, draws = games.total()
    count = wins + losses + draws
    rate = (wins + draws / 2) / count
    figures: dict[str, Any] = {"best_win_rate": rate, "best_games": count}
    if options.gate is Gate.SPRT:
        state = _sprt(games, options)
        promoted, why = state.decision == "H1", str(state)
        figures["sprt_llr"] = state.llr
    else:
        promoted = rate > options.threshold
        equal = promotion_risk(options.games, options.threshold)
        missed = 1 - promotion_risk(options.games, options.threshold, 0.64)
        why = (
            f"threshold {options.threshold:g}; with {options.games} games and no draws this promotes "
            f"{equal:.0%} of nets that are no better, and refuses {missed:.0%} of nets that are 100 Elo "
            "better"
        )
    after = standing
    if promoted:
        gain = elo(min(max(rate, 0.5 / count), 1 - 0.5 / count))
        after = replace(standing, best_iteration=iteration, elo=standing.elo + gain)
    word = "promoted" if promoted else "not promoted"
    text = f"against the best: {wins} won, {draws} drawn, {losses} lost ({rate:.0%}), {word}; {why}"
    return Decision(after, promoted, figures | {"elo": after.elo}, text)


def _sprt(games: EvaluationGames, options: PromoteSection) -> SprtState:
    """Where the sequential test stands, counting whole pairs."""
    scores = games.scores
    pairs = [scores[n] + scores[n + 1] for n in range(0, options.games, 2) if n in scores and n + 1 in scores]
    return sprt(pair_counts(pairs), SprtConfig(options.elo0, options.elo1))


def promotion_risk(games: int, threshold: float, strength: float = 0.5) -> float:
    """The chance that a net with this expected score is promoted, when no game is drawn.

    >>> round(promotion_risk(20, 0.55), 3)
    0.252
    """
    wins = range(math.floor(round(games * threshold, 9)) + 1, games + 1)
    return sum(math.comb(games, n) * strength**n * (1 - strength) ** (games - n) for n in wins)


def _opening(rules: Rules, plies: int, seed: tuple[int, int]) -> tuple[Move, ...]:
    rng = np.random.default_rng(seed)
    for _ in range(1000):
        stones = random_stones(rules, (plies, plies), rng)
        if is_quiet(rules, stones):
            return stones
    return ()


def net_player(
    rules: Rules,
    evaluator: Evaluator,
    options: TreeOptions,
    simulations: int,
    meanwhile: Callable[[], None] = lambda: None,
) -> NetMatchPlayer:
    """A net as it plays in evaluations: no noise, the best move."""
    quiet = replace(options, noise_fraction=0.0, gumbel_scale=0.0, random_symmetry=False)
    return NetMatchPlayer(rules, evaluator, quiet, simulations, meanwhile)


class IterationEvaluation:
    """Plays what is due after an iteration, for the run's current net; its games are written down one by one,
    and time is looked at after each. ``has_games`` says whether any is due.
    """

    def __init__(
        self,
        context: RunContext,
        settings: TrainSettings,
        iteration: int,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        """``meanwhile`` is called after each move of the net."""
        self._context, self._settings, self._iteration = context, settings, iteration
        self._meanwhile = meanwhile
        self._directory = context.directory
        self._rules = settings.game.rules
        self._seed = settings.run.seed * 100_003 + iteration
        every, promote = settings.evaluate.interval, settings.promote
        # The last net of a run is judged, whatever the intervals are.
        last = iteration >= settings.run.iterations
        self._evaluates = every > 0 and (last or iteration % every == 0)
        gated = promote.gate in (Gate.WINRATE, Gate.SPRT)
        self._promotes = gated and (last or iteration % promote.interval == 0)
        rated = settings.evaluate.anchor_interval
        in_time = rated > 0 and (last or iteration % rated == 0)
        self._rates = in_time and self._rules.win_length in WIN_LENGTHS
        glances = settings.evaluate.table_interval
        self._glances = glances > 0 and (last or iteration % glances == 0)
        self.has_games = self._evaluates or self._rates or self._promotes or self._glances

    def run(self, standing: GateState) -> Decision | None:
        """Play and decide, from what is remembered of the evaluations before.

        The text is empty where nothing was due; None if time was over before: what was played is kept.
        """
        rows, said = self._directory.rows(EVALUATIONS), list[str]()
        figures, promoted = dict[str, Any](), False
        due = {self._against_mcts: self._evaluates, self._against_anchors: self._rates}
        due |= {self._against_table: self._glances}
        for play in [play for play, is_due in {**due, self._against_best: self._promotes}.items() if is_due]:
            decision = play(rows, standing)
            if decision is None:
                return None
            self._context.say("text", decision.text)
            said.append(decision.text)
            standing, promoted = decision.standing, promoted or decision.promoted
            figures |= decision.figures
        return Decision(standing, promoted, figures, "; ".join(said))

    def _against_mcts(self, rows: list[Record], standing: GateState) -> Decision | None:
        options = self._settings.evaluate
        played = self._games("mcts", rows)
        player = self._player(CURRENT, options.simulations)
        games = play_mcts(self._rules, player, options, standing.playouts, played, self._seed)
        opponent = f"against pure MCTS {standing.playouts} ({options.formula})"
        if not self._ends(games, opponent, played, options.games):
            return None
        gates = self._settings.promote.gate is Gate.MCTS
        return judge_mcts(played, standing, options, self._iteration, gates=gates)

    def _against_anchors(self, rows: list[Record], standing: GateState) -> Decision | None:
        """Two anchors and the latest net that is kept, two games of an opening each in turn."""
        options, played = self._settings.evaluate, self._games("anchor", rows)
        player, strongest = self._player(CURRENT, options.simulations), next_anchor(rows, self._iteration)
        opponents: list[tuple[MatchPlayer, dict[str, Any]]] = [
            (EngineMatchPlayer(self._rules, nodes), {"anchor": nodes})
            for nodes in (ANCHORS[strongest - 1], ANCHORS[strongest])
        ]
        for row in self._directory.rows(METRICS)[::-1]:
            path = self._directory.nets / f"{row['net']}.safetensors"
            if "anchor_elo" in row and row["iteration"] < self._iteration and path.exists():
                facts = {"anchor": 0, "earlier": row["iteration"]}
                opponents.append((self._net_player(path, options.simulations), facts))
                break
        games = play_anchors(self._rules, player, opponents, options.anchor_games, played, self._seed)
        if not self._ends(games, "against anchors", played, options.anchor_games):
            return None
        found = anchor_elo(self._directory.rows(EVALUATIONS), self._iteration)
        figures = {"anchor_elo": found.value, "anchor_elo_low": found.low, "anchor_elo_high": found.high}
        figures = {name: round(value, 1) for name, value in figures.items()}
        text = f"Elo {found} (95% interval); the engine at {ANCHORS[0]} positions a move has 0"
        return Decision(standing, False, figures, text)

    def _against_table(self, rows: list[Record], standing: GateState) -> Decision | None:
        """The policy alone, with the untrained net beside it."""
        net = load_net(self._directory.net_path(CURRENT), check=False)
        found = play_table(net, self._rules, self._games("table", rows), self._meanwhile)
        first = first_score(self._directory, self._settings)
        figures = {"table_score": found.value, "table_score_low": found.low, "table_score_high": found.high}
        text = f"without search against the score table: {found.value:.1%} of {GAMES} games (95 % interval "
        text += f"{found.low:.1%} to {found.high:.1%})"
        if first is not None:
            figures["untrained_score"] = first
            text += f"; the untrained net {first:.1%}"
        return Decision(standing, False, {name: round(v, 4) for name, v in figures.items()}, text)

    def _against_best(self, rows: list[Record], standing: GateState) -> Decision | None:
        options = self._settings.promote
        played = self._games("best", rows)
        net, best = self._player(CURRENT, options.simulations), self._player(BEST, options.simulations)
        games = play_best(self._rules, net, best, options, played, self._seed)
        if not self._ends(games, "against the best", played, options.games):
            return None
        return judge_best(played, standing, options, self._iteration)

    def _games(self, kind: str, rows: list[Record]) -> EvaluationGames:
        return EvaluationGames(
            self._iteration, kind, rows, lambda row: self._directory.append(EVALUATIONS, row)
        )

    def _ends(self, played: Iterator[int], what: str, games: EvaluationGames, wanted: int) -> bool:
        """Whether what is missing could be played before time was over."""
        for _ in played:
            wins, losses, draws = games.total()
            work = {"stage": "judge", "iteration": self._iteration, "done": len(games.scores), "of": wanted}
            text = f"iteration {self._iteration}: {what}: {wins} won, {draws} drawn, {losses} lost"
            self._context.say("progress", text, work)
            if self._context.clock.is_over and len(games.scores) < wanted:
                return False
        return True

    def _player(self, pointer: str, simulations: int | None) -> NetMatchPlayer:
        return self._net_player(self._directory.net_path(pointer), simulations)

    def _net_player(self, path: Path, simulations: int | None) -> NetMatchPlayer:
        options = self._settings.selfplay
        backend = SelfPlayBackend.ONNX if options.backend is SelfPlayBackend.ONNX else SelfPlayBackend.INT8
        evaluator = open_evaluator(load_net(path, check=False), backend, "cpu")
        wanted = simulations or options.simulations
        return net_player(self._rules, evaluator, options.tree_options(), wanted, self._meanwhile)
