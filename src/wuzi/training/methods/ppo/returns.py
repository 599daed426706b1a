"""What moves are credited with: returns and advantages in the two-player form, and document 002's diffusion.

Arrays are [T, B]: T steps of B games side by side, each step a move of the side to move. Rewards and
values are the mover's. No torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.nets.evaluator import Floats

Flags = npt.NDArray[Any]


def negamax_returns(
    rewards: Floats,
    values: Floats,
    dones: Flags,
    ours: Flags,
    last_values: Floats,
    gamma: float,
    gae_lambda: float,
) -> Floats:
    """Lambda-returns of moves whose next position belongs to the opponent.

    ``G_t = r_t - gamma (1 - done_t) [(1 - l) V_{t+1} + l G_{t+1}]``; the advantage is ``G_t - V_t``,
    which is the same as ``delta_t = r_t - gamma (1 - done) V_{t+1} - V_t`` and ``A_t = delta_t - gamma
    lambda (1 - done) A_{t+1}`` (GAE, Schulman et al. 2016, with the sign of negamax). ``l`` is
    ``gae_lambda``, and 1 where the next move is not the learner's: an opponent's move is part of the
    environment and nothing is expected of it.

    ``rewards`` are 1 where the move won, -1 where it lost, else 0 (or scaled); ``values`` the net's, those of
    rows that are not ours are not looked at; ``dones`` says whether the move ended its game, ``ours`` whether
    it is the learner's; ``last_values`` [B] are those of the positions after the last step, their movers'.
    """
    returns = np.empty_like(rewards)
    following = last_values
    for t in range(len(rewards) - 1, -1, -1):
        returns[t] = rewards[t] - gamma * (1.0 - dones[t]) * following
        blend = np.where(ours[t] != 0, gae_lambda, 1.0).astype(np.float32)
        following = (1 - blend) * values[t] + blend * returns[t]
    return returns


def next_targets(rewards: Floats, values: Floats, dones: Flags, last_values: Floats, gamma: float) -> Floats:
    """The value after each move for its mover, float32 [T, B]: the temporal gradient's target.

    ``r_t - gamma (1 - done_t) V_{t+1}``: the target of ``next_value`` at the cell that was played.
    """
    after = np.concatenate([values[1:], last_values[None]])
    return np.where(dones != 0, rewards, rewards - np.float32(gamma) * after).astype(np.float32)


def gradient_targets(
    rewards: Floats, values: Floats, dones: Flags, last_values: Floats, rate: float, horizon: int
) -> Floats:
    """The value now and the sum of document 002's formula 4.1 over the moves that were played.

    ``V(S_t) + sum of rate ** k (V(S_t+k+1) - V(S_t+k))`` for k from 0 to ``horizon``, in the view of the
    mover at t, to the end of the game or of the arrays: the target of ``next_value``, from which the
    net takes off its value now, float32 [T, B]. Where a value is NaN, that is, not known, neither are the
    sums with it.
    """
    steps, ended = len(rewards), dones != 0
    after = next_targets(rewards, values, dones, last_values, 1.0)
    found, going = after.copy(), np.ones(rewards.shape, bool)
    for k in range(1, min(horizon, steps - 1) + 1):
        going = going[: steps - k] & ~ended[k - 1 : steps - 1]
        share = np.float32((-rate) ** k)
        found[:-k] += np.where(going, share * (after[k:] - values[k:]), 0)
    return found


def win_pay(plies: npt.NDArray[np.int64], num_cells: int, urgency: float) -> Floats:
    """What a win with so many stones on the board pays: 1 at once, ``1 - urgency`` on a full board."""
    return (1.0 - urgency * plies / num_cells).astype(np.float32)


def diffuse(rewards: Floats, rates: Floats, horizons: npt.NDArray[np.int64], *, two_player: bool) -> Floats:
    """Document 002's reward diffusion (sections 7.1 and 7.3) over the moves of one game, both sides' in turn.

    A move gets ``rate ** h`` of the reward ``h`` plies later if that lies within its own horizon, and
    half of that again if it lies within the horizon of the later move (the document's "backward" pass, which
    also carries later rewards to earlier moves). With ``two_player`` odd distances change the sign: the later
    reward is the opponent's; without it, as in the document, the loser's moves share in the winner's reward.
    All arrays are [T].
    """
    found = rewards.copy()
    for h in range(1, len(rewards)):
        own = h < horizons[:-h]
        later = h < horizons[h:]
        sign = -1.0 if two_player and h % 2 else 1.0
        share = sign * rates[:-h] ** h * (own + 0.5 * later)
        found[:-h] += (share * rewards[h:]).astype(np.float32)
    return found


def spread_by_formula(
    rewards: Floats, rates: tuple[float, float], horizons: tuple[int, int], *, two_player: bool
) -> Floats:
    """Document 002's formula 7.1 over the moves of one game [T]: rates and horizons forward and backward.

    A move gets ``rates[0] ** h`` of the reward h plies later and half of ``rates[1] ** h`` of the reward h
    plies earlier, for h from 1 to the horizon. Its listing does not do the latter: see :func:`diffuse`, which
    also says what ``two_player`` is.
    """
    found = rewards.copy()
    for h in range(1, min(max(horizons), len(rewards) - 1) + 1):
        sign = -1.0 if two_player and h % 2 else 1.0
        found[:-h] += np.float32(sign * rates[0] ** h * (h <= horizons[0])) * rewards[h:]
        found[h:] += np.float32(sign * rates[1] ** h * 0.5 * (h <= horizons[1])) * rewards[:-h]
    return found


def strategy_rates(alpha: Floats, beta: Floats, horizon: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Rates and horizons from the net's strategy (document 002, section 7.3).

    More urgency (beta): a lower rate and a shorter horizon; more weight of the field (alpha): a higher rate.
    """
    rates = (0.7 + 0.2 * alpha - 0.1 * beta).astype(np.float32)
    return rates, (horizon * (1.0 - 0.5 * beta)).astype(np.int64)


def spread_over_games(
    spread: Callable[..., Floats], dones: Flags, *arrays: npt.NDArray[Any]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """What ``spread`` makes of each game's parts of arrays [T, B], the first of them the rewards; and which
    results are known: those of games that end there.
    """
    found, known = np.zeros_like(arrays[0]), np.zeros(arrays[0].shape, bool)
    for b in range(found.shape[1]):
        first = 0
        for end in np.flatnonzero(dones[:, b]) + 1:
            part = slice(first, int(end)), b
            found[part] = spread(*(array[part] for array in arrays))
            known[part] = True
            first = int(end)
    return found, known
