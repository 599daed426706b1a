"""The spec string and the schema behind it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wuzi.base.schema import build_config, minimal_values, option, options_of
from wuzi.errors import ConfigError
from wuzi.players.spec import PlayerSpec, format_spec, parse_spec


class Flavour(enum.StrEnum):
    SWEET = "sweet"
    VERY_SOUR = "very-sour"


@dataclass(frozen=True)
class Sample:
    """A configuration of every type.

    Attributes:
        depth: plies,
            in two lines.
        ratio: a share.
    """

    depth: int = 4
    ratio: float = option(0.5, minimum=0, maximum=1)
    label: str = option("x", "a label", "标签")
    wide: bool = False
    flavour: Flavour = Flavour.SWEET
    cap: int | None = None
    note: str | None = None


PRESETS = {"deep": {"depth": 8, "flavour": Flavour.VERY_SOUR}, "wide": {"wide": True, "cap": 7}}

keys = st.from_regex(r"[a-z][a-z0-9_]{0,6}", fullmatch=True)
values = st.text(st.characters(exclude_characters=",\r\n", codec="utf-8"), max_size=12).map(str.strip)


@given(
    keys,
    st.dictionaries(
        keys.filter(lambda key: key != "cmd"), values.filter(lambda v: "\n" not in v), max_size=4
    ),
)
def test_spec_round_trip(name: str, options: dict[str, str]) -> None:
    spec = PlayerSpec(name, options)
    assert parse_spec(format_spec(spec)) == spec


def test_command_takes_the_rest_of_the_string() -> None:
    spec = parse_spec("external:timeout_s=2,cmd=./pbrain-x --opening a=1,2 --fast")
    assert spec.options == {"timeout_s": "2", "cmd": "./pbrain-x --opening a=1,2 --fast"}
    assert (
        parse_spec(format_spec(PlayerSpec("external", {"cmd": "a,b", "name": "c"}))).options["cmd"] == "a,b"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        "Mini max",
        "minimax:",
        "minimax:depth",
        "minimax:depth=3,",
        "minimax:=3",
        "a:b=1,b=2",
        "a:" + "x" * 3000,
    ],
)
def test_malformed_specs_are_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_spec(text)


def test_values_that_a_spec_cannot_hold_are_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be written"):
        format_spec(PlayerSpec("a", {"b": "1,2"}))


samples = st.builds(
    Sample,
    depth=st.integers(),
    ratio=st.floats(0, 1),
    label=st.text("abcdef ./=", max_size=8).map(str.strip),
    wide=st.booleans(),
    flavour=st.sampled_from(Flavour),
    cap=st.none() | st.integers(),
    note=st.none() | st.text("abc", min_size=1),
)


@given(samples)
def test_config_text_round_trip(config: Sample) -> None:
    text = format_spec(PlayerSpec("sample", minimal_values(config, PRESETS)))
    assert build_config(Sample, PRESETS, parse_spec(text).options, "sample") == config


@given(samples)
def test_config_typed_round_trip(config: Sample) -> None:
    typed = {name: getattr(config, name) for name in options_of(Sample)}
    assert build_config(Sample, {}, typed, "sample") == config


def test_preset_first_then_explicit_keys() -> None:
    config = build_config(Sample, PRESETS, {"depth": "5", "preset": "deep"}, "sample")
    assert (config.depth, config.flavour) == (5, Flavour.VERY_SOUR)
    assert minimal_values(config, PRESETS) == {"depth": "5", "flavour": "very_sour"}
    assert minimal_values(Sample(depth=8, flavour=Flavour.VERY_SOUR), PRESETS) == {"preset": "deep"}


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("depth", "deep", "a whole number"),
        ("depth", "1.5", "a whole number"),
        ("depth", "none", "a whole number"),
        ("depth", True, "a whole number"),
        ("ratio", "1.5", "a number from 0 up to 1"),
        ("ratio", "nan", "a number from 0 up to 1"),
        ("wide", "maybe", "true or false"),
        ("wide", 1, "true or false"),
        ("flavour", "bitter", "sweet, very_sour"),
        ("cap", "few", "a whole number or none"),
        ("label", 3, "text"),
        ("dept", "3", "expected one of depth, ratio, label, wide, flavour, cap, note, preset"),
        ("preset", "huge", "expected one of deep, wide"),
    ],
)
def test_errors_list_what_was_expected(key: str, value: object, expected: str) -> None:
    with pytest.raises(ConfigError, match="sample: .*" + expected.replace(".", r"\.")) as caught:
        build_config(Sample, PRESETS, {key: value}, "sample")
    assert "\n" not in str(caught.value)


def test_help_comes_from_options_and_docstrings() -> None:
    options = options_of(Sample)
    assert options["depth"].help == "plies, in two lines."
    assert options["ratio"].help == "a share."
    assert options["label"].describe()["help"] == {"en": "a label", "zh": "标签"}
    assert options["flavour"].describe()["choices"] == ("sweet", "very_sour")
    assert options["flavour"].describe()["default"] == "sweet"
