"""Tree search with a net: PUCT and Gumbel, one game or many games in batches."""
