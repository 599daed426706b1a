"""OpenSpiel's Gomoku in the loop of ``wuzi bench``'s ``env_steps_per_s``, for comparison.

Needs ``pip install open_spiel`` in an environment of its own: python benchmarks/openspiel_env.py [9|15]
"""

from __future__ import annotations

import random
import sys
import time

import pyspiel

GAMES, STEPS, REPEATS = 64, 200, 7


def steps_per_s(size: int, tensors: bool) -> float:
    """Moves a second of processor time, the best of several windows.

    With ``tensors``: the observation tensor and the mask of legal moves of every position. Without: only
    the list of legal moves, which a random move needs.
    """
    game = pyspiel.load_game(f"gomoku(size={size})")
    draw = random.Random(1)
    states = [game.new_initial_state() for _ in range(GAMES)]
    best = 0.0
    for _ in range(REPEATS):
        start = time.thread_time()
        for _ in range(STEPS):
            for i, state in enumerate(states):
                legal = state.legal_actions()
                state.apply_action(legal[int(draw.random() * len(legal))])
                if state.is_terminal():
                    states[i] = game.new_initial_state()
                if tensors:
                    states[i].observation_tensor()
                    states[i].legal_actions_mask()
        best = max(best, GAMES * STEPS / (time.thread_time() - start))
    return best


if __name__ == "__main__":
    board = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    print(f"{board}x{board} with tensors and masks: {steps_per_s(board, True):,.0f} steps/s")
    print(f"{board}x{board} moves alone: {steps_per_s(board, False):,.0f} steps/s")
