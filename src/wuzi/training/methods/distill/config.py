"""The parameters of distillation, and all those of a run of it, in sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from wuzi.base.schema import option
from wuzi.errors import ConfigError
from wuzi.training.run.changes import RUN
from wuzi.training.run.config import (
    EVALUATE_CHANGES,
    SELFPLAY_CHANGES,
    EvaluateSection,
    GameSection,
    Gate,
    Precision,
    PromoteSection,
    SelfPlaySection,
    TrainSettings,
)
from wuzi.training.run.section import RunSection

CHANGEABLE = frozenset(
    "learning_rate learning_rate_last precision device l2 grad_norm hard_weight soft_weight value_weight "
    "teacher_share temperature".split()
)
"""What may be changed when a run is resumed: nothing that its stages, rows or batches depend on."""


class DistillForm(StrEnum):
    """What the student learns from."""

    SEED = "seed"
    DOCUMENT = SEED
    """Document 000, section 7.3 (``seed`` in files): a teacher that counts patterns, their sum as a value."""
    PRINCIPLED = "principled"
    """A teacher's policy, and its win, draw and loss, beside the game itself."""


@dataclass(frozen=True)
class DistillConfig:
    """Distillation from games with labels.

    Attributes:
        form: the document's or the principled one.
        net: the student, a net's spec string. teacher: the documents' form's teacher.
        teacher_epochs: passes of the teacher through the data, before the student's first.
        epochs: passes of the student; in a run, each round.
        batch_size: positions of one gradient step.
        learning_rate: Adam's. learning_rate_last: what it falls to along a cosine over the student's epochs;
            none: it stays.
        l2: weight of the squares of the weights.
        precision: of the forward and backward passes. device: auto, cpu or cuda.
        grad_norm: gradients are scaled down to this norm; 0 leaves them.
        hard_weight, soft_weight, value_weight: the documents' form's 0.7, 0.2 and 0.1.
        teacher_share: the principled form's weight of the teacher; the rest is the game's.
        temperature: softens both policies; the loss is scaled by its square (Hinton et al. 2015).
        top_share: the teacher's best move gets this share of its policy on average, where it gives scores.
        held_out: part of the games that is only measured.
        symmetries: turn and mirror every batch at random.
        seed: of everything.
    """

    form: DistillForm = DistillForm.PRINCIPLED
    net: str = "student"
    teacher: str = "teacher"
    teacher_epochs: int = option(10, minimum=0)
    epochs: int = option(10, minimum=1)
    batch_size: int = option(512, minimum=2)
    learning_rate: float = option(2e-3, minimum=0)
    learning_rate_last: float | None = option(None, minimum=0)
    precision: Precision = option(Precision.AUTO)
    device: str = "auto"
    l2: float = option(1e-4, minimum=0)
    grad_norm: float = option(10.0, minimum=0)
    hard_weight: float = option(0.7, minimum=0)
    soft_weight: float = option(0.2, minimum=0)
    value_weight: float = option(0.1, minimum=0)
    teacher_share: float = option(0.75, minimum=0, maximum=1)
    temperature: float = option(1.0, minimum=0.1, maximum=20)
    top_share: float = option(0.6, minimum=0.05, maximum=0.99)
    held_out: float = option(0.1, minimum=0, maximum=0.5)
    symmetries: bool = True
    seed: int = option(0, minimum=0)


class OwnGames(StrEnum):
    """What the student's own games teach it."""

    NONE = "none"
    """It plays none."""
    SEARCH = "search"
    """Self-play with a tree search, whose visits are the policy to learn (document 000)."""
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
    own: OwnGames = option(OwnGames.NONE, "what the student's own games teach", "学生自己的对局")
    own_window: int = option(500, "the latest of them that are learned from", minimum=1)
    workers: int = option(0, "processes; 0: as many as cores", "进程数，0 为核数", minimum=0, maximum=1024)


@dataclass(frozen=True)
class DistillSettings:
    """All parameters of a run of distillation; the seed is that of the run, its iterations are rounds.

    ``selfplay`` says how many games the student plays each round and, with ``data.own=search``, how.
    """

    changeable: ClassVar[Mapping[str, frozenset[str]]] = {
        "data": frozenset({"workers"}),
        "distill": CHANGEABLE,
        "selfplay": SELFPLAY_CHANGES,
        "evaluate": EVALUATE_CHANGES - {"interval"},
        "run": RUN,
    }
    game: GameSection = field(default_factory=GameSection)
    data: DataSection = field(default_factory=DataSection)
    distill: DistillConfig = field(default_factory=DistillConfig)
    selfplay: SelfPlaySection = field(default_factory=SelfPlaySection)
    evaluate: EvaluateSection = field(default_factory=EvaluateSection)
    run: RunSection = field(default_factory=RunSection)

    def __post_init__(self) -> None:
        if self.distill.form is DistillForm.PRINCIPLED and not (self.data.labels or self.data.folders):
            raise ConfigError("distill.form=principled needs a teacher: expected data.labels or data.folders")
        if self.data.own is OwnGames.LABELLED and not self.data.labels:
            raise ConfigError("data.own=labelled needs a teacher: expected data.labels")
        if self.data.own is OwnGames.SEARCH and self.distill.form is DistillForm.PRINCIPLED:
            raise ConfigError("data.own=search is of the document's form: expected data.own=labelled or none")

    def judged(self) -> TrainSettings:
        """The settings by which the student is judged: as those of self-play, the best by its games."""
        promote = PromoteSection(gate=Gate.MCTS if self.evaluate.interval else Gate.NONE)
        same = {name: getattr(self, name) for name in ("game", "selfplay", "evaluate", "run")}
        return TrainSettings(promote=promote, **same)
