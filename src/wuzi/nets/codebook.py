"""The engine's codebook net as an evaluator of tree searches: a few microseconds a position."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from wuzi.core.position import Position
from wuzi.core.rules import Rule, Rules
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.evaluation.codebook import codebook_record, parse_net, shipped_path, supported_rules
from wuzi.evaluation.layout import ACCUMULATOR
from wuzi.nets import board_kernels
from wuzi.nets.evaluator import Floats
from wuzi.tactics.classes import tables
from wuzi.tactics.layout import PATTERNS

SUFFIX = ".npz"
NAME = "codebook"


def is_codebook(net: str) -> bool:
    """Whether ``net`` names the shipped codebook nets, or the file of one."""
    return net == NAME or net.endswith(SUFFIX)


@cache
def _shipped(path: Path, rule: Rule, win_length: int) -> Any:
    return codebook_record(
        parse_net(path.read_bytes(), path.name, rule, win_length), Rules(15, win_length, rule)
    )


class CodebookEvaluator:
    """The codebook net of a board's rule, on boards of any size; that fitted to the size, where there is one.

    Searches that keep patterns ask it in their kernels and never see planes; :meth:`evaluate` gives the same
    answers to all others. It is the same from every side of the board.

    Attributes:
        rules: rules and win lengths that there is a net for.
    """

    planes: str = "board7-v1"
    size: int | None = None

    def __init__(self, content: bytes | None = None, source: str = "") -> None:
        """The shipped nets, or that of a file's content (``source`` is its name in messages)."""
        self._content, self._source = content, source
        self._records: dict[tuple[Rule, int], Any] = {}
        self.rules = supported_rules()

    def record(self, rules: Rules) -> Any:
        """The net as kernels read it.

        An UnsupportedError for rules that there is no net for, a ConfigError where the file is for others.
        """
        key = rules.rule, rules.win_length
        if self._content is None:
            return _shipped(shipped_path(*key, rules.size), *key)
        if key not in self._records:
            if key not in self.rules:
                raise UnsupportedError(f"no evaluation for {rules.rule.label} with {key[1]} in a row")
            self._records[key] = codebook_record(parse_net(self._content, self._source, *key), rules)
        return self._records[key]

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        """See :class:`wuzi.nets.evaluator.Evaluator`; all positions of one rule."""
        batch, size = len(features), features.shape[-1]
        logits, values = np.zeros((batch, size * size), np.float32), np.zeros(batch, np.float32)
        if not batch:
            return logits, values
        if (features[:, 5:] != features[0, 5:]).any():
            raise ConfigError("a batch of boards with different rules: expected one rule and win length")
        rules = Rules(size, int(features[0, 6, 0, 0]), Rule(int(features[0, 5, 0, 0])))
        planes = np.ascontiguousarray(features, np.float32).reshape(batch, -1, size * size)
        board_kernels.answer_planes(
            *(planes, Position(rules).state(), np.zeros(1, PATTERNS)[0]),
            *(tables(rules.rule, rules.win_length), self.record(rules), np.zeros(1, ACCUMULATOR)[0]),
            *(logits, values),
        )
        return logits, values
