"""Pictures: well-formed, complete, and the same every time."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.records.strategies import games
from wuzi.core import Game, Move, Rule, Rules, Style, parse_move
from wuzi.errors import ConfigError, RecordError
from wuzi.records import SvgOptions, SvgTheme, draw_game, draw_position, dumps, loads
from wuzi.records.formats.svg import PALETTES

NS = "{http://www.w3.org/2000/svg}"
WON = Game.from_moves(Rules(), "h8 i8 h9 i9 h10 i10 h11 i11 h12".split())
WOOD = PALETTES[SvgTheme.WOOD]


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(picture).iter(f"{NS}text")]


def stones(picture: str, fill: str) -> int:
    return sum(element.get("fill") == fill for element in ElementTree.fromstring(picture).iter(f"{NS}circle"))


@given(
    game=games(),
    theme=st.sampled_from(list(SvgTheme)),
    style=st.sampled_from([None, *Style]),
    numbers=st.booleans(),
    title=st.text(max_size=20),
)
def test_pictures_are_well_formed_and_show_every_stone(
    game: Game, theme: SvgTheme, style: Style | None, numbers: bool, title: str
) -> None:
    options = SvgOptions(
        theme=theme, coordinates=style, numbers=numbers, title=title, labels={Move(0, 15): title}
    )
    picture = draw_game(game, options)
    assert picture == draw_game(game, options)
    root = ElementTree.fromstring(picture)
    edges = {PALETTES[theme].black_edge, PALETTES[theme].white_edge}
    assert sum(element.get("stroke") in edges for element in root.iter(f"{NS}circle")) == game.position.ply


def test_numbers_coordinates_and_labels() -> None:
    plain = draw_game(WON, SvgOptions(coordinates=None))
    assert sorted(map(int, texts(plain))) == list(range(1, 10))
    assert texts(draw_game(WON, SvgOptions(coordinates=None, first_number=8))) == ["1", "2"]
    assert texts(draw_position(WON.position, SvgOptions(coordinates=None))) == []
    edges = texts(draw_game(WON, SvgOptions(numbers=False)))
    assert (edges[:2], edges[-2:]) == (["15", "a"], ["1", "o"])
    assert texts(draw_game(WON, SvgOptions(numbers=False, coordinates=Style.MATRIX)))[:2] == ["A", "1"]
    label = {parse_move("a1", 15): "<甲&>"}
    assert texts(draw_game(WON, SvgOptions(coordinates=None, numbers=False, labels=label))) == ["<甲&>"]


def test_the_winning_row_is_drawn() -> None:
    assert f'stroke="{WOOD.win}"' in draw_game(WON)
    assert f'stroke="{WOOD.win}"' not in draw_game(WON, SvgOptions(winning_lines=False))
    assert f'stroke="{WOOD.win}"' not in draw_game(WON.undo())


def test_the_last_move_is_marked() -> None:
    game = Game.from_moves(Rules(), ["h8"])
    assert f'stroke="{WOOD.accent}"' in draw_game(game)
    assert f'stroke="{WOOD.accent}"' not in draw_game(game, SvgOptions(last_move=False))


def test_forbidden_points_are_crossed_and_named() -> None:
    renju = Game.from_moves(Rules(15, 5, Rule.RENJU), "h8 a1 h9 a15 g10 o1 i10 o15".split())
    titles = [element.text for element in ElementTree.fromstring(draw_game(renju)).iter(f"{NS}title")]
    assert titles[1:] == ["h10: double three"]
    assert titles[0] == "renju 15x15: 4 black and 4 white stones, last move o15, Black to move"
    free = Game.from_moves(Rules(15), renju.moves)
    assert len(list(ElementTree.fromstring(draw_game(free)).iter(f"{NS}title"))) == 1


def test_colours_of_the_stones_follow_the_theme() -> None:
    assert (stones(draw_game(WON), WOOD.black), stones(draw_game(WON), WOOD.white)) == (5, 4)
    dark = PALETTES[SvgTheme.DARK]
    assert stones(draw_game(WON, SvgOptions(theme="dark")), dark.black) == 5  # type: ignore[arg-type]


def test_notebooks_show_the_same_picture() -> None:
    assert WON._repr_svg_() == dumps(WON, "svg") == draw_game(WON)  # type: ignore[attr-defined]


def test_wrong_options_and_reading_are_refused() -> None:
    with pytest.raises(ConfigError, match="neon"):
        SvgOptions(theme="neon")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="cell_px 2"):
        SvgOptions(cell_px=2)
    with pytest.raises(RecordError, match="written only"):
        loads(dumps(WON, "svg"), "svg")
