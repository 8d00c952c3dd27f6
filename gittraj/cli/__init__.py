"""The command line: each command parses, calls and prints; none has logic of its own.

Importing this costs nothing: click and everything else is imported by the command that needs it.
"""

from __future__ import annotations

_ALLOCATED = 50_000
"""Objects made before a garbage collection: after Python's 700, it would scan everything that is imported,
again and again."""


def main() -> None:
    """``git-traj`` and ``python -m gittraj``: run the command line and exit with its status."""
    import gc
    import os
    import sys

    gc.disable()  # imported modules are not garbage
    if sys.platform == "win32":  # there a pipe has the country's code page, and ends lines with \r\n
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", newline="\n")
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    if next(filter(None, named), "") in ("C", "POSIX"):
        from gittraj.cli.common.plain_signs import use_plain_signs

        use_plain_signs()
    from gittraj.cli.common.ahead import begin

    begin(sys.argv[1:])
    from gittraj.cli.common.group import run

    gc.set_threshold(_ALLOCATED)
    gc.enable()
    run()
