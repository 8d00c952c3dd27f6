"""Takes secrets out of text before it is stored. Knows nothing of trajectories, notes or files of ours.

The rules are data (``data/*.toml``, which ``load`` reads). Most secrets are found by three readers:
``tokens`` knows them by their form, ``lines`` by the form of a line or a place, ``assignments`` by the name
of a value. ``private_keys`` reads PEM, ``cookies`` headers, ``commands`` what a command is given, ``calls``
what a function is, ``rows`` what a column or a row of names names, ``printed`` what a command above shows,
``nearby`` what a prompt or a sentence says (``cues``: what in it announces a secret), ``alike`` the others
of a list of which one was found. Each proposes; whether a value is a secret, ``values`` says for what a name
announces, ``proofs`` where its form alone has to prove it, and ``decide`` for all rows of data. ``names``
says what a name is worth, ``made`` knows what people and generators make; ``public`` overrules all that go
by names and places where a value is an identifier, a digest or the name of something else.

``view`` makes of a text what the readers read: without escapes, colours and seams. ``wrapped`` looks into
base64 and over the ends of lines, ``live`` holds the values known from the environment. ``scan`` runs all
of it over one text and ``engine`` redacts a trajectory's.

What makes it fast: each reader declares ``anchors`` without which it finds nothing; ``ledger`` judges
each line once, and ``vocabulary`` each word, so a reader is asked only where an anchor of its own stands;
and ``memory`` has what was found in a text before.
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
