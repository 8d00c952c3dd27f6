"""What is no secret by its form or by what stands at its side, whichever rule took it for one.

A rule knows why a word may be a secret. That the word is an identifier, a public key, a digest, a reference to where
the secret is kept or the name of something else, is told the same way for all of them, and here. Only rules that go
by names and places are overruled; what has a vendor's form stays what it is.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

from .judge import is_spoken
from .lazy import lazy
from .rules import Span

_UNSURE = (
    *("named-", "nearby", "phrase", "told", "table", "judged", "device-key", "printed", "member", "call"),
    *("user-tuple", "table-row"),
)
_GUESSED = ("nearby", "phrase", "told", "judged", "table-row", "call")
_AROUND = 160  # characters of the line that are looked at on either side

# Before a value, in its line: what it is called, what is done with it.
_HASHED = lazy(r"(?i:\bmd5|\bsha-?\d{1,3}|\bchecksum|\bdigest|\betag|\bblake2b?)[\"']?[ ]?[:=(]?[ ]?[\"']?$")
_HASH = lazy(r"[0-9a-fA-F]{32,128}|[\w+/-]{22,90}={0,2}")
_CALLED = lazy(
    r"\bpubkey\b[^\n]{0,80}(?:->|=>|→|#|:)[ \"'`]{0,4}$"
    r"|\bcredentials\([\"']$|\bwpa_passphrase [\"']?$|\bkeyring\.set_password\([\"'](?:[^\"'\n]{1,60}[\"'], ?[\"'])?$"
    r"|\b(?:ObjectId|\w*ById)\([\"']$|\bSec-WebSocket-(?:Key|Accept): $|[\"'](?:_id|x5t|x5t#S256|kid|jti|sku|ean|gtin|Sid)[\"']\s?:\s?[\"']$"
    r"|(?:data_bag_item|(?i:get|read|fetch|load|lookup|find)_?(?i:secrets?|passwords?|credentials?|parameter)\w{0,12}|\blookup)\([^()\n]{0,60}$"
    r"|[a-z]Id(?:[ ]?:[ ]?[A-Za-z]{2,12}\??)?[ ]?=[ ]?[\"']$",
)
# The same, where a rule only guessed: names that say who or which, and versions of a digest.
_NAMED = lazy(
    r"(?:[A-Za-z_-]*(?:[a-z]|_|-))?(?:[Nn]ame|NAME|[Rr]ef|REF)[\"']?[ ]?[:=][ ]?[\"']?$|(?<![\w-])(?<![Ss]ecret )(?<!SECRET )[iI][dD][\"']?[ ]{0,10}[:=][ ]?[\"']?$|--?(?:user(?:name)?|login|account|id) $"
    r"|[\"'(]\d:$|(?i:hash(?:es)?)\b[^\n]{0,60}[\[,][ ]?[\"']$"
)
# Behind a value: it is a key of an object, the name in an assignment, what was made long ago.
_NAMES = lazy(r"[\"']\s{0,2}:(?!:)|[\"']\.[A-Za-z]|[ ]=[ ]")
_AGE = lazy(
    r"[ \t]{1,12}(?:\d{1,4} ?(?:[smhdwy]|mo|seconds?|minutes?|hours?|days?|weeks?|months?|years?)|an? \w{3,6}) ago\b"
)
_DIGEST = lazy(r"[0-9a-f]{16}|[a-z0-9]{25}")
# An id that says so, a ticket, a name in a store.
_IDENTIFIER = lazy(
    r"\d{4}/\d\d/\d\d/\[.*|(?:[a-z]+[_-])?id=\S+|ext:[\w-]+|(?i:cyberark|1password|bitwarden|lastpass|keepass(?:xc)?|dashlane|thycotic)"
)
_TICKET = lazy(r"(?=[A-Z0-9]*[A-Z])[A-Z0-9]{2,6}-\d{1,5}")
# A place in a store, a line of a file, an address of content, a network's interface.
_PLACE = lazy(
    r"[a-z][a-z0-9_.-]*/[a-z0-9_.-]+|[a-z]+/[\w.-]+/[a-z]+/[\w.-]+|[\w./-]+\.[a-z]{1,4}:\d{1,5}|Qm[1-9A-HJ-NP-Za-km-z]{40,50}|baf[yk][a-z2-7]{50,60}|(?:wl[po]|enp?|eno|ens|eth)\d[a-z0-9]{0,6}"
)
_OBJECT = lazy(r"[0-9a-f]{24}")
# What a number counts, or which one it is.
_COUNTS = lazy(r"(?i)\b(?:offset|\w*exception|exit|status|errno)\b[^\n]{0,70}$")
_COUNTING = lazy(r"(?:\bgrep -\w*c|\bwc\b|\bcount|\blength|\bdu\b)[^\n]{0,120}\n$")
_ADDRESS = lazy(r"0x[0-9a-fA-F]{40}")
_UUID = lazy(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ACTS = lazy(
    r"(?i)\b(?:static |let |const |final )?(?:reset|forgot|change|update)[_-]?password[\"']?[ ]?[:=][ ]?[\"']$"
)
_ABOUT_PUBLIC = lazy(r"(?i)pub(?:lic)?[-_ ]?(?:ed)?key|\bsite[-_ ]?key|verify(?:ing)?[-_ ]key")
_ABOUT_PRIVATE = lazy(r"(?i)priv|secret(?!s\b)")
_KEYLIKE = lazy(r"[\w+/=-]{32,}")
_COMMIT = lazy(r"[0-9a-f]{40}")
# "pin actions/checkout to 87f0…"
_ACTION = lazy(r"\b[\w.-]{2,40}/[\w.-]{2,40}(?: to |@)$")
_SEALED = lazy(r"Ag[A-Za-z0-9+/=]{60,}")
_ISSUE = lazy(r"\"(?:rule|component|issueKey|effort|debt)\"\s?:")


def is_public(text: str, span: Span) -> bool:
    """Whether what the span of ``text`` holds is no secret for one of the reasons above."""
    if not span.rule.startswith(_UNSURE):
        return False
    start, end = span.start, span.end
    value = text[start:end]
    line = max(text.rfind("\n", 0, start) + 1, start - _AROUND)
    stop = text.find("\n", end, end + _AROUND)
    stop = stop if stop >= 0 else min(len(text), end + _AROUND)
    if _HASH.fullmatch(value) and _HASHED.search(text, line, start):
        return True
    if span.rule == "printed" and value.isdigit() and _COUNTING.search(text, max(0, start - 200), start):
        return True
    if _CALLED.search(text, line, start) or _IDENTIFIER.fullmatch(value) or text.endswith("ext:", 0, start):
        return True
    if span.rule.startswith(_GUESSED) and _is_name(text, span, value, line):
        return True
    if span.kind == "token" and _ADDRESS.fullmatch(value):
        return True
    if _DIGEST.fullmatch(value) and _AGE.match(text, end, stop):
        return True
    if _UUID.fullmatch(value) and _ACTS.search(text, line, start):
        return True
    if _SEALED.fullmatch(value) and "encryptedData:" in text[max(0, start - 600) : start]:
        return True
    if span.kind in ("key", "secret", "password") and _KEYLIKE.fullmatch(value):
        around = text[line:start] + text[end:stop]
        if _ABOUT_PUBLIC.search(around) and not _ABOUT_PRIVATE.search(around):
            return True
    return text.endswith(('"key":"', '"key": "'), 0, start) and _ISSUE.search(text, line, stop) is not None


def _is_name(text: str, span: Span, value: str, line: int) -> bool:
    start, end = span.start, span.end
    if _NAMES.match(text, end) and not (text[start - 1 : start] == "=" or span.rule == "told"):
        return True
    if _NAMED.search(text, line, start):
        return True
    if span.rule in ("nearby", "told") and is_spoken(value):
        return True
    if _PLACE.fullmatch(value) or (span.rule == "judged" and _OBJECT.fullmatch(value)):
        return True
    if value.isdigit() and _COUNTS.search(text, line, start):
        return True
    if _COMMIT.fullmatch(value) and _ACTION.search(text, line, start):
        return True
    return _TICKET.fullmatch(value) is not None and (span.rule != "phrase" or text[start - 1 : start] == "(")
