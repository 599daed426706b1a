"""The parameters of a run as a whole, section ``run`` of any method."""

from __future__ import annotations

from dataclasses import dataclass

from wuzi.base.schema import option
from wuzi.training.run.changes import RUN


@dataclass(frozen=True)
class RunSection:
    """The run as a whole."""

    iterations: int = option(100, "how many", "训练轮数", minimum=1)
    seed: int = option(1, "of weights, games and batches", "种子", minimum=0)
    checkpoint_s: float = option(15.0, "seconds of work a crash may cost", "检查点间隔（秒）", minimum=0)
    keep_every: int = option(10, "keep the checkpoints and nets of these iterations", minimum=1)


@dataclass(frozen=True)
class RescuedSection(RunSection):
    """The same, for a method that can begin again where it learns nothing; see :mod:`.attempts`."""

    rescue: bool = option(
        False, "begin again with another seed where nothing is learned", "什么也没学到时换种子重新开始"
    )


RESCUED = RUN | {"rescue"}
"""What may be changed in that section when a run is resumed."""
