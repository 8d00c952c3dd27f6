"""Makes a repository's redactor from its settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from gittraj.config import Config
from gittraj.errors import RedactionError, TrajError
from gittraj.redact import LiveValues, Options, Redactor, RuleFile, Span
from gittraj.redact.events import Redact


def options_of(config: Config) -> Options:
    """Raises TrajError for an invalid expression, or one that could make a scan slow."""
    try:
        return Options(
            pii=config.pii,
            paranoid=config.paranoid,
            names=config.names,
            shapes=config.shapes,
            allow=config.allow,
            files=tuple(RuleFile(*file) for file in config.gitleaks()),
        )
    except RedactionError as error:
        where = "git config traj.redact.shapes or traj.redact.allow, or redact.shapes in .gittraj.yml"
        raise TrajError(f"{error.message} ({where})") from None


def remarks_of(config: Config) -> list[str]:
    """Remarks for the user about the rule files that the settings name: which of their rules are ignored."""
    return [line for file in options_of(config).gitleaks() for line in file.remarks]


def redactors(config: Config, *, key: bytes, live: LiveValues) -> Callable[[], Redact]:
    """Return a function that makes a redactor for one trajectory. Raises TrajError."""
    options = options_of(config)
    return lambda: StrictRedactor(lambda: Redactor(key=key, live=live, options=options))


class StrictRedactor:
    """A redactor, and a second one for texts that are scanned strictly. The output of ``env`` is full of
    values that are not secrets (a locale, a PATH): the second redactor redacts them in this output, and only
    values that look random become known to the first, which redacts every secret that it knows everywhere."""

    def __init__(self, make: Callable[[], Redact]) -> None:
        self._first = make()
        self._make = make

    @cached_property
    def _second(self) -> Redact:
        return self._make()

    def replaced(self) -> dict[str, str]:
        return self._first.replaced() | (self._second.replaced() if "_second" in self.__dict__ else {})

    def learn(self, text: str, *, name: str | None = None, strict: bool = False) -> None:
        self._first.learn(text, name=name)
        for span in self._second.find(text, name=name, strict=True) if strict else ():
            value = text[span.start : span.end]
            if _RANDOM.fullmatch(value):
                self._first.learn(value, name="password")  # with this name it counts as a secret

    def text(self, text: str, *, name: str | None = None, strict: bool = False) -> str:
        clean = self._first.text(text, name=name)
        return self._second.text(clean, name=name, strict=True) if strict else clean

    def find(self, text: str, *, name: str | None = None, strict: bool = False) -> Sequence[Span]:
        spans = list(self._first.find(text, name=name))
        for span in self._second.find(text, name=name, strict=True) if strict else ():
            if not any(span.start < other.end and other.start < span.end for other in spans):
                spans.append(span)
        return spans

    def hashes(self) -> frozenset[str]:
        return self._first.hashes()


_RANDOM = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])(?=.*[G-Zg-z])[A-Za-z0-9+=_~!@#$%^&*]{12,512}")
"""Values that look random: letters and digits, not a path, host, version or commit id."""
