"""What a search guided by a net does, and how its answer becomes a move."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.errors import ConfigError
from wuzi.search.layout import TREE_OPTIONS

Doubles = npt.NDArray[np.float64]


class SearchAlgorithm(StrEnum):
    """How simulations are spent."""

    PUCT = "puct"
    """The AlphaZero rule: value plus prior times the square root of visits."""
    GUMBEL = "gumbel"
    """Sequential halving at the root, the improved policy below it: sound with few simulations."""


class Unvisited(StrEnum):
    """The value of a move that was not tried yet, for the side that would make it."""

    ZERO = "zero"
    """A draw's: the AlphaZero_Gomoku family."""
    PARENT = "parent"
    """The mean of the position itself, less a reduction that grows with what was tried."""
    SIBLINGS = "siblings"
    """The mean of the tried moves, 0 before the first: the listing of document 004."""


class Tactics(StrEnum):
    """What is decided exactly, before the net."""

    NONE = "none"
    FIVES = "fives"
    """Own fives, forced blocks, two opponent's fives, open fours (win lengths 4 and 5)."""
    VCF = "vcf"
    """These and wins by continuous fours (not in caro)."""


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """Parameters of a tree search; the defaults are the corrected forms.

    Attributes:
        form: PUCT or Gumbel.
        c_puct, c_log, c_base: the exploration constant is ``c_puct + c_log * log((N + c_base) / c_base)``.
        unvisited: the value of untried moves (PUCT).
        reduction: what PARENT takes off, times the root of the prior tried so far.
        batch: leaves of one tree that are evaluated together.
        virtual_loss: what a simulation in flight counts as, in lost games.
        noise_alpha, noise_fraction: Dirichlet noise in the root's priors (PUCT); fraction 0 for none.
        considered: root moves that sequential halving begins with (Gumbel).
        c_visit, c_scale: constants of sigma, for values in [0, 1] (Gumbel).
        gumbel_scale: size of the Gumbel noise; 0 plays without any (Gumbel).
        proofs: carry proven results towards the root, and search proven moves no more.
        tactics: what is decided before the net.
        vcf_root, vcf_tree: positions the search for fours may look at, at the root and below it.
        random_symmetry: show each position to the net in an orientation drawn from the game's seed.
        search_form: a registered form in place of ``form`` (:mod:`wuzi.search.tree.forms`).
    """

    form: SearchAlgorithm = SearchAlgorithm.PUCT
    c_puct: float = 1.1
    c_log: float = 0.45
    c_base: float = 500.0
    unvisited: Unvisited = Unvisited.PARENT
    reduction: float = 0.2
    batch: int = 1
    virtual_loss: float = 1.0
    noise_alpha: float = 0.3
    noise_fraction: float = 0.0
    considered: int = 16
    c_visit: float = 50.0
    c_scale: float = 1.0
    gumbel_scale: float = 1.0
    proofs: bool = True
    tactics: Tactics = Tactics.FIVES
    vcf_root: int = 2000
    vcf_tree: int = 200
    random_symmetry: bool = False
    search_form: str | None = None

    def __post_init__(self) -> None:
        if self.batch < 1 or self.considered < 1:
            raise ConfigError(f"batch={self.batch}, considered={self.considered}: expected at least 1")
        if not 0 <= self.noise_fraction <= 1 or self.noise_alpha <= 0:
            found = f"noise_fraction={self.noise_fraction}, noise_alpha={self.noise_alpha}"
            raise ConfigError(f"{found}: expected a fraction from 0 to 1 and an alpha above 0")

    def record(self) -> Any:
        """The kernels' record (:data:`wuzi.search.layout.TREE_OPTIONS`)."""
        record = np.zeros(1, TREE_OPTIONS)[0]
        for name in TREE_OPTIONS.names or ():
            value = getattr(self, name)
            record[name] = list(type(value)).index(value) if isinstance(value, StrEnum) else value
        return record


@dataclass(frozen=True, slots=True)
class Temperature:
    """How the choice of a move softens over a game.

    For the first ``plies`` the temperature goes evenly from ``first`` to ``last``, then it is ``after``;
    without ``plies`` it is ``first`` all the time. At 0 the best move is played.

    >>> Temperature(1.0, 0.5, plies=10).at(5)
    0.75
    """

    first: float = 0.0
    last: float = 0.0
    plies: int | None = None
    after: float = 0.0

    def at(self, ply: int) -> float:
        """The temperature when ``ply`` stones are on the board."""
        if self.plies is None:
            return self.first
        if ply >= self.plies:
            return self.after
        return self.first + (self.last - self.first) * ply / self.plies


def with_temperature(policy: npt.ArrayLike, temperature: float) -> Doubles:
    """Probabilities in proportion to ``policy ** (1 / temperature)``; temperature above 0.

    >>> with_temperature(np.array([0.2, 0.4, 0.4, 0.0]), 0.5).round(3).tolist()
    [0.111, 0.444, 0.444, 0.0]
    """
    with np.errstate(divide="ignore"):
        logs = np.log(np.asarray(policy, np.float64)) / temperature
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def mix_move_noise(
    probabilities: Doubles,
    legal: npt.NDArray[np.bool_],
    rng: np.random.Generator,
    alpha: float,
    fraction: float,
) -> Doubles:
    """Dirichlet noise over the legal cells mixed into what is *played*, as document 003 does.

    Unlike noise in the root's priors it is not looked at by the search: a random move now and then.
    """
    noise = np.zeros(len(probabilities))
    noise[legal] = rng.dirichlet(np.full(int(legal.sum()), alpha))
    return (1 - fraction) * probabilities + fraction * noise
