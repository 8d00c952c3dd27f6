"""Ids such as ``ENG-456``, the key of a Linear team or a Jira project and a number. Pure."""

from __future__ import annotations

import re

_KEY = r"[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,6}"
_WHOLE = re.compile(_KEY)
_UPPER = re.compile(rf"(?<![A-Za-z0-9])({_KEY})(?![A-Za-z0-9])")
_LOWER = re.compile(r"(?:^|/)([a-z][a-z0-9]{1,6}-[1-9][0-9]{0,6})(?=-|$)")
# Standards, encodings and versions that branches and messages are full of, and GitHub's own GH-12:
_OTHERS = re.compile(r"(?:UTF|ISO|IEEE|RFC|PEP|CVE|SHA|MD|AES|TLS|HTTP|IPV|ES|PY|PYTHON|RC|GH|V\d*)-.*")


def parse_key(text: str, *, loose: bool = False) -> str | None:
    """``text`` if it is such an id; ``loose``: in small letters too."""
    key = text.upper() if loose else text
    return key if _WHOLE.fullmatch(key) and (loose or not _OTHERS.fullmatch(key)) else None


def find_key(branch: str, *, small: bool = False) -> str | None:
    """The first such id in the name of a branch; ``small``: as Linear writes it into the names that it
    proposes, ``name/eng-456-the-title``."""
    found = [*_UPPER.findall(branch), *(key.upper() for key in _LOWER.findall(branch) if small)]
    return next((key for key in found if not _OTHERS.fullmatch(key)), None)
