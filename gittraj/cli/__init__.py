"""The command line: each command parses, calls and prints; none of them thinks.

Importing this costs nothing: click and everything else is imported by the command that needs it.
"""

from __future__ import annotations


def main() -> None:
    """``git-traj`` and ``python -m gittraj``: run the command line and exit with its status."""
    from gittraj.cli.group import run

    run()
