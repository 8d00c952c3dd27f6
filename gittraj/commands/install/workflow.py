"""Writes a workflow that runs the Action: one of ``docs/workflows``, with the full id of a commit in it.

This module must not overwrite a file, nor write through a link, nor name a version that can be moved.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from gittraj.errors import StoreError, TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository

STARTERS = {
    "pull-request": "git-traj.yml",
    "forks": "git-traj-forks.yml",
    "forks-target": "git-traj.yml",
    "carry": "git-traj-carry.yml",
    "gate": "git-traj-gate.yml",
    "reusable": "git-traj-reusable.yml",
}
"""The name of each workflow in ``docs/workflows``, and the name of the file to write for it."""
_PLACEHOLDER = "OWNER/git-traj@main # pin a commit here"
_USES = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+@[0-9a-f]{40}", re.ASCII)
_GITHUB = re.compile(r"(?:https://|ssh://git@|git@)github\.com[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Starter:
    """A workflow. ``path`` is the file for ``text``, relative to ``root``, the top of the work tree."""

    root: Path
    path: Path
    text: str

    def write(self) -> None:
        """Write a new file, never through a link. Raises TrajError."""
        folder = self.root
        for part in self.path.parent.parts:
            folder /= part
            if folder.is_symlink():
                raise TrajError(f"{folder.relative_to(self.root)} is a link: nothing is written through it")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.root / self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(self.text)
        except FileExistsError:
            raise TrajError(f"{self.path} already exists and was not changed") from None
        except OSError as error:
            raise StoreError(f"{self.path} cannot be written: {error.strerror}") from None


def make_starter(repository: Repository, name: str, *, uses: str | None = None) -> Starter:
    """Return the workflow ``name``. ``uses`` is the Action that it runs, OWNER/NAME@COMMIT; None stands for
    the repository and commit that this git-traj was installed from. Raises TrajError."""
    if repository.work_tree is None:
        raise TrajError(
            "a workflow needs a work tree, and this repository is bare",
            "run this in a clone that is not bare",
        )
    uses = uses or find_uses()
    if not uses:
        raise TrajError(
            "the commit that this git-traj was installed from is not known",
            "name the one to run: --uses OWNER/git-traj@COMMIT, with its full id",
        )
    if not _USES.fullmatch(uses):
        raise TrajError("--uses is not OWNER/NAME@COMMIT, with the full id of the commit")
    path = Path(".github", "workflows", STARTERS[name])
    starter = Starter(repository.work_tree, path, _read(name).replace(_PLACEHOLDER, uses))
    if os.path.lexists(starter.root / starter.path):
        raise TrajError(f"{starter.path} already exists and was not changed")
    return starter


def find_uses() -> str | None:
    """Return the repository on GitHub and the commit that git-traj was installed from, as OWNER/NAME@COMMIT,
    if pip recorded them (https://packaging.python.org/en/latest/specifications/direct-url/)."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - only needed here

    try:
        source = json.loads(distribution("git-traj").read_text("direct_url.json") or "{}")
        home, commit = _GITHUB.fullmatch(source["url"]), source["vcs_info"]["commit_id"]
    except (PackageNotFoundError, ValueError, KeyError):
        return None
    return f"{home[1]}@{commit}" if home else None


def _read(name: str) -> str:
    from importlib.resources import files  # noqa: PLC0415 - imports tempfile, and all compressors

    for folder in (files("gittraj") / "_workflows", Path(__file__).parents[3] / "docs" / "workflows"):
        if (folder / f"{name}.yml").is_file():
            return (folder / f"{name}.yml").read_text("utf-8")
    raise TrajError(f"this installation of git-traj lacks its workflow {name}", "install git-traj again")
