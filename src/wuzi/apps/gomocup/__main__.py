"""``python -m wuzi.apps.gomocup``."""

from wuzi.apps.gomocup.loop import main

main()
