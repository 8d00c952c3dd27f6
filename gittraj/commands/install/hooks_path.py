"""Finds the folder of each worktree that git runs hooks from (``core.hooksPath``). It changes nothing."""

from __future__ import annotations

from pathlib import Path

from gittraj.frozen import dataclass
from gittraj.git import Repository, open_repository


@dataclass(frozen=True, slots=True)
class HooksFolder:
    """``refused``: why nothing is written there; ``own``: the repository's default folder, not another
    tool's; ``configured``: the hooks are run by git's configuration (``hook.*``)."""

    path: Path
    refused: str | None = None
    tracked: bool = False
    own: bool = False
    configured: bool = False


def find_hooks_folders(repository: Repository) -> tuple[HooksFolder, ...]:
    """The main worktree's folder, then those of linked worktrees that differ: ``core.hooksPath`` may be
    relative, or set in one worktree's configuration."""
    main, *linked = repository.worktrees()
    asked = [main.path if main.path and main.present else repository.common_dir]
    named = repository.config("core.hooksPath")
    if repository.config("extensions.worktreeConfig") or (named and not named.startswith(("/", "~"))):
        asked += [tree.path for tree in linked if tree.path and tree.present]
    folders = [_find(repository, place) for place in asked]
    return tuple({folder.path: folder for folder in reversed(folders)}.values())[::-1]


def _find(repository: Repository, place: Path) -> HooksFolder:
    with open_repository(place, environ=repository.environ) as opened:
        output = opened.run("rev-parse", "--path-format=absolute", "--git-path", "hooks").out
        path = Path(output.decode("utf-8", "surrogateescape").removesuffix("\n"))
        if not repository.owns(path):
            return HooksFolder(path, f"{path} lies outside this repository")
        if path.exists() and not path.is_dir():
            return HooksFolder(path, f"{path} is not a folder")
        if path.resolve() == (opened.common_dir / "hooks").resolve():
            return HooksFolder(path, own=True)
        tracked = opened.work_tree is not None and path.is_relative_to(opened.work_tree)
        return HooksFolder(
            path, tracked=tracked and bool(opened.run("ls-files", "--", str(path), check=False).out)
        )
