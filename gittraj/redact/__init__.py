"""Removes secrets from text before it is stored. It must not know trajectories, notes or git-traj's files.

The rules are data (``data/*.toml``, which ``load`` reads). Most secrets are found by three readers:
``tokens`` matches a secret's own form, ``lines`` the form of the line around it, ``assignments`` the name of
the value. The others read one kind of text each: ``private_keys`` PEM, ``commands`` the arguments of a
command, ``calls`` the arguments of a function, ``rows`` tables with a row of names, ``nearby`` prompts and
sentences (``cues``: the words that announce a secret; ``heard``: the words around them), ``gitleaks`` what a
company's own rules match. ``bound`` parses a name with the operator after it, ``quotes`` finds the end of a
value in quotes.

A reader only proposes: a ``Candidate`` has a position, a rule and its judges. Only ``decide`` accepts one. It
uses ``named`` for a value that has a name (graded by ``names``) and a syntax, ``proof`` for one that only has
a form. ``values`` and ``made`` recognise the forms, ``data/forms.toml`` has their patterns.
``public`` overrules the readers that rely on names and positions, if a value is an identifier, a digest or
the name of something else.

A ``page`` is the text that the readers read, as ``view`` shows it: without escapes, colours and the seams of
split literals. ``encoded`` decodes base64, ``documents`` parses the strings of JSON, ``live`` has the values
known from the environment. ``scan`` runs all of them over one text, ``engine`` redacts the texts of a
trajectory, and ``memory`` caches the results of texts that were scanned before.
"""

from __future__ import annotations

from ..model.ruleset import RULESET
from .engine import Redactor
from .gitleaks import RuleFile
from .live import LiveValues
from .only import OnlyValues
from .options import Options
from .page import Span
from .scan import rules

__all__ = ["RULESET", "LiveValues", "OnlyValues", "Options", "Redactor", "RuleFile", "Span", "rules"]
