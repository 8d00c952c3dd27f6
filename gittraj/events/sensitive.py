"""Decides which calls show secrets, so that their output is redacted strictly. Pure, without redaction rules.

The output alone does not show what it is: ``hunter2`` is a word, unless it comes from ``cat .env``. A call
that is wrongly strict costs some harmless values; one that is wrongly not strict costs a password.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from gittraj.events.sensitive_commands import shows_secrets, written_by
from gittraj.model.values import AnyEvent, Json, ToolCall, ToolResult

_EXAMPLE = re.compile(r"\.(?:example|sample|template|tmpl|dist|pub)(?:\.|$)")
_SECRET_FILE = re.compile(
    r"""(?:^|/)(?:
      \.env(?:rc|[.\-_][\w.\-]+)? | [\w.\-]+\.env | \.?netrc | _netrc | \.npmrc | \.yarnrc(?:\.yml)?
    | \.pypirc | \.pgpass | pgpass\.conf | \.my\.cnf | \.mylogin\.cnf | \.git-credentials | \.htpasswd
    | \.dockercfg
    | [\w.\-]*credentials?(?:\.(?:json|toml|ya?ml|csv|ini|conf|cfg|txt|db|xml|properties|enc))?
    | [\w.\-]*secrets?(?:\.(?:json|toml|ya?ml|ini|conf|cfg|txt|properties|enc)) | [\w.\-]+\.secrets
    | (?:\.?secrets|run/secrets)/[\w\-]+(?:\.(?:txt|key|json|ya?ml|toml))?
    | [\w.\-]*passwords?(?:\.(?:txt|csv|json|ya?ml))? | [\w.\-]*(?:pass|passwd|pwd|pw|token)\.txt
    | [\w.\-]+\.(?:pem|key|p12|pfx|p8|jks|keystore|ppk|kdbx|ovpn|tfvars(?:\.json)?|tfstate|agekey)
    | [\w.\-]+\.nmconnection | \.gradle/gradle\.properties
    | terraform\.tfstate\.backup | \.terraformrc | terraform\.rc | id_[a-z0-9]+(?:_sk)?
    | [\w.\-]*kubeconfig(?:\.ya?ml)? | \.kube/config | (?:\.docker|docker|containers)/(?:config|auth)\.json
    | gh/hosts\.ya?ml | \.config/hub | \.aws/\w+ | \.ssh/(?!config$|known_hosts|authorized_keys)[\w.\-]+
    | \.gnupg/[\w.\-/]{1,99} | \.vault-token | \.boto | \.s3cfg | rclone\.conf | auth\.json
    | local\.settings\.json | service[-_]?account[\w.\-]*\.json | wp-config\.php | database\.yml
    | wpa_supplicant\.conf | proc/(?:\d+|self|\*)/environ | etc/(?:shadow|gshadow|sudoers)
    )$""",
    re.VERBOSE | re.IGNORECASE,
)
_PATH_KEY = re.compile(
    r"(?:path|file|filename|uri|target|source|glob|include|document|resource)s?$", re.IGNORECASE
)
_COMMAND_KEY = re.compile(
    r"(?:command|cmd|script|shell|argv|args|arguments|input|code|line)s?$", re.IGNORECASE
)
_BODY_KEY = re.compile(
    r"(?:file_?)?(?:text|contents?)|(?:new|old)_?(?:str(?:ing)?|text|code|source)|insert_text"
    r"|(?:unified_?)?diff|code_?edit",
    re.IGNORECASE,
)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update) File: (.+)$|^\+\+\+ (?:b/)?(\S+)", re.MULTILINE)
_SECTION = re.compile(
    r"^(?:\*\*\* (?:Add|Update) File: (?P<name>.+)|\+\+\+ (?:b/)?(?P<path>\S+)[^\n]*)\n"
    r"(?P<body>(?:(?!\*\*\* |diff |--- ).*\n|(?!\*\*\* ).+)*+)",
    re.MULTILINE,
)
"""A patch's lines for one file."""
_RUN = re.compile(r"(?m)^([-+])[^\n]*(?:\n\1[^\n]*)*+")
_NEW = {"old": "new", "Old": "New", "search": "replace"}
_LONGEST = 20_000
_DEEPEST = 6


