"""Plain minimax with alpha-beta pruning, as the source documents describe it."""
