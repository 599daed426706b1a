"""The ladder: one player against many engines at several time controls, as data over the arena."""
