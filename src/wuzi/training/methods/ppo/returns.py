"""What moves are credited with: returns and advantages in the two-player form, and document 002's diffusion.

Arrays are [T, B]: T steps of B games side by side, each step a move of the side to move. Rewards and
values are the mover's. No torch.
"""

from __future__ import annotations

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
    return np.asarray(rewards - np.float32(gamma) * (1.0 - dones.astype(np.float32)) * after)


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


def strategy_rates(alpha: Floats, beta: Floats, horizon: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Rates and horizons from the net's strategy (document 002, section 7.3).

    More urgency (beta): a lower rate and a shorter horizon; more weight of the field (alpha): a higher rate.
    """
    rates = (0.7 + 0.2 * alpha - 0.1 * beta).astype(np.float32)
    return rates, (horizon * (1.0 - 0.5 * beta)).astype(np.int64)


def diffused_returns(
    rewards: Floats,
    dones: Flags,
    rates: Floats,
    horizons: npt.NDArray[np.int64],
    *,
    two_player: bool,
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """:func:`diffuse` over all games in [T, B], and which rewards are known: of games that end there."""
    found, known = np.zeros_like(rewards), np.zeros(rewards.shape, bool)
    for b in range(rewards.shape[1]):
        first = 0
        for end in np.flatnonzero(dones[:, b]) + 1:
            part = slice(first, int(end)), b
            found[part] = diffuse(rewards[part], rates[part], horizons[part], two_player=two_player)
            known[part] = True
            first = int(end)
    return found, known
