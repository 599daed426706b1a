"""wuzi (五子): a Gomoku lab and opponent.

>>> import wuzi
>>> game = wuzi.Game(wuzi.Rules(size=15)).play("h8").play("j9")
>>> print(game.to_move.name, *game.moves)
BLACK h8 j9

The names of this package and its sub-packages (``wuzi.core``, ``wuzi.envs``...) are imported when they are
first used, so ``import wuzi`` costs nothing; :mod:`wuzi.errors` draws the tree of exceptions.
"""

from wuzi.base.imports import GameFiles, attach, give_game_files, give_torch_nets

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach(__name__)
__all__.append("__version__")
__all__.sort()


def _game_files() -> GameFiles:
    from wuzi.records import games

    return games


give_game_files(_game_files)
give_torch_nets("wuzi.torch_nets.files")
