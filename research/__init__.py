"""Comparisons, ablations and claims as data: played by command, resumable, every page computed."""
