"""Overrules rules: values that are not secrets because of their form, or of the text around them.

A rule knows why a word may be a secret. Here it is decided, in the same way for all rules, whether the word is an
identifier, a public key, a digest, a reference to a secret, or the name of something else. Only rules that
rely on names and positions are overruled; a value with a vendor's form stays a secret.
"""

from __future__ import annotations

from functools import cache

from .lazy import lazy
from .load import Reason, reasons, tokens, words
from .page import Span

BY_FORM = frozenset(form.id for form in tokens()) - {"generic-token", "adyen-key"} | {"private-key"}
"""The rules whose matches are proved by their form; not Adyen's, since any base64 has that form."""

_AROUND = 160  # characters behind the value that are examined


_GROUPS = {
    "guessed": words("words", "guessed"),
    "unsure": words("words", "guessed") + words("words", "unsure"),
    "any": [""],
}
"""Groups of rules, which a row of ``data/public.toml`` can name."""


class _Exemption:
    """A row of ``data/public.toml``, compiled when it is first used."""

    def __init__(self, row: Reason) -> None:
        self._reach = row.reach
        self._rules = tuple(rule for name in row.rules for rule in _GROUPS.get(name, (name,)))
        self._value, self._before, self._behind = (
            lazy("|".join(patterns)) if patterns else None for patterns in (row.value, row.before, row.behind)
        )

    def holds(self, text: str, span: Span) -> bool:
        return (
            span.rule.startswith(self._rules)
            and (self._value is None or self._value.fullmatch(text, span.start, span.end) is not None)
            and (
                self._before is None
                or self._before.search(text, max(0, span.start - self._reach), span.start) is not None
            )
            and (self._behind is None or self._behind.match(text, span.end, span.end + _AROUND) is not None)
        )


@cache
def _exemptions() -> tuple[_Exemption, ...]:
    return tuple(map(_Exemption, reasons()))


def is_public(text: str, span: Span) -> bool:
    """Whether a row of ``data/public.toml`` shows that the value of the span is not a secret."""
    return any(exemption.holds(text, span) for exemption in _exemptions())
