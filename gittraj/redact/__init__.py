"""Takes secrets out of text before it is stored. Knows nothing of trajectories, notes or files of ours.

``view`` makes of a text what the rules read: without escapes, colours and seams. ``tokens`` knows secrets
by their form, ``places`` and ``private_keys`` by where they stand, ``assignments``, ``commands``,
``cookies``, ``calls`` and ``phrases`` by what names them, ``lines`` by the form of a line
(``data/lines.toml``, which ``load`` reads and ``decide`` decides), ``printed`` by the command above them,
``nearby`` by one of the ``cues`` that is not far, ``seeds`` by their words; ``judge`` adds up small signs
where none of these speaks, ``alike`` finds the others of a list of which one was found, and ``public``
overrules all that go by names and places where a value is an identifier, a digest or the name of
something else. ``names`` says what a name is worth, ``values`` whether a value is one, ``proofs`` how
little else a word can be by its form, ``made`` what people and generators make, ``common`` what is none.
``wrapped`` looks into base64 and over the ends of lines, ``live`` holds the values known from the
environment. ``scan`` runs all of it over one text and ``engine`` redacts a trajectory's.

What makes it fast: each reader declares ``anchors`` without which it finds nothing; ``ledger`` judges
each line once, and ``vocabulary`` each word, so a reader is asked only where an anchor of its own stands;
``memory`` has what was found in a text before; ``plain`` knows JSON values that need no reading as a
whole; and ``spread`` has many texts scanned in several processes.
"""

from __future__ import annotations

from ..model.ruleset import RULESET
from .engine import Redactor
from .live import LiveValues
from .only import OnlyValues
from .options import Options
from .rules import Span
from .scan import rules

__all__ = ["RULESET", "LiveValues", "OnlyValues", "Options", "Redactor", "Span", "rules"]
