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
from .private_keys import PRIVATE_KEYS
from .rules import Span
from .tokens import ANYWHERE, TOKENS

BY_FORM = frozenset(rule.id for rule in (*TOKENS, *ANYWHERE)) - {"generic-token", "adyen-key"} | {
    PRIVATE_KEYS.id
}
"""The rules whose finds prove themselves by their form; that of Adyen's keys is any base64."""

_GUESSED = ("nearby", "phrase", "judged", "call")
_UNSURE = (
    *_GUESSED,
    "named-",
    "device-key",
    "printed",
    "table",
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
            r"|sha\d{1,3}[:-][0-9a-f]{40,128}|[\w.-]+@[0-9a-f]{40}|[\w.-]+\.[0-9a-f]{8,20}\.(?:js|css|mjs|map|woff2?)|U\+[0-9A-Z]{4,6}|\[?[A-Z]@[0-9a-f]{6,8}|[a-z][\w.-]*==\d[\w.]*|@?0x[0-9a-fA-F]{1,16}(?:[uU][lL]{0,2})?|\d{1,3}(?:st|nd|rd|th)|\$\w{1,9}\$%"
            r"|(?:hmac-)?sha\d{1,3}[:=][0-9a-f]{40,128}|VALUE_SPECIFIED_IN_NO_LOG_PARAMETER|GPU-[0-9a-f-]{36}|[A-Z]+CHAR2?|[\w./-]+@sha256:[0-9a-f]{64}|(?:[0-9a-fA-F]{2}:){15,31}[0-9a-fA-F]{2}|(?:AC|SM|MM|CA|PN|MG|RE)[0-9a-f]{32}|(?:key|vol|i|sg|subnet|vpc|eni|ami|snap)-[0-9a-f]{8,17}|auth_[a-z]+_[0-9a-f]{8}|[0-9a-f]{7,12}-[0-9a-f]{6,12}|[\w/+-]{2,60}/#|keyid:[0-9A-F:]{8,80}|(?:[0-9A-F]{2}:){5,7}[0-9A-F]{2}|00D[A-Za-z0-9]{12,15}|GPIO\d{1,2}|SHA256E?-s\d+--\S+|[A-Z0-9_]*_(?:TOKEN|SECRET|KEY|PASSWORD|PASS|PWD)|Version\d{8,}|`[^`\n]{3,80}`|\^[0-9a-f]{7,12}|ip=[\d.]{7,15}|C3=[0-9A-F]{2}\S*|//totp/LABEL\S*|[a-z0-9]+(?:-[a-z0-9]+)+\.(?:internal|local|lan|corp|svc)(?:\.\S+)?|\S+\n[0-9a-f]{7,12}|sk-(?:ant-)?[a-z]+\d\d-\w{1,12}|ip(?:-\d{1,3}){4}(?:\.\S+)?|v\d+\.\d+\.\d+-[\w.-]+|E-\d{3,6}|[2-9CFGHJMPQRVWX]{4,8}\+[2-9CFGHJMPQRVWX]{2,3}|\d{1,3}\?"
            r"|(?=[a-z.]*(?:passw|contras|clave|login|auth|error|account|cuenta|settings))[a-z_]+(?:\.[a-z_]+){2,}"
        )
    ),
    # digests: by their name, in a lock file, in a list of what was made when
    _Reason(
        _HASH,
        lazy(
            r"(?i:md5|sha-?(?:1|224|256|384|512)|\bcheck ?sum|\bdigest|\betag|\bblake2b?)[\"']?[ ]?[:=(]?[ ]?[\"']?$"
        ),
    ),
    _Reason(
        lazy(r"(?:[0-9a-fA-F]{2}:?){16,64}"),
        lazy(
            r"(?i)(?:\bmd5|\bsha-?\d{1,3}|\bcheck ?sum|\bdigest|fingerprint|fingerabdr|empreinte|huella|impronta|odcisk|otisk|отпечат|відбит|指[纹紋]|지문|\bcache\b)[^\n]{0,90}$"
        ),
        rules=("nearby", "phrase", "judged"),
    ),
    _Reason(lazy(r"\d{5,12}"), lazy(r"(?i)\bcheck ?sum[:=]? $"), rules=_GUESSED),
    _Reason(_HASH, lazy(r"\{:hex, :[^\n]*$|\bhexdigest\(\)[ \t]*\n[\"']?$")),
    _Reason(_HASH, lazy(r"\b(?:dgst|\d{3}sum)\b[^\n]*\n$"), rules=("printed",)),
    _Reason(
        lazy(r"[0-9a-f]{16}|[a-z0-9]{25}"),
        behind=lazy(
            r"[ \t]{1,12}(?:\d{1,4} ?(?:[smhdwy]|mo|seconds?|minutes?|hours?|days?|weeks?|months?|years?)|an? \w{3,6}) ago\b"
        ),
    ),
    # which request it was, in many languages, or which key, engine, topic
    _Reason(
        lazy(rf"{_UUID}|[0-9a-f]{{6,40}}|\d{{3,20}}"),
        lazy(
            r"(?i)(?:\bid|\baaguid|\bserial(?: n\w+)?|seryjny(?: \w+)?|seriennummer|série|序列号|シリアル\w*|numer sprawy|identifier|identifikat\w+|идентификатор\w*|ідентифікатор\w*|azonosító\w*|מזהה|request|anfrage|requête|solicitud|richiesta|requisição|verzoek|begäran|förfrågan|żądani\w+|požadav\w+|запрос\w?|запит\w?|kérel\w+|istek|isteği|请求|要求|リクエスト|요청|בקשה)[\s:：#(]{1,3}$"
        ),
        rules=_GUESSED,
    ),
    _Reason(
        before=lazy(
            r"(?i:\bengineid:? |\btopicid:?\s|\bsession=<|\b(?:request|client)token:? |gpg_?keys?[\"']?\s?[:=]\s?[\"']?|\bcodebuild [\w-]+:|\b(?:kms|experiment) key |\busing [a-z]+ key |\bid of (?:the|a|this|its) \w+(?: is)?:? [\"'`]?)$|\{\{resolve:[^}\n]*$|\b(?:Get|Remove|Set)-Secret(?:Info)? (?:-Name )?[\"']?$|(?:\bLoadCredential=|\bLockToken[=:] ?|\bencryptedData:\s*\w*:?\s*\S*|(?:logged|signed) in as |\bCyberArk safe |\biperf3?\b[^{}]*Cookie: |\bfingerprint[\"']?\s?[:=]\s?[\"']?|\bautogenerated kernel key: |\b(?:s2|h3) (?:token|cell) )$|\bpass init (?:-\w+ )*$|(?<![\w/.-])(?:org|com|io|net)(?:\.\w+){2,4}[ \t]+$"
        )
    ),
    _Reason(lazy(r"(?:[A-Z][a-z]+){1,8}(?=\w*[A-F]\w*$)[0-9A-F]{8}"), lazy(r"\bAWS::[^\n]*$|\bcdk\b[^\n]*$")),
    _Reason(before=lazy(r"\$\{\w+:\?[^}\n]*$"), behind=lazy(r"[}\"]"), rules=(*_UNSURE, "command")),
    _Reason(before=lazy(r"\bfly(?:ctl)?\b[^\n]{0,80} (?:-a|--app|-c|-o|-r)[ =]$"), rules=("command",)),
    _Reason(lazy(r"(?:role|path|mount|method|namespace)=\S+"), rules=("command",)),
    _Reason(before=lazy(r"(?:sum|b2|shasum)\b[^\n]{0,40}<<< ?[\"']$"), rules=("here-string",)),
    _Reason(
        lazy(r"[0-9a-f]{7,40}\??"),
        lazy(r"\bbisect\b[^\n]*$|\"type\":\s?\"COMPONENT(?:_SET)?\"[^{}]{0,60}\"key\":\s?\"$"),
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
    _Reason(
        lazy(_UUID),
        lazy(r" \{$|(?i:\bversions?\b)[^\n]{0,120}$|\bAWS(?:CURRENT|PREVIOUS|PENDING)\b[^\n]{0,20}$"),
        rules=_GUESSED,
    ),
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
            r"(?:[Nn]ame|NAME|[Rr]ef|REF)[\"']?[ ]?[:=][ ]{0,4}[\"']?$|(?<![\w-])(?<![Ss]ecret )(?<!SECRET )[iI][dD][\"']?[ ]{0,10}[:=][ ]?[\"']?$"
            r"|--?(?:user(?:name)?|login|account|id|name|region|subscription|location|resource-group|[gns]|[a-z]+-name|[A-Z][a-z]+Name) $"
            r"|\b(?i:host(?:name)?|server|region|bucket|database|dbname|endpoint|analysis|pod|node|container|instance|namespace|cluster|project|chunk|trace)[\"']?\s?[:=]\s?[\"']?$|\b(?:cluster|trace|chunk|namespace|pod|commit|transaction|correlation id|activity id) [\"'`]?$|\blabel [\"']$"
            r"|\b(?:analysis|build|run|job|request|trace|task|event|order|customer|project|tenant) id:? $|\b(?:begins|starts|ends) with [\"'`]?$"
            r"|[\"'( ]\d:$|(?i:hash(?:es)?)\b[^\n]{0,60}[\[,][ ]?[\"']$"
        ),
        rules=_GUESSED,
    ),
    # … a key of an object, the name in an assignment, whose password is asked for
    _Reason(
        before=lazy(r"(?<!=)$"),
        behind=lazy(r"'s (?:pass|key)|[\"']\s{0,2}:(?!:)|[\"']\.[A-Za-z]|[ ]=[ ]"),
        rules=("nearby", "phrase", "judged", "call"),
    ),
    # … a place in a store, a line of a file, an address of content, a network's interface; a machine, as those are
    # called who have many
    _Reason(
        lazy(
            r"[a-z][a-z0-9_.-]*/[a-z0-9_.-]+|[a-z]+/[\w.-]+/[a-z]+/[\w.-]+|[\w./-]+\.[a-z]{1,4}:\d{1,5}|Qm[1-9A-HJ-NP-Za-km-z]{40,50}|baf[yk][a-z2-7]{50,60}|(?:wl[po]|enp?|eno|ens|eth)\d[a-z0-9]{0,6}|(?:Gi|Fa|Te|Eth|Po|Se|Hu|Fo|xe-|ge-)\d{1,3}(?:/\d{1,3}){1,3}(?:-\d{1,3})?|[0-9a-f]{16}_[ir]|[a-z0-9-]{1,60}-(?:[0-9a-f]{8,10}|[bcdfghjklmnpqrstvwxz2456789]{8,10})-[a-z0-9]{5}|1-[0-9a-f]{8}-[0-9a-f]{24}|[a-z]{1,4}_[0-9a-f]{12}"
            rf"|(?:[\w.]{{1,20}}@)?(?:(?:[a-z]{{1,12}}-)?{_ENVIRONMENT}(?:-[a-z]{{1,8}})?-?\d{{1,3}}|{_ROLE}-?\d{{1,3}}|[a-z]{{2,12}}(?:prod|prd|test|tst|dev|stg|dc)\d{{0,2}}-?\d{{1,3}}|(?:mx|ns|dc|lx|win|srv|esx|sap|ora)[a-z]{{0,4}}-?\d{{1,3}}(?:-\d{{1,3}})?)\??|(?:kv|corp|rg|st|sa)-[a-z0-9]{{4,12}}"
        ),
        rules=_GUESSED,
    ),
    _Reason(lazy(r"[a-z]{1,6}_[A-Za-z0-9]{10}"), lazy(r"\bboundary\b[^\n]*$"), rules=_GUESSED),
    # … an object's id, the commit of an action that is pinned, a ticket
    _Reason(lazy(r"[0-9a-f]{24}|[0-9a-f]{40}|A[X-Z][\w-]{18}"), rules=("judged",)),
    _Reason(
        lazy(r"[0-9a-f]{64}"), lazy(r"(?i)\b(?:root|merkle|tree|manifest)\b[^\n]{0,30}$"), rules=("judged",)
    ),
    _Reason(lazy(r"[0-9a-f]{40}"), lazy(r"\b[\w.-]{2,40}/[\w.-]{2,40}(?: to |@)$"), rules=_GUESSED),
    _Reason(lazy(r"(?=[A-Z0-9]*[A-Z])[A-Z0-9]{2,6}-\d{1,5}"), rules=("nearby", "judged")),
    _Reason(lazy(r"(?=[A-Z0-9]*[A-Z])[A-Z0-9]{2,6}-\d{1,5}"), lazy(r"\($"), rules=("phrase",)),
    # … what a number counts, or which one it is
    _Reason(
        lazy(r"\d+"), lazy(r"(?i)\b(?:offset|\w*exception|exit|status|errno)\b[^\n]{0,70}$"), rules=_GUESSED
    ),
    _Reason(
        lazy(
            rf"[a-z][a-z-]*-{_UUID}|[A-Za-z][A-Za-z_.]*-(?:[A-Za-z0-9_.]+-){{0,3}}[0-9a-f]{{32,64}}|[\w-]+(?:\.[\w-]+){{2,}}(?::\d+)?/\w+|(?:svc|sa|app|usr|adm)(?:[_-][a-z0-9]{{2,12}}){{1,4}}(?:-\d{{1,3}})?"
        ),
        rules=_GUESSED,
    ),
    _Reason(lazy(r"[\w.-]+/\w+"), lazy(r"\bdsn=[\"']$")),
    _Reason(lazy(r"[A-Z][a-z]+-\d{3,5}"), lazy(r"\($"), rules=("phrase",)),
    _Reason(lazy(r"\d+"), behind=lazy(r" (?:tokens?|bytes|lines|rows|times|ms)\b"), rules=_GUESSED),
    _Reason(lazy(r"\d+\.\d+"), rules=("table",)),
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
    value = text[span.start : span.end]
    if _is_in_public_block(text, span, value):
        return True
    if not span.rule.startswith(_UNSURE):
        return False
    if span.rule.startswith("nearby") and is_spoken(value):
        return True
    return (
        any(reason.holds(text, span) for reason in _REASONS)
        or _is_public_key(text, span, value)
        or _is_in_column(text, span)
    )


