"""How a command writes: colour and pager as git does, plain into a pipe.

What a command prints is text that a renderer has escaped already; here nothing is changed any more.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping

import click

from gittraj.git import Repository
from gittraj.render.text.terminal import Page

NARROWEST, WIDEST = 40, 100
"""Columns. Wider lines are hard to read, so a wide terminal is not filled."""
PIPE = 80
"""Columns of running text where nobody says how wide; the index (``indexing.answers``) keeps such text."""


def is_terminal(environ: Mapping[str, str]) -> bool:
    """Whether a person will see it: also when git has started the pager (``git -p traj log``)."""
    return sys.stdout.isatty() or "GIT_PAGER_IN_USE" in environ


def wants_colour(repository: Repository, environ: Mapping[str, str]) -> bool:
    """``color.traj``, else ``color.ui``, else a terminal that can, unless ``NO_COLOR`` is set."""
    # our git runs with color.ui=false as the last of its values: that one is ours, not the user's
    set_by_user = repository.config_all("color.ui")[:-1]
    choice = (repository.config("color.traj") or (set_by_user[-1] if set_by_user else "auto")).lower()
    if choice == "always":
        return True
    if choice in ("never", "false", "no", "off", "0") or environ.get("NO_COLOR"):
        return False
    return is_terminal(environ) and environ.get("TERM") != "dumb"


def columns(environ: Mapping[str, str]) -> int | None:
    """How wide lines may be; None into a pipe, where nobody cuts."""
    if not is_terminal(environ):
        return None
    import shutil  # with all of its compressors

    return max(NARROWEST, min(shutil.get_terminal_size().columns, WIDEST))


def text_page(repository: Repository, environ: Mapping[str, str]) -> Page:
    """For running text; one line per thing takes a Page of ``columns()`` instead."""
    return Page(columns(environ) or PIPE, wants_colour(repository, environ))


def dump_json(document: object) -> str:
    """A document on one line, readable as it is. Half a sign, as records and names of files may hold, becomes
    an escape: no encoding takes it."""
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()


def write(repository: Repository, texts: Iterable[str], environ: Mapping[str, str], *, pager: bool) -> None:
    """Write ``texts`` as they come, through git's pager where a person sees them.

    Raises BrokenPipeError when a pipe's reader has seen enough.
    """
    command = _pager(repository, environ) if pager and sys.stdout.isatty() else None
    if command is None:
        for text in texts:
            click.echo(text, nl=False, color=True)
        return
    surroundings = {"LESS": "FRX", "LV": "-c", **environ, "GIT_PAGER_IN_USE": "true"}
    # git's own rule: a pager is a command of the shell
    with subprocess.Popen(["sh", "-c", command], stdin=subprocess.PIPE, env=surroundings) as process:
        assert process.stdin is not None  # noqa: S101 - it was asked for
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C is for the pager: it must not outlive us
        try:
            for text in texts:
                process.stdin.write(text.encode("utf-8", "replace"))
            process.stdin.close()
        except BrokenPipeError:  # the reader has left the pager
            pass


def _pager(repository: Repository, environ: Mapping[str, str]) -> str | None:
    """As git-var(1) orders them; `git var GIT_PAGER` itself says `cat` where we run git without a pager."""
    named = environ.get("GIT_PAGER") or repository.config("core.pager") or environ.get("PAGER") or "less"
    return None if named in ("", "cat") or environ.get("TERM") == "dumb" else named
