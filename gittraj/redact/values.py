"""What the form of a value shows: a placeholder, a reference, a label, a path, a password."""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache

from .lazy import lazy
from .made import DESCRIBES, DULL, STOP, is_joined, is_phrase
from .names import FOREIGN, Grade, grade, parts
from .randomness import likelihood, looks_random

PLACEHOLDER = lazy(r"REDACTED-[a-z0-9]+(?:-[a-z0-9]+){0,4}?-(?:[0-9a-f]{8}|n[0-9]{1,6})(?![A-Za-z0-9])")

MOST = 160  # characters that are judged; the whole value is replaced
_REFERENCE = lazy(
    r"""\$(?:[A-Z_][A-Z0-9_]*|[a-z_]+|[a-z]+[A-Z]\w*|[0-9@*?#]|(?:env|ENV):\w+|[a-z_]+(?:->|\[|\.)[\w$'"\]>.-]*)|\$\{[^}]*\}|\$\(.*|\$\{\{.*
      | %[A-Za-z_][A-Za-z0-9_]*%|!?%?[A-Z]*%?(?:\(\w*\))?%[-+#]?[0-9.]*[sdrvqxw]|\{\{.*|\{[\w.!:$\[\]'"-]*\}|<[^<>]*>.*|<[a-z][a-z-]+|\[[^\]]*\].*|@?\#\{.*
      | [A-Za-z_.]{4,}[\[(] | [*.xX#_?\-=~•●∗·…]+|(?:0[xX])?0+|0[xX][0-9a-fA-F]{1,12}[uUlL]{0,3}|\.\.\..*|@[a-z_./-]+|[&*]\w+
      | [A-Z]\w{0,30}:(?:true|false|nil|<nil>|\d{1,6}|\[.*|map\[.*|\{.*|0x[0-9a-f]+)?[})\]]?|eyJ[\w-]{5,60}(?:\.{3}|…)
      | (?:vault|op|secret|ssm|env|file|unix|awssm|gcpsm|keyvault|sops|doppler|bws|infisical|keychain|credstash|ref|secretsmanager|aws-sm|akv|kms|https?):.*
      | [0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}|1Z[0-9A-Z]{16}|\d{1,5}[smhdwy]|[\w.-]+@[\w.-]+:[~/][\w./-]*[$#]|-[A-Za-z0-9]{3,16}|(?:[A-Z][A-Z0-9]*_){1,6}(?:PASSWORD|PASSWD|PASS|TOKEN|SECRET|KEY)\)?
      | eyJ[\w-]{3,60}(?:\.{3}|…|\\+u2026).*|(?:MII[BC]\wjANBgkqhkiG9w0BAQEFAAOC|MIGfMA0GCSqGSIb3DQEBAQUAA4GN|MFkwEwYHKoZIzj0CAQ|MHYwEAYHKoZIzj0CAQ|MCowBQYDK2V[wu]AyEA).*
      | \*{2,}[A-Za-z_ ]{3,20}\*{2,} | @[A-Z][A-Z0-9_]{2,60}@|S-1-5-[0-9-]{2,80}|eyJ(?:hbGciOi|0eXAiOi)[\w-]{5,70}|[a-z][a-z0-9]{0,20}(?:-[a-z0-9]{1,20}){0,4}-token-[a-z0-9]{5,8}
      | UGFzc3dvcmQ6|arn:aws.*|@Microsoft\.KeyVault\(.*|fd:\d{1,3}|[\w/.-]{2,80}:latest|v1:[A-Za-z0-9+/]{12,24}={0,2}:[A-Za-z0-9+/]{8,}={0,2}|projects/.*/secrets/.*|!(?:vault|secret|env|env_var|Ref|Sub|GetAtt|ImportValue|Join|reference)\b.*|(?:ENC|CRYPT|ENCRYPTED)[(\[{].*|\{cipher\}.*|AQICAH.*
      | (?:process\.env|os\.environ|os\.getenv|ENV|env|import\.meta|secrets|vars?|local|data|inputs|github|context|config|settings|self|this|System|Environment)[.(\[].*
      | (?i:null|none|nil|undefined|true|false|yes|no|on|off|string|str|bool|boolean|bytes|number|int|integer|float|double
         |any|object|unknown|optional|required|varchar|text|(?:xs|xsd):\w+|char|byte|never|void|self|this|n/a|na|nan|unset|blank|undef)[?!]?(?:\[\])?
      | (?i:(?:nvarchar|varchar2?|char|text|binary|varbinary|character)\s?\(\w+\).*)""",
    re.VERBOSE,
)
_INTERPOLATION = lazy(
    r"\$\{[^}]{0,80}\}|\{\{[^}]{0,80}\}\}|\$\([^)]{0,80}\)|#\{[^}]{0,80}\}|<[^<>\s]{1,40}>|\{\w[\w.]{0,40}\}"
    r"|\$[A-Z_]{3,40}|%\([a-z_]{1,40}\)s|%[sdrv]\b"
)
_MASKED = lazy(r"[^\s*•x]{0,12}(?:[*•●∗]{3,}|[xX]{5,}|\.{3,}|…|#{4,})[^\s*•]{0,12}")
_STARS = lazy(r"[*•●∗]{4,}")
CODE = lazy(r"[&*!]{0,2}[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.|/)[A-Za-z_$][\w$]*){0,8}[?!]?(?:[(\[{].*)?")
DOTTED = lazy(
    r"[&*!]{0,2}[A-Za-z_$][\w$]*(?:\[[^\]]{0,40}\])?(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*){1,8}[?!]?(?:[(\[{].*)?"
)
CALL = lazy(
    r"(?:await |new |return |yield |typeof |&|\*|!|not ){0,3}[A-Za-z_$@][\w$.:]*(?:<[^>]*>)?[(\[{].*",
    re.DOTALL,
)
PATH = lazy(
    r"(?:file:)?(?:~|\.{1,2}|[A-Za-z]:|\$\w+)?[/\\][\w.@+/\\ $-]*(?: \w+=\w+)?|[\w.@-]+(?:/[\w.@-]+){1,12}(?:\.[a-z]{1,5}|/)|[\w-]+\.(?:json|ya?ml|env|txt|key|pem|py|js|ts|toml|ini|conf|cfg|md|sh|go|rs|java|rb|php|crt|p12|pfx|jks|html|css|xml)"
)
LINK = lazy(r"[a-z][a-z0-9+.-]{1,24}://[^\s]*")
MAIL = lazy(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HOST = lazy(r"[a-z0-9-]+(?:\.[a-z0-9-]+){1,5}(?::[0-9]{1,5})?")
# A type, a curve; a port; minified true and false, and the next key.
TYPE = lazy(
    r"(?:Big)?(?:Ui|I|Floa)(?:n?t)\d{1,3}(?:Clamped)?Array(?: ?\|.*)?|(?:Curve|Ed|X)\d{3,5}|[a-z]{2}_[A-Z]{2}(?:\.[\w-]{3,12})?|\d{1,5}/(?:tcp|udp|sctp|dccp)|![01],[\w$]{1,40}:[\w$]{1,12}(?:[.,}].*)?"
)
_SENTENCE = lazy(r"\S+(?:\s+\S+)+")
_WORD = lazy(r"[^\W\d_]+(?:['’][^\W\d_]+)?[.,:;!?)…]*|[(\"'«„-]*[^\W\d_]*[)\"'.,:;!?»“-]*")
_MNEMONIC = lazy(r"[a-z]{3,8}(?:[ ,][ ]?[a-z]{3,8}){11,23}")
_INNER_SYMBOL = lazy(r"[A-Za-z0-9][!@#^%~$&*+]+[A-Za-z0-9]|^[!@#^%~$&*]*\w{4,}[!@#^%$&*?~]+$")
HEX = lazy(r"[0-9a-fA-F]{32,}")
UUID = lazy(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
MODEL = lazy(
    r"(?:[a-z-]+/)?(?:gpt|claude|gemini|text|o[1-9]|llama|mistral|qwen|deepseek|anthropic|openai)[-.][a-z0-9.:-]+"
)
TOOL_ID = lazy(
    r"\w{2,12}_01[A-Za-z0-9]{22}|(?:dpl|prj|team|srv|dep|bld|inv|txn|card|src|usr|wf|job|task|build|run|deploy|deployment|pipeline|rec|img|vol|snap|vpc|ami|ws|art|doc|page|block|tbl|app|fld|viw|ch|pi|pm|cs|seti|po|ord)_[A-Za-z0-9]{12,40}|(?:token|secret|key|session|auth)[_-][0-9a-f]{6,8}|Test[A-Z]\w*(?:/\w+)+|[A-Za-z][\w.]{1,15}(?:-[\w.]{1,16}){0,4}-(?:[0-9a-f]{40}|[0-9a-f]{64})|(?:toolu|call|msg|prt|ses|req|resp|fc|rs|run|traj|session|chatcmpl|thread|asst|file|batch|evt|cus|in|sub|price|prod|acct|item|step|trace|span|org|proj|user)[_-][\w-]+"
)
DATE = lazy(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?|v?[0-9]+(?:\.[0-9]+){1,3}|[0-9]+(?:\.[0-9]+)?(?:[nuµm]?s|sec|min|h|[kKMGT]i?[bB])"
)  # or a measure
_SECRET_NOUN = lazy(
    r"pass(?:w|phrase|code|key)|secret|sekret|segret|hemlig|hemmelig|token|credential|\bkey\b|jeton|llave|chiave|schlüssel|geheim|clave|codice|código|sleutel|nyckel|nøkkel|nøgle|avain|kulcs|klucz|klíč|ključ|anahtar|chave|clé\b|ключ|токен|секрет|キー|トークン|シークレット|키$|토큰|密钥|密鑰|令牌|\bpin ?code$|"
    r"passe|passe\b|" + "|".join(FOREIGN)
)
_IDENTIFIER = lazy(r"[A-Za-z_$][A-Za-z0-9_.$-]*")
_COLOUR = lazy(r"#(?:[0-9a-fA-F]{3,4}){1,2}")
_PATTERN = lazy(r"\[[^\]\s]{0,20}(?:a-z|A-Z|0-9|a-f|A-F|\\[wds])[^\]\s]{0,20}\]|\(\?[:=!<P]|\\[wdsb][+*{]")


# What people make of a word where a password must have signs: Password1!, S3cretPw9
_PERSONS = lazy(r"[A-Z][a-z]{3,11}\d{1,4}[!@#$%*?]{1,2}|[A-Z]\d[a-z]\w{2,12}\d{1,4}[!@#$%*?]?")


def is_placeholder(value: str) -> bool:
    """Whether ``value`` stands for a secret without being one: ``<token>``, ``${X}``, ``changeme``, ours."""
    return _is_placeholder(value[:MOST].strip())


@lru_cache(maxsize=4096)
def _is_placeholder(short: str) -> bool:
    if _PERSONS.fullmatch(short):
        return False
    if (
        not short
        or PLACEHOLDER.match(short)
        or _REFERENCE.fullmatch(short)
        or _MASKED.fullmatch(short)
        or _COLOUR.fullmatch(short)
        or _PATTERN.search(short)
        or short.upper().endswith(("EXAMPLE", "EXAMPLEKEY", "EXAMPLETOKEN"))
    ):
        return True
    if len(rest := _STARS.sub("", short)) <= 12 and rest != short:
        return True
    rest = _INTERPOLATION.sub("", short)
    if rest != short and len(rest) < 8:
        return True
    digits = sum(map(str.isdigit, short))
    letters = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", short)
    if (
        digits <= 1
        and all(word.lower() in DULL for word in letters)
        and (letters or not digits)
        and short.isascii()
        and not _symbols(short)
    ):
        return True
    if digits <= 4 and re.search(
        r"(?i)(?:\b|_)(?:your|votre|vostr[oa]|deine?|ihre?|jouw|tw[oó]j|my|insert|replace|remplacer|reemplazar|ersetzen|sostituire|substituir|change|example|test-only|deadbeef|placeholder|dummy|fake|redacted|todo|xxx+|goes)(?:\b|_|-|me)|(?i:placeholder|changeme|your[-_ ]|[-_]here\b|xxxx)",
        short,
    ):
        return True
    if (
        _IDENTIFIER.fullmatch(short)
        and len(parts(short)) > 1
        and grade(short) >= Grade.TOKEN
        and digits <= 2
        and not looks_random(short)
        and not (len(short) >= 10 and sum(map(len, letters)) < (3 if digits > 1 else 2.2) * len(letters))
    ):
        return True  # the name of a secret
    return len(set(short.lower())) <= 2 and len(short) >= 3


def _symbols(value: str) -> bool:
    return bool(
        re.search(r"[!@#$%^&*+=~?]\S", value.strip("\"'<>[]{}()")) and re.search(r"[a-zA-Z]", value)
    ) and not value.startswith(("$", "%", "<", "{", "@"))


def is_plain(value: str) -> bool:
    """Whether ``value`` is a word, a path, a host or an address: too common to be searched for everywhere."""
    short = value[:MOST]
    if (
        is_placeholder(value)
        or LINK.fullmatch(short)
        or MAIL.fullmatch(short)
        or (UUID.fullmatch(short) and len(set(short)) < 6)
    ):
        return True
    if looks_random(short):
        return False
    if any(form.fullmatch(short) for form in (PATH, _HOST, MODEL, TOOL_ID, DATE)):
        return True
    if short.isdigit():
        return len(short) < 10
    wordy = re.fullmatch(r"[A-Za-z]+(?:[ _.-][A-Za-z]+)*", short)
    return bool(wordy) and likelihood(short) > -4.6 and len(short) < 20


def is_common(value: str) -> bool:
    """``is_plain``, but for letters of both cases that make no name: a password of letters alone."""
    mixed = value.isalpha() and value.isascii() and not value.islower() and not value.istitle()
    return is_plain(value) and not (mixed and len(value) > 12 and likelihood(value) < _NAMELIKE)


_NAMELIKE = -4.2  # of XMLHttpRequestUpload; drawn letters have less


def is_random(value: str) -> bool:
    return looks_random(value) and not re.search(r"\s", value) and not CALL.fullmatch(value)


# A way to authenticate, a combination of keys, a condition.
_OFFSET = lazy(r"[a-z_][a-z_.]*\+(?:0x[0-9a-f]+|\d{1,4})")  # from a symbol
_MECHANISM = lazy(
    r"(?:[A-Z]{3,8}-)+(?:[A-Z]{2,4}-?)?\d{1,3}(?:-PLUS)?|(?:Ctrl|Cmd|Alt|Shift|Meta|Command|Control|Option|Super)[+-].*|.*&&.*"
)


# A passphrase whose words have capitals.
_WORDS = lazy(r"[A-Z][a-z]{2,10}(?:(?: [A-Z][a-z]{2,10}){3,9}|(?: [a-z]{3,10}){4,9})!?")


_REMARKED = lazy(r"[^\W\d_]+(?: [^\W\d_]+){0,3} \([^()]{2,60}\)")  # PIN (4 digits)
# Five and more signs of an East Asian language, of which some are those of a sentence.
CJK_SENTENCE = lazy(
    r"(?=(?:[^\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{0,40}[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]){5})(?=.{0,80}(?:[\u3041-\u309f]|[请須需必位长至为输]|[세다요까]))[^\n]*"
)
# What a password must be: words and a number or two.
_RULE = lazy(r"[^\W\d_]+(?: (?:[^\W\d_]+|\d{1,3}))*(?: [^\W\d_]+){2}(?: (?:[^\W\d_]+|\d{1,3}))*[.!]?")


def is_label(value: str) -> bool:
    """Whether ``value`` is a text of a user interface, a message, a description."""
    lower = value.lower()
    digits = any(map(str.isdigit, value))
    if digits and is_phrase(value):
        return False
    if not digits and not _inner(value) and (_SECRET_NOUN.search(lower)):
        return True
    if _RULE.fullmatch(value) and _SECRET_NOUN.search(lower):
        return True
    if CJK_SENTENCE.fullmatch(value) or _REMARKED.fullmatch(value):
        return True
    if _SENTENCE.fullmatch(value):
        if _MNEMONIC.fullmatch(value) or (
            _WORDS.fullmatch(value) and (DULL | STOP | DESCRIBES).isdisjoint(lower.rstrip("!").split())
        ):
            return False
        words = value.split()
        if STOP.intersection(word.strip(".,:;!?\"'()") for word in lower.split()) or value.rstrip().endswith(
            (".", "?", ":", "...", "…")
        ):
            return True
        if all(map(_WORD.fullmatch, words)):
            return not (
                value == lower
                and value.isascii()
                and 3 <= len(words) <= 24
                and len(DULL.intersection(words)) <= (len(words) > 4)
                and not re.search(r"[^a-z ]", value)
            )
        return any(len(word) > 2 and word in DULL for word in lower.split()) and not any(
            is_evident(word) for word in words
        )
    return not digits and not value.isascii() and not re.search(r"[A-Za-z!@#$%^&*_-]", value)


def _inner(value: str) -> bool:
    return bool(_INNER_SYMBOL.search(value)) and " " not in value


_LEET = lazy(r"[A-Z]+\d[A-Z]+\d[A-Z]*\d?[A-Z]*[_-]\d{2,4}")  # C0RR3CT_4711, no constant
_CUT = lazy(r"\s|\.\.\.$|…$")
_LETTER = lazy(r"[^\W\d_]")
_DIGIT = lazy(r"\d")


def is_evident(value: str) -> bool:
    """Whether ``value`` is almost certainly a password: letters and digits or signs, mixed as no name is."""
    if not 5 <= len(value) <= 128 or not (mixed(value) or _INNER_SYMBOL.search(value)):  # most, at once
        return False
    if _CUT.search(value) or not _LETTER.search(value):
        return False
    if _LEET.fullmatch(value):
        return True
    forms = (PATH, LINK, MAIL, _HOST, CALL, DATE)
    if any(form.fullmatch(value) for form in forms) or (DOTTED.fullmatch(value) and not is_joined(value)):
        return False
    if re.search(r"[(){}\[\]<>\"'|\\;→]", value) and not is_random(value):
        return False
    if (
        value.lower() in DULL
        or UUID.fullmatch(value)
        or re.fullmatch(r"(?:[0-9A-Fa-f]{2}:){5,}[0-9A-Fa-f]{2}|#\d+|SHA256:.*", value)
        or re.match(r"[a-z_]{3,}=|[\w.-]+/[\w.-]+:", value)
        or _MECHANISM.fullmatch(value)
        or _OFFSET.fullmatch(value)
    ):
        return False
    if _INNER_SYMBOL.search(value):
        return bool(re.search(r"\d", value)) or bool(
            re.search(r"[a-z][!@#^%~$&*+]+[A-Za-z]", value) and not re.search(r"[a-z]\+[a-z]", value)
        )
    return mixed(value) and not re.fullmatch(
        r"[A-Z0-9_-]*_[A-Z0-9_-]*|[A-Z0-9]{1,6}|[a-z]{1,4}[0-9]{1,2}|[A-Za-z]{1,5}[-_]?v?\d(?:\.\d+)*|\d+[a-zA-Z]{1,3}",
        value,
    )


def is_password(value: str) -> bool:
    """Letters, digits and a sign, or letters of both cases among digits: no version, path or identifier."""
    if not _DIGIT.search(value):
        return False
    return is_joined(value) or (
        6 <= len(value) <= 64
        and _UNLIKE.search(value) is None
        and _NO_PASSWORD.fullmatch(value) is None
        and (
            _SIGN.search(value) is not None
            or (_CASES.match(value) is not None and not _NAME.fullmatch(value))
        )
        and is_evident(value)
        and not is_placeholder(value)
    )


_UNLIKE = lazy(r"[/:=|,#]|\.\d|@\w+\.|\(|\[|--|\*\*|^\W\W|-\w+-")
_NO_PASSWORD = lazy(
    r"[\w-]+@\d+|[0-9a-f]{6,40}[~^]\d{0,3}|[A-Z][A-Z0-9]{1,5}(?:\+[A-Z][A-Z0-9]{1,5}){1,4}|\^[0-9a-f]{7,40}|[a-zA-Z]+\d*[+?~^]|[~^]?\d.*|\w+@\^?~?v?\d+\.\d.*|&\w+|\$\w+|\w+[&?]\w+|#\w+"
)
_SIGN = lazy(r"[!@$%^&*?~+]")
_CASES = lazy(r"(?=.*[a-z])(?=.*[A-Z])(?=.*(?:\d{2}|\d.*[a-z].*\d))[^_]*\Z", re.DOTALL)
_NAME = lazy(r"(?:[A-Z][a-z]+)+\d{1,3}|[a-z]+(?:[A-Z][a-z]*)+\d{1,2}|[A-Z0-9]+[a-z]{1,3}")


def mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_basic(value: str) -> bool:
    """Whether ``value`` is the base64 of ``user:password``."""
    if len(value) < 8 or len(value) > 512 or not re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", value):
        return False
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return False
    found = re.fullmatch(r"[!-9;-~]{0,128}:([!-~\u00a1-\uffff]{2,256})", plain)
    return found is not None and not is_placeholder(found[1])
