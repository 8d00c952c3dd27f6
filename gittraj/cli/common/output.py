"""Writes a command's output: with colour and pager as git does, plain into a pipe.

Renderers have already escaped the text, so this module must not change it. It also shows the progress of work
that takes longer than a second, on stderr, if that is a terminal.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from gittraj.git import Repository
from gittraj.model.words import size_of
from gittraj.render.text.terminal import Page, escape_line

NARROWEST, WIDEST = 20, 100
"""Limits of the width of text. Wide lines are hard to read; only a table fills a wide terminal."""
PIPE = 80
"""The columns of running text in a pipe; the index (``index.answers``) stores text of this width."""
_DELAY = 1.0  # seconds before progress is shown
_INTERVAL = 0.1  # seconds between two reports of progress


def is_terminal() -> bool:
    """Whether the output goes to a terminal, also through a pager that git started (``git -p traj log``)."""
    return sys.stdout.isatty() or "GIT_PAGER_IN_USE" in os.environ


def is_plain() -> bool:
    """Whether the terminal's locale is C: see ``ascii_output``, which most commands do not import."""
    return type(sys.stdout).__name__ == "PlainStream"


def wants_colour(repository: Repository) -> bool:
    """Whether to use colour, by ``--color``, else ``color.traj``, else ``color.ui``, else if the terminal has
    colour and ``NO_COLOR`` is not set."""
    context = click.get_current_context(silent=True)
    if context is not None and context.color is not None:
        return context.color
    choice = (repository.config("color.traj") or repository.config("color.ui") or "auto").lower()
    if choice == "always":
        return True
    if choice in ("never", "false", "no", "off", "0") or os.environ.get("NO_COLOR"):
        return False
    return is_terminal() and os.environ.get("TERM") != "dumb"


def columns(*, table: bool = False) -> int | None:
    """The maximum width of a line, of running text or of a ``table``; None for a pipe, where lines are not
    cut."""
    if not is_terminal():
        return None
    import shutil  # it imports all compressors

    width = shutil.get_terminal_size().columns - 5 * is_plain()  # "…" and "→" are longer in ASCII
    return max(NARROWEST, width if table else min(width, WIDEST))


def print_wrapped(text: str, *, err: bool = False) -> None:
    """Print a sentence, wrapped at words to the terminal's width; a long path is not broken, so that the user
    can copy it."""
    import textwrap

    width = columns() or len(text) + 1
    click.echo(textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False), err=err)


def text_page(repository: Repository) -> Page:
    """The page for running text; a table with one line per row uses ``Page(columns(table=True))`` instead."""
    return Page(columns() or PIPE, wants_colour(repository))


def table_page(page: Page) -> Page:
    """The page for a table whose lines are wrapped, below the text of ``page``."""
    return Page(columns(table=True) or PIPE, page.colour)


def dump_json(document: object) -> str:
    """Return a document as JSON on one line, not escaped to ASCII, except lone surrogates, which a file name
    may have: they cannot be encoded."""
    import json

    return json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()


def refuse_html(form: str | None) -> None:
    """Raise UsageError if HTML would be written to a terminal, where nobody reads it."""
    if form == "html" and is_terminal():
        from gittraj.errors import UsageError

        raise UsageError(
            "HTML is not for a terminal", hint="-o FILE writes it, --open shows it in your browser"
        )


def say_written(path: Path, *, show: bool) -> None:
    """Say on a terminal where a file or folder was written, and ``show`` it in the browser."""
    if sys.stderr.isatty():
        size = f" ({size_of(path.stat().st_size)})" if path.is_file() else ""
        click.echo(f"Wrote {path}{size}", err=True)
    if show:
        import webbrowser

        page = path / "index.html" if path.is_dir() else path
        if not webbrowser.open(page.resolve().as_uri()):
            click.echo(f"git-traj: no browser was found to open {escape_line(str(page))}", err=True)


def say(text: str) -> None:
    """Print a remark on stderr, escaped, on one line."""
    sys.stderr.write(f"git-traj: {escape_line(text)}\n")


def write(repository: Repository, texts: Iterable[str], *, pager: bool = True) -> None:
    """Write ``texts`` as they arrive; on a terminal through git's pager, if ``pager`` and the user allow it.

    Raises BrokenPipeError when the reader of a pipe has closed it.
    """
    pages = pager and sys.stdout.isatty() and click.get_current_context().obj["pager"]
    command = _pager(repository) if pages else None
    if command is None:
        for text in texts:
            click.echo(text, nl=False, color=True)
        return
    variables = {"LESS": "FRX", "LV": "-c", **os.environ, "GIT_PAGER_IN_USE": "true"}
    # as in git, a pager is a shell command
    with subprocess.Popen(["sh", "-c", command], stdin=subprocess.PIPE, env=variables) as process:
        assert process.stdin is not None  # noqa: S101 - it is a pipe
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C is for the pager, which must not outlive us
        try:
            for text in texts:
                process.stdin.write(_plain(text) if is_plain() else text.encode("utf-8", "replace"))
            process.stdin.close()
        except BrokenPipeError:  # the user quit the pager
            pass


def _pager(repository: Repository) -> str | None:
    """The pager, in the order of git-var(1); `git var GIT_PAGER` prints `cat`, as we run git without one."""
    own, usual = os.environ.get("GIT_PAGER"), os.environ.get("PAGER")
    pager = own or repository.config("core.pager") or usual or "less"
    return None if pager in ("", "cat") or os.environ.get("TERM") == "dumb" else pager


def _plain(text: str) -> bytes:
    from gittraj.cli.common.ascii_output import plain

    return plain(text).encode("ascii")


@contextmanager
def show_progress(unit: str | None = None) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows progress: call it with a label, the number done and the total, both counted
    in ``unit`` or, if that is None, in bytes of sessions."""
    start = time.monotonic()
    last = 0.0

    def report(label: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if not sys.stderr.isatty() or now - start < _DELAY or (now - last < _INTERVAL and done < total):
            return
        last = now
        percent = 100 * done // total if total else 100
        detail = f"{done:,} of {total:,} {unit}" if unit else f"{size_of(done)} of {size_of(total)}"
        sys.stderr.write(f"\r\x1b[K{label}{'' if unit else ' sessions'}: {percent}% ({detail})")
        sys.stderr.flush()

    try:
        yield report
    finally:
        if last:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
