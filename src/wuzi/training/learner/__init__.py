"""Gradient steps: losses, the learner and the export of its nets."""
