"""Makes a repository's redactor from its settings."""

from __future__ import annotations

from collections.abc import Callable

from gittraj.config import Config
from gittraj.errors import RedactionError, TrajError
from gittraj.redact import LiveValues, Options, Redactor, RuleFile
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
    return lambda: Redactor(key=key, live=live, options=options)
