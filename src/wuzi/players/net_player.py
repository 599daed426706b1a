"""What players with a net share: loading it when first needed, and saying what it can play."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from wuzi.base.schema import option
from wuzi.contract import Capabilities
from wuzi.core import Game, Rules, parse_rule
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.evaluation.codebook import is_fitted
from wuzi.nets import Backend, Evaluator, SymmetricEvaluator, plane_set
from wuzi.nets.codebook import NAME as CODEBOOK
from wuzi.nets.codebook import CodebookEvaluator, is_codebook
from wuzi.nets.loading import default_evaluator, load_evaluator, why_no_default
from wuzi.nets.shelf import boards, default_net
from wuzi.players.base import BasePlayer


@dataclass(frozen=True)
class NetConfig:
    """What the configuration of a player with a net begins with."""

    net: str | None = option(None, "a net's name or file; none: the board's net", "网络名称或文件", file=True)
    backend: Backend = option(Backend.AUTO, "what computes the net", "网络的计算方式")
    symmetric: bool = option(False, "mean of the net's answers to all eight images", "对八种对称局面取平均")


C = TypeVar("C", bound=NetConfig)


class NetPlayer(BasePlayer[C]):
    """A player whose judgement is a net's.

    Attributes:
        prefers_codebook: where no net is named, a codebook net fitted to the board comes before trained ones.
    """

    prefers_codebook: ClassVar[bool] = False

    def __init__(self, config: C) -> None:
        super().__init__(config)
        self._loaded: dict[Rules | None, Evaluator] = {}
        self.given: Evaluator | None = None
        """What judges in place of the configured net, if it was given."""

    def evaluator(self, rules: Rules) -> Evaluator:
        """The named net or the one for this board, loaded when first needed; a ConfigError for none."""
        if self.given is not None:
            return self.given
        key = rules if self.config.net is None else None
        if key not in self._loaded:
            found = self._load(rules)
            # A codebook net is the same from every side.
            turns = self.config.symmetric and not isinstance(found, CodebookEvaluator)
            self._loaded[key] = SymmetricEvaluator(found) if turns else found
        return self._loaded[key]

    def _load(self, rules: Rules) -> Evaluator:
        net, backend = self.config.net, self.config.backend
        if net is None and self.has_codebook(rules):
            net = CODEBOOK
        if net is None:
            return default_evaluator(rules, self.registered_name, backend)
        if is_codebook(net) and backend is not Backend.AUTO:
            what = f"{self.registered_name}: backend={backend} with net={net}, which kernels compute"
            raise ConfigError(f"{what}: expected backend=auto, or another net")
        return load_evaluator(net, backend)

    def has_codebook(self, rules: Rules) -> bool:
        """Whether a codebook net judges where none is named: one that was fitted to this very board."""
        return self.prefers_codebook and is_fitted(rules)

    def net_name(self, rules: Rules) -> str | None:
        """The net that judges under these rules; an UnsupportedError where there is none for the board."""
        if self.given is not None:
            return type(self.given).__name__
        if self.config.net is not None:
            return self.config.net
        if self.has_codebook(rules):
            return CODEBOOK
        if (entry := default_net(rules)) is None:
            raise UnsupportedError(f"{self.registered_name} {why_no_default(rules)}")
        return entry.name

    @property
    def _by_board(self) -> bool:
        """Whether the shipped net for the board judges."""
        return self.config.net is None and self.given is None

    def check(self, game: Game) -> None:
        """See :class:`wuzi.players.base.BasePlayer`; also that there is a net for the board."""
        self.net_name(game.rules)
        super().check(game)

    @property
    def capabilities(self) -> Capabilities:
        """What the net's board size and planes allow; where none is named, what there are nets for."""
        if self._by_board:
            return self._of_all_nets()
        evaluator = self.evaluator(Rules())
        size = evaluator.size
        lengths = plane_set(evaluator.planes).win_lengths
        can = self.supports
        if isinstance(evaluator, CodebookEvaluator):
            rules, known = (frozenset(column) for column in zip(*evaluator.rules, strict=True))
            can, lengths = replace(can, rules=can.rules & rules), tuple(known)
        if size is not None:
            can = replace(can, min_size=size, max_size=size)
        return can if lengths is None else replace(can, win_lengths=frozenset(lengths))

    def _of_all_nets(self) -> Capabilities:
        found = boards()
        if not found:
            return self.supports
        sizes, lengths = [size for size, _, _ in found], frozenset(length for _, length, _ in found)
        rules = self.supports.rules & {parse_rule(name) for _, _, name in found}
        return replace(
            self.supports, rules=rules, min_size=min(sizes), max_size=max(sizes), win_lengths=lengths
        )

    def close(self) -> None:
        """Forget the net."""
        self._loaded.clear()
