"""Every parameter of training by self-play, in sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import ClassVar

from wuzi.base.schema import option
from wuzi.core.rules import Rule, Rules, parse_rule
from wuzi.errors import ConfigError
from wuzi.search.montecarlo.searcher import TreeFormula
from wuzi.search.tree.options import SearchAlgorithm, Tactics, Temperature, TreeOptions, Unvisited
from wuzi.training.run.section import RESCUED, RescuedSection


class SelfPlayBackend(StrEnum):
    """What computes the net in self-play."""

    AUTO = "auto"
    """8 bits where the net accepts them, else float32; torch where a GPU is used."""
    INT8 = "int8"
    """As auto, on the CPU."""
    ONNX = "onnx"
    TORCH = "torch"


class NetChoice(StrEnum):
    """One of a run's two nets, or the engine's codebook net, which plays ten times as fast."""

    CURRENT = "current"
    BEST = "best"
    CODEBOOK = "codebook"


class LearnerKind(StrEnum):
    """What computes gradients and takes steps."""

    AUTO = "auto"
    """PyTorch where it is installed, else kernels."""
    TORCH = "torch"
    """PyTorch: every net, own losses, GPUs, bf16."""
    KERNELS = "kernels"
    """Compiled kernels, on one core: nets like ``4b32`` and ``basic``, without PyTorch."""


class Optimizer(StrEnum):
    """How gradients become steps."""

    ADAM = "adam"
    ADAMW = "adamw"
    SGD = "sgd"


class Precision(StrEnum):
    """What forward and backward pass of a step are computed in; weights and moments are always float32."""

    AUTO = "auto"
    """bf16 where the processor or GPU has instructions for it."""
    FP32 = "fp32"
    BF16 = "bf16"


class Schedule(StrEnum):
    """How the learning rate changes."""

    KL = "kl"
    """By the divergence of an update (documents 000, 001, 003)."""
    COSINE = "cosine"
    """Down to ``lr_last`` along a cosine over the whole run."""
    CONSTANT = "constant"


class Order(StrEnum):
    """When games are played and when the net learns."""

    ITERATIONS = "iterations"
    """The games of an iteration side by side, which fills the batches of the search, then its batches."""
    DOCUMENT = "document"
    """One game, then one batch, in turn, as the family's trainer does (documents 001 and 003)."""


class Gate(StrEnum):
    """Which net is the best one."""

    MCTS = "mcts"
    """That with the best result against pure MCTS, which gets more playouts as it is beaten."""
    WINRATE = "winrate"
    """One that scores more than ``threshold`` against the best so far."""
    SPRT = "sprt"
    """One that a sequential test against the best so far accepts."""
    NONE = "none"
    """Always the latest."""


@dataclass(frozen=True)
class GameSection:
    """What is played."""

    size: int = option(9, "rows and columns of the board", "棋盘边长", minimum=3, maximum=26)
    win_length: int | None = option(
        None, "stones in a row that win; none: five, four on 6x6", "连珠数", minimum=3, maximum=26
    )
    rule: str = option("freestyle", "freestyle, standard, renju, caro, caro_overline", "规则")

    @property
    def rules(self) -> Rules:
        """The rules; a ConfigError for impossible ones."""
        length = self.win_length or (4 if self.size == 6 else min(5, self.size))
        named: object = self.rule
        return Rules(self.size, length, named if isinstance(named, Rule) else parse_rule(self.rule))


@dataclass(frozen=True)
class NetSection:
    """What is trained."""

    architecture: str = option("basic", "the net's spec, such as basic or 5b48", "网络结构")
    start: str | None = option(None, "a net's name or file to start from", "初始网络", local=True)


class StoredValue(StrEnum):
    """Which value of a search is kept as a target."""

    COMPLETED = "completed"
    """The sum of improved policy times value (Gumbel), or the visits' mean (PUCT)."""
    VISITS = "visits"
    """The mean of all visits, also of a Gumbel search: too low, because refuted moves are visited too."""


