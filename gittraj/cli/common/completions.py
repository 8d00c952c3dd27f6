"""Completions of a partly typed command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

from click.shell_completion import ShellComplete

from gittraj.errors import GitError

if TYPE_CHECKING:
    from gittraj.query.records import Recorded

_REFS = ("refs/heads", "refs/tags", "refs/remotes")
_MOST = 200
"""The maximum number of references or trajectories to suggest, and of commits to read for labels."""
_TAKE_IDS = ("show", "export", "complete", "forget", "unlink", "compare")
"""Commands that take a trajectory's id."""


def suggest(typed: Sequence[str]) -> Iterator[str]:
    """Yield a line for each completion of ``typed``, whose last word may be empty: commands and options, or,
    if none fits, references and files."""
    from gittraj.cli.common.group import group

    *before, current = _join(typed) or [""]
    items = ShellComplete(group, {}, "git traj", "").get_completions(before, current)
    yield from (f"word\t{item.value}\t{item.help or ''}" for item in items if item.type == "plain")
    takes_files = any(item.type in ("file", "dir") for item in items)
    if not takes_files:
        if items or current.startswith("-"):
            return
        if before:
            yield from _suggest_revisions(before[0], current)
    yield "files"


def _suggest_revisions(command: str, start: str) -> Iterator[str]:
    """Yield a line for each reference that begins with ``start``, and each trajectory if the command takes
    its id."""
    if command in _TAKE_IDS and start and "traj_".startswith(start[:5]):
        yield from _trajectories(start)
    yield from (f"word\t{name}\t" for name in _references(start))


def suggest_labels(name: str, start: str) -> list[str]:
    """The recorded agents, models, tasks or tags that begin with ``start``; ``name`` is ``agent``, ``model``,
    ``task`` or ``tag``."""
    from gittraj.cli.common.repository import find_to_read, read_records
    from gittraj.render.text.terminal import printable

    try:
        with find_to_read() as repository:
            labels = map(printable, read_labels(read_records(repository)).get(name, ()))
            return [label for label in labels if label.startswith(start)]
    except GitError:
        return []


def read_labels(recorded: Recorded) -> dict[str, list[str]]:
    """The recorded labels by ``agent``, ``model``, ``status``, ``task`` and ``tag``."""
    from gittraj.query.log.filters import known_labels

    return known_labels(chain.from_iterable(recorded.headers([*islice(recorded, _MOST)], explored=True)))


def _trajectories(start: str) -> Iterator[str]:
    """Yield a line for each recorded trajectory whose id begins with ``start``, with its title."""
    from gittraj.cli.common.repository import find_to_read, read_records
    from gittraj.render.text.terminal import printable

    try:
        with find_to_read() as repository:
            recorded = read_records(repository)
            for name in islice(recorded.ids(start), _MOST):
                trajectory = recorded.folded(name)
                header = trajectory.header(None) if trajectory else {}
                yield f"word\t{name}\t{printable(header.get('title') or header.get('prompt') or '')[:60]}"
    except GitError:
        return


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
    """The references that begin with ``start``, which may be a range: then its second end is completed."""
    from gittraj.cli.common.repository import find_repository

    left, dots, right = start.rpartition("..")
    try:
        with find_repository("plumbing") as repository:
            command = ("for-each-ref", f"--count={_MOST}", "--format=%(refname:short)")
            # git's patterns match whole names or folders, so the last component is compared here
            names = repository.run(*command, *_REFS).out.decode("utf-8", "replace").split()
    except GitError:
        return []
    return [left + dots + name for name in (*names, "HEAD") if name.startswith(right)]
