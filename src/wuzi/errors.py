"""Every error wuzi raises on purpose.

::

    WuziError
    ├── NotationError (ValueError)       text that names no cell, move or position
    ├── IllegalMoveError (ValueError)    a well-formed move that the position does not allow
    │   └── GameOverError                any move after the end of the game
    ├── ConfigError (ValueError)         impossible rules, unknown key or player, wrong type
    │   └── UnsupportedError             valid, but this player cannot play these rules or sizes
    ├── RecordError (ValueError)         a file or line that is not what it claims to be
    ├── ProtocolError                    a peer broke the protocol it speaks
    ├── PlayerError (RuntimeError)       a player failed while it was asked to think
    │   ├── PlayerCrashed                its process ended
    │   └── PlayerTimeout                it did not answer in time
    ├── TrainingError (RuntimeError)     training cannot continue; the last good state is on disk
    ├── JobError (RuntimeError)          work given to other processes or machines cannot be done
    └── MissingExtraError (ImportError)  an optional part is not installed; says how to get it

Messages carry the offending value, the place, and what was expected, on one line.
"""

from __future__ import annotations


class WuziError(Exception):
    """Base class of all errors that wuzi raises on purpose."""


class NotationError(WuziError, ValueError):
    """Text that names no cell, move or position."""


class IllegalMoveError(WuziError, ValueError):
    """A well-formed move that the position does not allow."""


class GameOverError(IllegalMoveError):
    """A move, swap or resignation after the end of the game."""


class ConfigError(WuziError, ValueError):
    """Impossible rules, an unknown key or player, or a value of the wrong type."""


class UnsupportedError(ConfigError):
    """A valid request that this player does not support (its rules, sizes or win lengths)."""


class RecordError(WuziError, ValueError):
    """A game file or line that is not what it claims to be."""


class ProtocolError(WuziError):
    """A peer sent something its protocol does not allow."""


class PlayerError(WuziError, RuntimeError):
    """A player failed while it was asked to think."""


class PlayerCrashed(PlayerError):
    """A player's process ended before it answered."""


class PlayerTimeout(PlayerError):
    """A player did not answer within its limit."""


class TrainingError(WuziError, RuntimeError):
    """Training cannot continue; the last good state is on disk.

    Attributes:
        change: the ``section.key=value`` with which the run should be resumed; empty where none would help.
    """

    def __init__(self, text: str, change: str = "") -> None:
        super().__init__(f"{text}: resume with --set {change}" if change else text)
        self.change = change


class JobError(WuziError, RuntimeError):
    """Work that was given to other processes or machines cannot be done."""


class MissingExtraError(WuziError, ImportError):
    """An optional part of wuzi is not installed."""

    def __init__(self, extra: str, module: str) -> None:
        super().__init__(f'{module} is not installed: pip install "wuzi[{extra}]"')
        self.extra = extra
