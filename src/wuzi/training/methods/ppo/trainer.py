"""PPO: plays, learns, keeps earlier nets as opponents, stops and resumes."""

from __future__ import annotations

import dataclasses
import time
from functools import partial
from typing import Self

import numpy as np
import torch

from wuzi.core import Rules
from wuzi.core.batch import GameBatch
from wuzi.errors import ConfigError, RecordError
from wuzi.nets.file import NetFile
from wuzi.nets.planes import PlaneEncoder
from wuzi.torch_nets import create_net, net_file
from wuzi.training.learner.nets import (
    answers_of,
    load_module_arrays,
    module_arrays,
    optimizer_arrays,
    restore_optimizer,
)
from wuzi.training.learner.torch_learner import choose_device
from wuzi.training.methods.ppo.config import CHANGEABLE, Opponent, PpoConfig, PpoSettings
from wuzi.training.methods.ppo.matches import net_chooser, play_match
from wuzi.training.methods.ppo.rollout import (
    MoveRows,
    Rollout,
    append,
    game_figures,
    join,
    new_group,
    rows_of,
    value_figures,
)
from wuzi.training.methods.ppo.update import PpoUpdate, UpdateLosses, refresh_norms
from wuzi.training.methods.ppo.workers import Collectors
from wuzi.training.run.checkpoint import Checkpoint
from wuzi.training.run.context import RunContext
from wuzi.training.run.health import HealthFinding, Rows, ppo_findings, ppo_line
from wuzi.training.run.nets import NumberedNets

_NORM_SAMPLE = 1024
PIECE = 8
"""Moves of each game between two moments at which the state can be written."""

_FACTOR, _LOW, _HIGH = 1.5, 0.01, 10.0
"""How far the learning rate moves at a time, and between which multiples of the configured one."""

Metrics = dict[str, float]
_COUNTERS = ("iteration", "moves", "games")


