"""Colours of the window, light and dark; the same family as the web page's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Rgb = tuple[int, int, int]
ThemeName = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class WindowTheme:
    """One set of colours; each text colour has a contrast of at least 4.5 on the ground it is used on.

    Attributes:
        name: ``light`` or ``dark``.
        ground: the window. surface: cards. surface_2: fields and buttons on cards.
        line: hairlines. strong_line: outlines that must be seen.
        text, text_2: main and secondary text.
        accent, on_accent, accent_soft: what is chosen or suggested.
        good, bad, bad_soft: results and failures.
        shadow: opacity of shadows, 0 to 255.
        wood: darkest and lightest tone of the board. grid: lines and coordinates on it.
        last: the mark of the last stone.
    """

    name: ThemeName
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


LIGHT = WindowTheme(
    name="light",
    ground=(244, 239, 230),
    surface=(255, 253, 249),
    surface_2=(241, 235, 224),
    line=(221, 211, 194),
    strong_line=(140, 130, 114),
    text=(35, 32, 27),
    text_2=(93, 86, 75),
    accent=(0, 101, 159),
    on_accent=(255, 255, 255),
    accent_soft=(220, 235, 245),
    good=(0, 105, 77),
    bad=(176, 60, 0),
    bad_soft=(251, 227, 216),
    shadow=58,
    wood=((209, 159, 92), (238, 200, 138)),
    grid=(84, 54, 22),
    last=(214, 60, 30),
)

DARK = WindowTheme(
    name="dark",
    ground=(21, 23, 26),
    surface=(31, 34, 38),
    surface_2=(44, 48, 54),
    line=(58, 64, 71),
    strong_line=(129, 137, 147),
    text=(236, 234, 230),
    text_2=(179, 179, 176),
    accent=(108, 192, 240),
    on_accent=(11, 26, 36),
    accent_soft=(28, 58, 78),
    good=(85, 207, 166),
    bad=(255, 154, 107),
    bad_soft=(71, 36, 21),
    shadow=120,
    wood=((146, 101, 56), (182, 134, 82)),
    grid=(44, 26, 10),
    last=(196, 40, 14),
)

THEMES: dict[ThemeName, WindowTheme] = {"light": LIGHT, "dark": DARK}


def mix(a: Rgb, b: Rgb, share: float) -> Rgb:
    """The colour between ``a`` (share 0) and ``b`` (share 1)."""
    red, green, blue = (round(x + (y - x) * share) for x, y in zip(a, b, strict=True))
    return red, green, blue
