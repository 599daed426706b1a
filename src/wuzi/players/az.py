"""The player that searches with a net."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from wuzi.base.schema import option
from wuzi.contract import Capabilities, Limit, PlayResult, Stop
from wuzi.core import Game, Move, Place, Rules
from wuzi.core.lines import WIN_LENGTHS
from wuzi.players.base import ThinkRequest
from wuzi.players.net_player import NetConfig, NetPlayer
from wuzi.search.tree.options import (
    SearchAlgorithm,
    Tactics,
    Temperature,
    TreeOptions,
    Unvisited,
    mix_move_noise,
    with_temperature,
)
from wuzi.search.tree.puct import TreeSearch
from wuzi.search.tree.root import Root


@dataclass(frozen=True)
class AzConfig(NetConfig):
    """Options of :class:`AzPlayer`."""

    simulations: int = option(400, "simulations a move", "每步的模拟次数", minimum=1, maximum=10_000_000)
    search: SearchAlgorithm = option(SearchAlgorithm.PUCT, "how simulations are spent", "搜索方式")
    search_form: str | None = option(None, "a registered form in place of search", "已登记的搜索方式")
    c_puct: float = option(1.1, "exploration constant of PUCT", "PUCT 的探索常数", minimum=0, maximum=100)
    c_log: float = option(0.45, "growth of c_puct with visits", "c_puct 随访问数增长", minimum=0, maximum=10)
    unvisited: Unvisited = option(Unvisited.PARENT, "value of untried moves", "未访问着法的价值")
    reduction: float = option(
        0.2, "what unvisited=parent takes off", "unvisited=parent 时的扣减", minimum=0, maximum=2
    )
    considered: int = option(16, "root moves of Gumbel search", "Gumbel 根结点考虑的着法数", minimum=1)
    c_visit: float = option(50.0, "visit constant of Gumbel search", "Gumbel 的 c_visit", minimum=0)
    c_scale: float = option(1.0, "value scale of Gumbel search", "Gumbel 的 c_scale", minimum=0)
    gumbel_scale: float = option(0.0, "noise of Gumbel search", "Gumbel 噪声大小", minimum=0, maximum=10)
    noise_alpha: float = option(0.3, "alpha of Dirichlet noise", "Dirichlet 噪声的 alpha", minimum=0.001)
    noise_fraction: float = option(0.0, "noise in the root's priors", "根先验噪声比例", minimum=0, maximum=1)
    played_noise: float = option(0.0, "noise in the move played", "落子分布的噪声比例", minimum=0, maximum=1)
    temperature: float = option(0.0, "temperature of the first moves", "开局落子温度", minimum=0, maximum=10)
    temperature_last: float = option(0.0, "temperature it falls to", "最后的落子温度", minimum=0, maximum=10)
    temperature_plies: int | None = option(
        None, "plies until it is 0; none: it stays", "多少手后温度为 0；none 表示不变", minimum=1
    )
    tactics: Tactics = option(Tactics.FIVES, "what is decided exactly, before the net", "先于网络的精确判断")
    proofs: bool = option(True, "carry proven results towards the root", "回传已证明的结果")
    vcf_root: int = option(2000, "positions of tactics=vcf at the root", "根结点算杀的局面数", minimum=0)
    vcf_tree: int = option(200, "and below it", "树内算杀的局面数", minimum=0)
    batch: int = option(
        8,
        "positions evaluated together, at most a 32nd of the simulations",
        "一次评估的局面数，最多为模拟次数的三十二分之一",
        minimum=1,
        maximum=1024,
    )
    virtual_loss: float = option(1.0, "losses a simulation in flight counts", "虚拟损失", minimum=0)
    reuse: bool = option(True, "keep the tree from move to move", "保留上一步的搜索树")
    max_nodes: int = option(
        100_000,
        "size of the tree (about 5 kB each on 15x15)",
        "搜索树的结点上限（15x15 时每个约 5 kB）",
        minimum=64,
    )
    seed: int = option(0, "seed of the noise", "噪声的种子")

    def tree_options(self) -> TreeOptions:
        """The search's parameters."""
        shared = {f.name: getattr(self, f.name) for f in fields(TreeOptions) if hasattr(self, f.name)}
        return TreeOptions(form=self.search, **shared)


NOTHING_SAID: Mapping[str, Any] = {"tactics": Tactics.VCF, "simulations": 4000}
"""What an ``az`` without options adds to a codebook net; 400 simulations of other nets take about as long."""

_PLAIN: Mapping[str, object] = {
    "c_log": 0.0,
    "unvisited": Unvisited.ZERO,
    "tactics": Tactics.NONE,
    "proofs": False,
    "reuse": False,
    "batch": 1,
}
_FAMILY: Mapping[str, object] = {**_PLAIN, "c_puct": 5.0, "simulations": 400}


