"""The parameters of distillation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wuzi.base.schema import option
from wuzi.training.run.config import Precision


class Form(StrEnum):
    """What the student learns from."""

    SEED = "seed"
    """Seed 000, section 7.3: a teacher net that counts patterns, and the counts' sum as a value."""
    PRINCIPLED = "principled"
    """A teacher's policy, and its win, draw and loss, beside the game itself."""


@dataclass(frozen=True)
class DistillConfig:
    """Distillation from games with labels.

    Attributes:
        form: the seed's or the principled one.
        net: the student, a net's spec string. teacher: the seed form's teacher.
        teacher_epochs: passes of the teacher through the data, before the student's first.
        epochs: passes of the student; in a run, each round.
        batch_size: positions of one gradient step.
        learning_rate: Adam's. learning_rate_last: what it falls to along a cosine over the student's epochs;
            none: it stays.
        l2: weight of the squares of the weights.
        precision: of the forward and backward passes.
        grad_norm: gradients are scaled down to this norm; 0 leaves them.
        hard_weight, soft_weight, value_weight: the seed form's 0.7, 0.2 and 0.1.
        teacher_share: the principled form's weight of the teacher; the rest is the game's.
        temperature: softens both policies; the loss is scaled by its square (Hinton et al. 2015).
        top_share: what the teacher's best move shall get of its policy on average, where it gives scores.
        held_out: part of the games that is only measured.
        symmetries: turn and mirror every batch at random.
        seed: of everything.
    """

    form: Form = Form.PRINCIPLED
    net: str = "student"
    teacher: str = "teacher"
    teacher_epochs: int = option(10, minimum=0)
    epochs: int = option(10, minimum=1)
    batch_size: int = option(512, minimum=2)
    learning_rate: float = option(2e-3, minimum=0)
    learning_rate_last: float | None = option(None, minimum=0)
    precision: Precision = option(Precision.AUTO)
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
