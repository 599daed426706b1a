"""The ``wuzi`` command. Each subcommand lives in its own module, imported only when it runs."""

from wuzi.apps.cli.frame import main

__all__ = ["main"]
