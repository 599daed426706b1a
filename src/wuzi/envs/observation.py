"""What an agent sees: two planes of stones and the mask of legal moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from wuzi.core import Color, Position, Rules
from wuzi.errors import ConfigError

Observation = dict[str, npt.NDArray[np.int8]]


def observation_space(rules: Rules) -> spaces.Dict:
    """``observation`` int8 [size, size, 2] (own stones, the opponent's) and ``action_mask`` int8 [cells]."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (rules.size, rules.size, 2), np.int8),
            "action_mask": spaces.Box(0, 1, (rules.num_cells,), np.int8),
        }
    )


def observe(position: Position, color: Color) -> Observation:
    """The position as ``color`` sees it; its mask is empty when another is to move or the game is over."""
    size = position.rules.size
    board = position.cells.reshape(size, size)
    planes = np.stack([board == color, board == color.opponent], axis=-1).astype(np.int8)
    legal = position.legal_mask() if position.to_move is color else np.zeros(size * size, np.bool_)
    return {"observation": planes, "action_mask": legal.astype(np.int8)}


def check_render_mode(mode: str | None) -> None:
    """Raise ConfigError for a mode that :func:`render` does not know."""
    if mode not in (None, "ansi", "svg"):
        raise ConfigError(f"render mode {mode!r}: expected one of ansi, svg")


def render(position: Position, mode: str | None) -> Any:
    """The board as text (``ansi``) or as a picture (``svg``); None without a mode."""
    if mode is None:
        return None
    if mode == "ansi":
        return f"{position}\n"
    from wuzi.records.formats.svg import draw_position

    return draw_position(position)
