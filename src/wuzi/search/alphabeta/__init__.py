"""Alpha-beta: the engine."""
