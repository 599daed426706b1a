"""Game files: SGF, Piskvork's psq and rec, position codes, RenLib libraries, JSON, and boards as text or SVG.

>>> from wuzi.records import loads, dumps
>>> record = loads("h8h9i7")
>>> record.game().to_move.name
'WHITE'
>>> dumps(record, "psq").splitlines()[:2]
['Piskvorky 15x15, 0:0, 0', '8,8,0']
"""

from wuzi.base.imports import attach

__getattr__, __dir__, __all__ = attach(__name__)
