"""Defines a claim: a sentence that matches a form of ``forms.toml`` and may state a choice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from gittraj.events.prose.markdown import Sentence
from gittraj.events.prose.patterns import SENTENCES, load

_RULES = load("choices")
_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "the and for with use using used not from that this into its our your new all was were are class "
        "function file method library make one two test tests code",
    )
)
_PLACE = r"(?:in|inside|within|on|at|by|per|for|from|with|to|as|under|before|after) "
_STATE = r"\w+(?:ed|en|wn|pt|lt|nt) "
_PARALLEL = (
    (_PLACE, f" {_PLACE}"),
    (rf"{_STATE}(?:across|into|{_PLACE})", rf"\b(?:is|are) (?:\w+ )?{_STATE.rstrip()}"),
)
"""How the other and the chosen side begin in ``at the edge, not inside the core`` and
``are returned, never thrown across``."""


@lru_cache(maxsize=4096)
def words(text: str) -> frozenset[str]:
    """Return the words of three or more characters, in lower case, without the most frequent ones."""
    return frozenset(word for word in re.findall(r"[a-z0-9_]{3,}", text.lower()) if word not in _STOP_WORDS)


def tells_of_others(text: str) -> bool:
    """Whether a text says that somebody else chose: ``The team went with a queue``."""
    own = SENTENCES["taken"].match(text) or re.search(r"\bI (?:\w+ )?\w+(?:ed|se|nt)\b", text)
    return not own and _RULES.find(text, "picked")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence that matches a form; ``decided`` is true if it is in a list of choices."""

    match: re.Match[str]
    sentence: Sentence
    decided: bool

    @property
    def text(self) -> str:
        return self.match.string

    def get(self, *names: str) -> str:
        """Return the text of the first of these groups that matched something; empty if none did, or if the
        form does not have them."""
        groups = self.match.groupdict("")
        return next((groups[name] for name in names if groups.get(name)), "")

    @property
    def chosen(self) -> str:
        return self.get("chosen")

    @property
    def other(self) -> str:
        return self.get("other")

    @property
    def before(self) -> str:
        """The sentence up to the end of the rejected side: a reason after that may be about anything."""
        ends = (self.match.end(name) for name in ("other", "other2", "two") if self.get(name))
        return self.text[: next(ends, None)]

    @property
    def reasons(self) -> list[str]:
        return [text for name, text in self.match.groupdict("").items() if name[:3] == "why" and text]

    @property
    def is_open(self) -> bool:
        before = re.sub(r"^(?:I|we) prefer\b", "", self.before, flags=re.I) if self.reasons else self.before
        ends_open = self.text.rstrip().endswith("?")
        unmade = _RULES.begins(before, "unmade")
        return unmade or ends_open or _RULES.find(before, "open") or _RULES.find(self.chosen, "denied")

    @property
    def is_description(self) -> bool:
        """Whether the sentence begins like a description. ``The parser …`` with a reason does not count: it
        says how the parser was made."""
        if self.text.startswith(("The ", "It ")) and self.get("why"):
            return False
        return _RULES.begins(self.text, "no_deed")

    @property
    def is_parallel(self) -> bool:
        starts = (
            (re.match(other, self.other), re.search(chosen, self.chosen)) for other, chosen in _PARALLEL
        )
        return any(all(pair) for pair in starts)
