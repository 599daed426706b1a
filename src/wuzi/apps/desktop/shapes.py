"""Antialiased shapes, stones and wood, made with NumPy and kept: pygame draws none of them smoothly.

Every function returns a finished surface; equal arguments return the same one, so nobody draws on it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pygame

from wuzi.apps.desktop.theme import Rgb

Field = npt.NDArray[np.float32]

_GRAIN_SIDE = 1000
_BEVEL = 5
_COARSE_FROM = 200

_LIGHT = np.array([-0.42, -0.52, 0.74], dtype=np.float32)
"""Where the light comes from: the upper left, in front."""


def _grid(width: int, height: int) -> tuple[Field, Field]:
    """Coordinates of the pixels' middles, each of shape [width, height], 0 in the middle of the area."""
    x = np.arange(width, dtype=np.float32)[:, None] + np.float32(0.5 - width / 2)
    y = np.arange(height, dtype=np.float32)[None, :] + np.float32(0.5 - height / 2)
    return np.broadcast_to(x, (width, height)), np.broadcast_to(y, (width, height))


def _box_distance(width: int, height: int, half_w: float, half_h: float, radius: float) -> Field:
    """Signed distance of each pixel to a rounded box in the middle of the area; negative inside."""
    x, y = _grid(width, height)
    qx, qy = np.abs(x) - (half_w - radius), np.abs(y) - (half_h - radius)
    outside = np.hypot(np.maximum(qx, 0), np.maximum(qy, 0))
    return np.asarray(outside + np.minimum(np.maximum(qx, qy), 0) - radius, dtype=np.float32)


def _surface(rgb: npt.ArrayLike, alpha: npt.NDArray[Any]) -> pygame.Surface:
    """A surface of one colour or colours [w, h, 3], and opacity [w, h] in 0..1."""
    colors = np.broadcast_to(np.clip(rgb, 0, 255), (*alpha.shape, 3))
    pixels = np.dstack([colors, np.clip(alpha, 0, 1) * 255 + 0.5]).astype(np.uint8)
    return pygame.image.frombytes(pixels.swapaxes(0, 1).tobytes(), alpha.shape, "RGBA")


@lru_cache(maxsize=256)
def box(
    size: tuple[int, int],
    radius: float,
    fill: Rgb,
    border: Rgb | None = None,
    border_width: float = 1.0,
    opacity: float = 1.0,
) -> pygame.Surface:
    """A rounded rectangle, with a border inside its edge if a colour is given."""
    width, height = size
    radius = min(radius, width / 2, height / 2)
    distance = _box_distance(width, height, width / 2, height / 2, radius)
    alpha = np.clip(0.5 - distance, 0, 1)
    inner = np.clip(0.5 - (distance + border_width), 0, 1)[..., None] if border else np.float32(1)
    rgb = np.array(border or fill, np.float32) * (1 - inner) + np.array(fill, np.float32) * inner
    return _surface(rgb, alpha * opacity)


@lru_cache(maxsize=64)
def outline(size: tuple[int, int], radius: float, color: Rgb, width: float) -> pygame.Surface:
    """Only the edge of a rounded rectangle (a circle where the radius is half the size)."""
    distance = _box_distance(*size, size[0] / 2, size[1] / 2, min(radius, min(size) / 2))
    alpha = np.clip(0.5 - distance, 0, 1) - np.clip(0.5 - (distance + width), 0, 1)
    return _surface(color, alpha)


