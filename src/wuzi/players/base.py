"""What all players share: a name, capabilities, closing, and taking part in swap openings."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from wuzi.base.schema import minimal_values
from wuzi.contract import Capabilities, Limit, OnInfo, PlayResult, SearchInfo, Stop
from wuzi.core import Action, Game, Keep, Phase, PlaceSeveral, Rules, Swap, kernel_cache
from wuzi.errors import ConfigError, GameOverError, UnsupportedError
from wuzi.players.chance import NUM_OPENINGS, Chance, balanced_three
from wuzi.players.spec import PlayerSpec, format_spec

C = TypeVar("C")

RULE_KERNELS = (
    *(f"wuzi.core.rule_kernels:{name}" for name in ("load", "push", "to_point", "to_cell")),
    *(f"wuzi.core.game_kernels:{name}" for name in ("black_after", "first_phase", "phase_after")),
    *(
        f"wuzi.core.game_kernels:{name}"
        for name in ("phase_with_result", "seat_to_act", "why_not", "legal_map")
    ),
)
"""What a game calls from its first move on, as ``module:name``; kernels that these call are not named."""


@dataclass(frozen=True, slots=True)
class ThinkRequest:
    """The arguments of :meth:`wuzi.contract.Player.think`, ``multipv`` at least 1, and when it was asked."""

    game: Game
    limit: Limit
    multipv: int
    stop: Stop | None
    on_info: OnInfo | None
    began: float

    @property
    def left(self) -> Limit:
        """What is left of the limit now: what was loaded for the answer took time, too."""
        return self.limit.after(time.perf_counter() - self.began)

    def reported(self, result: PlayResult) -> PlayResult:
        """The result, told to ``on_info`` too: for players that know all at once."""
        if self.on_info is not None:
            self.on_info(result.info)
        return result


class BasePlayer(Generic[C]):
    """A player made from a frozen configuration dataclass.

    A subclass names its ``config_type``, its ``registered_name``, what it ``supports``, its ``presets``,
    and gives an :meth:`answer`, or all of :meth:`think`.
    """

    registered_name: ClassVar[str]
    config_type: ClassVar[type]
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    supports: ClassVar[Capabilities] = Capabilities()

    def __init__(self, config: C | None = None) -> None:
        if not hasattr(type(self), "config_type"):
            raise ConfigError(
                f"{type(self).__name__} has no config_type: name a frozen dataclass of its options, or give "
                "an object with think(game, limit) that is no BasePlayer"
            )
        self.config: C = self.config_type() if config is None else config

    def kernels(self, rules: Rules) -> tuple[str, ...]:
        """What a first answer under these rules calls beside :data:`RULE_KERNELS`, and as these."""
        del rules
        return ()

    def compile_kernels(self, rules: Rules) -> None:
        """Compile what an answer needs, unless all is compiled: the time of a search is not for that."""
        if not kernel_cache.is_warm() and (own := self.kernels(rules)):
            from wuzi.core import jit

            jit.compile_for((*RULE_KERNELS, *own))

    @property
    def spec(self) -> str:
        """The shortest spec string that makes this player again."""
        return format_spec(PlayerSpec(self.registered_name, minimal_values(self.config, self.presets)))

    @property
    def name(self) -> str:
        """A short display name: the spec string."""
        return self.spec

    def net_name(self, rules: Rules) -> str | None:
        """The net that judges under these rules; None for a player without one."""
        return None

    @property
    def capabilities(self) -> Capabilities:
        """What the player supports."""
        return self.supports

    def think(
        self,
        game: Game,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: OnInfo | None = None,
    ) -> PlayResult:
        """Answer the game; see :class:`wuzi.contract.Player`. Ordinary moves are left to :meth:`answer`."""
        check_budget(limit, multipv)
        self.compile_kernels(game.rules)
        began = time.perf_counter()
        if (opening := self.opening_result(game, limit, stop)) is not None:
            return opening
        rng = state_rng(getattr(self.config, "seed", 0), game)
        return self.answer(ThinkRequest(game, limit, multipv, stop, on_info, began), rng)

    def answer(self, request: ThinkRequest, rng: np.random.Generator) -> PlayResult:
        """An ordinary move; ``rng`` depends on ``seed`` of the configuration and on what is on the board."""
        raise NotImplementedError(f"{type(self).__name__} has neither think nor answer")

    def evaluate(self, game: Game, limit: Limit = Limit(), stop: Stop | None = None) -> float | None:
        """A value of the position for the side to move, -1 to 1; None without an opinion within the limit."""
        return None

    def check(self, game: Game) -> None:
        """Refuse a game that is over (GameOverError) and rules that are not supported (UnsupportedError)."""
        if game.outcome is not None:
            raise GameOverError(f"{self.name} was asked to play after the end of the game: {game.outcome}")
        if (reason := self.capabilities.why_not(game.rules)) is not None:
            raise UnsupportedError(f"{self.name} {reason}")

    def opening_action(self, game: Game, limit: Limit = Limit(), stop: Stop | None = None) -> Action | None:
        """What to do in a swap phase; None when the game waits for an ordinary move.

        Three stones are a random choice of :func:`wuzi.players.chance.balanced_three`. A choice of
        colour goes to the side that :meth:`evaluate` prefers; without an opinion White is kept.
        """
        if game.phase is Phase.PLACE_THREE:
            chance = Chance(getattr(self.config, "seed", 0), game)
            return PlaceSeveral(balanced_three(game.rules.size, chance.below(NUM_OPENINGS)))
        if game.phase in (Phase.CHOOSE, Phase.CHOOSE_AFTER_FIVE):
            value = self.evaluate(game, limit, stop)
            return Swap() if value is not None and value < 0 else Keep()
        return None

    def opening_result(
        self, game: Game, limit: Limit = Limit(), stop: Stop | None = None
    ) -> PlayResult | None:
        """What :meth:`think` does first: :meth:`check`; then the answer in a swap phase, else None."""
        self.check(game)
        action = self.opening_action(game, limit, stop)
        return None if action is None else PlayResult(action, SearchInfo(color=game.to_move))

    def close(self) -> None:
        """Release what the player holds; the default holds nothing."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def check_budget(limit: object, multipv: int) -> None:
    """A ConfigError for a limit that is no :class:`wuzi.contract.Limit`, or fewer candidates than one."""
    if not isinstance(limit, Limit):
        raise ConfigError(f"limit {limit!r}: expected a Limit such as Limit(time_s=0.5)")
    if multipv < 1:
        raise ConfigError(f"multipv {multipv!r}: expected at least 1")


def state_rng(seed: int, game: Game) -> np.random.Generator:
    """A random generator that depends on nothing but the seed and what is on the board."""
    key: Any = [seed & (2**64 - 1), int(game.position.key) & (2**64 - 1), len(game.actions)]
    return np.random.default_rng(key)
