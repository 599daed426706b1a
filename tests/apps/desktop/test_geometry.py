"""The geometry of the window holds for every size, by property."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from pygame import Rect

from wuzi.apps.desktop.geometry import (
    MIN_SIZE,
    BoardGrid,
    button_rects,
    game_layout,
    opening_rects,
    spread,
    turned_again,
)

sizes = st.tuples(st.integers(MIN_SIZE[0], 4000), st.integers(MIN_SIZE[1], 3000))
zooms = st.sampled_from((0.8, 1.0, 1.3, 2.0))


@given(size=sizes, zoom=zooms, count=st.integers(1, 12))
def test_the_parts_of_the_game_lie_inside_and_apart(size: tuple[int, int], zoom: float, count: int) -> None:
    made = game_layout(size, zoom, count)
    window = Rect(0, 0, *size)
    assert made.board.width == made.board.height >= 200
    parts = [made.board, made.panel, made.status]
    assert all(window.contains(part) for part in parts)
    assert all(part.collidelist(parts[i + 1 :]) == -1 for i, part in enumerate(parts))
    inner = [*made.players, made.bar, made.buttons, *(r for r in (made.graph, made.details) if r)]
    assert all(made.panel.contains(part) for part in inner)
    assert all(part.collidelist(inner[i + 1 :]) == -1 for i, part in enumerate(inner))
    for rect in button_rects(made.buttons, made.unit, count, made.columns):
        assert made.panel.contains(rect) and rect.width > 20


@given(size=sizes, zoom=zooms, count=st.integers(1, 3))
@example(size=(1060, 740), zoom=2.0, count=3)
@example(size=(670, 560), zoom=1.0, count=3)
def test_the_choices_of_an_opening_lie_between_players_and_buttons(
    size: tuple[int, int], zoom: float, count: int
) -> None:
    made = game_layout(size, zoom, 12)
    assert made.panel.contains(made.opening)
    assert made.opening.collidelist([*made.players, made.buttons]) == -1
    rects = opening_rects(made.opening, made.unit, count)
    assert len(rects) == count
    for index, rect in enumerate(rects):
        assert made.opening.contains(rect) and rect.collidelist(rects[index + 1 :]) == -1
        assert rect.height >= 24 and rect.width > 80


@given(left=st.integers(0, 500), side=st.integers(200, 2000), size=st.integers(3, 26), data=st.data())
def test_every_cell_is_found_again_at_its_pixel(left: int, side: int, size: int, data: st.DataObject) -> None:
    grid = BoardGrid(Rect(left, 7, side, side), size, data.draw(st.integers(0, 7)))
    move = data.draw(st.integers(0, size * size - 1))
    x, y = grid.point(move)
    reach = grid.cell * 0.45
    for dx in (-reach, 0, reach):
        for dy in (-reach, 0, reach):
            assert grid.move_at(x + dx, y + dy) == move
    assert grid.move_at(left - grid.cell, y) is None


@given(width=st.integers(50, 3000), count=st.integers(1, 12))
def test_a_row_is_cut_into_equal_parts(width: int, count: int) -> None:
    parts = spread(Rect(3, 0, width, 10), count, 4)
    assert parts[0].x == 3 and parts[-1].right == 3 + width
    assert max(part.width for part in parts) - min(part.width for part in parts) <= 1


def test_a_board_is_turned_and_flipped() -> None:
    usual = BoardGrid(Rect(0, 0, 600, 600), 15)
    right = usual.point(14)
    turned = turned_again(0, flip=False)
    assert BoardGrid(usual.rect, 15, turned).point(0) == right, "the upper left corner is on the right"
    assert BoardGrid(usual.rect, 15, turned_again(0, flip=True)).point(0) == right
    for flips in (False, True):
        start = turned_again(0, flip=True) if flips else 0
        assert turned_again(turned_again(start, flip=True), flip=True) == start
        quarters = start
        for _ in range(4):
            quarters = turned_again(quarters, flip=False)
        assert quarters == start
    # Turned, then flipped: what was at the top is still at the top of what is seen.
    both = turned_again(turned, flip=True)
    assert BoardGrid(usual.rect, 15, both).point(0) == usual.point(0)
