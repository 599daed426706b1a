"""Self-play as training sees it: in this process, and what other processes do for a fleet (``fleet``).

Both keep their games going from iteration to iteration: a new net takes over in the middle of games, so
batches stay full and nothing is waited for. Games going on are written down every few seconds.
"""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from wuzi.arena.books import BookRecipe, make_book
from wuzi.base.atomic import write_atomic
from wuzi.base.schema import build_config
from wuzi.base.store import read_object
from wuzi.core import Rules
from wuzi.errors import RecordError
from wuzi.nets.codebook import SUFFIX, CodebookEvaluator
from wuzi.nets.evaluator import Evaluator
from wuzi.nets.file import Backend, NetFile, net_from_bytes, open_net
from wuzi.nets.shelf import net_paths
from wuzi.players.registry import create_player
from wuzi.training.data.games import EndedGame
from wuzi.training.methods.selfplay.games import OpenGame, SelfPlay, SelfPlayGroups, new_numbers
from wuzi.training.run.config import SelfPlayBackend, SelfPlaySection

SCHEMA = 2
"""Version of ``open-*.json``, whose rows are those of the games' schema of the same number."""
SNAPSHOT_S = 5.0
NO_LIMIT = sys.maxsize
"""As many games as one likes."""

_JUDGE, _MARGIN, _NODES = "engine:table_mb=1,fresh=true", 0.1, 5_000
"""How openings are found even: a win rate of 40 to 60 % in a short search, an eighth of a second for each."""


class SelfPlayWorkers(Protocol):
    """Self-play as training sees it.

    Attributes:
        evaluations: positions evaluated by it so far.
    """

    evaluations: int

    def use(self, net: Path, iteration: int, doubled: int = 0) -> None:
        """Play with another net from now on, and simulations that have ``doubled`` so often."""

    def games(self) -> Iterator[EndedGame | None]:
        """Play: games as they end, None now and then while none does."""

    def go_on(self) -> list[EndedGame]:
        """Let others play on while the caller does something else, and return at once; games that ended."""

    def pause(self) -> list[EndedGame]:
        """Stop playing; games going on wait and are written down. Those that ended meanwhile."""

    def close(self) -> None:
        """End."""


