"""The command line: each command parses, calls and prints; none has logic of its own.

Importing this costs nothing: click and everything else is imported by the command that needs it.
"""

from __future__ import annotations

_ALLOCATED = 50_000
"""The objects to allocate before a garbage collection: with Python's default of 700, it would scan
everything that is imported, again and again."""


def main() -> None:
    """Run the command line, for ``git-traj`` and ``python -m gittraj``, and exit with its status."""
    import gc
    import os
    import sys

    gc.disable()  # imported modules are not garbage
    if sys.platform == "win32":  # where a pipe would have the country's code page, and lines end with \r\n
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", newline="\n")
    locales = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    if next(filter(None, locales), "") in ("C", "POSIX"):
        from gittraj.cli.common.ascii_output import use_ascii

        use_ascii()
    from gittraj.cli.common.ahead import begin

    begin(sys.argv[1:])
    from gittraj.cli.common.group import run

    gc.set_threshold(_ALLOCATED)
    gc.enable()
    run()