_PUBLIC_BLOCK = lazy(
    r"-----BEGIN (?:(?:TRUSTED |X509 )?CERTIFICATE|(?:NEW )?CERTIFICATE REQUEST|(?:RSA |EC )?PUBLIC KEY|X509 CRL|DH PARAMETERS"
    r"|EC PARAMETERS|PKCS7|CMS|PGP PUBLIC KEY BLOCK|PGP SIGNATURE|SSH SIGNATURE)-----"
)
_BODY = lazy(r"[A-Za-z0-9+/\s]{14,}={0,2}\s*")
_LONGEST_BLOCK = 20_000  # characters
_ROW = lazy(r"[A-Za-z0-9+/]{16,80}={0,2}")
_ROW_BEGINS = lazy(r"[A-Za-z0-9+/]{0,80}")
_LINE_END = lazy(r"\r?\n|(?:\\{1,8}r)?\\{1,8}n")
_AROUND_ROW = " \t\r\\\"'`,;>|"  # an indent, quotes
_ARMOUR = lazy(r"(?:Version|Comment|MessageID|Hash|Charset): .{0,200}")


def _is_in_public_block(text: str, span: Span, value: str) -> bool:
    """Whether it is of the body of a certificate, a public key or a signature: any run of letters stands there.

    Between its first line and the value there are whole rows of such a body and nothing else: where the END
    is missing, or only the first line is spoken of, all that follows would be public.
    """
    if span.rule in BY_FORM or not _BODY.fullmatch(value):
        return False
    begin = text.rfind("-----BEGIN ", max(0, span.start - _LONGEST_BLOCK), span.start)
    marker = _PUBLIC_BLOCK.match(text, begin) if begin >= 0 else None
    if not marker:
        return False
    first, *lines = _LINE_END.split(text[marker.end() : span.start])
    if first.strip(_AROUND_ROW) or not lines:
        return False
    *rows, last = (line.lstrip(_AROUND_ROW) for line in lines)
    rows = [row.rstrip(_AROUND_ROW) for row in rows]
    while rows and (not rows[0] or _ARMOUR.fullmatch(rows[0])):
        del rows[0]
    return all(map(_ROW.fullmatch, rows)) and _ROW_BEGINS.fullmatch(last) is not None


