"""The measured part of a net's card as lines for people: its training, its strength, its weaknesses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

_KINDS = {"win": "wins", "block": "blocks", "open_four": "open fours"}


def measured_rows(measured: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """A title and a text for each thing that the card knows."""
    parts: dict[str, Callable[[Any], tuple[str, str]]] = {
        "training": _training,
        "rating": _rating,
        "matches": _matches,
        "tactics": _tactics,
        "first_player": _colours,
        "calibration": _calibration,
    }
    for key, text_of in parts.items():
        if measured.get(key):
            yield text_of(measured[key])
    for weakness in measured.get("weaknesses", ()):
        yield "weakness", str(weakness)


def _training(facts: Mapping[str, Any]) -> tuple[str, str]:
    texts = (
        ("preset", "preset {}"),
        ("start", "begun from the net {}"),
        ("games", "{:,} games"),
        ("positions", "{:,} positions"),
        ("hours", "{:.2g} hours"),
        ("iterations", "{} iterations"),
        ("schedule_share", "{:.0%} of its schedule"),
        ("machine", "machine: {}"),
        ("begun", "begun {:.10}"),
    )
    return "training", ", ".join(text.format(facts[key]) for key, text in texts if facts.get(key) is not None)


def _rating(found: Mapping[str, Any]) -> tuple[str, str]:
    anchors = ", ".join(f"{name} has {value:.0f}" for name, value in found["fixed"].items())
    told = f"{found['value']:.0f} ({found['low']:.0f} to {found['high']:.0f}), where {anchors}"
    return "rating", f"{told}; {found['games']} games of {found['player']} from {found['openings']}"


def _matches(found: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    each = (f"{one['against']} {one['wins']}, {one['draws']}, {one['losses']}" for one in found)
    return "won, drawn, lost", "; ".join(each)


def _tactics(found: Mapping[str, Any]) -> tuple[str, str]:
    kinds = {kind: one for kind, one in found.items() if one["positions"]}
    each = (f"{one['right']} of {one['positions']} {_KINDS.get(kind, kind)}" for kind, one in kinds.items())
    return "without search", f"finds {', '.join(each)}"


def _colours(found: Mapping[str, Any]) -> tuple[str, str]:
    first, second = found["first"], found["second"]
    text = f"{first['value']:.1%} moving first, {second['value']:.1%} moving second"
    return "wins", f"{text} ({first['games']} and {second['games']} games)"


def _calibration(found: Mapping[str, Any]) -> tuple[str, str]:
    if found["error"] is None:
        return "value", "not compared with results"
    text = f"off by {found['error']:.1%} of the score on average"
    return "value", f"{text}, in {found['positions']:,} positions"
