"""Recognizes a sentence in which the author announces an action, such as an edit, and gives the reason.

It is not among the patterns of ``prose``, because ``git traj why`` needs it too, and must not wait until
those are loaded. The expressions are compiled when they are used.
"""

from __future__ import annotations

import re

_ACTION = r"\b(?:I|we)(?:'ll|'m|'ve| will| am| keep| kept| use| used| \w+ed)\b"
_CONCLUDES = r", so (?:I|we)(?! can)\b| it is$"
_OTHER_WAY = "because|since|instead of|rather than"
_GAIN = "so that|to (?:avoid|keep|prevent|save|spare|let)|simpler|safer|cheaper|clearer|faster|enough"
_REASONED = (
    rf"{_ACTION}.*\b(?:{_OTHER_WAY}|{_GAIN})\b|{_CONCLUDES}"
    rf"|\b(?:{_OTHER_WAY}|as)\b.*\b(?:I|we)(?:'ll| will|'m \w+ing| am \w+ing| keep| use)\b"
)
_LOOK = (
    "look|check|see|run|try|read|search|verify|inspect|start|ask|list|open|explore|test|commit|push"
    "|examine|examining|investigat|re-?run|confirm|find"
)
_EXCLUDED = (
    rf"\?$|\b(?:I|we)(?:'ll| will|'m going to|'m) (?:now |first |also |just )*(?:{_LOOK})|^(?:if|when|you)\b"
    r"|\b(?:would|could|might|should|unless|I need)\b|\b(?:tests?|it) (?:pass|passes|passed),? so\b"
)
"""Sentences that do not count: the author looks around, advises the user, or asks."""


def announces(sentence: str) -> bool:
    """Whether the sentence announces an action and gives the reason."""
    return bool(re.search(_REASONED, sentence, re.I)) and not re.search(_EXCLUDED, sentence, re.I)