def _is_public_key(text: str, span: Span, value: str) -> bool:
    if span.kind not in ("key", "secret", "password") or not _KEYLIKE.fullmatch(value):
        return False
    line = max(text.rfind("\n", 0, span.start) + 1, span.start - _AROUND)
    stop = text.find("\n", span.end, span.end + _AROUND)
    around = text[line : span.start] + text[span.end : stop if stop >= 0 else span.end + _AROUND]
    return _ABOUT_PUBLIC.search(around) is not None and not _ABOUT_PRIVATE.search(around)


_HEADING = lazy(
    r"(?i)(?:[a-z]+[ _-]?)?(?:u?u?id|digest|commit|revision|check ?sum|etag|fingerprint|thumbprint|sha\d*|hash|image|version|created|updated|rotated|expires|age|status|type|project|name)"
)
_COLUMNS = lazy(r"[^\s|│]+(?: [^\s|│]+)*")
_ROWS = 12  # lines of a table that are looked over for its head


def _is_in_column(text: str, span: Span) -> bool:
    """Whether it stands in a table's column that is headed as one of identifiers or dates."""
    start = text.rfind("\n", 0, span.start) + 1
    column, end = span.start - start, start - 1
    if (
        column
        and text[span.start - 1] != "\t"
        and text[span.start - 2 : span.start] not in ("  ", "| ", "│ ")
    ):
        return False  # no column begins here
    for _ in range(_ROWS):
        if end <= 0:
            return False
        above = text.rfind("\n", 0, end) + 1
        for cell in _COLUMNS.finditer(text, above, min(end, above + 400)):
            if cell.start() - above == column and _HEADING.fullmatch(cell[0]):
                return True
        end = above - 1
    return False
