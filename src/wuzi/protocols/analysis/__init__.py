"""The analysis protocol: JSON lines for positions, lines and board layers."""
