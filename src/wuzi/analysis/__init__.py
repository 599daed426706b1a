"""Studying positions and games: analysis, explanations, hints, board layers, solving and review."""

from wuzi.analysis.explain import Explainer, HintReason, Remark, Said, hint_area, hint_reason

__all__ = ["Explainer", "HintReason", "Remark", "Said", "hint_area", "hint_reason"]