@lru_cache(maxsize=64)
def shadow(size: tuple[int, int], radius: float, blur: int, opacity: int) -> pygame.Surface:
    """A soft shadow of a rounded rectangle; ``blur`` pixels larger on each side."""
    width, height = size[0] + 2 * blur, size[1] + 2 * blur
    coarse = 4 if min(size) > _COARSE_FROM else 1  # nobody sees single pixels of a large shadow
    small = (width // coarse, height // coarse)
    distance = _box_distance(*small, size[0] / coarse / 2, size[1] / coarse / 2, radius / coarse) * coarse
    fade = np.clip(0.5 - distance / (2 * blur), 0, 1) ** 2
    made = _surface((0, 0, 0), fade * opacity / 255)
    return pygame.transform.smoothscale(made, (width, height)) if coarse > 1 else made


def disc(diameter: int, fill: Rgb, opacity: float = 1.0, border: Rgb | None = None) -> pygame.Surface:
    """A filled circle."""
    return box((diameter, diameter), diameter / 2, fill, border, max(1.0, diameter / 18), opacity)


def ring(diameter: int, color: Rgb, width: float) -> pygame.Surface:
    """A circle's edge."""
    return outline((diameter, diameter), diameter / 2, color, width)


@lru_cache(maxsize=16)
def stone(diameter: int, black: bool, opacity: float = 1.0) -> pygame.Surface:
    """A lens-shaped stone, lit from the upper left, without its shadow."""
    x, y = _grid(diameter, diameter)
    radius = diameter / 2
    x, y = x / radius, y / radius
    squared = np.minimum(x * x + y * y, 1)
    z = np.sqrt(1 - squared)
    lens = np.stack([x * 0.8, y * 0.8, np.sqrt(np.maximum(1 - squared * 0.64, 0))], axis=-1)
    light = _LIGHT / np.linalg.norm(_LIGHT)
    diffuse = np.clip(lens @ light, 0, 1)
    half = light + np.array([0, 0, 1], np.float32)
    shine = np.clip(lens @ (half / np.linalg.norm(half)), 0, 1)
    if black:
        tone = 14 + 44 * diffuse**2 + 92 * shine**42 + 46 * shine**9 * diffuse
        rgb = np.stack([tone, tone * 1.01, tone * 1.05], axis=-1)
    else:
        tone = 190 + 66 * diffuse + 18 * shine**24 - 40 * (1 - z) ** 3
        rgb = np.stack([tone, tone * 0.988, tone * 0.962], axis=-1)
    alpha = np.clip((1 - np.sqrt(x * x + y * y)) * radius + 0.5, 0, 1) * opacity
    return _surface(rgb, alpha)


def _noise(random: np.random.Generator, size: int, points: int) -> Field:
    """Smooth random values along a line of ``size`` pixels, through ``points`` random ones."""
    knots = random.uniform(-1, 1, points + 2)
    at = np.linspace(0, points, size)
    low = at.astype(int)
    share = at - low
    share = share * share * (3 - 2 * share)
    return np.asarray(knots[low] * (1 - share) + knots[low + 1] * share, dtype=np.float32)


@lru_cache(maxsize=2)
def _grain(tones: tuple[Rgb, Rgb]) -> pygame.Surface:
    """A square of wood: long fibres, a few wider rings; made once and scaled to every size."""
    side = _GRAIN_SIDE
    random = np.random.default_rng(15)
    bend = 0.035 * _noise(random, side, 3)[:, None] + 0.008 * _noise(random, side, 11)[:, None]
    across = np.arange(side, dtype=np.float32)[None, :] / side + bend
    grain = np.zeros((side, side), np.float32)
    for points, weight in ((7, 0.34), (23, 0.26), (90, 0.22), (320, 0.18)):
        line = _noise(random, 4096, points)
        at = np.clip((across + 0.1) / 1.2, 0, 1) * 4095
        grain += np.float32(weight) * line[at.astype(int)]
    fibres = random.normal(0, 1, (side // 25 + 1, side)).astype(np.float32)
    grain += 0.09 * np.repeat(fibres, 25, axis=0)[:side]
    level = np.clip(0.55 + 0.5 * grain, 0, 1)[..., None]
    dark, light = (np.array(tone, np.float32) for tone in tones)
    x, y = _grid(side, side)
    rgb = (dark * (1 - level) + light * level) * (1.03 - 0.07 * (x / side + y / side + 0.5))[..., None]
    return _surface(rgb, np.ones((side, side)))


@lru_cache(maxsize=4)
def wood(size: tuple[int, int], tones: tuple[Rgb, Rgb], radius: float) -> pygame.Surface:
    """A plank with rounded corners and a bevelled edge, lit from the upper left."""
    width, height = size
    image = pygame.transform.smoothscale(_grain(tones), size)
    distance = _box_distance(width, height, width / 2, height / 2, radius)
    edge = distance > -_BEVEL
    x, y = _grid(width, height)
    lit = np.where((x / width + y / height) < 0, 1.12, 0.78)
    share = np.clip(1 + (distance + 1) / 3, 0, 1)
    factor = (1 - share + share * lit)[edge][:, None]
    pixels = pygame.surfarray.pixels3d(image)
    pixels[edge] = np.clip(pixels[edge] * factor, 0, 255).astype(np.uint8)
    del pixels
    alpha = pygame.surfarray.pixels_alpha(image)
    alpha[:] = (np.clip(0.5 - distance, 0, 1) * 255 + 0.5).astype(np.uint8)
    del alpha
    return image


def smooth_line(
    surface: pygame.Surface,
    color: Rgb,
    start: tuple[float, float],
    end: tuple[float, float],
    width: float,
    opacity: float = 1.0,
) -> None:
    """Draw a thick line with round, smooth ends."""
    pad = width / 2 + 1
    left, top = min(start[0], end[0]) - pad, min(start[1], end[1]) - pad
    right, bottom = max(start[0], end[0]) + pad, max(start[1], end[1]) + pad
    x0, y0 = int(left), int(top)
    w, h = int(right - x0) + 1, int(bottom - y0) + 1
    x = np.arange(w, dtype=np.float32)[:, None] + np.float32(x0 + 0.5) - np.float32(start[0])
    y = np.arange(h, dtype=np.float32)[None, :] + np.float32(y0 + 0.5) - np.float32(start[1])
    dx, dy = end[0] - start[0], end[1] - start[1]
    along = np.clip((x * dx + y * dy) / max(dx * dx + dy * dy, 1e-6), 0, 1)
    distance = np.hypot(x - along * dx, y - along * dy)
    alpha = np.clip(width / 2 + 0.5 - distance, 0, 1) * opacity
    surface.blit(_surface(color, alpha), (x0, y0))