@dataclass(frozen=True)
class SelfPlaySection:
    """How games for training are played."""

    games: int = option(16, "games an iteration", "每轮的对局数", minimum=1)
    concurrency: int = option(64, "games at once in a process", "每个进程同时进行的对局数", minimum=1)
    groups: int = option(
        1, "groups of these games that take turns between tree and net", "对局分组数", minimum=1, maximum=8
    )
    overlap: bool = option(False, "play on while the net learns, as a cluster does", "学习时继续对弈")
    gpus: float = option(0.0, "GPUs that a worker of a cluster holds", minimum=0, maximum=16)
    workers: int = option(0, "processes; 0: as many as cores", "进程数，0 为核数", minimum=0, maximum=1024)
    net: NetChoice = option(NetChoice.CURRENT, "who plays", "由哪个网络对弈")
    backend: SelfPlayBackend = option(SelfPlayBackend.AUTO, "what computes the net", "计算后端")
    simulations: int = option(400, "simulations a move", "每步的模拟次数", minimum=1, maximum=1_000_000)
    full_simulations: int | None = option(
        None, "simulations of a share of the moves", "部分着法的模拟次数", minimum=1, maximum=1_000_000
    )
    full_share: float = option(0.25, "that share", "该部分的比例", minimum=0, maximum=1)
    doublings: int = option(0, "how often both double over the run", "翻倍次数", minimum=0, maximum=6)
    search: SearchAlgorithm = option(SearchAlgorithm.PUCT, "how simulations are spent", "搜索方式")
    search_form: str | None = option(None, "a registered form in place of search", "已登记的搜索方式")
    c_puct: float = option(1.1, "exploration constant of PUCT", "PUCT 常数", minimum=0, maximum=100)
    c_log: float = option(0.45, "how it grows with visits", "随访问增长", minimum=0, maximum=10)
    unvisited: Unvisited = option(Unvisited.PARENT, "value of untried moves", "未访问着法的价值")
    reduction: float = option(0.2, "what unvisited=parent takes off", "其扣减", minimum=0, maximum=2)
    considered: int = option(16, "root moves of Gumbel search", "Gumbel 考虑的着法数", minimum=1)
    c_visit: float = option(50.0, "visit constant of Gumbel search", "Gumbel 的 c_visit", minimum=0)
    c_scale: float = option(1.0, "value scale of Gumbel search", "Gumbel 的 c_scale", minimum=0)
    noise_alpha: float = option(0.3, "alpha of Dirichlet noise", "Dirichlet 噪声的 alpha", minimum=0.001)
    noise_fraction: float = option(0.0, "share of noise in the root's priors", "根噪声", minimum=0, maximum=1)
    played_noise: float = option(0.0, "share of noise in the move played", "落子噪声", minimum=0, maximum=1)
    temperature: float = option(1.0, "softness of the choice, at first", "初始温度", minimum=0, maximum=10)
    temperature_last: float = option(
        1.0, "and after temperature_plies less one", "其后温度", minimum=0, maximum=10
    )
    temperature_plies: int | None = option(None, "plies until temperature_after", "温度变化的手数", minimum=1)
    temperature_after: float = option(0.0, "softness from then on", "之后的温度", minimum=0, maximum=10)
    tactics: Tactics = option(Tactics.FIVES, "what is decided before the net", "先于网络的判断")
    proofs: bool = option(True, "carry proven results towards the root", "回传已证明的结果")
    reuse: bool = option(True, "keep the tree from move to move", "保留搜索树")
    random_symmetry: bool = option(False, "each position in a random orientation", "随机对称")
    opening_share: float = option(0.0, "share of games that begin with random stones", minimum=0, maximum=1)
    opening_plies_min: int = option(2, "at least so many", minimum=1, maximum=60)
    opening_plies_max: int = option(6, "at most so many", minimum=1, maximum=60)
    balanced_openings: int = option(
        0, "even openings of as many stones, found before the first game; 0: random ones", minimum=0
    )
    resign_below: float | None = option(
        None, "value at which a side gives up", "认输阈值", minimum=-1, maximum=0
    )
    resign_plies: int = option(3, "own moves in a row that it takes", "连续手数", minimum=1)
    resign_never: float = option(
        0.1, "share of games that are played out", "不认输的比例", minimum=0, maximum=1
    )
    soft_above: float | None = option(
        None, "size of the value from which less is searched", "减少搜索的阈值", minimum=0, maximum=1
    )
    soft_simulations: int = option(8, "simulations then", "此时的模拟次数", minimum=1)
    stored_value: StoredValue = option(StoredValue.COMPLETED, "the value kept as a target", "保存的价值")
    dead_draws: bool = option(False, "end games that nobody can win any more", "死局即和")

    def __post_init__(self) -> None:
        if self.concurrency % self.groups:
            raise ConfigError(
                f"concurrency={self.concurrency} in groups={self.groups}: expected equal groups"
            )

    def tree_options(self) -> TreeOptions:
        """The search's parameters."""
        same = {item.name for item in fields(TreeOptions)} & {item.name for item in fields(self)}
        return TreeOptions(form=self.search, **{name: getattr(self, name) for name in same})

    def doublings_at(self, progress: float) -> int:
        """How often simulations have doubled when ``progress`` (0 to 1) of a run is done.

        >>> [SelfPlaySection(doublings=2).doublings_at(progress) for progress in (0.0, 0.3, 0.5, 0.7, 1.0)]
        [0, 0, 1, 2, 2]
        """
        return min(self.doublings, int(progress * (self.doublings + 1)))

    def doubled(self, times: int) -> SelfPlaySection:
        """The same with simulations that have doubled so often."""
        full = self.full_simulations and self.full_simulations << times
        return replace(self, simulations=self.simulations << times, full_simulations=full)

    def schedule(self) -> Temperature:
        """The temperature by ply."""
        return Temperature(
            self.temperature, self.temperature_last, self.temperature_plies, self.temperature_after
        )


