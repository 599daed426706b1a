"""``python -m wuzi`` is the ``wuzi`` command."""

import sys

from wuzi.apps.cli import main

if __name__ == "__main__":
    sys.exit(main())
