"""SGF, the smart game format: FF[4] GM[4], in UTF-8, with variations and comments.

What is written, and how it is read:

* ``SZ`` the board size, 3 to 26, square. Missing: 15, with a warning.
* ``RU`` the rule: ``freestyle``, ``standard``, ``renju``, ``caro``, ``caro_overline``; Gomocup's rule numbers
  and common other names are understood. Missing or unknown: freestyle, with a warning.
* ``PB PW DT RE`` names, date, result; ``RE[B+]`` for a row, ``+R`` resignation, ``+T`` time, ``+F`` a crash
  or an illegal move, ``0`` a draw. ``EV RO PC GN AN US SO CP ON BR WR BT WT TM OT AP`` are headers.
* ``AB AW AE PL`` set-up stones; before the first move they make the starting position.
* ``WUZI``, private, holds ``key:value`` pairs: ``win_length`` (when not 5), ``opening`` (``swap1``,
  ``swap2``) with ``actions`` (``place3 swap``: see :mod:`wuzi.records.actions`), ``reason`` (how the game
  ended, when RE cannot say it), headers without an SGF name, and on moves ``time_ms``.
* ``KM`` is never written: there is no komi in gomoku. All other properties are kept as they are.
* A pass is an error. ``GM`` missing is read as gomoku with a warning; another game is an error, unless RU
  names a rule of gomoku. Points as ``HH`` or ``h8`` are read with a warning.
"""

from __future__ import annotations

from wuzi.records.formats.sgf_reader import parse_collection
from wuzi.records.formats.sgf_writer import format_record

__all__ = ["format_record", "parse_collection"]
