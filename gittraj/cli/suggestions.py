"""Completions of a partly typed command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from click.shell_completion import ShellComplete

from gittraj.errors import GitError

_REFS = ("refs/heads", "refs/tags", "refs/remotes")
_MOST = 200
"""Most references to suggest."""


def suggest(typed: Sequence[str]) -> Iterator[str]:
    """A line for each completion of ``typed``, whose last word may be empty: commands and options, else
    references and files."""
    from gittraj.cli.group import group

    *before, current = _join(typed) or [""]
    items = ShellComplete(group, {}, "git traj", "").get_completions(before, current)
    yield from (f"word\t{item.value}\t{item.help or ''}" for item in items if item.type == "plain")
    fits = any(item.type in ("file", "dir") for item in items)
    if fits or not (items or current.startswith("-")):
        if before and not fits:
            yield from (f"word\t{name}\t" for name in _references(current))
        yield "files"


def _join(typed: Sequence[str]) -> list[str]:
    """Rejoin ``--format=text``, which bash splits into three words."""
    words: list[str] = []
    for word in typed:
        if words and (word == "=" or words[-1].endswith("=")) and words[-1].startswith("--"):
            words[-1] += word
        else:
            words.append(word)
    return words


def _references(start: str) -> list[str]:
    from gittraj.cli.repository import find_repository

    first, dots, rest = start.rpartition("..")
    try:
        with find_repository("plumbing") as repository:
            command = ("for-each-ref", f"--count={_MOST}", "--format=%(refname:short)")
            # git's patterns match whole names or folders, so the last component is compared here
            names = repository.run(*command, *_REFS).out.decode("utf-8", "replace").split()
    except GitError:
        return []
    return [first + dots + name for name in (*names, "HEAD") if name.startswith(rest)]
