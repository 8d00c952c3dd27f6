"""Takes secrets out of text before it is stored. Knows nothing of trajectories, notes or files of ours.

``image`` makes an image of the text that the rules can read, ``tokens`` and ``credentials`` are the
rules that are mere data, ``assignments``, ``cookies`` and ``private_keys`` the ones that need code,
``live`` the values known from the environment, and ``engine`` puts them together.
"""

from __future__ import annotations

from .engine import RULESET, Redactor
from .live import LiveValues

__all__ = ["RULESET", "LiveValues", "Redactor"]
