"""What is no secret by its form or by what stands at its side, whichever rule took it for one.

A rule knows why a word may be a secret. That the word is an identifier, a public key, a digest, a reference to where
the secret is kept or the name of something else, is told the same way for all of them, and here. Only rules that go
by names and places are overruled; what has a vendor's form stays what it is.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from dataclasses import dataclass

from .judge import is_spoken
from .lazy import lazy
from .rules import Span

_GUESSED = ("nearby", "phrase", "told", "judged", "table-row", "call")
_UNSURE = (
    *_GUESSED,
    "named-",
    "table",
    "device-key",
    "printed",
    "member",
    "user-tuple",
    "generic-token",
    "sql-password",
)
_BEFORE = 600  # characters that are looked at
_AROUND = 160


@dataclass(frozen=True, slots=True)
class _Reason:
    """A value of the form ``value`` that stands between ``before`` and ``behind``; without one of these it may be
    any. ``rules``: the beginnings of the names of those that it overrules."""

    value: re.Pattern[str] | None = None
    before: re.Pattern[str] | None = None
    behind: re.Pattern[str] | None = None
    rules: tuple[str, ...] = _UNSURE

    def holds(self, text: str, span: Span) -> bool:
        return (
            span.rule.startswith(self.rules)
            and (self.value is None or self.value.fullmatch(text, span.start, span.end) is not None)
            and (
                self.before is None
                or self.before.search(text, max(0, span.start - _BEFORE), span.start) is not None
            )
            and (self.behind is None or self.behind.match(text, span.end, span.end + _AROUND) is not None)
        )


_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_ENVIRONMENT = r"(?:dev|stg|stage|staging|prd|prod|uat|int|qa|test|tst|ci|preprod|lab)"
_ROLE = r"(?:app|web|db|mq|dw|build|node|edge|cache|srv|host|vm|nas|kv|bastion|proxy|worker|runner|etl|gpu|login|mail|lb|api)"
_HASH = lazy(r"[0-9a-fA-F]{32,128}|[\w+/-]{22,90}={0,2}")
_REASONS = (
    # an id that says so, a header's name, a stream of a log, a keeper of passwords
    _Reason(
        lazy(
            r"\d{4}/\d\d/\d\d/\[.*|(?i:u?uid|guid|id):[\w-]+|SHA256:[\w+/-]{43}=?|(?i:(?:ctrl|strg|alt|shift|cmd|super|win)(?:\+\w+)+)|\d{2,5}x\d{2,5}|X(?:-[A-Z0-9]\w*){2,6}|(?:[a-z]+[_-])?id=\S+|ext:[\w-]+|(?i:cyberark|1password|bitwarden|lastpass|keepass(?:xc)?|dashlane|thycotic)"
        )
    ),
    # digests: by their name, in a lock file, in a list of what was made when
    _Reason(
        _HASH,
        lazy(r"(?i:\bmd5|\bsha-?\d{1,3}|\bchecksum|\bdigest|\betag|\bblake2b?)[\"']?[ ]?[:=(]?[ ]?[\"']?$"),
    ),
    _Reason(_HASH, lazy(r"\{:hex, :[^\n]*$|\bhexdigest\(\)[ \t]*\n[\"']?$")),
    _Reason(_HASH, lazy(r"\b(?:dgst|\d{3}sum)\b[^\n]*\n$"), rules=("printed",)),
    _Reason(
        lazy(r"[0-9a-f]{16}|[a-z0-9]{25}"),
        behind=lazy(
            r"[ \t]{1,12}(?:\d{1,4} ?(?:[smhdwy]|mo|seconds?|minutes?|hours?|days?|weeks?|months?|years?)|an? \w{3,6}) ago\b"
        ),
    ),
    # what a call or a field takes that is no secret, what fetches one from where it is kept
    _Reason(
        before=lazy(
            r"\bpubkey\b(?: < \S{1,80})?\s{0,8}#?\s{0,4}(?:->|=>|→|:)[ \"'`]{0,4}$|\bcredentials\([\"']$|\bwpa_passphrase [\"']?$|\bkeyring\.set_password\([\"'](?:[^\"'\n]{1,60}[\"'], ?[\"'])?$"
            r"|\b(?:ObjectId|\w*ById)\([\"']$|\bSec-WebSocket-(?:Key|Accept): $|[\"'](?:_id|x5t|x5t#S256|kid|jti|sku|ean|gtin|Sid|operationId|insertId)[\"']\s?:\s?[\"']$|\bext:$|/deps/$|\buntrusted comment:[^\n]*\n$|\brecord: [\w:]*$|(?i:\bcache[ -]keys?:?) [\"'`]?$|[\"'][Ġ▁]\w+[\"']\s?:\s?$"
            r"|\b(?:data_bag_item\([^()\n]{0,60}|(?:(?i:get|read|fetch|load|lookup|find)_?(?i:secrets?|passwords?|credentials?|parameter)\w{0,12}|lookup)\([\"'])$"
            r"|[a-z](?<![sS]ecret)Id(?:[ ]?:[ ]?[A-Za-z]{2,12}\??)?[ ]?=[ ]?[\"']$"
        )
    ),
    _Reason(lazy(_UUID), lazy(r"(?i)\b(?:reset|forgot|change|update)[_-]?password[\"']?[ ]?[:=][ ]?[\"']$")),
    _Reason(lazy(_UUID), lazy(r" \{$"), rules=_GUESSED),
    # whose it is, or what the place is called where it is kept
    _Reason(
        lazy(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)+"),
        lazy(
            r"(?i)\b(?:password|passphrase|secret|token|key) (?:of|for|von|für|de|del|du|di) (?:the )?[\"'`]?$|\b(?:from|in) (?:the )?secret $|\b(?:resource|data|module) \"[\w-]+\" \"$"
        ),
    ),
    # what a list of passwords is called, how strictly they are looked for
    _Reason(lazy(r"[a-z]{3,8}"), lazy(r"passwords[\"']\s?(?:=>|:)\s?[\"']$")),
    _Reason(
        lazy(
            r"[a-z0-9]+(?:-[a-z0-9]+)*-(?:db|api|tls|redis|config|creds|credentials|secret|key|token|app|auth)(?:-v?\d+)?"
        ),
        lazy(r"\bsecret [\"'`]?$"),
    ),
    # a contract's address, the id of a key that signs, a Kubernetes secret that its cluster sealed, a finding's key
    _Reason(lazy(r"0x[0-9a-fA-F]{40}"), rules=("named-token", "judged")),
    _Reason(lazy(r"(?:0x)?(?:[0-9A-F]{8}|[0-9A-F]{16}|[0-9A-F]{40})"), lazy(r"(?i)\bsigningkey(?: |=| = )$")),
    _Reason(lazy(r"Ag[A-Za-z0-9+/=]{60,}"), lazy(r"\bencryptedData:")),
    _Reason(
        before=lazy(r"\"key\":[ ]?\"$"),
        behind=lazy(r"[^\n]*\"(?:rule|component|issueKey|effort|debt)\"\s?:"),
    ),
    # where a rule only guessed: names that say who, which or where; versions of a digest
    _Reason(
        before=lazy(
            r"(?:[Nn]ame|NAME|[Rr]ef|REF)[\"']?[ ]?[:=][ ]?[\"']?$|(?<![\w-])(?<![Ss]ecret )(?<!SECRET )[iI][dD][\"']?[ ]{0,10}[:=][ ]?[\"']?$"
            r"|--?(?:user(?:name)?|login|account|id|name|region|subscription|location|resource-group|[gns]|[a-z]+-name|[A-Z][a-z]+Name) $"
            r"|\b(?i:host(?:name)?|server|region|bucket|database|dbname|endpoint|analysis)[\"']?\s?[:=]\s?[\"']?$|\blabel [\"']$"
            r"|\b(?:analysis|build|run|job|request|trace|task|event|order|customer|project|tenant) id:? $|\b(?:begins|starts|ends) with [\"'`]?$"
            r"|[\"'(]\d:$|(?i:hash(?:es)?)\b[^\n]{0,60}[\[,][ ]?[\"']$"
        ),
        rules=_GUESSED,
    ),
    # … a key of an object, the name in an assignment, whose password is asked for
    _Reason(
        before=lazy(r"(?<!=)$"),
        behind=lazy(r"'s (?:pass|key)|[\"']\s{0,2}:(?!:)|[\"']\.[A-Za-z]|[ ]=[ ]"),
        rules=("nearby", "phrase", "judged", "table-row", "call"),
    ),
    # … a place in a store, a line of a file, an address of content, a network's interface; a machine, as those are
    # called who have many
    _Reason(
        lazy(
            r"[a-z][a-z0-9_.-]*/[a-z0-9_.-]+|[a-z]+/[\w.-]+/[a-z]+/[\w.-]+|[\w./-]+\.[a-z]{1,4}:\d{1,5}|Qm[1-9A-HJ-NP-Za-km-z]{40,50}|baf[yk][a-z2-7]{50,60}|(?:wl[po]|enp?|eno|ens|eth)\d[a-z0-9]{0,6}|(?:Gi|Fa|Te|Eth|Po|Se|Hu|Fo|xe-|ge-)\d{1,3}(?:/\d{1,3}){1,3}(?:-\d{1,3})?|[0-9a-f]{16}_[ir]|[a-z0-9-]{1,60}-[0-9a-f]{8,10}-[a-z0-9]{5}|1-[0-9a-f]{8}-[0-9a-f]{24}|[a-z]{1,4}_[0-9a-f]{12}"
            rf"|(?:[\w.]{{1,20}}@)?(?:(?:[a-z]{{1,12}}-)?{_ENVIRONMENT}(?:-[a-z]{{1,8}})?-?\d{{1,3}}|{_ROLE}-?\d{{1,3}})\??|(?:kv|corp|rg|st|sa)-[a-z0-9]{{4,12}}"
        ),
        rules=_GUESSED,
    ),
    # … an object's id, the commit of an action that is pinned, a ticket
    _Reason(lazy(r"[0-9a-f]{24}|[0-9a-f]{40}"), rules=("judged",)),
    _Reason(
        lazy(r"[0-9a-f]{64}"), lazy(r"(?i)\b(?:root|merkle|tree|manifest)\b[^\n]{0,30}$"), rules=("judged",)
    ),
    _Reason(lazy(r"[0-9a-f]{40}"), lazy(r"\b[\w.-]{2,40}/[\w.-]{2,40}(?: to |@)$"), rules=_GUESSED),
    _Reason(lazy(r"(?=[A-Z0-9]*[A-Z])[A-Z0-9]{2,6}-\d{1,5}"), rules=("nearby", "told", "judged")),
    _Reason(lazy(r"(?=[A-Z0-9]*[A-Z])[A-Z0-9]{2,6}-\d{1,5}"), lazy(r"\($"), rules=("phrase",)),
    # … what a number counts, or which one it is
    _Reason(
        lazy(r"\d+"), lazy(r"(?i)\b(?:offset|\w*exception|exit|status|errno)\b[^\n]{0,70}$"), rules=_GUESSED
    ),
    _Reason(lazy(r"\d+"), behind=lazy(r" (?:tokens?|bytes|lines|rows|times|ms)\b"), rules=_GUESSED),
    _Reason(
        lazy(r"\d+"),
        lazy(r"(?:\bgrep -\w*c|\bwc\b|\bcount|\blength|\bdu\b)[^\n]{0,120}\n$"),
        rules=("printed",),
    ),
)
_KEYLIKE = lazy(r"[\w+/=-]{32,}")
_ABOUT_PUBLIC = lazy(r"(?i)pub(?:lic)?[-_ ]?(?:ed)?key|\bsite[-_ ]?key|verify(?:ing)?[-_ ]key")
_ABOUT_PRIVATE = lazy(r"(?i)priv|secret(?!s\b)")


def is_public(text: str, span: Span) -> bool:
    """Whether what the span of ``text`` holds is no secret for one of the reasons above."""
    if not span.rule.startswith(_UNSURE):
        return False
    value = text[span.start : span.end]
    if span.rule == "nearby" and is_spoken(value):  # what is ``told`` may be any word
        return True
    return any(reason.holds(text, span) for reason in _REASONS) or _is_public_key(text, span, value)


def _is_public_key(text: str, span: Span, value: str) -> bool:
    if span.kind not in ("key", "secret", "password") or not _KEYLIKE.fullmatch(value):
        return False
    line = max(text.rfind("\n", 0, span.start) + 1, span.start - _AROUND)
    stop = text.find("\n", span.end, span.end + _AROUND)
    around = text[line : span.start] + text[span.end : stop if stop >= 0 else span.end + _AROUND]
    return _ABOUT_PUBLIC.search(around) is not None and not _ABOUT_PRIVATE.search(around)
