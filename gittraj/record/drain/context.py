"""The circumstances of one drain: fixed from its start to its end."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from gittraj.capture.repo_paths import RepoPaths
from gittraj.capture.session import Commit
from gittraj.config import Config, Environ
from gittraj.git import Position, Repository, read_present
from gittraj.record.drain.sessions import Sessions
from gittraj.state.folder import FOLDER, LocalState


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """When git-traj was installed (seconds since 1970), and how long each reflog was then."""

    time: float
    reflogs: Mapping[str, Position]


@dataclass(frozen=True, kw_only=True)  # without slots: cached_property needs a __dict__
class Context:
    """The circumstances of a drain. ``patience`` is how many seconds a commit's call may take to appear in
    its log; ``now`` is when the drain began (seconds since 1970)."""

    repository: Repository
    config: Config
    environ: Environ
    installed: Installed
    patience: float = 0.0
    now: float = field(default_factory=time.time)

    @cached_property
    def territory(self) -> RepoPaths:
        return RepoPaths(self.repository, home=self.environ.home)

    @cached_property
    def sessions(self) -> Sessions:
        return Sessions(self.config, self.environ, self.territory.roots, installed=self.installed.time)

    @property
    def folder(self) -> Path:
        return self.repository.common_dir / FOLDER

    def load_changes(self, streams: Sequence[Sequence[Commit]]) -> list[list[Commit]]:
        """Return the commits with their changes and times, without missing ones (pruned, or never made)."""
        changes = read_present(self.repository, [c.id for stream in streams for c in stream])
        local = LocalState(self.folder)
        for commit, each in changes.items():
            # when its hook ran, by this machine's clock
            if (moment := local.moment(commit)) is not None:
                changes[commit] = replace(each, time=moment)
        return [[replace(c, changes=changes[c.id]) for c in stream if c.id in changes] for stream in streams]
