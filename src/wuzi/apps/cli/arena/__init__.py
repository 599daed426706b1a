"""Commands that let players compete and report on it."""
