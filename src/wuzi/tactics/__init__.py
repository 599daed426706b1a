"""Threats: cell classes kept incrementally, and threat lists for people."""

from wuzi.tactics.classes import CellClass, cell_classes, cell_table, tables
from wuzi.tactics.threats import Threat, ThreatKind, find_threats

__all__ = ["CellClass", "Threat", "ThreatKind", "cell_classes", "cell_table", "find_threats", "tables"]
