# Everything is in scripts/dev.py, which also works without make: python3 scripts/dev.py play
PYTHON ?= python3
COMMANDS := play test setup quick lint format types imports unit ci-only front browser page bench fuzz build docs clean

.PHONY: help $(COMMANDS)

help:
	@$(PYTHON) scripts/dev.py --help

# Arguments for the command: make play ARGS="--port 9000"
$(COMMANDS):
	@$(PYTHON) scripts/dev.py $@ $(ARGS)
