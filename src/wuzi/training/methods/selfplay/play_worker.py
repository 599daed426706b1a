"""A worker of self-play: it plays for a moment when asked, and says which games ended."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wuzi.base.schema import build_config
from wuzi.core import Rules
from wuzi.nets.file import net_from_bytes
from wuzi.training.methods.selfplay.games import OpenGame, SelfPlay
from wuzi.training.methods.selfplay.workers import open_evaluator
from wuzi.training.run.config import SelfPlaySection


class PlayWorker:
    """Games side by side; which numbers they have is decided by who asks.

    A request holds ``seconds`` to play for, ``fresh`` numbers of games to begin, ``going_on`` games to take
    up again, ``iteration`` of the net (which comes along when it is another one), and whether the ``open``
    games shall be told. The answer holds ``games`` that ended, the work done, and ``open``.
    """

    def __init__(self, setup: Mapping[str, Any], files: Mapping[str, Path]) -> None:
        """Nothing is played before the first request.

        Args:
            setup: ``rules``, ``options``, ``seed`` and ``device``.
            files: none.
        """
        self._rules = Rules(**setup["rules"])
        self._options: SelfPlaySection = build_config(SelfPlaySection, {}, setup["options"], "selfplay")
        self._seed, self._device = setup["seed"], setup["device"]
        self._numbers: deque[int] = deque()
        self._play: SelfPlay | None = None

    def answer(self, request: dict[str, Any], shared: Sequence[bytes]) -> dict[str, Any]:
        """Play for a moment."""
        self._numbers += request["fresh"]
        going_on = [OpenGame.from_json(data) for data in request["going_on"]]
        if self._play is None:
            self._play = self._begin(request["iteration"], shared, going_on)
        else:
            self._play.take_up(going_on)
            if shared:
                self._play.use(self._evaluator(request["iteration"], shared), request["iteration"])
        play = self._play
        evaluations, moves = play.evaluations, play.played
        games = self._play_for(play, request["seconds"])
        answer: dict[str, Any] = {
            "games": games,
            "evaluations": play.evaluations - evaluations,
            "moves": play.played - moves,
        }
        if request["open"]:
            answer["open"] = play.open_games()
        return answer

    def stop(self) -> None:
        """Nothing takes long."""

    def close(self) -> None:
        """Nothing is held."""

    def _play_for(self, play: SelfPlay, seconds: float) -> list[str]:
        """Games that end in so many seconds; fewer when every game may end and none is left to begin."""
        ended: list[str] = []
        deadline = time.monotonic() + seconds
        while len(self._numbers) >= self._options.concurrency and time.monotonic() < deadline:
            ended += [game.to_line() for game in play.step()]
        return ended

    def _begin(self, iteration: int, shared: Sequence[bytes], going_on: Sequence[OpenGame]) -> SelfPlay:
        return SelfPlay(
            self._rules,
            self._options,
            self._evaluator(iteration, shared),
            seed=self._seed,
            net=iteration,
            numbers=self._next_numbers(),
            slots=self._options.concurrency,
            going_on=going_on,
        )

    def _next_numbers(self) -> Iterator[int]:
        while True:
            yield self._numbers.popleft()

    def _evaluator(self, iteration: int, shared: Sequence[bytes]) -> Any:
        card, weights = shared
        net = net_from_bytes(card, weights, f"the net of iteration {iteration}")
        seed = self._seed + iteration if self._options.random_symmetry else None
        return open_evaluator(net, self._options.backend, self._device, seed)
