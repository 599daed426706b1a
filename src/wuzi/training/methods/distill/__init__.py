"""Learning from a teacher: games of a player with labels (``wuzi gen-data``), and nets that follow them.

Nothing is imported here: making data (:mod:`wuzi.training.methods.distill.generate`) needs no torch, learning
from it (:mod:`wuzi.training.methods.distill.trainer`) does.
"""
