"""Contract tests and deterministic fakes, for our own tests and for plug-ins."""
