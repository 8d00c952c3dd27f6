"""Redacts trajectory files that are staged. If one cannot be redacted, the commit has HEAD's version of it.

A file in the worktree is changed only if it is the same as the staged one: other edits are not ours.

For users of the pre-commit framework ``redact_files`` does the same by the framework's rules: files are
changed in place, and then the commit fails, so that somebody checks and stages them again. Meanwhile the
framework keeps unstaged edits aside and restores them as a patch, so the index must not be changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from gittraj.commands.install.edits import write_file
from gittraj.config import Environ, read_config
from gittraj.errors import RedactionError, TrajError
from gittraj.git import Repository, open_repository
from gittraj.precommit.content import LARGEST, clean_all
from gittraj.precommit.deadline import SECONDS, say, take
from gittraj.precommit.staged import Entry, Staged, Staging
from gittraj.record.drain.composition import known_secrets
from gittraj.record.drain.redactor import redactors
from gittraj.redact.events import Redact
from gittraj.state.folder import LocalState
from gittraj.state.precommit_flag import TRAJECTORIES

_MAX_NAMED = 5


def make_redactor(repository: Repository, raw: Mapping[str, str]) -> Redact:
    """Make a redactor with the settings of ``repository`` and the secrets known there. Raises TrajError."""
    live = known_secrets(repository, Environ.of(raw), live=raw)
    return redactors(read_config(repository), key=key_of(repository), live=live)()


def key_of(repository: Repository) -> bytes:
    """The redactor's key; if git-traj is not installed, a new one each time."""
    local = LocalState.of(repository)
    return local.key() if local.exists else os.urandom(32)


def redact(
    repository: Repository, staging: Staging, staged: Sequence[Staged], raw: Mapping[str, str], end: float
) -> None:
    """Redact the ``staged`` trajectories until ``end`` (monotonic clock). Raises TrajError if the index could
    not be changed: then an unredacted file may still be in it."""
    entries: dict[Staged, Entry] = {}
    failed = dict.fromkeys(staged, f"not scanned within {SECONDS:g} s")
    try:
        redactor = make_redactor(repository, raw)
        cleaned = clean_all(redactor, staging.contents(staged, largest=LARGEST))
        for each, outcome in take(cleaned, end)[0]:
            if isinstance(outcome, RedactionError):
                failed[each] = outcome.message
                continue
            blob = repository.objects.write_blob(outcome)
            del failed[each]
            if blob != each.now.blob:
                entries[each] = replace(each.now, blob=blob)
        repository.objects.flush()
    except TrajError as error:
        entries, failed = {}, dict.fromkeys(staged, error.message)
    if entries or failed:
        _apply(staging, entries, failed)


def list_names(names: Iterable[str]) -> str:
    """Join the first few names, and add the number of the others."""
    names = iter(names)
    first = ", ".join(islice(names, _MAX_NAMED))
    more = sum(1 for _ in names)
    return f"{first} and {more} more" if more else first


def _apply(staging: Staging, entries: dict[Staged, Entry], failed: dict[Staged, str]) -> None:
    differing = staging.differing(TRAJECTORIES)
    rewrite = [each.path for each in entries if each.path not in differing]
    staging.replace(entries | {each: each.before for each in failed}, rewrite=rewrite)
    if entries:
        say(f"secrets replaced in staged files: {list_names(each.path for each in entries)}")
    if failed:
        blobs = {each: f", staged as {each.now.blob[:12]}" * (each.path in differing) for each in failed}
        named = list_names(f"{each.path} ({why}{blobs[each]})" for each, why in failed.items())
        say(f"left out of this commit, because it could not be redacted: {named}; --no-verify commits it")


def redact_files(names: Sequence[str], raw: Mapping[str, str]) -> int:
    """Redact files in place; return 1 if one was changed, or could not be scanned. Raises TrajError."""
    paths = [path for path in map(Path, names) if path.is_file() and not path.is_symlink()]
    if not paths:
        return 0
    with open_repository(Path.cwd(), environ=raw, backend="plumbing") as repository:
        redactor = make_redactor(repository, raw)
    outcomes = clean_all(redactor, ((path, path.read_bytes()) for path in paths))
    changed = [_rewrite(path, outcome) for path, outcome in outcomes]
    return int(any(changed))


def _rewrite(path: Path, cleaned: bytes | RedactionError) -> bool:
    if isinstance(cleaned, RedactionError):
        say(f"{path}: could not be redacted: {cleaned.message}")
        return True
    if cleaned == path.read_bytes():
        return False
    try:
        write_file(path, cleaned)
    except OSError as error:
        say(f"{path}: was not redacted, because it cannot be written: {error.strerror}")
    else:
        say(f"redacted: {path}")
    return True
