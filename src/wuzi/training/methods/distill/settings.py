"""All parameters of a run of distillation, in sections."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from wuzi.base.schema import option
from wuzi.errors import ConfigError
from wuzi.training.methods.distill.config import DistillConfig, Form
from wuzi.training.run.config import (
    EvaluateSection,
    GameSection,
    Gate,
    PromoteSection,
    RunSection,
    SelfPlaySection,
    TrainSettings,
)


class Own(StrEnum):
    """What the student's own games teach it."""

    NONE = "none"
    """It plays none."""
    SEARCH = "search"
    """Self-play with a tree search, whose visits are the policy to learn (seed 000)."""
    LABELLED = "labelled"
    """It plays by its policy, and the teacher labels every position: what it gets wrong is what it learns."""


@dataclass(frozen=True)
class DataSection:
    """The games that are learned from."""

    folders: str | None = option(
        None, "folders of wuzi gen-data, with commas; none: games are made", "现成数据的目录", local=True
    )
    player: str = option("weight", "who plays them; teacher: who labels", "对弈者", local=True)
    games: int = option(1000, "how many are made", "对局数", minimum=1)
    opening_plies_min: int = option(0, "random stones first, at least", minimum=0, maximum=60)
    opening_plies_max: int = option(6, "and at most", minimum=0, maximum=60)
    explore: float = option(0.1, "chance of a move among the best few", minimum=0, maximum=1)
    labels: str | None = option(None, "the teacher, such as engine; none: no labels", "标注者", local=True)
    nodes: int | None = option(2000, "what it may spend on a position", "每个局面的结点数", minimum=1)
    multipv: int = option(8, "candidates in a label", "候选着法数", minimum=1)
    own: Own = option(Own.NONE, "what the student's own games teach", "学生自己的对局")
    own_window: int = option(500, "the latest of them that are learned from", minimum=1)
    workers: int = option(0, "processes; 0: as many as cores", "进程数，0 为核数", minimum=0, maximum=1024)


@dataclass(frozen=True)
class DistillSettings:
    """All parameters of a run of distillation; the seed is that of the run, its iterations are rounds.

    ``selfplay`` says how many games the student plays each round and, with ``data.own=search``, how.

    Raises:
        ConfigError: values that do not fit together.
    """

    game: GameSection = field(default_factory=GameSection)
    data: DataSection = field(default_factory=DataSection)
    distill: DistillConfig = field(default_factory=DistillConfig)
    selfplay: SelfPlaySection = field(default_factory=SelfPlaySection)
    evaluate: EvaluateSection = field(default_factory=EvaluateSection)
    run: RunSection = field(default_factory=RunSection)

    def __post_init__(self) -> None:
        if self.distill.form is Form.PRINCIPLED and not (self.data.labels or self.data.folders):
            raise ConfigError("distill.form=principled needs a teacher: expected data.labels or data.folders")
        if self.data.own is Own.LABELLED and not self.data.labels:
            raise ConfigError("data.own=labelled needs a teacher: expected data.labels")
        if self.data.own is Own.SEARCH and self.distill.form is Form.PRINCIPLED:
            raise ConfigError("data.own=search is of the seed's form: expected data.own=labelled or none")

    def judged(self) -> TrainSettings:
        """The settings by which the student is judged: as those of self-play, the best by its games."""
        gate = Gate.MCTS if self.evaluate.interval else Gate.NONE
        return TrainSettings(
            game=self.game,
            selfplay=self.selfplay,
            evaluate=self.evaluate,
            promote=PromoteSection(gate=gate),
            run=self.run,
        )
