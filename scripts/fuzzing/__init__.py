"""Fuzzing: every parser and protocol is fed damaged input, and may only answer with its own errors."""
