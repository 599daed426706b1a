"""Exact values of small boards by proof-number search."""
