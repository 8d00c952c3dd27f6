"""What ``git traj redact`` does: builds a repository's redactor, decodes files, audits stored records."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from gittraj.commands.audit import Audit, audit
from gittraj.commands.link import reachable
from gittraj.config import Config, Environ, read_config
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.record.drain.composition import known_secrets, make_pipeline
from gittraj.record.drain.redactor import redactors, stamp
from gittraj.redact.events import Redact
from gittraj.state.folder import LocalState

_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A redactor and the version of its rules."""

    redactor: Redact
    ruleset: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A text, and the encoding to write it back in."""

    text: str
    encoding: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """An audit of stored records, and the version of its rules."""

    audit: Audit
    ruleset: str


def make_filter(repository: Repository | None, *, environ: Environ, live: Mapping[str, str]) -> Filter:
    """A redactor with the settings and known secrets of a repository, or (None) the defaults. ``live``: the
    environment whose values are secrets."""
    config, key = Config(), os.urandom(32)
    if repository is not None:
        config, local = read_config(repository), LocalState.of(repository)
        key = local.key() if local.exists else key
    secrets = known_secrets(repository, environ, live=live)
    return Filter(redactor=redactors(config, key=key, live=secrets)(), ruleset=stamp(config))


def decode(data: bytes, name: str) -> Decoded:
    """Bytes that are not UTF-8 survive writing back. Raises TrajError for a file that is not text."""
    encoding = _BYTE_ORDER_MARKS.get(data[:2], "utf-8")
    try:
        text = data.decode(encoding, "surrogateescape")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise TrajError(f"{name} is not text, so it cannot be scanned")
    return Decoded(text=text, encoding=encoding)


def audit_stored(
    repository: Repository, revisions: str | None, *, environ: Environ, live: Mapping[str, str]
) -> Audited:
    """Scan the records on ``revisions`` (None: all) with today's rules. Raises TrajError."""
    LocalState.of(repository).create()  # for its key, in a clone where nothing is installed
    commits = reachable(repository, revisions)
    config = read_config(repository)
    pipeline = make_pipeline(repository, config, environ, live=live)
    found = audit(repository, pipeline.redactor, commits=commits, paths=config.strict)
    return Audited(audit=found, ruleset=pipeline.ruleset)
