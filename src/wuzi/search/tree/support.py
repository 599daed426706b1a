"""What a search guided by a net can be asked of."""

from __future__ import annotations

from wuzi.core.lines import WIN_LENGTHS
from wuzi.core.rules import Rule, Rules
from wuzi.errors import UnsupportedError
from wuzi.nets.codebook import CodebookEvaluator
from wuzi.nets.evaluator import Evaluator
from wuzi.search.tree.options import Tactics, TreeOptions


def check_support(rules: Rules, evaluator: Evaluator, options: TreeOptions) -> None:
    """Refuse an evaluator or tactics that do not fit the rules with an UnsupportedError."""
    if evaluator.size is not None and evaluator.size != rules.size:
        raise UnsupportedError(
            f"a net for {evaluator.size}x{evaluator.size}: the board is {rules.size}x{rules.size}"
        )
    if isinstance(evaluator, CodebookEvaluator):
        evaluator.record(rules)
    if options.tactics is not Tactics.NONE and rules.win_length not in WIN_LENGTHS:
        known = " and ".join(map(str, sorted(WIN_LENGTHS)))
        raise UnsupportedError(f"tactics={options.tactics} knows {known} in a row, not {rules.win_length}")
    if options.tactics is Tactics.VCF and rules.rule.blockable:
        raise UnsupportedError(f"tactics=vcf in {rules.rule.label}: an open four can be stopped there")


def playing_rules(rules: Rules) -> tuple[int, int, Rule]:
    """What a game's moves depend on; the opening protocol is no part of it."""
    return rules.size, rules.win_length, rules.rule
