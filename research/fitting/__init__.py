"""Fitting the engine's values and policy to its own games."""