@dataclass(frozen=True)
class SelfPlayTask:
    """What is played (see :class:`.SelfPlay`), and on which device if by torch.

    Games going on are written down in ``folder``; those of the ``taken`` numbers have ended. ``openings`` are
    what games begin with that have an opening, if not with random stones. No more than ``most`` games are
    played; then slots become empty as the last of them end.
    """

    rules: Rules
    options: SelfPlaySection
    seed: int
    folder: Path
    taken: frozenset[int]
    device: str = "cpu"
    openings: Sequence[Sequence[int]] = ()
    most: int = NO_LIMIT

    def games(self) -> tuple[list[OpenGame], list[OpenGame], Iterator[int]]:
        """Games to take up again, those that are left for another time, and the numbers of new ones."""
        found = read_open(self.folder, self.taken)
        numbers = new_numbers(self.taken | {game.number for game in found})
        now, later = found[: self.most], found[self.most :]
        return now, later, islice(numbers, self.most - len(now))

    def begin(
        self,
        evaluator: Evaluator,
        net: int,
        numbers: Iterator[int | None],
        games: list[OpenGame],
        doubled: int,
    ) -> SelfPlayGroups:
        """Begin games with these numbers after those that were going on.

        An evaluator that answers at once gets them in one group.
        """
        groups = self.options.groups if hasattr(evaluator, "submit") else 1
        options = replace(
            self.options.doubled(doubled), concurrency=self.options.concurrency // groups, groups=1
        )
        how: dict[str, Any] = {"seed": self.seed, "net": net, "numbers": numbers, "openings": self.openings}
        parts = [games[number::groups] for number in range(groups)]
        return SelfPlayGroups(
            [SelfPlay(self.rules, options, evaluator, going_on=part, **how) for part in parts]
        )

    def with_openings(self) -> SelfPlayTask:
        """The same with the balanced openings it needs: those kept beside the games, or made there now."""
        options = self.options
        if not options.balanced_openings or self.openings:
            return self
        plies = (options.opening_plies_min, options.opening_plies_max)
        recipe = BookRecipe(self.rules, self.seed, plies, margin=_MARGIN, nodes=_NODES, player=_JUDGE)
        self.folder.mkdir(parents=True, exist_ok=True)
        with create_player(recipe.player) as judge:
            book = make_book(recipe, options.balanced_openings, self.folder / "openings.txt", judge)
        return replace(self, openings=[judged.opening.moves for judged in book])

    def evaluator(self, files: Sequence[bytes], name: str) -> Evaluator:
        """What plays with a net, from the contents of its files (see :func:`contents_of`)."""
        if len(files) == 1:
            return CodebookEvaluator(files[0], name)
        card, weights = files
        options, net = self.options, net_from_bytes(card, weights, name)
        return open_evaluator(net, options.backend, self.device, options.concurrency // options.groups)


def contents_of(net: Path) -> tuple[bytes, ...]:
    """Card and weights of a net, or the one file of a codebook net."""
    if net.suffix == SUFFIX:
        return (net.read_bytes(),)
    weights, card = net_paths(net)
    return card.read_bytes(), weights.read_bytes()


def open_evaluator(net: NetFile, backend: SelfPlayBackend, device: str, most: int = 64) -> Evaluator:
    """The evaluator of a net, for torch on a device; batches have ``most`` positions."""
    if by_torch(backend, device, net.card.graph.why_torch is not None):
        from wuzi.torch_nets import load_module
        from wuzi.torch_nets.frozen import FrozenEvaluator

        on_gpu = device != "cpu"
        sizes = {-(-most * quarters // 4) for quarters in (1, 2, 3, 4)} if on_gpu else ()
        return FrozenEvaluator(load_module(net), device, half=on_gpu, sizes=[*sizes])
    return open_net(net, Backend.ONNX if backend is SelfPlayBackend.ONNX else Backend.AUTO)


def by_torch(backend: SelfPlayBackend, device: str, only: bool = False) -> bool:
    """Whether torch computes the nets of self-play on this device; ``only`` where nothing else can."""
    if only:
        return backend is not SelfPlayBackend.ONNX
    return backend is SelfPlayBackend.TORCH or (backend is SelfPlayBackend.AUTO and device != "cpu")


class LocalSelfPlay:
    """Self-play in this process; games begin with the first net."""

    def __init__(self, task: SelfPlayTask) -> None:
        self.evaluations = 0
        self._task = task
        self._play: SelfPlayGroups | None = None
        self._ended: list[EndedGame] = []
        self._later: list[OpenGame] = []
        self._written = time.monotonic()

    def use(self, net: Path, iteration: int, doubled: int = 0) -> None:
        """See :class:`SelfPlayWorkers`; the net has been read when this returns."""
        evaluator = self._task.evaluator(contents_of(net), net.name)
        if self._play is not None:
            self._play.use(evaluator, iteration, self._task.options.doubled(doubled))
            return
        going_on, self._later, numbers = self._task.games()
        self._play = self._task.begin(evaluator, iteration, numbers, going_on, doubled)

    def games(self) -> Iterator[EndedGame | None]:
        """See :class:`SelfPlayWorkers`."""
        assert self._play is not None
        while True:
            # Everything that ended before was taken: what is written down now leaves no game out.
            if time.monotonic() - self._written > SNAPSHOT_S:
                self.close()
            self._ended += [EndedGame(game.to_line(), game) for game in self._play.step()]
            self.evaluations = self._play.evaluations
            if not self._ended:
                yield None
            while self._ended:
                yield self._ended.pop(0)

    def go_on(self) -> list[EndedGame]:
        """See :class:`SelfPlayWorkers`: there are no others."""
        return []

    def pause(self) -> list[EndedGame]:
        """See :class:`SelfPlayWorkers`."""
        left, self._ended = self._ended, []
        self.close()
        return left

    def close(self) -> None:
        """See :class:`SelfPlayWorkers`; games going on are written down."""
        if self._play is not None:
            later = [game.to_json() for game in self._later]
            write_open(self._task.folder, self._play.open_games() + later)
        self._written = time.monotonic()


class PlayWorker:
    """Games side by side in another process; which numbers they have is decided by who asks.

    A request holds ``seconds`` to play for, ``fresh`` numbers of games to begin, ``going_on`` games to take
    up again, ``iteration`` of the net (which comes along when it is another one), how often simulations have
    ``doubled``, and whether to report the ``open`` games. The answer holds ``games`` that ended,
    ``evaluations`` done, and ``open``.
    """

    def __init__(self, setup: Mapping[str, Any], files: Mapping[str, Path]) -> None:
        options: SelfPlaySection = build_config(SelfPlaySection, {}, setup["options"], "selfplay")
        rules, device = Rules(**setup["rules"]), setup["device"]
        where = setup["seed"], Path(), frozenset[int](), device, setup["openings"]
        self._task = SelfPlayTask(rules, options, *where)
        # With less the slots are not kept full: every game may end, and another one begin.
        self._least = 0 if setup.get("ends") else options.concurrency
        self._numbers: deque[int] = deque()
        self._play: SelfPlayGroups | None = None

    def answer(self, request: dict[str, Any], shared: Sequence[bytes]) -> dict[str, Any]:
        """Play for a moment."""
        self._numbers += request["fresh"]
        going_on = [OpenGame.from_json(data) for data in request["going_on"]]
        iteration, doubled, play = request["iteration"], request["doubled"], self._play
        if play is None:
            evaluator = self._evaluator(iteration, shared)
            play = self._play = self._task.begin(evaluator, iteration, self._given(), going_on, doubled)
        else:
            play.take_up(going_on)
            if shared:
                options = self._task.options.doubled(doubled)
                play.use(self._evaluator(iteration, shared), iteration, options)
        before, ended = play.evaluations, list[str]()
        deadline = time.monotonic() + request["seconds"]
        while len(self._numbers) >= self._least and time.monotonic() < deadline:
            if not (play.going or self._numbers):
                break
            ended += [game.to_line() for game in play.step()]
        answer: dict[str, Any] = {"games": ended, "evaluations": play.evaluations - before}
        return answer | ({"open": play.open_games()} if request["open"] else {})

    def stop(self) -> None:
        """Nothing takes long."""

    def close(self) -> None:
        """Nothing is held."""

    def _given(self) -> Iterator[int | None]:
        """The numbers that came, and None while there is none."""
        while True:
            yield self._numbers.popleft() if self._numbers else None

    def _evaluator(self, iteration: int, shared: Sequence[bytes]) -> Evaluator:
        return self._task.evaluator(shared, f"the net of iteration {iteration}")


def write_open(folder: Path, games: Sequence[dict[str, Any]]) -> None:
    """Write down the games going on, in place of those written before."""
    path = folder / "open-0.json"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps({"schema": SCHEMA, "games": games}).encode())
    for other in {*folder.glob("open-*.json")} - {path}:
        other.unlink(missing_ok=True)


def read_open(folder: Path, taken: AbstractSet[int]) -> list[OpenGame]:
    """The games that have not ended, by number, each in its form with the most moves; a RecordError for a
    file that is broken or of a later schema. Games of an earlier one are left out, so that they begin anew.
    """
    found: dict[int, OpenGame] = {}
    for path in sorted(folder.glob("open-*.json")):
        stored = read_object(path)
        if stored.get("schema") in range(1, SCHEMA):
            continue
        if stored.get("schema") != SCHEMA:
            raise RecordError(f"{path}: schema {stored.get('schema')!r}: expected {SCHEMA}")
        for data in stored["games"]:
            game = OpenGame.from_json(data)
            if game.number not in found or len(game.moves) > len(found[game.number].moves):
                found[game.number] = game
    return [found[number] for number in sorted(found.keys() - taken)]
