"""``python -m gittraj.precommit``: our own hook passes ``--hook GIT_DIR``, the framework passes files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from gittraj.errors import TrajError

_FAILED = 3


def main(arguments: list[str]) -> int:
    """Run, and return the exit status."""
    raw = dict(os.environ)
    try:
        if arguments[:1] == ["--hook"]:
            from gittraj.precommit.hook import run  # noqa: PLC0415 - a failing import sets the status, too

            return run(Path(arguments[1]), raw, top=Path.cwd())
        from gittraj.precommit.redacting import redact_files  # noqa: PLC0415

        return redact_files(arguments, raw)
    except Exception as error:  # noqa: BLE001 - the shell acts on the status, and the error may quote a text
        why = error.message if isinstance(error, TrajError) else f"a bug ({type(error).__name__})"
        sys.stderr.write(f"git-traj: {why}\n")
        return _FAILED


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)  # does not wait for the thread of a scan that took too long
