"""What a word's own form says, without a letter of it: its kind, length, classes of characters, likelihood."""

# ruff: noqa: E501 - a pattern that is cut reads worse
from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ..common import DESCRIBES, DULL, STOP, SUFFIXES
from ..lazy import lazy
from ..made import is_chosen, is_joined, is_noise, is_shuffled, is_walk
from ..names import grade
from ..proofs import proof
from ..randomness import likelihood, looks_random
from ..values import TOOL_ID, is_evident, is_password, is_placeholder, is_plain

_KINDS = (
    ("phrase", lazy(r".*\s.*")),
    ("digits", lazy(r"\d+")),
    ("uuid", lazy(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")),
    ("digest", lazy(r"(?:0x)?(?=.*\d)(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})")),
    ("hex", lazy(r"(?:0x)?(?=.*\d)(?:[0-9a-f]{7,}|[0-9A-F]{7,})")),
    ("led", lazy(r"[-+$%&~/\\@^].*")),
    ("link", lazy(r"[a-z][a-z0-9+.-]{1,24}://.*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("date", lazy(r"\d{4}-\d\d-\d\d(?:[T ].*)?|\d{1,2}:\d\d(?::\d\d)?|v?\d+(?:\.\d+){1,3}|\d+(?:\.\d+)?(?:[nuµm]?s|sec|min|h|[kKMGT]i?[bB])")),
    ("lower", lazy(r"[a-z]+")),
    ("upper", lazy(r"[A-Z]+")),
    ("capital", lazy(r"[A-Z][a-z]+")),
    ("camel", lazy(r"[A-Za-z]+")),
    ("foreign", lazy(r"[^\W\d_]+")),
    ("constant", lazy(r"(?=.*[A-Z])[A-Z0-9]*_[A-Z0-9_]*")),
    ("UPPER1", lazy(r"(?=.*[A-Z])[A-Z0-9]+")),
)  # fmt: skip
_AFTER_RANDOM = (
    ("code", lazy(r".*(?:[(){}\[\]<>|;\\]|->|=>|::).*")),
    ("words", lazy(r"[A-Za-z]+(?:[-_.][A-Za-z]+)+")),
    ("word1", lazy(r"[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?\d{1,4}[!?.]?")),
)
_PATH = lazy(r"[\w.-]+\.\w{1,5}|.*[/\\].*[/\\].*|[a-z]+/[a-z-]+")
_PIECES = lazy(r"[A-Z]?[a-z]+|[A-Z]+")
_RUNS = lazy(r"(.)\1+")


@dataclass(frozen=True, slots=True)
class Form:
    """A word's kind and all clues of its form."""

    kind: str
    clues: tuple[str, ...]


@lru_cache(maxsize=1 << 14)
def form(value: str) -> Form:
    """The form of a value of up to 100 characters."""
    kind = _kind(value)
    length = len(value)
    classes = value.translate(_CLASSES) if value.isascii() else "".join(map(_class, value))
    turns = sum(a != b for a, b in pairwise(classes)) / length
    pieces = _PIECES.findall(value)
    both = [  # said of all words, and of those of its kind
        f"n{_step(length, 5, 7, 9, 12, 16, 20, 24, 31, 32, 40, 63, 64, 90)}",
        f"proof{int(proof(value))}",
        f"turns{_step(turns, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75)}",
        f"likely{_step(likelihood(value), -6.5, -6, -5.5, -5, -4.5, -4, -3.5, -3, -0.1)}",
        *_verdicts(value, pieces),
    ]
    clues = [kind, *both, *[f"{kind} {clue}" for clue in both]]
    clues.append(f"distinct{_step(len(set(value)) / length, 0.3, 0.45, 0.6, 0.75, 0.9)}")
    for name, low in (("U", 8), ("l", 8), ("1", 8), ("!", 5)):
        count = classes.count(name) if name != "!" else sum(not c.isalnum() for c in value)
        clues.append(f"{name}{_step(count, 0, 1, 2, 3, 5, low)}")
    if len(runs := _RUNS.sub(r"\1", classes)) <= 7:
        clues.append(f"runs {runs}")
    clues += [f"first {classes[0]}", f"last {classes[-1]}"]
    clues += [
        f"has {char}" for char in sorted(set(value)) if not char.isalnum() and char.isascii() and char > " "
    ]
    if pieces:
        clues.append(f"piece{_step(max(map(len, pieces)), 1, 2, 3, 4, 6, 8, 12)}")
        clues.append(f"pieces{_step(length / len(pieces), 1.5, 2, 2.5, 3, 4, 6, 9)}")
    return Form(kind, tuple(clues))


def _step(number: float, *steps: float) -> int:
    return bisect_left(steps, number)


def _class(char: str) -> str:
    if char.isdigit():
        return "1"
    if char.isalpha():
        return "U" if char.isupper() else "l"
    return char if char in "-._/@:" else "!"


_CLASSES = {code: _class(chr(code)) for code in range(128)}


def _kind(value: str) -> str:
    for kind, pattern in _KINDS:
        if pattern.fullmatch(value):
            return kind
    random = looks_random(value) or is_shuffled(value)
    if not random and _PATH.fullmatch(value):
        return "path"
    for kind, pattern in _AFTER_RANDOM:
        if pattern.fullmatch(value):
            return kind
    if random:
        return "random"
    if re.fullmatch(r"\w+", value):
        return "mixed" if value.isascii() else "mixed-foreign"
    return "signs1" if any(map(str.isdigit, value)) else "signs"


def _verdicts(value: str, pieces: list[str]) -> list[str]:
    """What the rules' own judgements of words say."""
    low = value.lower()
    mixed = not (value.isascii() and value.isalpha())  # none of these is letters alone
    found = {
        "plain": is_plain(value),
        "placeholder": is_placeholder(value),
        "evident": mixed and is_evident(value),
        "password": mixed and is_password(value),
        "chosen": is_chosen(value),
        "joined": mixed and is_joined(value),
        "noise": mixed and is_noise(value),
        "tool": mixed and TOOL_ID.fullmatch(value) is not None,
        "dull": low in DULL,
        "stop": low in STOP,
        "describes": low in DESCRIBES,
        "walk": is_walk(value),
        "suffix": low.endswith(SUFFIXES),
        "partly dull": any(piece.lower() in DULL for piece in pieces),
        "speaks": any(
            piece.lower() in STOP or piece.lower() in DESCRIBES for piece in pieces if len(piece) > 2
        ),
        "ends dull": pieces != [] and pieces[-1].lower() in DULL,
        "word pieces": len(pieces) > 1 and all(len(piece) > 2 for piece in pieces),
        "name": bool(grade(value)),
        "foreign": not value.isascii(),
    }
    return [name for name, is_so in found.items() if is_so]
