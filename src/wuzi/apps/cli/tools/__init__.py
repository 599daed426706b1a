"""Commands for the installation: checks, speed, configuration and file conversion."""
