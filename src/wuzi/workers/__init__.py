"""Child processes that speak lines."""
