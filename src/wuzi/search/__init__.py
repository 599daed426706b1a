"""Searches, one package each, and what they share: control and time."""
