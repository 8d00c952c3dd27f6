"""The same redaction for the pre-commit framework, by its rules: files are changed where they lie, and then
the commit fails, so that somebody looks at them and stages them again.

The framework keeps unstaged edits aside meanwhile and puts them back as a patch: the index is not ours then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gittraj.commands.install.edits import write_file
from gittraj.errors import RedactionError
from gittraj.git import open_repository
from gittraj.precommit.content import clean_all
from gittraj.precommit.deadline import say
from gittraj.precommit.redacting import make_redactor


def redact_files(names: Sequence[str], raw: Mapping[str, str]) -> int:
    """1 if a file was changed, or could not be scanned. Raises TrajError."""
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
