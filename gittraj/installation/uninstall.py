"""Takes everything out again: files as they were, byte for byte, with the edits of others kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from gittraj.errors import GitError, StoreError
from gittraj.git import Repository
from gittraj.installation.book import FILE, Book, read_book
from gittraj.installation.hooks import find_hooks_folder, uninstall_hook
from gittraj.installation.refspecs import find_lost_book, remove_refspecs
from gittraj.installation.shims import HOOKS
from gittraj.installation.steps import Step
from gittraj.local import LocalState

_CACHES = ("spool", "cursors.json", "drain.lock")
"""They would make a later installation record what happened between: it must not."""


def uninstall(repository: Repository, *, purge: bool = False) -> list[Step]:
    """Take git-traj out of ``repository``; the notes stay, and without ``purge`` the local state too.

    What fails is a step that says so: the rest is done, and doing it again does what is left.
    """
    local = LocalState.of(repository)
    book = read_book(local)
    steps = list(_undo_hooks(repository, book or Book()))
    # a book that is gone or damaged: our hooks still tell that something was installed
    lost = book is None and ((local.folder / FILE).exists() or any(s.did == "removed" for s in steps))
    try:
        steps += remove_refspecs(repository, find_lost_book(repository) if lost else book or Book())
    except (GitError, StoreError) as error:
        steps.append(Step(what="refspec", name="remotes", did="failed", text=error.message))
    ending = local.exists and (purge or (local.folder / FILE).exists())
    if ending and not any(step.did == "failed" for step in steps):
        try:
            steps.append(_end(local, purge=purge))
        except StoreError as error:
            steps.append(Step(what="state", name=str(local.folder), did="failed", text=error.message))
    return steps


def _undo_hooks(repository: Repository, book: Book) -> Iterator[Step]:
    folder = find_hooks_folder(repository)
    here = [] if folder.refused else [str(folder.path / name) for name in HOOKS]
    for path in map(Path, dict.fromkeys((*book.hooks, *here))):
        try:
            step = uninstall_hook(path)
        except OSError as error:
            step = Step(what="hook", name=path.name, did="failed", text=f"{path}: {error.strerror}")
        if step is not None:
            yield step
    for made in map(Path, reversed(book.folders)):
        try:
            made.rmdir()
        except OSError:
            pass  # somebody uses it by now


def _end(local: LocalState, *, purge: bool) -> Step:
    """Under the drain's lock, so that no worker writes after it."""
    with local.locked(wait=5.0) as had:
        if not had:
            raise StoreError("a worker is recording just now", "try again in a moment")
        try:
            for name in (FILE, *_CACHES):
                (local.folder / name).unlink(missing_ok=True)
            if purge:
                shutil.rmtree(local.folder)
        except OSError as error:
            raise StoreError(f"{local.folder} cannot be written: {error.strerror}") from None
    text = "removed" if purge else "kept, records nothing any more (--purge removes it)"
    return Step(what="state", name=str(local.folder), did="removed", text=text)
