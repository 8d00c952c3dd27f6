"""What ``git traj redact`` does: builds a repository's redactor, decodes files, audits stored records."""

from __future__ import annotations

import os
from collections.abc import Mapping

from gittraj.commands.audit import Audit, audit
from gittraj.commands.link import reachable
from gittraj.config import Config, Environ, read_config, stamp
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.record.drain.composition import known_secrets, make_pipeline
from gittraj.record.drain.redactor import redactors
from gittraj.redact.events import Redact
from gittraj.state.folder import LocalState

_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


def make_redactor(
    repository: Repository | None, *, environ: Environ, live: Mapping[str, str]
) -> tuple[Redact, str]:
    """A redactor with the settings and known secrets of a repository, or (None) the defaults, and the
    version of its rules. ``live``: the environment whose values are secrets."""
    config, key = Config(), os.urandom(32)
    if repository is not None:
        config, local = read_config(repository), LocalState.of(repository)
        key = local.key() if local.exists else key
    secrets = known_secrets(repository, environ, live=live)
    return redactors(config, key=key, live=secrets)(), stamp(config)


def decode(data: bytes, name: str) -> tuple[str, str]:
    """A text, and the encoding to write it back in; bytes that are not UTF-8 survive that. Raises TrajError
    for a file that is not text."""
    encoding = _BYTE_ORDER_MARKS.get(data[:2], "utf-8")
    try:
        text = data.decode(encoding, "surrogateescape")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise TrajError(f"{name} is not text, so it cannot be scanned")
    return text, encoding


def audit_stored(
    repository: Repository, revisions: str | None, *, environ: Environ, live: Mapping[str, str]
) -> tuple[Audit, str]:
    """Scan the records on ``revisions`` (None: all) with today's rules; returns what was found, and their
    version. Raises TrajError."""
    LocalState.of(repository).create()  # for its key, in a clone where nothing is installed
    commits = reachable(repository, revisions)
    config = read_config(repository)
    pipeline = make_pipeline(repository, config, environ, live=live)
    return audit(repository, pipeline.redactor, commits=commits, paths=config.strict), pipeline.ruleset
