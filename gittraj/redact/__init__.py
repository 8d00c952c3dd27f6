"""Removes secrets from text before it is stored. It must not know trajectories, notes or our files.

The rules are data (``data/*.toml``, which ``load`` reads). Most secrets are found by three readers:
``tokens`` matches a secret's own form, ``lines`` the form of the line around it, ``assignments`` the name of
the value. The others read one kind of text each: ``private_keys`` PEM, ``cookies`` headers, ``commands`` the
arguments of a command, ``calls`` the arguments of a function, ``rows`` tables with a row of names,
``printed`` the output below a command, ``nearby`` prompts and sentences (``cues``: the words that announce
a secret), ``alike`` the rest of a list in which one secret was found.

A reader only proposes. Whether a value is a secret is decided by ``values`` if a name announces it, by
``proofs`` if its form alone must prove it, and by ``decide`` for all rows of data. ``names`` grades names,
``made`` knows how people and generators form passwords. ``public`` overrules the readers that go by names and
places, if a value is an identifier, a digest or the name of something else.

``view`` is the text that the readers read: without escapes, colours and the seams of split literals.
``wrapped`` looks into base64 and across line ends, ``live`` has the values known from the environment.
``scan`` runs all of them over one text, ``engine`` redacts the texts of a trajectory.

Why it is fast: each reader declares ``anchors``, without which it finds nothing. ``ledger`` examines each
line once, and ``vocabulary`` each word, so a reader runs only where one of its anchors is. ``memory`` has the
matches in texts that were scanned before.
"""

from __future__ import annotations

from ..model.ruleset import RULESET
from .engine import Redactor
from .live import LiveValues
from .only import OnlyValues
from .options import Options
from .page import Span
from .scan import rules

__all__ = ["RULESET", "LiveValues", "OnlyValues", "Options", "Redactor", "Span", "rules"]