def is_secret_file(path: str, patterns: Sequence[str] = ()) -> bool:
    """Whether a file of this name usually contains secrets; ``patterns`` are further globs."""
    name = path.strip().strip("'\"").replace("\\", "/")
    if any(fnmatch.fnmatchcase(each, p) for p in patterns for each in (name, name.rpartition("/")[2])):
        return True
    return bool(_SECRET_FILE.search(name)) and not _EXAMPLE.search(name.rpartition("/")[2])


def is_strict(call: ToolCall, patterns: Sequence[str] = ()) -> bool:
    """Whether the result of ``call`` may be a secret, whatever it looks like; ``patterns`` are further globs
    of secret files."""
    is_secret = partial(is_secret_file, patterns=patterns)
    for key, text in _texts(call.arguments, "input", 0):
        if _PATH_KEY.search(key) and is_secret(text):
            return True
        if _COMMAND_KEY.search(key) and len(text) <= _LONGEST and shows_secrets(text, is_secret):
            return True
        if "\n" in text and any(is_secret(a or b) for a, b in _PATCHED.findall(text[:_LONGEST])):
            return True
    return False


def writes_body(name: str | None) -> bool:
    """Whether an argument of this name is text that a call writes into a file."""
    return name is not None and _BODY_KEY.fullmatch(name) is not None


def patched(text: str, name: str | None) -> list[tuple[int, int, bool]]:
    """Return the start and end of each part of a text that is a patch of a secret file. The result has the
    form of that of ``written``: no such part is only a value."""
    return [(*m.span("body"), False) for m in _SECTION.finditer(text) if is_secret_file(m[1] or m[2])]


def written(text: str, name: str | None) -> list[tuple[int, int, bool]]:
    """Return the start and end of each part of a call's argument that a command in it writes into a secret
    file, and whether that part is only a value. ``name`` is the argument's."""
    return sorted({*written_by(text, is_secret_file)}) if name and _COMMAND_KEY.search(name) else []


def replacements(value: Json) -> Iterator[tuple[str, str]]:
    """Yield each old text in a call's arguments with the new text that takes its place: of two arguments such
    as ``old_string`` and ``new_string``, or of a patch. Raises RecursionError."""
    if isinstance(value, str):
        for old, new in pairwise(_RUN.finditer(value) if "\n+" in value else ()):
            if (old[1], new[1], new.start()) == ("-", "+", old.end() + 1):
                yield old[0].replace("\n-", "\n")[1:], new[0].replace("\n+", "\n")[1:]
    elif isinstance(value, dict):
        for key, text in value.items():
            others = (value.get(key.replace(word, other)) for word, other in _NEW.items() if word in key)
            yield from ((text, each) for each in others if isinstance(text, str) and isinstance(each, str))
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from replacements(inner)


def strict_events(
    events: Iterable[AnyEvent],
    patterns: Sequence[str] = (),
    *,
    calls: Iterable[ToolCall] = (),
    orphans: bool = True,
) -> frozenset[str]:
    """Return the ids of the events to redact strictly: calls that show or write secrets, and their results.

    ``calls`` are further calls, of an earlier part for example, whose results may be in ``events``. A result
    without a call's id belongs to the call before it. A result whose call is unknown is strict, since it may
    be anything, unless ``orphans`` is false.
    """
    known_calls = {call.call_id: is_strict(call, patterns) for call in calls if call.call_id}
    strict: set[str] = set()
    last = False
    for event in events:
        if isinstance(event, ToolCall):
            last = is_strict(event, patterns)
            if event.call_id:
                last = known_calls.setdefault(event.call_id, last)
            if last:
                strict.add(event.id)
        elif isinstance(event, ToolResult):
            known = last if event.call_id is None else known_calls.get(event.call_id, orphans)
            if known:
                strict.add(event.id)
    return frozenset(strict)


def _texts(value: Json, key: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the texts of a call's arguments, each with its key; a list of words also as one shell line."""
    if isinstance(value, str):
        yield key, value
    elif depth < _DEEPEST and isinstance(value, list):
        if value and all(isinstance(word, str) for word in value):
            yield key, " ".join(_quoted(str(word)) for word in value)
        for each in value:
            yield from _texts(each, key, depth + 1)
    elif depth < _DEEPEST and isinstance(value, dict):
        for name, each in value.items():
            yield from _texts(each, name, depth + 1)


def _quoted(word: str) -> str:
    return "'" + word.replace("'", " ") + "'" if re.search(r"[\s;&|<>()$`\"]", word) else word
