"""Parts of ``make_tactics.py``."""