class AzPlayer(NetPlayer[AzConfig]):
    """A tree search guided by a net. Fives and forced blocks are seen without it, except in the forms
    of the documents.

    ``preset=s0``, ``s1`` and ``s3`` play as documents 000, 001 and 003 do against others, ``s0-enhanced``
    with 800 playouts, ``s1-selfplay`` and ``s3-selfplay`` as they do against themselves; ``s4`` is of
    document 004.
    ``preset=gumbel`` is sound with few simulations, ``preset=vcf`` looks for wins by fours too.

    Where no net is named, a codebook net judges on boards that one was fitted to, elsewhere a trained net of
    the board, whatever the other options are. With nothing said but a seed, and a codebook net, it searches
    as :data:`NOTHING_SAID` says.
    """

    registered_name = "az"
    config_type = AzConfig
    prefers_codebook = True
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = {
        "s0": _FAMILY,
        "s0-enhanced": {**_FAMILY, "simulations": 800},
        "s1": _FAMILY,
        "s1-selfplay": {**_FAMILY, "noise_fraction": 0.25, "temperature": 1.0, "reuse": True},
        "s3": _FAMILY,
        "s3-selfplay": {**_FAMILY, "played_noise": 0.25, "temperature": 1.0, "reuse": True},
        "s4": {
            **_PLAIN,
            "c_puct": 0.8,
            "simulations": 30,
            "unvisited": Unvisited.SIBLINGS,
            "noise_fraction": 0.01,
            "temperature": 0.1,
        },
        "gumbel": {"search": SearchAlgorithm.GUMBEL, "simulations": 32, "c_scale": 0.1},
        "vcf": {"tactics": Tactics.VCF},
    }

    def __init__(self, config: AzConfig) -> None:
        super().__init__(config)
        self._search: TreeSearch | None = None
        self._rules: Rules | None = None

    @property
    def capabilities(self) -> Capabilities:
        """What net and tactics allow. With ``reuse`` an answer depends on the moves before it."""
        can = replace(super().capabilities, deterministic=not self.config.reuse)
        if self.config.tactics is not Tactics.NONE:
            known = frozenset(WIN_LENGTHS)
            can = replace(can, win_lengths=known if can.win_lengths is None else known & can.win_lengths)
        if self.config.tactics is Tactics.VCF:
            can = replace(can, rules=frozenset(rule for rule in can.rules if not rule.blockable))
        return can

    def kernels(self, rules: Rules) -> tuple[str, ...]:
        """The tree, and the nets' planes or the codebook net."""
        moving = (f"moving_kernels:{name}" for name in ("draw_gumbels", "play_all", "start_all"))
        batch = (f"batch_kernels:{name}" for name in ("absorb", "collect", "enter_board", "read_root"))
        tree = (*moving, *batch, "codebook_kernels:search_codebook", "kernels:init_root")
        nets = ("wuzi.evaluation.codebook_kernels:fill_rows", "wuzi.nets.planes_kernels")
        return (*(f"wuzi.search.tree.{place}" for place in tree), *nets)

    def answer(self, request: ThinkRequest, rng: np.random.Generator) -> PlayResult:
        """Simulate until the limit; without one, the configured number of times."""
        game = request.game
        search = self._for(game.rules)
        info = search.run(
            game,
            request.left,
            simulations=self._playing(game.rules).simulations,
            noise=True,
            seed=int(rng.integers(1 << 62)),
            multipv=request.multipv,
            stop=request.stop,
            on_info=request.on_info,
        )
        move = self._choose(search.root, game, rng)
        if move != info.lines[0].move:
            chosen = search.line(game, move)
            others = tuple(line for line in info.lines if line.move != move)
            info = replace(info, lines=(chosen, *others)[: request.multipv])
        return PlayResult(Place(move), info)

    def evaluate(self, game: Game, limit: Limit = Limit(), stop: Stop | None = None) -> float | None:
        """Value of the position after a search, for the choice of colour in swap games."""
        search = self._for(game.rules)
        search.run(game, limit, simulations=self._playing(game.rules).simulations, stop=stop)
        return search.root.value

    def close(self) -> None:
        """Forget the net and the tree."""
        super().close()
        self._search = None

    def _choose(self, root: Root, game: Game, rng: np.random.Generator) -> Move:
        config = self.config
        schedule = Temperature(config.temperature, config.temperature_last, config.temperature_plies)
        temperature = schedule.at(game.position.ply)
        if temperature <= 0 and config.played_noise <= 0:
            return root.best
        chances = np.zeros(len(root.policy))
        chances[root.best] = 1.0
        if temperature > 0:
            chances = with_temperature(root.policy, temperature)
        if config.played_noise > 0:
            chances = mix_move_noise(
                chances, game.position.legal_mask(), rng, config.noise_alpha, config.played_noise
            )
        return Move(rng.choice(len(chances), p=chances), game.rules.size)

    def _playing(self, rules: Rules) -> AzConfig:
        """How these rules are searched."""
        said = replace(self.config, seed=0) != AzConfig() or self.given is not None
        return self.config if said or not self.has_codebook(rules) else replace(self.config, **NOTHING_SAID)

    def _for(self, rules: Rules) -> TreeSearch:
        if self._search is None or self._rules != rules:
            config = self._playing(rules)
            self._search = TreeSearch(
                rules,
                self.evaluator(rules),
                config.tree_options(),
                reuse=config.reuse,
                max_nodes=config.max_nodes,
            )
            self._rules = rules
        return self._search
