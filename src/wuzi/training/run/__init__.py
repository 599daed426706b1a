"""A run: its folder, settings, loop, checkpoints, status and estimates."""
