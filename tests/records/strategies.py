"""Hypothesis strategies for games and records."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import strategies as st

from wuzi.core import (
    Color,
    Game,
    Keep,
    Move,
    Opening,
    Outcome,
    Phase,
    Place,
    PlaceSeveral,
    Position,
    Reason,
    Rule,
    Rules,
    Swap,
)
from wuzi.errors import WuziError
from wuzi.records import GameRecord, Mark, MarkKind, RecordNode, SetUp

NOT_PLAYED = [
    Outcome(Color.BLACK, Reason.RESIGNATION),
    Outcome(Color.WHITE, Reason.TIME),
    Outcome(Color.BLACK, Reason.CRASH),
    Outcome(Color.WHITE, Reason.ILLEGAL),
    Outcome(Color.BLACK, Reason.ADJUDICATION),
    Outcome(None, Reason.ADJUDICATION),
    Outcome(None, Reason.AGREEMENT),
]

# What SGF keeps exactly: any text without tabs and other white space than blanks and line feeds.
texts = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"], include_characters="\n"), max_size=40
)
names = st.one_of(
    st.sampled_from(["", "张三", "pbrain-x64", "a]b\\c:d", "homo-9", "(;B[aa])"]),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Zs", "Zl", "Zp"]), max_size=12),
)


@st.composite
def rules(draw: st.DrawFn, openings: bool = True) -> Rules:
    rule = draw(st.sampled_from(list(Rule)))
    if rule is Rule.RENJU:
        size, length = draw(st.integers(5, 26)), 5
    else:
        size = draw(st.integers(3, 26))
        length = draw(st.integers(3, min(size, 7)))
    opening = draw(st.sampled_from(list(Opening))) if openings and size >= 5 else Opening.FREE
    return Rules(size, length, rule, opening)


def play_random(game: Game, seed: int, max_plies: int) -> Game:
    """Random legal actions, swap openings included."""
    rng = random.Random(seed)
    while game.phase is not Phase.OVER and game.ply < max_plies:
        empty = game.position.legal_moves
        choices: list[object] = [Place(rng.choice(empty))]
        if game.phase is Phase.PLACE_THREE:
            choices = [PlaceSeveral(tuple(rng.sample(empty, 3)))]
        elif game.phase in (Phase.CHOOSE, Phase.CHOOSE_AFTER_FIVE):
            choices += [Swap(), Keep()]
            if game.phase is Phase.CHOOSE and game.rules.opening is Opening.SWAP2:
                choices.append(PlaceSeveral(tuple(rng.sample(empty, 2))))
        try:
            game = game.act(rng.choice(choices))  # type: ignore[arg-type]
        except WuziError:  # opening stones that would end the game (three in a row wins on tiny boards)
            continue
    return game


@st.composite
def games(draw: st.DrawFn, openings: bool = True, setups: bool = True) -> Game:
    chosen = draw(rules(openings))
    start = None
    if setups and chosen.opening is Opening.FREE and draw(st.booleans()):
        seed = draw(st.integers(0, 2**32 - 1))
        cells = np.random.default_rng(seed).choice(3, chosen.num_cells, p=(0.9, 0.05, 0.05))
        try:
            start = Position.from_cells(chosen, cells, draw(st.sampled_from([None, *Color])))
        except WuziError:
            start = None
    game = play_random(Game(chosen, start), draw(st.integers(0, 2**32 - 1)), draw(st.integers(0, 60)))
    if game.outcome is None and draw(st.booleans()):
        game = game.end(draw(st.sampled_from(NOT_PLAYED)))
    return game


@st.composite
def plain_records(draw: st.DrawFn, openings: bool = True, setups: bool = True) -> GameRecord:
    """Records of one line: names and times, no comments."""
    record = GameRecord.from_game(draw(games(openings, setups)), black=draw(names), white=draw(names))
    for node in record.root.main_line():
        if node.move is not None:
            node.time_ms = draw(st.one_of(st.none(), st.integers(1, 10**7)))
    return record


@st.composite
def full_records(draw: st.DrawFn) -> GameRecord:
    """Records with everything: comments, variations, marks, foreign properties, headers."""
    record = draw(plain_records())
    record.date = draw(st.sampled_from(["", "2026-11-21", "2026.11.21 12:30:00"]))
    record.headers = {
        key: value
        for key, value in {
            "event": "杯赛 [1]",
            "round": "1.2",
            "name": draw(st.sampled_from(["", "x:y", "第一局"])),
            "engine:hash": draw(st.sampled_from(["", "a:b\\c"])),
        }.items()
        if value
    }
    size = record.rules.size
    cells = st.integers(0, size * size - 1).map(lambda cell: Move(cell, size))
    nodes = list(record.root.main_line())
    for node in draw(st.lists(st.sampled_from(nodes), max_size=4)):
        node.comment = draw(texts)
        node.marks = draw(mark_lists(cells))
        node.properties = draw(
            st.dictionaries(
                st.sampled_from(["KM", "XYZ", "GB", "V"]),
                st.lists(st.sampled_from(["0", "a\\]b", "1:2", "中", ""]), min_size=1, max_size=3).map(tuple),
            )
        )
    for index in draw(st.lists(st.integers(0, len(nodes) - 1), max_size=3)):
        add_variation(record, nodes, index, draw(st.integers(0, 2**32 - 1)), draw(texts))
    return record


@st.composite
def mark_lists(draw: st.DrawFn, cells: st.SearchStrategy[Move]) -> tuple[Mark, ...]:
    marks = []
    for kind in MarkKind:  # SGF groups marks by kind
        for cell in draw(st.lists(cells, max_size=2, unique=True)):
            label = draw(st.sampled_from(["A", "甲", "1:2", "]"])) if kind is MarkKind.LABEL else ""
            marks.append(Mark(kind, cell, label))
    return tuple(marks)


def add_variation(record: GameRecord, nodes: list[RecordNode], index: int, seed: int, comment: str) -> None:
    """Hang a playable line, or set-up stones, below a node of the main line."""
    if index == len(nodes) - 1:
        return  # what is added to the end would be the main line
    position = position_at(record, index)
    if position.outcome is not None:
        return
    rng = random.Random(seed)
    if seed % 5 == 0:
        empty = rng.choice(position.legal_moves)
        nodes[index].add(RecordNode(setup=SetUp(empty=(empty,), to_move=Color.WHITE), comment=comment))
        return
    node = nodes[index]
    for _ in range(rng.randint(1, 4)):
        move = rng.choice(position.legal_moves)
        node = node.add(RecordNode(move=move, color=position.to_move, comment=comment))
        position = position.play(move)
        if position.outcome is not None:
            return


def position_at(record: GameRecord, index: int) -> Position:
    """The position after the first ``index`` moves of the main line."""
    game = record.game()
    position = game.start
    for move in game.moves[:index]:
        position = position.play(move)
    return position