@dataclass(frozen=True)
class ReplaySection:
    """Which positions are learned from.

    A position counts once here; the AlphaZero_Gomoku family counts its eight images one by one.
    """

    window: int = option(1250, "positions kept, at least", "样本窗口（局面数）", minimum=1)
    window_max: int | None = option(None, "at most; none: as window", "窗口上限", minimum=1)
    window_share: float = option(0.5, "share of all positions, between the two", minimum=0, maximum=1)
    symmetry: bool = option(True, "draw one of the eight images of a position", "八重对称增强")
    fast_weight: float = option(1.0, "weight of the policy of a search that was short", minimum=0, maximum=1)
    fast_value_weight: float = option(1.0, "weight of its value and other targets", minimum=0, maximum=1)
    soft_weight: float = option(0.1, "weight of positions after soft_above", minimum=0, maximum=1)
    targets: str = option("", "registered targets, such as mine or value=mine", "已登记的目标")
    decided_weight: float = option(1.0, "weight of forced and proven positions", minimum=0, maximum=1)
    surprise_share: float = option(
        0.0, "share of a game's policy weight that goes by surprise", minimum=0, maximum=1
    )

    def size(self, rows: int) -> int:
        """Positions to keep when there are so many in all."""
        return max(self.window, min(self.window_max or self.window, round(rows * self.window_share)))


