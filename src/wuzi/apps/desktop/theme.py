"""Colours of the window, light and dark, from ``themes.json``; the same family as the web page's."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

Rgb = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class WindowTheme:
    """One set of colours; each text colour has a contrast of at least 4.5 on the ground it is used on.

    Attributes:
        ground: the window. surface: cards. surface_2: fields and buttons on cards.
        line: hairlines. strong_line: outlines that must be seen.
        text, text_2: main and secondary text.
        accent, on_accent, accent_soft: what is chosen or suggested.
        good, bad, bad_soft: results and failures.
        shadow: opacity of shadows, 0 to 255.
        wood: darkest and lightest tone of the board. grid: lines and coordinates on it.
        last: the mark of the last stone. suggestion, cursor, area, candidate: other marks on the board.
    """

    ground: Rgb
    surface: Rgb
    surface_2: Rgb
    line: Rgb
    strong_line: Rgb
    text: Rgb
    text_2: Rgb
    accent: Rgb
    on_accent: Rgb
    accent_soft: Rgb
    good: Rgb
    bad: Rgb
    bad_soft: Rgb
    shadow: int
    wood: tuple[Rgb, Rgb]
    grid: Rgb
    last: Rgb
    suggestion: Rgb
    cursor: Rgb
    area: Rgb
    candidate: Rgb


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


THEMES = {
    name: WindowTheme(**{key: _hashable(value) for key, value in colors.items()})
    for name, colors in json.loads((files(__package__) / "themes.json").read_text(encoding="utf-8")).items()
}


def mix(a: Rgb, b: Rgb, share: float) -> Rgb:
    """The colour between ``a`` (share 0) and ``b`` (share 1)."""
    red, green, blue = (round(x + (y - x) * share) for x, y in zip(a, b, strict=True))
    return red, green, blue
