"""Secrets that are known by where they stand: in a URL, a header, a signed link, a statement, a file's line.

One row per place; ``v`` is the secret.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

from collections.abc import Iterator

from .anchors import Anchors
from .lazy import lazy
from .made import is_chosen
from .names import Grade
from .randomness import looks_random
from .rules import Page, Reader, Rule, Span, tells
from .tokens import is_drawn
from .values import Style, is_basic, is_evident, is_placeholder, is_secret

_STARRED = lazy(r"\*[0-9A-Fa-f]{40}")
_LOGIN = lazy(r":[^\s@:\"'`<>]{1,512}+@")  # what all have whose pattern has an @
_WORD = r"[^\s\"'`<>]{1,256}"


def _named(value: str) -> bool:
    from urllib.parse import unquote  # noqa: PLC0415 - it takes longer to import than all of this package

    return is_secret(unquote(value), Grade.STRONG, Style.EXACT)


def _opaque(value: str) -> bool:
    return not is_placeholder(value) and (
        any(map(str.isdigit, value)) or is_secret(value, Grade.WEAK, Style.EXACT)
    )


def _token(value: str) -> bool:
    return is_secret(value, Grade.TOKEN, Style.EXACT)


def _evident(value: str) -> bool:
    return is_evident(value) or looks_random(value) or ("-" in value and is_chosen(value))


_ACCEPT = {
    "evident": _evident,
    "token": _opaque,
    "basic": is_basic,
    "user": _token,
    "signature": _token,
    "random": is_drawn,
}
_KINDS = {"evident": "password", "basic": "token", "user": "token", "signature": "signature", "random": "key"}


def _row(
    id_: str, anchors: str, pattern: str, *good: str, kind: str = "password", bad: tuple[str, ...] = ()
) -> Rule:
    return Rule(
        id=id_,
        kind=_KINDS.get(kind, kind),
        anchors=tuple(anchors.split()),
        fold=True,
        pattern=pattern,
        accept=_ACCEPT.get(kind, _named),
        good=good,
        bad=bad,
    )


PLACES: tuple[Rule, ...] = (
    _row(
        "url-password",
        "://",
        r"://[^\s:/?#@\"'`<>\\]{0,128}:(?P<v>[^\s/?#\"'`<>]{1,256})@(?=[\w\[$%{*(.-])",
        "postgres://app:{word:9}@db/x",
        "https://me:{base62:30}@host/x.git",
        "amqp://u:p@{word:8}@h",
        bad=(
            "https://user:password@host",
            "postgres://$USER:$PASS@db",
            "redis://:<password>@h",
            "http://h:80/@x",
        ),
    ),
    _row(
        "url-password",
        "://",
        r"://[^\s:/?#@\"'`<>\\]{1,128}:(?P<v>(?!\d{1,5}[/?#])[^\s@\"'`<>]{1,80}[#/?][^\s@\"'`<>/]{0,80})@(?=[\w.-]{1,80}(?::\d{2,5})?(?:/|\s|$|[\"']))",
        "postgres://app:{word:9}#/x@db.example.org/x",
        bad=(
            "http://h:80/a@b",
            "http://localhost:3279/users/90@garden",
            "https://example.org:8443/@scope/pkg@1.0.0/x",
        ),
        kind="user",
    ),
    _row(
        "dsn-password",
        ":",
        r":(?P<v>[^\s:@/\"'`<>,;(){}\[\]]{5,128})@(?:tcp\(|unix\(|(?:[a-z0-9-]{1,63}\.){1,5}[a-z0-9-]{2,63}(?=[:/\s\"',;)]|$)|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})",
        "sip:me:{word:9}@pbx.example.org",
        "me:{word:9}@tcp(db:3306)/x",
        kind="evident",
        bad=("user:bob@example.org", "image:v1.2.3@sha256:abc"),
    ),
    _row(
        "mysql-hash",
        "*",
        r"\*(?P<v>[0-9A-F]{40})(?![0-9A-Za-z])",
        "IDENTIFIED BY PASSWORD '*{hexup:40}'",
        kind="random",
    ),
    _row(
        "url-token",
        "://",
        r"://(?P<v>[A-Za-z0-9_.~-]{16,256}={0,2})(?::(?:x-oauth-basic)?)?@(?=[\w\[])",
        "https://{base62:40}@github.com/x/y",
        "https://{hex:40}:x-oauth-basic@host/y",
        kind="user",
        bad=("ssh://git@github.com/x",),
    ),
    _row(
        "azure-key",
        "accountkey sharedaccesskey sharedsecret endpoint",
        r"(?:AccountKey|SharedAccessKey|SharedSecret)=(?P<v>[A-Za-z0-9+/]{20,120}={0,2})",
        "AccountName=a;AccountKey={base64:86}==;EndpointSuffix=core.windows.net",
        kind="token",
    ),
    _row(
        "signed-url",
        "sig signature x-amz-signature x-goog-signature x-amz-security-token x-amz-credential keypairid policy hmac token code st appid app_id appkey app_key key k auth jwt access apikey secret pwd pass session sid ticket",
        r"(?:x-(?:amz|goog)-(?:signature|security-token)|(?<=[?&])(?:sig|signature|hmac|policy|st|token|code|ticket|appid|app_id|appkey|app_key|key|k|auth|jwt|access|apikey|secret|pwd|pass|session|sid))(?:=|%3d)(?P<v>[A-Za-z0-9%+/=_.~-]{16,4096})",
        "https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature={hex:64}",
        "https://x.blob.core.windows.net/c/b?sv=2022&sp=r&sig={base62:43}%3D",
        kind="signature",
        bad=("?sig=<signature-of-the-request>", "?code=invalid_grant_error_page"),
    ),
    _row(
        "azure-signature",
        "sharedaccesssignature",
        r"SharedAccessSignature[ =]sr=[^\s]{1,300}?&sig=(?P<v>[A-Za-z0-9%+/=_-]{20,160})",
        "SharedAccessSignature sr=x&sig={base62:43}%3D&se=1",
        kind="token",
    ),
    _row(
        "bearer",
        "bearer",
        r"bearer(?:[ \t]{1,4}|%20|\+|:[ ]?)[\"']?(?!\w{2,20}=)(?P<v>[A-Za-z0-9._~+/=|:-]{8,8192})",
        "-H 'Bearer {base62:20}'",
        "Bearer {hex:32}",
        kind="token",
        bad=("Bearer authentication", "Bearer $TOKEN", "bearer tokens."),
    ),
    _row(
        "basic",
        "basic",
        r"basic[ \t:]{1,4}(?P<v>[A-Za-z0-9+/]{8,512}={0,2})",
        "Basic YWRtaW46{base64pw:9}",
        kind="basic",
        bad=("basic authentication", "Basic understanding"),
    ),
    _row(
        "authorization",
        "authorization",
        r"authorization[\"'\]]{0,3}[ \t]{0,4}(?:[:=,]|=>|\()[ \t]{0,4}[\"'`]?"
        r"(?:(?:bearer|basic|token|bot|apikey|api-key|key|digest|negotiate|splunk|ghost|jwt|ssws|sharedkey|oauth|hmac"
        r"|genie-?key|discogs|klaviyo-api-key|flyv1|aws4)[ =]{1,4})?"
        r"(?P<v>[A-Za-z0-9._~+/=:|-]{8,8192}+)(?![(\[])",
        "Authorization: token {hex:40}",
        "Proxy-Authorization: Basic {base62:24}",
        '"authorization": "{base62:32}"',
        kind="token",
        bad=("Authorization: Bearer", "authorization: required", "authorization=req.headers.get(x)"),
    ),
    _row(
        "aws-signature",
        "signature",
        r"signature=(?P<v>[0-9a-f]{64})(?![0-9a-f])",
        "AWS4-HMAC-SHA256 Credential=x/20260101/eu/s3/aws4_request, SignedHeaders=host, Signature={hex:64}",
        kind="signature",
    ),
    _row(
        "digest",
        "digest",
        r"digest[ ]username=[^\n]{1,400}?\bresponse=\"?(?P<v>[0-9a-f]{32,64})",
        'Digest username="bob", realm="r", nonce="n", uri="/", response="{hex:32}"',
        kind="signature",
    ),
    _row(
        "user-tuple",
        "auth basicauth httpbasicauth credentials creds login",
        r"(?:auth\w{0,12}|credentials?|creds|login)(?:[ ]?=[ ]?|[ ]?:[ ]?|\(|[ ])(?:\w{0,20})?[\[({][ ]?"
        r"[\"'][^\"'\n]{1,64}[\"'],[ ]?[\"'](?P<v>[^\"'\n]{1,256})[\"'][ ]?[\])}]",
        "get(u, auth=('me', '{word:9}'))",
        bad=("auth=('me', 'password')",),
    ),
    _row(
        "user-tuple",
        "credentials creds credential auth login",
        r"(?:credentials?|creds|auth|login)\(\)(?:[ ]->[^\n:]{1,40})?:\r?\n[-+]?[ \t]{0,12}(?:\d{1,6}[→\t:])?[-+]?[ \t]{0,12}return[ ][\[(][ ]?"
        r"[\"'][^\"'\n]{1,64}[\"'],[ ]?[\"'](?P<v>[^\"'\n]{1,256})[\"']",
        "def credentials():\n    return ('me', '{word:9}')",
        bad=("def auth():\n    return ('me', 'password')",),
    ),
    _row(
        "sql-password",
        "identified password passwd",
        r"(?:identified(?:[ ]with[ ][\w'\"]{1,40})?[ ](?:by|as)|password|passwd)"
        r"[ (]{1,2}(?:password[ ]|values[ ])?[\"'](?P<v>[^'\"\n]{1,256})[\"']",
        "CREATE USER x IDENTIFIED BY '{word:9}';",
        bad=("IDENTIFIED BY 'password'",),
    ),
    _row(
        "sql-password",
        "identified",
        r"identified[ ]by[ ](?:values[ ])?(?P<v>[^\s\"';]{3,256})",
        "ALTER USER scott IDENTIFIED BY {word:9};",
        bad=("a user identified by name",),
        kind="user",
    ),
    _row(
        "netrc",
        "machine",
        r"machine\s{1,8}\S{1,128}\s{1,8}login\s{1,8}\S{1,128}\s{1,8}(?:account\s{1,8}\S{1,64}\s{1,8})?password\s{1,8}(?P<v>"
        + _WORD
        + ")",
        "machine h.example\n  login me\n  password {word:9}",
    ),
    _row(
        "pgpass",
        ":5432: :6432: :3306: :5433:",
        r":[0-9]{4}:[\w*-]{1,64}:[\w.*-]{1,64}:(?P<v>[^\s:\"'`]{3,256})",
        "localhost:5432:db:me:{word:9}",
    ),
    _row(
        "otpauth",
        "otpauth",
        r"otpauth(?:-migration)?://[^\s\"']{1,300}?(?:secret|data)=(?P<v>[A-Za-z0-9%+/=_-]{10,2000})",
        "otpauth://totp/x?secret={base32:16}&issuer=y",
        kind="secret",
    ),
    _row(
        "wifi",
        "wifi",
        r"wifi:(?:[a-z]:[^;\n]{0,64};){0,3}p:(?P<v>[^;\n]{4,128})",
        "WIFI:T:WPA;S:home;P:{word:9};;",
    ),
    _row(
        "pass-argument",
        "pass",
        r"pass:(?P<v>(?!\d{1,6}[},;]|[\w$.]{1,12}[},;)])[^\s\"'`]{4,256})",
        "openssl rsa -passin pass:{word:9} -in k",
        bad=("pass:", "--- PASS: TestX", "let{user:a,pass:fp}=e;return a"),
    ),
    _row(
        "htpasswd",
        "$apr1$ {sha} {ssha}",
        r"(?P<v>(?:\$apr1\$|\{S?SHA\})[A-Za-z0-9./$+=]{20,80})",
        "bob:$apr1${base62:8}${base62:22}",
        kind="random",
    ),
    _row(
        "sentry-dsn",
        "://",
        r"://(?P<v>[0-9a-f]{32})(?::[0-9a-f]{32})?@[\w.-]{3,80}/[0-9]{1,20}",
        "https://{hex:32}@o1.ingest.sentry.io/42",
        kind="token",
    ),
    _row(
        "shadow",
        ":$",
        r":(?P<v>\$[0-9a-z]{1,10}\$[A-Za-z0-9./=,$+-]{13,200})(?=:)",
        "root:$6${base62:16}${base62:86}:19000:0:99999:7:::",
        kind="random",
    ),
)
_WORDY: dict[str, list[Rule]] = {}
_SIGNS: list[tuple[str, Rule]] = []
for _one in PLACES:
    for _anchor in _one.anchors:
        if _anchor.isalnum():
            _WORDY.setdefault(_anchor, []).append(_one)
        else:
            _SIGNS.append((_anchor, _one))


_FARTHEST = 450  # characters: more than those patterns can have before their @
_BEFORE_AT = ("://", ":")  # their rules' patterns have an @ further on


def places(page: Page) -> Iterator[Span]:
    """The secrets of the page that are known by where they stand."""
    for anchor in sorted(_WORDY.keys() & page.words):
        for rule in _WORDY[anchor]:
            if rule.id != "signed-url" or f"?{anchor}" in page.lower or f"&{anchor}" in page.lower:
                yield from rule.spans(anchor, page)
    at = _before_at(page.lower) if "@" in page.lower else []
    starred = any(map(_STARRED.search, page.telling))
    for anchor, rule in _SIGNS:
        if (at or anchor not in _BEFORE_AT) and (starred or anchor != "*") and anchor in page.lower:
            yield from rule.spans(anchor, page, at if anchor in _BEFORE_AT else None)


def _before_at(text: str) -> list[tuple[int, int]]:
    """Where an @ is near enough behind for the patterns that have one."""
    found: list[tuple[int, int]] = []
    at = text.find("@")
    while at >= 0:
        start = max(0, at - _FARTHEST)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], at)
        else:
            found.append((start, at))
        at = text.find("@", at + 1)
    return found


@tells
def _starred_at(words: str) -> Iterator[int]:
    return (match.start() for match in _STARRED.finditer(words))


def _anchors() -> Anchors:
    signs = [sign for sign, _ in _SIGNS if sign.strip(":/*$")]
    for word, placed in _WORDY.items():
        for rule in placed:
            if rule.id == "signed-url":
                signs += [f"?{word}", f"&{word}"]
            else:  # a sign that must follow belongs to it
                signs += [
                    next((f"{word}{end}" for end in "=:" if rule.pattern.startswith(f"{word}{end}")), word)
                ]
    return Anchors(signs=tuple(signs), parts=(":$",), patterns=(_LOGIN,), shapes=True)


PLACES_READER = Reader(id="place", kind="password", find=places, anchors=_anchors)
