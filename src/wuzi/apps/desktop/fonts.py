"""Text on the screen, in the font that comes with wuzi: system fonts may lack Chinese, or be missing."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import Literal

import pygame

from wuzi.apps.desktop.theme import Rgb

Anchor = Literal["topleft", "midleft", "midright", "center", "midtop", "topright"]

_WORD = re.compile(r"(?:[^\u2e80-\U0010ffff ]+ ?| |[\u2e80-\U0010ffff])[，。；：！？）」、]*")
"""A Chinese character, or a word with the blank behind it, and closing punctuation."""

RAISE = 0.06
"""How much of its size text is raised when centred: the font keeps more room above than below."""


@lru_cache(maxsize=64)
def font(size: int, bold: bool = False) -> pygame.font.Font:
    """The font in a size in pixels."""
    name = "WuziSansSC-Bold.otf" if bold else "WuziSansSC-Regular.otf"
    with resources.as_file(resources.files("wuzi") / "data" / "fonts" / name) as path:
        return pygame.font.Font(str(path), size)


def close() -> None:
    """Give all fonts back."""
    font.cache_clear()
    pygame.font.quit()


@lru_cache(maxsize=1024)
def _rendered(text: str, size: int, color: Rgb, bold: bool) -> pygame.Surface:
    return font(size, bold).render(text, True, color)


def width(text: str, size: int, bold: bool = False) -> int:
    """How many pixels wide a line is."""
    return font(size, bold).size(text)[0]


def fitted(text: str, size: int, most: int, bold: bool = False) -> str:
    """The text, shortened with an ellipsis to at most ``most`` pixels."""
    if width(text, size, bold) <= most:
        return text
    while text and width(text + "…", size, bold) > most:
        text = text[:-1]
    return text.rstrip() + "…"


def fitting(text: str, size: int, least: int, room: int) -> int:
    """The size, or the largest smaller one down to ``least``, at which a text fits into the room."""
    while size > least and width(text, size) > room:
        size -= 1
    return size


def wrapped(text: str, size: int, most: int, bold: bool = False) -> list[str]:
    """The text in lines of at most ``most`` pixels; Chinese breaks anywhere, other text at blanks."""
    lines, line = [], ""
    for word in _WORD.findall(text):
        if line and width((line + word).rstrip(), size, bold) > most:
            lines.append(line.rstrip())
            line = word.lstrip()
        else:
            line += word
    return [*lines, line.rstrip()] if line.strip() else lines


def draw(
    surface: pygame.Surface,
    text: str,
    at: tuple[float, float],
    size: int,
    color: Rgb,
    anchor: Anchor = "topleft",
    *,
    bold: bool = False,
    most: int | None = None,
) -> pygame.Rect:
    """Draw one line of text, its anchor at ``at``, shortened to ``most`` pixels; returns where it is."""
    if most is not None:
        text = fitted(text, size, most, bold)
    image = _rendered(text, size, color, bold)
    where = image.get_rect(**{anchor: (round(at[0]), round(at[1]))})
    if anchor in ("midleft", "midright", "center"):
        where.y -= round(size * RAISE)
    surface.blit(image, where)
    return where