@dataclass(frozen=True)
class LearnSection:
    """How the net learns."""

    batch: int = option(512, "positions a batch", "批大小", minimum=1)
    batches: int | None = option(None, "batches an iteration; none: by samples", "每轮的批数", minimum=1)
    samples: float = option(4.0, "positions drawn for each new one", "每个新局面的采样次数", minimum=0)
    order: Order = option(
        Order.ITERATIONS, "iterations, or document: a game, then a batch", "对弈与学习的次序"
    )
    least: int = option(0, "positions in the window before anything is learned", minimum=0)
    epochs: int = option(1, "steps on each batch", "每批的训练步数", minimum=1, maximum=100)
    learner: LearnerKind = option(
        LearnerKind.AUTO, "auto, torch, or kernels: small nets without PyTorch", "学习器"
    )
    optimizer: Optimizer = option(Optimizer.ADAM, "how gradients become steps", "优化器")
    lr: float = option(2e-3, "learning rate", "学习率", minimum=1e-9, maximum=10)
    lr_last: float = option(1e-4, "and at the end (cosine)", "最终学习率", minimum=0, maximum=10)
    warmup: int = option(0, "steps until it is reached (cosine)", "预热步数", minimum=0)
    schedule: Schedule = option(Schedule.KL, "how it changes", "学习率策略")
    kl_target: float = option(0.02, "divergence of an update (kl)", "KL 目标", minimum=1e-6)
    weight_decay: float = option(1e-4, "L2 (adam, sgd), or off the weights (adamw)", "L2 正则", minimum=0)
    clip: float = option(10.0, "greatest norm of the gradient", "梯度裁剪", minimum=1e-6)
    ema: float = option(0.0, "averaging of the weights that play; 0: none", minimum=0, maximum=0.99999)
    value_target: float = option(0.0, "share of the search's value in the target", minimum=0, maximum=1)
    policy_weight: float = option(1.0, "weight of the policy's loss", "策略损失权重", minimum=0)
    value_weight: float = option(1.0, "weight of the value's loss", "价值损失权重", minimum=0)
    pattern_weight: float = option(0.1, "lambda of the pattern head's loss", "辅助任务权重", minimum=0)
    soft_policy_weight: float = option(2.0, "weight of the soft policy", minimum=0)
    reply_weight: float = option(0.15, "weight of the opponent's reply", minimum=0)
    line_weight: float = option(0.15, "weight of the winning row", minimum=0)
    losses: str = option("", "registered losses with weights, such as mine=0.1", "已登记的损失及权重")
    moves_weight: float = option(0.02, "weight of the moves left", minimum=0)
    device: str = option("auto", "auto, cpu or cuda", "设备")
    threads: int = option(0, "of the learner; 0: as many as cores", "线程数", minimum=0, maximum=1024)
    precision: Precision = option(Precision.AUTO, "auto, fp32 or bf16", "计算精度")


@dataclass(frozen=True)
class EvaluateSection:
    """Games against pure MCTS."""

    interval: int = option(5, "every so many iterations; 0: never", "评估间隔", minimum=0)
    games: int = option(10, "games each time, colours in turn", "评估局数", minimum=1)
    playouts: int = option(1000, "playouts of pure MCTS at first", "MCTS 初始模拟次数", minimum=1)
    formula: TreeFormula = option(
        TreeFormula.UCB1,
        "of pure MCTS: ucb1 (document 000) or puct (001, 003)",
        "纯 MCTS 的公式：ucb1（文档 000）或 puct（001、003）",
    )
    playouts_step: int = option(1000, "more after a clean sweep", "全胜后增加", minimum=0)
    playouts_max: int = option(5000, "and at most", "上限", minimum=1)
    simulations: int | None = option(None, "of the net; none: as in self-play", "网络的模拟次数", minimum=1)
    anchor_interval: int = option(0, "Elo by the engine, every so many iterations; 0: never", minimum=0)
    table_interval: int = option(
        0, "policy alone against the score table, every so many iterations; 0: never", minimum=0
    )
    anchor_games: int = option(24, "games for that, with the engine and an earlier net", minimum=2)


@dataclass(frozen=True)
class PromoteSection:
    """Which net is the best one."""

    gate: Gate = option(Gate.MCTS, "who decides", "最佳模型的判定")
    interval: int = option(5, "every so many iterations (winrate, sprt)", "间隔", minimum=1)
    games: int = option(20, "games against the best; at most (sprt)", "对局数", minimum=2)
    threshold: float = option(0.55, "score to be exceeded (winrate)", "胜率阈值", minimum=0, maximum=1)
    opening_plies: int = option(
        2, "random stones the games begin with", "开局随机子数", minimum=0, maximum=20
    )
    simulations: int | None = option(None, "none: as in self-play", "模拟次数", minimum=1)
    elo0: float = option(0.0, "normalised Elo refused (sprt)")
    elo1: float = option(30.0, "normalised Elo accepted (sprt)")


