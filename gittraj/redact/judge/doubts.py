"""How much must speak for a value besides the rule that found it, by what it looks like.

A rule that goes by names and places is mostly right about a word that looks chosen or drawn, and often wrong
about digests, UUIDs, numbers and plain words, which stand near names of secrets for many other reasons. So
what only such a rule found has to be likely by the judge's sum as well. How likely was read off the sums of
what each combination of rules found in sets whose authors the weights had not seen. What another rule found
too is not doubted.
"""

from __future__ import annotations

from collections.abc import Iterable

_ALIKE = {
    **dict.fromkeys(("digest", "hex", "uuid"), "hex"),
    **dict.fromkeys(("random", "mixed"), "drawn"),
    "UPPER1": "capitals",
    **dict.fromkeys(("word1", "signs1"), "made"),
    "digits": "digits",
}
_OTHER = "other"
# hundredths of a logit
_LEAST: dict[frozenset[str], dict[str, int]] = {
    frozenset(rules): least
    for rules, least in (
        (("judged",), {"hex": 300, "drawn": 120, "capitals": 120, "made": 120, "digits": 250, _OTHER: 100}),
        (
            ("judged-beside",),
            {"hex": 200, "drawn": 50, "capitals": 50, "made": 50, "digits": 150, _OTHER: 30},
        ),
        (("nearby",), {"hex": 30, "drawn": -10, "capitals": -250, "made": 0, "digits": -200, _OTHER: 100}),
        (("phrase",), {"hex": -100, "drawn": 0, "capitals": 0, "made": -330, "digits": 0, _OTHER: -430}),
        (("named",), {"hex": -75, "drawn": -60, "capitals": -60, "made": -350, "digits": -300, _OTHER: -280}),
        (("call",), {"hex": -300, "drawn": 50, "made": 0, _OTHER: 50}),
        (("user-tuple",), {_OTHER: 0}),
        (("printed",), {"digits": -200}),
        (("named", "nearby"), {"hex": -90, "drawn": -20, "made": -60, _OTHER: -280}),
        (("named", "phrase"), {"made": -400}),
        (("nearby", "phrase"), {"hex": -50, "drawn": -50, "made": -170, "digits": -50, _OTHER: -170}),
        (("named", "nearby", "phrase"), {"made": -30}),
    )
}


def least(rules: Iterable[str], kind: str) -> int | None:
    """What the sum must reach for a value that these rules found, in hundredths of a logit; None: it is not
    doubted. ``kind`` is that of its form."""
    known = _LEAST.get(frozenset("named" if rule.startswith("named-") else rule for rule in rules))
    return known.get(_ALIKE.get(kind, _OTHER)) if known else None