class PpoTrainer:
    """A net that learns from its own games without a search; it is always in evaluation mode.

    ``iteration`` is how many were done, ``moves`` and ``games`` are those played so far.
    """

    def __init__(self, config: PpoConfig, rules: Rules) -> None:
        """Make a fresh net, fresh games and the workers; a ConfigError for a net that cannot play."""
        self.config, self.rules = config, rules
        self.net, self.spec = create_net(config.net, rules.size, seed=config.seed)
        device = torch.device(choose_device(config.device, "ppo.device"))
        self.net.eval().to(device)
        self._optimizer = torch.optim.Adam(self.net.parameters(), lr=config.learning_rate, eps=1e-5)
        self._rng = np.random.default_rng([config.seed, 1])
        self._groups = [new_group(config, rules, number) for number in range(config.groups)]
        self.iteration = self.moves = self.games = 0
        # Positions of random games, for the first statistics of the batch norms.
        games = GameBatch(rules, 256, seed=config.seed, random_plies=min(24, rules.num_cells // 2))
        self._norm_planes = torch.from_numpy(PlaneEncoder(self.net.planes, rules).encode(games.states))
        refresh_norms(self.net, self._norm_planes, 1.0)
        if "policy" not in answers_of(self.net, self._norm_planes[:2].numpy()):
            raise ConfigError(f"net {config.net} has no policy: expected one that can play")
        self._best = self._finished = module_arrays(self.net)
        self._pool = [self._best]
        self._best_iteration, self._multiplier = 0, 1.0
        self.iterations = 0
        self._judged = {"latest": "", "best": ""}  # by which games these nets were
        self._rival = self.spec.make().eval().to(device)
        self._replay: MoveRows | None = None
        self._opponent: int | None = None
        self._pieces: list[Rollout] = []
        self._update: PpoUpdate | None = None
        self._row: Metrics = {}
        self._collectors = Collectors(config, rules, self.spec)

    # ------------------------------------------------------------------ training

    def run_iteration(self) -> Metrics:
        """Play, then learn, to the end of the iteration; its row of metrics. Raises as :meth:`advance`."""
        while (row := self.advance()) is None:
            pass
        return row

    def advance(self) -> Metrics | None:
        """A few moves in every game, or a gradient step; the row of metrics when that ends an iteration.

        A TrainingError for numbers that are not finite, or a lost worker.
        """
        began, part = time.perf_counter(), "play_s" if self._update is None else "learn_s"
        if self._update is None:
            self._play()
        else:
            self._update.step()
        ended = self._update is not None and self._update.is_done
        row = self._end() if ended else self._row
        row[part] = row.get(part, 0.0) + time.perf_counter() - began
        if not ended:
            return None
        row.setdefault("learn_s", 0.0)
        row["moves_per_s"] = self.config.envs * self.config.steps / (row["play_s"] + row["learn_s"])
        return row

    def _play(self) -> None:
        """Play on; after the last move there is an update to be done."""
        config = self.config
        if not self._pieces:
            refresh_norms(self.net, self._norm_planes, config.norm_momentum)
            if config.opponent is Opponent.POOL:
                self._opponent = int(self._rng.integers(len(self._pool)))
        done = sum(len(piece.actions) for piece in self._pieces)
        steps = min(PIECE, config.steps - done)
        is_last = done + steps == config.steps
        if config.opponent is not Opponent.SELF:
            chosen = self._best if self._opponent is None else self._pool[self._opponent]
            load_module_arrays(self._rival, chosen, "opponent")
        rival = None if config.opponent is Opponent.SELF else self._rival
        parts = self._collectors.collect(self._groups, self.net, rival, steps, values_after=is_last)
        self._pieces.append(join(parts, 1))
        if is_last:
            self._begin_update(join(self._pieces, 0))
            self._pieces = []

    def _begin_update(self, rollout: Rollout) -> None:
        rows = rows_of(rollout, self.config)
        sample = self._rng.choice(len(rows.actions), min(_NORM_SAMPLE, len(rows)), replace=False)
        if len(sample) > 1:
            self._norm_planes = torch.from_numpy(rows.planes[sample]).float()
        if self.config.replay:
            self._replay = append(self._replay, rows, self.config.replay)
        self.moves += int(rollout.actions.size)
        played = game_figures(rollout)
        self.games += int(played["finished"])
        self._update = self._new_update(self._replay or rows)
        self._row |= {"new_rows": len(rows), **played, **value_figures(rows)}

    def _new_update(self, rows: MoveRows) -> PpoUpdate:
        for group in self._optimizer.param_groups:
            group["lr"] = self.learning_rate
        return PpoUpdate(self.net, self._optimizer, rows, self.config, self._rng, self.entropy_coef())

    def _end(self) -> Metrics:
        """The row of an iteration that ends here."""
        update, played = self._update, self._row
        assert update is not None
        learned = {"entropy_coef": self.entropy_coef(), "learning_rate": self.learning_rate}
        learned |= {"rows": len(update.rows), **(update.losses.means() if len(update.rows) else {})}
        self._update, self._row = None, {}
        if self.config.kl_adapts and len(update.rows):
            self._adapt(update.losses)
        self.iteration += 1
        row: Metrics = {"iteration": self.iteration, "moves": self.moves, "games": self.games}
        row |= played | learned | self._after()
        self._finished = module_arrays(self.net)
        return row

    def entropy_coef(self) -> float:
        """The weight of the entropy in the next iteration."""
        config = self.config
        share = min(1.0, self.iteration / config.entropy_iterations)
        return config.entropy_coef + share * (config.entropy_final - config.entropy_coef)

    @property
    def learning_rate(self) -> float:
        """Adam's in this iteration."""
        return self.config.learning_rate * self._multiplier

    def _adapt(self, losses: UpdateLosses) -> None:
        """Smaller steps after the policy moved too far, larger ones after it hardly moved."""
        if losses.stopped:
            self._multiplier = max(_LOW, self._multiplier / _FACTOR)
        elif losses.kl_last < self.config.kl_stop / 2:
            self._multiplier = min(_HIGH, self._multiplier * _FACTOR)

    def _after(self) -> Metrics:
        """Keep the net for the pool, or measure it against the best one, when it is time to.

        After the last iteration it is measured in any case: where matches do not choose the best net, against
        the untrained net of the beginning.
        """
        config, chooses = self.config, self.config.opponent is Opponent.BEST
        if config.opponent is Opponent.POOL and self.iteration % config.pool_every == 0:
            self._pool = [*self._pool, module_arrays(self.net)][-config.pool_size :]
        self._judged["latest"] = ""
        if self.iteration != self.iterations and (not chooses or self.iteration % config.best_every):
            return {}
        load_module_arrays(self._rival, self._best, "best net")
        score = play_match(
            self.rules,
            net_chooser(self.net, self.rules, greedy=False),
            net_chooser(self._rival, self.rules, greedy=False),
            pairs=config.best_games // 2,
            seed=self.iteration,
            random_plies=config.random_plies,
        )
        games = f"{score.wins} won, {score.draws} drawn, {score.losses} lost ({score.rate:.0%})"
        other = "the best before it" if chooses else "the untrained net of the beginning"
        self._judged["latest"] = f"against {other}: {games}"
        if not chooses:
            return {"start_score": score.rate, "start_games": score.games}
        better = score.rate >= config.best_threshold
        if better:
            self._best, self._best_iteration = module_arrays(self.net), self.iteration
            self._judged["best"] = self._judged["latest"]
        elif not self._judged["best"]:
            self._judged["best"] = f"kept its place: the net of iteration {self.iteration}: {games}"
        return {"best_score": score.rate, "best_games": score.games, "promoted": float(better)}

    # ------------------------------------------------------------------ stopping and going on

    def state(self) -> Checkpoint:
        """Everything needed to resume as if nothing had happened, also in the middle of an iteration."""
        state = Checkpoint()
        state.put("net", module_arrays(self.net))
        state.put("optimizer", optimizer_arrays(self._optimizer))
        state.put("best", self._best)
        for number, weights in enumerate(self._pool):
            state.put(f"pool{number}", weights)
        for number, group in enumerate(self._groups):
            state.put(f"group{number}", group.arrays())
        state.put("norm", {"planes": self._norm_planes})
        if self._replay is not None:
            state.put("replay", vars(self._replay))
        state.meta = {
            **{"method": "ppo", "config": dataclasses.asdict(self.config), "rules": self.rules.label},
            **{name: getattr(self, name) for name in _COUNTERS},
            **{"pool": len(self._pool), "best_iteration": self._best_iteration},
            **{"judged": self._judged, "multiplier": self._multiplier, "rng": self._rng.bit_generator.state},
        }
        if not self._pieces and self._update is None:
            return state
        state.put("finished", self._finished)
        notes = state.meta["unfinished"] = {"opponent": self._opponent, "row": self._row}
        if self._pieces:
            state.put("rollout", vars(join(self._pieces, 0)))
        if self._update is not None:
            arrays, notes["update"] = self._update.state()
            state.put("update", arrays)
            if not self.config.replay:
                state.put("rows", vars(self._update.rows))
        return state

    def restore(self, state: Checkpoint) -> None:
        """Go on where :meth:`state` was taken; what is ``CHANGEABLE`` may differ."""
        mine, known = dataclasses.asdict(self.config), dict(state.meta.get("config", {}))
        for name in {*mine, *known} - CHANGEABLE:
            if (own := mine.get(name)) != (other := known.get(name)):
                raise ConfigError(f"{name}={own}: the run to resume has {name}={other}")
        if state.meta["rules"] != self.rules.label:
            raise ConfigError(f"{self.rules.label}: the run to resume is {state.meta['rules']}")
        try:
            self._restore(state)
        except KeyError as error:
            raise RecordError(f"a state of PPO without {error}") from None

    def _restore(self, state: Checkpoint) -> None:
        load_module_arrays(self.net, state.part("net"), "net")
        restore_optimizer(self._optimizer, state.part("optimizer"))
        self._best = state.part("best")
        self._best_iteration = state.meta.get("best_iteration", 0)
        self._judged = dict(state.meta.get("judged", self._judged))
        self._pool = [state.part(f"pool{number}") for number in range(state.meta["pool"])]
        for number, group in enumerate(self._groups):
            group.restore(state.part(f"group{number}"))
        self._norm_planes = torch.from_numpy(state.part("norm")["planes"])
        replay = state.part("replay")
        self._replay = MoveRows(**replay) if replay else None
        for name in _COUNTERS:
            setattr(self, name, state.meta[name])
        self._multiplier = state.meta["multiplier"]
        self._rng.bit_generator.state = state.meta["rng"]
        self._pieces, self._update, self._row = [], None, {}
        self._finished = state.part("finished") or module_arrays(self.net)
        if (notes := state.meta.get("unfinished")) is not None:
            self._opponent, self._row = notes["opponent"], notes["row"]
            if rollout := state.part("rollout"):
                self._pieces = [Rollout(**rollout)]
            if "update" in notes:
                self._update = self._new_update(self._replay or MoveRows(**state.part("rows")))
                self._update.restore(state.part("update"), notes["update"])

    @property
    def best_iteration(self) -> int:
        """The iteration whose net is the best: by matches for ``opponent=best``, else the latest."""
        return self._best_iteration if self.config.opponent is Opponent.BEST else self.iteration

    def export(self, name: str, *, best: bool = False) -> NetFile:
        """The net after the last whole iteration, or after ``best_iteration``, ready to be saved."""
        latest = not best or self.best_iteration == self.iteration
        net = self.spec.make().eval()
        load_module_arrays(net, self._finished if latest else self._best, "net")
        config = {key: str(value) for key, value in dataclasses.asdict(self.config).items()}
        recipe = {"method": "ppo", "config": config, "iteration": self.best_iteration}
        if latest:
            recipe |= {name: getattr(self, name) for name in _COUNTERS}
        return net_file(net, self.spec, self.rules, name, recipe)

    def close(self) -> None:
        """End the workers."""
        self._collectors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class PpoRun(PpoTrainer):
    """PPO in a folder as a :class:`wuzi.training.run.context.TrainingMethod`."""

    worth_saving = False
    line = staticmethod(ppo_line)

    def __init__(self, context: RunContext, settings: PpoSettings) -> None:
        """Make the trainer; a ConfigError for a net that cannot play, or an executor on other machines."""
        executor = context.executor
        if executor is not None and not executor.shares_disk:
            raise ConfigError(f"--executor {executor.name}: PPO plays on this machine alone: expected local")
        super().__init__(dataclasses.replace(settings.ppo, seed=settings.run.seed), settings.game.rules)
        self.iterations = settings.run.iterations
        self._nets = NumberedNets(context.directory, self.rules, settings.ppo.net, settings.run.keep_every)

    def publish(self) -> None:
        """See :class:`wuzi.training.run.context.TrainingMethod`."""
        best = partial(self.export, best=True)
        latest, kept = self._judged["latest"], self._judged["best"]
        judged = latest, latest if self.best_iteration == self.iteration else kept
        self._nets.publish(self.iteration, self.export, self.best_iteration, best, judged)

    def findings(self, rows: Rows) -> list[HealthFinding]:
        """See :class:`wuzi.training.run.context.TrainingMethod`."""
        return ppo_findings(rows, self.rules.size)
