"""Learning: self-play, replay, the learner, gates, presets and the run directory (extra: train).

What needs torch is imported when first used: processes that only play games do without.
"""

import os

from wuzi.base.imports import attach

# Threads of the learner that wait for each other by spinning are ten times slower than one alone as soon
# as anything else runs. Only seen by an OpenMP that has not been loaded yet.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("GOMP_SPINCOUNT", "0")

__getattr__, __dir__, __all__ = attach(__name__)
