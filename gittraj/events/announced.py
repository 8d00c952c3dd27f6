"""Whether a sentence says what its author does now, as before an edit, and why so.

Not one of the patterns of prose: ``git traj why`` asks it too, and is done before those are read. Compiled
where it is asked.
"""

from __future__ import annotations

import re

_DEED = r"\b(?:I|we)(?:'ll|'m|'ve| will| am| keep| kept| use| used| \w+ed)\b"
_CONCLUDES = r", so (?:I|we)(?! can)\b| it is$"
_OTHER_WAY = "because|since|instead of|rather than"
_GAIN = "so that|to (?:avoid|keep|prevent|save|spare|let)|simpler|safer|cheaper|clearer|faster|enough"
_CHOOSES = rf"{_DEED}|{_CONCLUDES}"
_REASONED = (
    rf"{_DEED}.*\b(?:{_OTHER_WAY}|{_GAIN})\b|{_CONCLUDES}"
    rf"|\b(?:{_OTHER_WAY}|as)\b.*\b(?:I|we)(?:'ll| will|'m \w+ing| am \w+ing| keep| use)\b"
)
_LOOK = (
    "look|check|see|run|try|read|search|verify|inspect|start|ask|list|open|explore|test|commit|push"
    "|examine|examining|investigat|re-?run|confirm|find"
)
_LOOKS_SO = (
    rf"\?$|\b(?:I|we)(?:'ll| will|'m going to|'m) (?:now |first |also |just )*(?:{_LOOK})|^(?:if|when|you)\b"
    r"|\b(?:would|could|might|should|unless|I need)\b|\b(?:tests?|it) (?:pass|passes|passed),? so\b"
)
"""A look around, what the user must do, a question."""


def announces(sentence: str, *, reasoned: bool = False) -> bool:
    """``reasoned``: only with a reason."""
    told = _REASONED if reasoned else _CHOOSES
    return bool(re.search(told, sentence, re.I)) and not re.search(_LOOKS_SO, sentence, re.I)
