"""Players by spec string: ``create_player("minimax:preset=s0,seed=1")``. Loaded when first used."""

from wuzi.base.imports import attach

__getattr__, __dir__, __all__ = attach(__name__)
