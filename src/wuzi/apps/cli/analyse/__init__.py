"""Commands that study positions and games."""
