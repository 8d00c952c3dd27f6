"""Finds values that are known to be secret because they are in the environment or in a credential file.

The values stay in memory. Only a keyed hash of each may be stored; with it, a later process without that
environment still finds the value if it is a whole word.
"""

from __future__ import annotations

import base64
import hmac
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .load import patterns
from .names import Grade, grade
from .page import places as find_all
from .values import is_plain

_RE = patterns("live")

if TYPE_CHECKING:
    from pathlib import Path  # it takes long to import

_SHORTEST = 8
_CUT = 12  # characters of a value that identify it when "..." follows
_LARGEST_FILE = 1 << 20
_HASH = 16  # bytes
_EXAMPLES = (".example", ".sample", ".template", ".dist")
_WHO = ("USER", "LOGNAME", "USERNAME", "HOSTNAME", "HOST", "HOME", "PWD", "SHELL")
_DELIMITERS = "=:,;&|()[]{}<>@?#.!"
_MAX_PARTS = 64
_FEW = 32


@dataclass(frozen=True, slots=True)
class LiveValues:
    """Secret values, and keyed hashes of others that are no longer available."""

    values: tuple[str, ...] = field(default=(), repr=False)
    known: frozenset[str] = field(default=frozenset(), repr=False)

    def __init__(self, values: Iterable[str] = (), hashes: Iterable[str] = ()) -> None:
        object.__setattr__(self, "values", tuple(dict.fromkeys(values)))
        object.__setattr__(self, "known", frozenset(hashes))

    @classmethod
    def collect(cls, environ: Mapping[str, str], files: Iterable[Path]) -> LiveValues:
        """Collect the values whose names say that they are secret; a file that can't be read is skipped."""
        plain = {environ.get(name, "") for name in _WHO}
        found = [value for name, value in environ.items() if grade(name) >= Grade.TOKEN]
        found += [password for value in environ.values() for password in _RE.userinfo.findall(value)]
        for path in files:
            found += _values_in(path)
        return cls(
            value for value in found if len(value) >= _SHORTEST and value not in plain and not is_plain(value)
        )

    def hashes(self, key: bytes) -> frozenset[str]:
        """The keyed hashes of all values, those known only by hash included."""
        return self.known | {word_hash(key, value) for value in self.values}


def word_hash(key: bytes, word: str) -> str:
    """HMAC-SHA256 of ``word``, cut to 16 bytes, in hex; delimiters at its ends don't count."""
    text = word.strip(_DELIMITERS).encode("utf-8", "surrogatepass")
    return hmac.digest(key, b"word\0" + text, "sha256")[:_HASH].hex()


def words(text: str) -> Iterator[tuple[int, int]]:
    """The positions of possible whole words: each run without spaces and quotes, and up to six of its
    parts."""
    for run in _RE.run.finditer(text):
        yield run.span()
        parts = [part.span() for part in _RE.part.finditer(text, *run.span())][:_MAX_PARTS]
        for index, (start, _) in enumerate(parts):
            yield from ((start, end) for _, end in parts[index : index + 6] if end - start >= _SHORTEST)


def needles(value: str) -> tuple[str, ...]:
    """The forms of ``value``: raw, JSON-escaped, percent-encoded, and in base64 at 3 alignments."""
    from urllib.parse import quote  # noqa: PLC0415 - it takes longer to import than all of this package

    raw = value.encode("utf-8", "surrogatepass")
    escaped = json.dumps(value, ensure_ascii=False)[1:-1]
    forms = [value, escaped, json.dumps(escaped)[1:-1], json.dumps(value)[1:-1], quote(raw, safe="")]
    for shift in range(3):
        # The characters at either end also encode bits of the neighbours, which are unknown.
        whole = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
        inner = whole[(0, 2, 3)[shift] : len(whole) - bool((len(raw) + shift) % 3)]
        forms += [inner, inner.translate(str.maketrans("+/", "-_"))]
    return tuple(sorted({form for form in forms if len(form) >= _SHORTEST}, key=len, reverse=True))


def finder(known: Mapping[str, Iterable[str]]) -> Callable[[str], object]:
    """Returns a search for the first characters of all known values: one pattern, a tree of the beginnings of
    their forms. If there are only a few values, searching for each is faster."""
    heads = {form[:_SHORTEST] for value, forms in known.items() for form in (value, *forms)}
    if len(heads) <= _FEW:
        return lambda text: any(head in text for head in heads) or None
    by_first: dict[str, list[str]] = {}
    for head in sorted(heads):
        by_first.setdefault(head[:2], []).append(re.escape(head[2:]))
    trees = (f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in by_first.items())
    return re.compile("|".join(trees)).search


def places(text: str, value: str, forms: Iterable[str]) -> Iterator[tuple[int, int]]:
    """The positions of ``value`` in ``text``, in any of its ``forms``, or cut off and followed by dots."""
    for form in forms:
        for at in find_all(text, form):
            yield at, at + len(form)
    if len(value) > _CUT:
        at = text.find(value[:_CUT])
        while at >= 0:
            end = at + _CUT
            while end - at < len(value) and text[end : end + 1] == value[end - at]:
                end += 1
            if text.startswith(("...", "…", "***"), end):
                yield at, end
            at = text.find(value[:_CUT], end)


def _values_in(path: Path) -> Iterator[str]:
    if path.name.endswith(_EXAMPLES):
        return
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(_LARGEST_FILE)
    except OSError:  # it is one of several sources, and often does not exist
        return
    for line in text.splitlines():
        yield from _RE.userinfo.findall(line)
        yield from _RE.login.findall(line)
        setting = _RE.setting.match(line)
        if setting and grade(setting["name"].rpartition(":")[2]) >= Grade.TOKEN:
            yield _unquoted(setting["value"])


def _unquoted(value: str) -> str:
    if value[0] in "\"'" and value.find(value[0], 1) > 0:
        return value[1 : value.find(value[0], 1)]
    return re.split(r"\s+#", value)[0].rstrip().rstrip(",;")
