"""Studying positions and games: analysis, explanations, hints, board layers, solving and review."""

from wuzi.analysis.explain import Explainer, Remark, Said
from wuzi.analysis.hint import HintReason, hint_area, hint_reason

__all__ = ["Explainer", "HintReason", "Remark", "Said", "hint_area", "hint_reason"]
