"""Monte Carlo tree search with random playouts."""
