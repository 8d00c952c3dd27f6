"""Runs a company's own rules, in gitleaks' configuration format (``.gitleaks.toml``), in addition to ours.

Their patterns have Go's syntax: they run under RE2, which has the same syntax and linear time; Python's
``re`` has neither. Rules that cannot run are listed in ``remarks``; the others still run. Allowlists weaken
redaction, so they count only in a file that the user trusts. Rules that need a path or a commit are left out.
"""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any

from .decide import Candidate, Proposals
from .lazy import lazy
from .lines import Gate
from .page import Page

_MAX_RULES, _LONGEST, _MAX_NAMED = 1000, 4096, 5
_MEMORY = 1 << 19  # bytes that a compiled pattern may take: gitleaks' own patterns need less
_ID = lazy(r"[A-Za-z0-9_.-]{1,80}")
_MALFORMED = (ArithmeticError, AttributeError, KeyError, TypeError, ValueError)
_PROBES = (
    b"",
    b"a",
    b"REDACTED-secret-n1",
)  # texts that a rule for secrets must not match; the last is our placeholder
_TARGETS = ("secret", "match", "line")
Table = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A file's ``name`` in the settings, its ``body`` (None: it cannot be read), and whether its allowlists count."""

    name: str
    body: bytes | None = field(repr=False)
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class _Allowlist:
    """Exempts a secret if a pattern matches the ``target`` (secret, match, line) or the secret contains one
    of the ``words``; with ``every``, both must hold."""

    target: str
    every: bool
    patterns: tuple[Any, ...]
    words: tuple[bytes, ...]

    def applies(self, **found: bytes) -> bool:
        checks = [any(one.search(found[self.target]) for one in self.patterns)] if self.patterns else []
        checks += [any(word in found["secret"].lower() for word in self.words)] if self.words else []
        return bool(checks) and (all if self.every else any)(checks)


@dataclass(frozen=True, slots=True)
class OwnRule:
    """A rule that can run. ``group``: the number of the group with the secret; 0: the first that matched."""

    id: str
    pattern: Any
    keywords: tuple[str, ...]
    group: int
    entropy: float
    allowlists: tuple[_Allowlist, ...]


class Gitleaks:
    """The rules of a file that can run, its allowlists, and ``remarks`` for the user on what is ignored."""

    def __init__(self, file: RuleFile) -> None:
        self.rules: list[OwnRule] = []
        self._allowlists: list[tuple[frozenset[str], _Allowlist]] = []
        try:
            remarks = [*self._read(file)]
        except (*_MALFORMED, RecursionError):
            remarks = ["it is not a configuration of gitleaks"]
        except ImportError:
            remarks = ["its rules do not run without RE2 (pip install 'git-traj[gitleaks]')"]
        self.remarks = [f"{file.name}: {remark}" for remark in remarks]
        self._gate = Gate(rule.keywords for rule in self.rules)

    def _read(self, file: RuleFile) -> Iterator[str]:
        import re2  # noqa: F401, PLC0415 - an extra

        if file.body is None:
            yield "it cannot be read, or is too large"
            return
        table, left_out = tomllib.loads(file.body.decode()), []
        rows: list[Table] = table.get("rules", [])
        for row in rows[:_MAX_RULES]:
            try:
                self.rules.append(_rule(row, trusted=file.trusted))
            except _MALFORMED as error:
                why = str(error) if type(error) is ValueError else "is malformed"
                left_out.append(f"{str(row.get('id'))[:80]!r} {why}")
        if left_out:
            more = f" and {len(left_out) - _MAX_NAMED} more" * (len(left_out) > _MAX_NAMED)
            yield f"rules that do not run: {', '.join(left_out[:_MAX_NAMED])}{more}"
        if len(rows) > _MAX_RULES:
            yield f"only its first {_MAX_RULES} rules are read"
        if "path" in table.get("extend", {}):
            yield "the file that it extends is read only if the settings name that file, too"
        if file.trusted:
            for row in _rows(table):
                targets = frozenset(row.get("targetRules", ()))
                self._allowlists += [(targets, one) for one in _allowlists([row])]
        elif any(map(_rows, (table, *rows))):
            pin = f"git config --add traj.redact.gitleaksTrust {sha256(file.body).hexdigest()}"
            yield f"its allowlists do not count until you have checked it: {pin}"

    def find(self, page: Page) -> Proposals:
        """The secrets that the file's rules find on the page."""
        text = page.text.encode("latin-1", "replace") if self.rules else b""  # a byte for each character
        for number in sorted(self._gate.open(page)):
            rule = self.rules[number]
            page.tick()
            for match in rule.pattern.finditer(text):
                page.tick()
                start, end = _secret(rule, match)
                if _entropy(text[start:end]) > rule.entropy and not self._allows(
                    text, start, end, match[0], rule
                ):
                    yield Candidate(start, end, f"gitleaks:{rule.id}", "secret", accept="any")

    def allows(self, text: str, start: int, end: int) -> bool:
        """Whether a trusted file's allowlists exempt a value that one of git-traj's rules found."""
        data = text.encode("latin-1", "replace") if self._allowlists else b""
        return self._allows(data, start, end, data[start:end])

    def _allows(self, text: bytes, start: int, end: int, match: bytes, rule: OwnRule | None = None) -> bool:
        line = text[text.rfind(b"\n", 0, start) + 1 :].partition(b"\n")[0]
        lists = [one for targets, one in self._allowlists if not targets or (rule and rule.id in targets)]
        lists += rule.allowlists if rule else ()
        return any(one.applies(secret=text[start:end], match=match, line=line) for one in lists)