def opening_room(rules: Rules) -> int:
    """How many stones a game may begin with at most, so that there is one."""
    return rules.num_cells // 3


def _all_but(section: type, *kept: str) -> frozenset[str]:
    """The keys of a section that a resumed run may change."""
    return frozenset(item.name for item in fields(section)) - {*kept}


SELFPLAY_CHANGES = _all_but(
    SelfPlaySection, "net", "search", "search_form", "stored_value", "balanced_openings"
)
EVALUATE_CHANGES = _all_but(EvaluateSection, "playouts")


@dataclass(frozen=True)
class TrainSettings:
    """All parameters of training by self-play; a ConfigError for values that do not fit together.

    Attributes:
        changeable: what may be changed when a run is resumed (:mod:`wuzi.training.run.changes`).
    """

    changeable: ClassVar[Mapping[str, frozenset[str]]] = {
        "selfplay": SELFPLAY_CHANGES,
        "replay": _all_but(ReplaySection, "targets"),
        "learn": _all_but(LearnSection, "order", "optimizer", "ema", "losses"),
        "evaluate": EVALUATE_CHANGES,
        "promote": _all_but(PromoteSection, "gate"),
        "run": RESCUED,
    }
    game: GameSection = GameSection()
    net: NetSection = NetSection()
    selfplay: SelfPlaySection = SelfPlaySection()
    replay: ReplaySection = ReplaySection()
    learn: LearnSection = LearnSection()
    evaluate: EvaluateSection = EvaluateSection()
    promote: PromoteSection = PromoteSection()
    run: RescuedSection = field(default_factory=RescuedSection)

    def __post_init__(self) -> None:
        games = self.selfplay
        if self.learn.device not in ("auto", "cpu", "cuda"):
            raise ConfigError(f"learn.device={self.learn.device!r}: expected auto, cpu or cuda")
        if games.opening_plies_min > games.opening_plies_max:
            raise ConfigError(
                f"selfplay.opening_plies_min={games.opening_plies_min}: "
                f"expected at most opening_plies_max={games.opening_plies_max}"
            )
        if self.promote.elo0 >= self.promote.elo1:
            raise ConfigError(
                f"promote.elo0={self.promote.elo0:g}: expected below elo1={self.promote.elo1:g}"
            )
        room = opening_room(self.game.rules)
        plies = max(games.opening_plies_max * (games.opening_share > 0), self.promote.opening_plies)
        if plies > room:
            name = (
                "selfplay.opening_plies_max"
                if plies > self.promote.opening_plies
                else "promote.opening_plies"
            )
            raise ConfigError(f"{name}={plies} on {self.game.rules.label}: expected at most {room}")

    def in_document_order(self) -> dict[str, dict[str, object]]:
        """What ``learn.order=document`` sets: a game and a batch an iteration, as many games in all and
        between evaluations, to the tens and hundreds that a document counts in (1,500, 2,000 and 50).

        The family's trainer does not learn before it has more samples than a batch, eight of each position.
        """
        games = self.selfplay.games
        rated = round(self.evaluate.anchor_interval * games, -1)
        return {
            "selfplay": {"games": 1, "concurrency": 1, "groups": 1, "workers": 1, "overlap": False},
            "learn": {"batches": 1, "least": self.learn.batch // 8 + 1},
            "evaluate": {
                "interval": round(self.evaluate.interval * games, -1),
                "anchor_interval": rated,
                "table_interval": self.evaluate.table_interval * games,
            },
            "promote": {"interval": self.promote.interval * games},
            "run": {
                "iterations": max(1, round(self.run.iterations * games, -2)),
                "keep_every": self.run.keep_every * games,
            },
        }