read = cache(Gitleaks)


def _rule(row: Table, *, trusted: bool) -> OwnRule:
    """Raises ValueError with the reason if the rule cannot run."""
    if not _ID.fullmatch(row["id"]):
        raise ValueError("has an invalid id")
    if "path" in row or "regex" not in row:
        raise ValueError("has a condition on paths" if "path" in row else "has no pattern of its own")
    if row.get("required") or row.get("skipReport"):
        raise ValueError("depends on another rule or is not reported on its own")
    pattern, group = _compiled(row["regex"]), int(row.get("secretGroup", 0))
    if any(map(pattern.search, _PROBES)):
        raise ValueError("matches nearly any text")
    if not 0 <= group <= pattern.groups:
        raise ValueError("has a secretGroup that its pattern does not have")
    keywords = tuple(str(word).lower() for word in row.get("keywords") or [""])
    allowlists = tuple(_allowlists(_rows(row) if trusted else []))
    entropy = float(row.get("entropy") or -1)
    if not math.isfinite(entropy):
        raise ValueError("has an entropy that is not a finite number")
    return OwnRule(row["id"], pattern, keywords, group, entropy, allowlists)


def _rows(row: Table) -> list[Table]:
    """The allowlists of a rule or of the whole file, in the old or the new form."""
    return [*row.get("allowlists", []), *(row[old] for old in ("allowlist", "allowList") if old in row)]


def _allowlists(rows: list[Table]) -> Iterator[_Allowlist]:
    for row in rows:
        every = str(row.get("condition", "")).upper() in ("AND", "&&")
        target = row.get("regexTarget") or "secret"
        if (every and (row.get("paths") or row.get("commits"))) or target not in _TARGETS:
            continue
        try:
            patterns = tuple(map(_compiled, row.get("regexes", ())))
        except _MALFORMED:
            continue
        words = tuple(str(word).lower().encode() for word in row.get("stopwords", ()))
        yield _Allowlist(target, every, patterns, words)


def _compiled(pattern: str) -> Any:
    import re2  # noqa: PLC0415 - an extra

    if len(pattern) > _LONGEST:
        raise ValueError("is too long")
    options = re2.Options()
    options.encoding, options.max_mem, options.log_errors = re2.Options.Encoding.LATIN1, _MEMORY, False
    try:
        return re2.compile(pattern.encode("latin-1"), options)
    except re2.error:
        raise ValueError("has a pattern that RE2 refuses") from None
    except UnicodeEncodeError:
        raise ValueError("has a character outside Latin-1") from None


def _secret(rule: OwnRule, match: Any) -> tuple[int, int]:
    """The position of the secret, without surrounding white space."""
    groups = [rule.group] if rule.group else range(1, rule.pattern.groups + 1)
    start, end = next((match.span(n) for n in groups if match[n]), match.span())
    value = match.string[start:end]
    return start + len(value) - len(value.lstrip()), end - len(value) + len(value.rstrip())


def _entropy(value: bytes) -> float:
    """Shannon entropy in bits per byte, as gitleaks computes it."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())
